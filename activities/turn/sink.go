package turn

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/erpilot/erpilot/schema/event"
)

// sink gathers the deltas of one model call and hands them on every 40 ms: one
// event a frame, not one a token. The first piece goes at once.
type sink struct {
	s         *Service
	a         agent
	messageID string
	attempt   int
	every     time.Duration

	mu        sync.Mutex
	text      piece
	reasoning piece
	last      time.Time
	timer     *time.Timer
	// wrote says that something was shown.
	wrote bool
}

// piece is text that is waiting to be shown, and where it belongs.
type piece struct {
	waiting strings.Builder
	offset  int
}

func newSink(s *Service, a agent, messageID string, attempt int) *sink {
	every := s.Config.Coalesce
	if every == 0 {
		every = 40 * time.Millisecond
	}
	return &sink{s: s, a: a, messageID: messageID, attempt: attempt, every: every}
}

// Text takes a piece of the answer.
func (k *sink) Text(delta string) { k.add(&k.text, delta) }

// Reasoning takes a piece of the model's thinking.
func (k *sink) Reasoning(delta string) { k.add(&k.reasoning, delta) }

func (k *sink) add(p *piece, delta string) {
	delta = printable(delta)
	k.mu.Lock()
	defer k.mu.Unlock()
	p.waiting.WriteString(delta)
	switch {
	case time.Since(k.last) >= k.every:
		k.send()
	case k.timer == nil:
		k.timer = time.AfterFunc(k.every, k.flush)
	}
}

// printable drops NUL, which Postgres cannot hold.
func printable(s string) string { return strings.ReplaceAll(s, "\x00", "") }

// flush shows what is waiting; it ends the pending timer.
func (k *sink) flush() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.send()
}

func (k *sink) send() {
	if k.timer != nil {
		k.timer.Stop()
		k.timer = nil
	}
	k.last = time.Now()
	k.publish(&k.reasoning, true)
	k.publish(&k.text, false)
}

func (k *sink) publish(p *piece, reasoning bool) {
	if p.waiting.Len() == 0 {
		return
	}
	text := p.waiting.String()
	p.waiting.Reset()
	k.wrote = true
	k.s.Carrier.Publish(context.Background(), k.a.tenant, event.Delta{ConversationID: k.a.turn.ConversationID, TurnID: k.a.turn.TurnID,
		MessageID: k.messageID, Attempt: k.attempt, Offset: p.offset, Text: text, Reasoning: reasoning})
	p.offset += len(text)
}
