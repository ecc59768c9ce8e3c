package gateway

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// backlogMax is how far behind a cursor may be; a page that is farther reads
// the state anew.
const backlogMax = 5000

// events is the stream of a conversation: stored events with their seq as id,
// deltas without. Closing the socket detaches a viewer and nothing else.
func (s *Server) events(w http.ResponseWriter, r *http.Request, who *requester) error {
	cursor, err := cursorOf(r)
	if err != nil {
		return err
	}
	row, err := s.owned(r, who)
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(who, s.Stream.PerUser)
	if err != nil {
		return err
	}
	defer leave()
	// Subscribe first, then read up to the head: nothing falls between.
	sub := s.Carrier.Subscribe(who.tenant, row.ConversationID)
	defer sub.Close()
	out, err := newSSE(w, s.Stream.WriteTimeout)
	if err != nil {
		return nil // the reader is gone; there is nobody to tell
	}
	c := &connection{s: s, who: who, conversationID: row.ConversationID, sub: sub, out: out,
		reader: journal.NewReader(s.DB, who.tenant, row.ConversationID, cursor), sent: map[string]int{}, stored: map[string]bool{}}
	if err := c.run(r.Context(), cursor); err != nil && r.Context().Err() == nil {
		s.log.Debug("a stream ended", "request_id", requestID(r), "error", err)
	}
	return nil
}

// cursorOf is where the reader is: Last-Event-ID, else ?after=, else the begin.
func cursorOf(r *http.Request) (int64, error) {
	raw := r.Header.Get("Last-Event-ID")
	if raw == "" {
		raw = r.URL.Query().Get("after")
	}
	if raw == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(raw, 10, 64)
	if err != nil || n < 0 {
		return 0, fault.New(fault.Invalid, "detail", "the cursor is not a sequence number")
	}
	return n, nil
}

// connection is one open stream.
type connection struct {
	s              *Server
	who            *requester
	conversationID string
	sub            journal.Subscription
	out            *sse
	reader         *journal.Reader
	// sent is the attempt of each open message that this reader has the START of;
	// stored are messages that have come whole, so that late deltas are dropped.
	sent   map[string]int
	stored map[string]bool
	// held are deltas that wait for company, since the last flush.
	held    []event.Delta
	flushed time.Time
	// checked is when the session was last seen alive.
	checked time.Time
}

// recheck is how old the knowledge about a session may be when something new is
// sent: after a logout a stream tells at most this much more.
const recheck = time.Second

// loggedOut reports that the session is over. A database that is away ends no
// stream: the next look decides.
func (c *connection) loggedOut(ctx context.Context) bool {
	if err := c.s.session(ctx, c.who); err != nil {
		return fault.CodeOf(err) == fault.Unauthenticated
	}
	c.checked = time.Now()
	return false
}

func (c *connection) run(ctx context.Context, cursor int64) error {
	if err := c.begin(ctx, cursor); err != nil {
		return c.broken(err)
	}
	conf := c.s.Stream
	heartbeat := time.NewTicker(conf.Heartbeat)
	defer heartbeat.Stop()
	age := time.NewTimer(conf.MaxAge - conf.MaxAge/10 + rand.N(conf.MaxAge/5+1)) //nolint:gosec // Jitter needs no secrecy.
	defer age.Stop()
	login := time.NewTimer(time.Until(c.who.expires))
	defer login.Stop()
	coalesce := time.NewTimer(conf.Coalesce)
	coalesce.Stop()
	defer coalesce.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.s.closing:
			return c.out.bye("shutdown")
		case <-age.C:
			if c.loggedOut(ctx) {
				return c.loginExpired()
			}
			return c.out.bye("reconnect")
		case <-login.C:
			return c.loginExpired()
		case <-heartbeat.C:
			if c.loggedOut(ctx) {
				return c.loginExpired()
			}
			c.out.comment("hb")
			err = c.journal(ctx)
		case <-c.sub.Woken():
			if time.Since(c.checked) > recheck && c.loggedOut(ctx) {
				return c.loginExpired()
			}
			err = c.journal(ctx)
		case d, ok := <-c.sub.Deltas():
			if !ok {
				return c.out.bye("slow") // it comes back with its cursor
			}
			err = c.delta(ctx, d, coalesce)
		case <-coalesce.C:
			err = c.release()
		}
		if err != nil {
			return c.broken(err)
		}
	}
}

// broken ends a stream whose source failed: the reader reconnects.
func (c *connection) broken(err error) error {
	if code := fault.CodeOf(err); code == fault.Unavailable || code == fault.OutcomeUnknown {
		_ = c.out.bye("unavailable") // the reader may be gone, too
	}
	return err
}

// begin catches up from the cursor, or tells the page to read the state anew
// when the cursor is ahead of the head or too far behind it.
func (c *connection) begin(ctx context.Context, cursor int64) error {
	head, err := c.s.head(ctx, c.who.tenant, c.conversationID)
	if err != nil {
		return err
	}
	if cursor > head || head-cursor > backlogMax {
		c.reader = journal.NewReader(c.s.DB, c.who.tenant, c.conversationID, head)
		// The id corrects the cursor of the reader.
		if err := c.out.frames(head, event.Custom("resync", map[string]any{"head": head})); err != nil {
			return err
		}
	}
	if err := c.journal(ctx); err != nil {
		return err
	}
	return c.prelude(ctx)
}

// prelude sends the whole text so far of open messages, which the subscription
// begins with. One that was stored meanwhile is not open any more.
func (c *connection) prelude(ctx context.Context) error {
	var open []event.Delta
	for waiting := true; waiting; {
		select {
		case d, ok := <-c.sub.Deltas():
			if ok {
				open = journal.Join(open, d)
			}
			waiting = ok
		default:
			waiting = false
		}
	}
	if len(open) == 0 {
		return nil
	}
	ids := make([]string, len(open))
	for i, d := range open {
		ids[i] = d.MessageID
	}
	stored, err := journal.Stored(ctx, c.s.DB, c.who.tenant, ids)
	if err != nil {
		return err
	}
	for id := range stored {
		c.stored[id] = true
	}
	c.held = open
	return c.release()
}

// journal sends what has been stored since.
func (c *connection) journal(ctx context.Context) error {
	for {
		events, more, err := c.reader.Next(ctx)
		if err != nil {
			return err
		}
		if len(events) > 0 {
			// Text that came before stays before.
			if err := c.release(); err != nil {
				return err
			}
		}
		for _, e := range events {
			if err := c.store(e); err != nil {
				return err
			}
		}
		if err := c.out.flush(); err != nil {
			return err
		}
		if !more {
			return nil
		}
	}
}

// store adds the frames of a stored event.
func (c *connection) store(e event.Event) error {
	frames, err := event.Wire(e)
	if err != nil {
		// A row that this version cannot read must not end the stream for ever.
		c.s.log.Error("a stored event could not be sent", "conversation_id", c.conversationID, "seq", e.Seq, "type", e.Type, "error", err)
		frames = []event.Frame{event.Custom("resync", map[string]any{"head": e.Seq})}
	}
	if id := messageOf(e); id != "" {
		c.stored[id] = true
		delete(c.sent, id)
	}
	return c.out.frames(e.Seq, frames...)
}

// delta sends a piece: the first one at once, what follows closely together.
func (c *connection) delta(ctx context.Context, d event.Delta, coalesce *time.Timer) error {
	if _, known := c.sent[d.MessageID]; !known {
		select {
		case <-c.sub.Woken(): // what was stored before the message began goes first
			if err := c.journal(ctx); err != nil {
				return err
			}
		default:
		}
	}
	c.held = journal.Join(c.held, d)
	if len(c.held) > 1 || len(c.held[0].Text) > len(d.Text) {
		return nil // the timer runs
	}
	wait := c.s.Stream.Coalesce - time.Since(c.flushed)
	if wait <= 0 {
		return c.release()
	}
	coalesce.Reset(wait)
	return nil
}

// release sends the deltas that were held.
func (c *connection) release() error {
	if len(c.held) == 0 {
		return nil
	}
	for _, d := range c.held {
		if c.stored[d.MessageID] {
			continue
		}
		if err := c.piece(d); err != nil {
			return err
		}
	}
	c.held = c.held[:0]
	c.flushed = time.Now()
	return c.out.flush()
}

// piece adds the frames of a delta: START for a message that this reader does
// not know, a reset when the model is asked again.
func (c *connection) piece(d event.Delta) error {
	attempt, known := c.sent[d.MessageID]
	switch {
	case known && d.Attempt < attempt:
		return nil
	case known && d.Attempt > attempt:
		if err := c.out.frames(0, event.Custom("message_reset", map[string]any{"turn_id": d.TurnID, "message_id": d.MessageID, "attempt": d.Attempt})); err != nil {
			return err
		}
	case !known:
		start := event.Frame{"type": "TEXT_MESSAGE_START", "messageId": d.MessageID, "role": "assistant",
			"rawEvent": map[string]any{"turn_id": d.TurnID, "attempt": d.Attempt}}
		if err := c.out.frames(0, start); err != nil {
			return err
		}
	}
	c.sent[d.MessageID] = d.Attempt
	return c.out.frames(0, event.WireDelta(d))
}

// loginExpired tells why the stream ends; the page keeps what is typed.
func (c *connection) loginExpired() error {
	if err := c.out.frames(0, event.Custom("login_expired", map[string]any{})); err != nil {
		return err
	}
	return c.out.bye("login_expired")
}

// messageOf is the message that the event stores, "" for other events.
func messageOf(e event.Event) string {
	if e.Type != event.MessageStored {
		return ""
	}
	var d event.Message
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return ""
	}
	return d.MessageID
}

// head is the newest seq of a conversation.
func (s *Server) head(ctx context.Context, tenant identity.Tenant, conversationID string) (head int64, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		head, err = journal.Head(ctx, tx, tenant, conversationID)
		return err
	})
	return head, err
}

// streams counts the open streams of each user.
type streams struct {
	mu   sync.Mutex
	open map[personKey]int
}

// enter counts a stream in; code rate_limited when the user has too many.
func (s *streams) enter(who *requester, most int) (leave func(), err error) {
	key := personKey{who.tenant, who.userID}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[personKey]int{}
	}
	if s.open[key] >= most {
		return nil, fault.New(fault.RateLimited)
	}
	s.open[key]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[key]--; s.open[key] == 0 {
			delete(s.open, key)
		}
	}, nil
}
