package journal

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

const (
	// queueLength and pieceBytes bound what waits for one reader: 256 pieces, 1 MiB.
	queueLength = 256
	pieceBytes  = 4 << 10
	// messageBytes bounds the text kept of one open message; a longer one goes on
	// without being kept, and its readers wait for the stored message.
	messageBytes = 1 << 20
	// openFor is how long the text of a message is kept after its last piece.
	openFor = 30 * time.Minute
)

// Hub is the carrier inside one process. The zero value is not usable; see NewHub.
type Hub struct {
	now func() time.Time

	mu    sync.Mutex
	rooms map[roomKey]*room
	swept time.Time
}

type roomKey struct {
	tenant         identity.Tenant
	conversationID string
}

// room is one conversation: who watches it and what is being written in it.
type room struct {
	readers  map[*reader]struct{}
	messages []*openMessage
}

// openMessage is the text so far of a message, of its newest attempt.
type openMessage struct {
	id, turnID string
	attempt    int
	text       []byte
	reasoning  []byte
	touched    time.Time
}

// NewHub returns an empty hub.
func NewHub() *Hub { return &Hub{now: time.Now, rooms: map[roomKey]*room{}} }

var (
	_ Carrier = (*Hub)(nil)
	_ Texts   = (*Hub)(nil)
)

// Wake tells the readers of the conversation that the journal has grown.
func (h *Hub) Wake(tenant identity.Tenant, conversationID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[roomKey{tenant, conversationID}]; r != nil {
		for reader := range r.readers {
			reader.wake()
		}
	}
}

// wakeAll is for a watcher that may have missed wake-ups.
func (h *Hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.rooms {
		for reader := range r.readers {
			reader.wake()
		}
	}
}

// Publish keeps the piece and hands it to the readers. Pieces of an older
// attempt, pieces already had and pieces after a gap change nothing.
func (h *Hub) Publish(_ context.Context, tenant identity.Tenant, d event.Delta) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sweep()
	r := h.room(roomKey{tenant, d.ConversationID})
	d, ok := r.keep(d, h.now())
	if !ok {
		return
	}
	for _, piece := range pieces(d) {
		for reader := range r.readers {
			if !reader.offer(piece) {
				delete(r.readers, reader)
			}
		}
	}
}

// Forget drops the text of a message up to and including the attempt.
func (h *Hub) Forget(_ context.Context, tenant identity.Tenant, conversationID, messageID string, attempt int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := roomKey{tenant, conversationID}
	r := h.rooms[key]
	if r == nil {
		return
	}
	for i, m := range r.messages {
		if m.id == messageID && m.attempt <= attempt {
			r.messages = append(r.messages[:i:i], r.messages[i+1:]...)
			break
		}
	}
	h.tidy(key)
}

// Subscribe watches a conversation, beginning with the text so far.
func (h *Hub) Subscribe(tenant identity.Tenant, conversationID string) Subscription {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := roomKey{tenant, conversationID}
	r := h.room(key)
	open := r.texts(conversationID)
	s := &reader{woken: make(chan struct{}, 1), deltas: make(chan event.Delta, queueLength+len(open))}
	for _, d := range open {
		s.deltas <- d
	}
	s.leave = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if _, ok := r.readers[s]; ok {
			delete(r.readers, s)
			close(s.deltas)
		}
		h.tidy(key)
	}
	r.readers[s] = struct{}{}
	return s
}

// Open returns the text so far of open messages, one delta each.
func (h *Hub) Open(_ context.Context, _ pgx.Tx, tenant identity.Tenant, conversationID string) ([]event.Delta, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rooms[roomKey{tenant, conversationID}]; r != nil {
		return r.texts(conversationID), nil
	}
	return nil, nil
}

// watched lists the conversations that have readers, by tenant.
func (h *Hub) watched() map[identity.Tenant][]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[identity.Tenant][]string{}
	for key, r := range h.rooms {
		if len(r.readers) > 0 {
			all[key.tenant] = append(all[key.tenant], key.conversationID)
		}
	}
	return all
}

// room returns the room, making it when it is new. The caller holds the lock.
func (h *Hub) room(key roomKey) *room {
	r := h.rooms[key]
	if r == nil {
		r = &room{readers: map[*reader]struct{}{}}
		h.rooms[key] = r
	}
	return r
}

// tidy removes a room that nobody needs. The caller holds the lock.
func (h *Hub) tidy(key roomKey) {
	if r := h.rooms[key]; r != nil && len(r.readers) == 0 && len(r.messages) == 0 {
		delete(h.rooms, key)
	}
}

// sweep drops the text of messages whose writer has died, now and then.
func (h *Hub) sweep() {
	now := h.now()
	if now.Sub(h.swept) < time.Minute {
		return
	}
	h.swept = now
	for key, r := range h.rooms {
		kept := r.messages[:0]
		for _, m := range r.messages {
			if now.Sub(m.touched) < openFor {
				kept = append(kept, m)
			}
		}
		clear(r.messages[len(kept):])
		r.messages = kept
		h.tidy(key)
	}
}

// keep adds the piece to its message and returns what is new of it.
func (r *room) keep(d event.Delta, now time.Time) (event.Delta, bool) {
	m := r.message(d.MessageID)
	if m == nil {
		m = &openMessage{id: d.MessageID, turnID: d.TurnID, attempt: d.Attempt}
		r.messages = append(r.messages, m)
	}
	switch {
	case d.Attempt < m.attempt:
		return d, false
	case d.Attempt > m.attempt:
		m.attempt, m.text, m.reasoning = d.Attempt, nil, nil
	}
	m.touched = now
	have := &m.text
	if d.Reasoning {
		have = &m.reasoning
	}
	if d.Offset > len(*have) {
		return d, false
	}
	old := len(*have) - d.Offset
	if old >= len(d.Text) || len(*have) >= messageBytes {
		return d, false
	}
	d.Text = d.Text[old:]
	d.Offset = len(*have)
	*have = append(*have, d.Text...)
	return d, true
}

func (r *room) message(id string) *openMessage {
	for _, m := range r.messages {
		if m.id == id {
			return m
		}
	}
	return nil
}

// texts are the open messages as deltas from offset 0, in the order of their begin.
func (r *room) texts(conversationID string) []event.Delta {
	var all []event.Delta
	for _, m := range r.messages {
		d := event.Delta{ConversationID: conversationID, TurnID: m.turnID, MessageID: m.id, Attempt: m.attempt}
		if len(m.reasoning) > 0 {
			d.Text, d.Reasoning = string(m.reasoning), true
			all = append(all, d)
		}
		if len(m.text) > 0 {
			d.Text, d.Reasoning = string(m.text), false
			all = append(all, d)
		}
	}
	return all
}

// pieces cuts a delta into at most pieceBytes each, between characters.
func pieces(d event.Delta) []event.Delta {
	var list []event.Delta
	for len(d.Text) > pieceBytes {
		cut := pieceBytes
		for cut > pieceBytes-utf8.UTFMax && !utf8.RuneStart(d.Text[cut]) {
			cut--
		}
		head := d
		head.Text = d.Text[:cut]
		list = append(list, head)
		d.Text = d.Text[cut:]
		d.Offset += cut
	}
	return append(list, d)
}

// reader is a Subscription of a Hub.
type reader struct {
	woken  chan struct{}
	deltas chan event.Delta
	leave  func()
}

func (r *reader) Woken() <-chan struct{}     { return r.woken }
func (r *reader) Deltas() <-chan event.Delta { return r.deltas }
func (r *reader) Close()                     { r.leave() }

func (r *reader) wake() {
	select {
	case r.woken <- struct{}{}:
	default: // one wake-up is waiting already
	}
}

// offer queues the piece, or closes the reader that is too far behind.
func (r *reader) offer(d event.Delta) bool {
	select {
	case r.deltas <- d:
		return true
	default:
		close(r.deltas)
		return false
	}
}
