package journal

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

const (
	// flushMin and flushMax bound how long a token waits for company.
	flushMin = 10 * time.Millisecond
	flushMax = 40 * time.Millisecond
	// queuedMax bounds what waits for Postgres; more is dropped.
	queuedMax = 4096
)

// PG is the carrier between processes: rows in an UNLOGGED table, written in
// batches, and a NOTIFY per batch. Readers of the same process get the piece
// from the hub at once.
type PG struct {
	*Hub
	db  *store.DB
	log *slog.Logger

	mu     sync.Mutex
	queue  []change
	filled chan struct{}
	// syncs keeps one fetch per conversation at a time.
	syncs map[roomKey]*fetch
	// local holds the messages that this process is writing.
	local map[string]struct{}
}

// change is a piece to be stored, or a message to be forgotten (forget > 0).
type change struct {
	tenant identity.Tenant
	delta  event.Delta
	forget bool
}

// fetch is the state of fetching a conversation's deltas.
type fetch struct{ running, again bool }

// NewPG returns the carrier; Run carries.
func NewPG(db *store.DB, log *slog.Logger) *PG {
	return &PG{Hub: NewHub(), db: db, log: log, filled: make(chan struct{}, 1), syncs: map[roomKey]*fetch{}, local: map[string]struct{}{}}
}

var (
	_ Carrier = (*PG)(nil)
	_ Texts   = (*PG)(nil)
)

// Run writes batches, listens and polls until the context ends; what is queued
// then is still written, within a second.
func (p *PG) Run(ctx context.Context) {
	w := NewWatcher(p.db, p.Hub, p.log)
	w.deltas = p.sync
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run(ctx)
	}()
	p.flushForEver(ctx)
	<-done
}

// Publish hands the piece to local readers and queues it for the others.
func (p *PG) Publish(ctx context.Context, tenant identity.Tenant, d event.Delta) {
	p.enqueue(change{tenant: tenant, delta: d})
	p.Hub.Publish(ctx, tenant, d)
}

// Forget drops the message here and, in order after its queued pieces, there.
func (p *PG) Forget(ctx context.Context, tenant identity.Tenant, conversationID, messageID string, attempt int) {
	p.Hub.Forget(ctx, tenant, conversationID, messageID, attempt)
	p.enqueue(change{tenant: tenant, forget: true,
		delta: event.Delta{ConversationID: conversationID, MessageID: messageID, Attempt: attempt}})
}

// Subscribe watches a conversation. What other processes have written so far
// follows as the first deltas.
func (p *PG) Subscribe(tenant identity.Tenant, conversationID string) Subscription {
	s := p.Hub.Subscribe(tenant, conversationID)
	p.sync(context.Background(), tenant, conversationID)
	return s
}

// writes reports whether this process is writing the message.
func (p *PG) writes(messageID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.local[messageID]
	return ok
}

// Open reads the text so far from the snapshot of the transaction.
func (p *PG) Open(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID string) ([]event.Delta, error) {
	rows, err := pgdb.New(tx).NewDeltas(ctx, pgdb.NewDeltasParams{TenantID: tenant.String(), ConversationID: conversationID, Known: []byte("[]")})
	if err != nil {
		return nil, err
	}
	r := &room{}
	for _, row := range rows {
		r.keep(delta(conversationID, row), time.Time{})
	}
	return r.texts(conversationID), nil
}

func (p *PG) enqueue(c change) {
	p.mu.Lock()
	if c.forget {
		delete(p.local, c.delta.MessageID)
	} else {
		p.local[c.delta.MessageID] = struct{}{}
	}
	if len(p.queue) < queuedMax || c.forget {
		p.queue = append(p.queue, c)
	}
	p.mu.Unlock()
	select {
	case p.filled <- struct{}{}:
	default: // the writer knows already
	}
}

func (p *PG) flushForEver(ctx context.Context) {
	wait := flushMin
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			p.flush(last)
			cancel()
			return
		case <-p.filled:
		}
		pause(ctx, wait)
		begun := time.Now()
		p.flush(ctx)
		wait = min(max(2*time.Since(begun), flushMin), flushMax)
	}
}

// flush writes what is queued: per tenant one transaction.
func (p *PG) flush(ctx context.Context) {
	p.mu.Lock()
	queue := p.queue
	p.queue = nil
	p.mu.Unlock()
	byTenant := map[identity.Tenant][]change{}
	for _, c := range queue {
		byTenant[c.tenant] = append(byTenant[c.tenant], c)
	}
	for tenant, changes := range byTenant {
		err := p.db.FastTx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error { return write(ctx, tx, tenant, changes) })
		if err != nil {
			p.log.Warn("deltas were dropped", "pieces", len(changes), "error", err)
		}
	}
}

// write stores pieces, joined where one continues the other, drops forgotten
// messages, and notifies each conversation once.
func write(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, changes []change) error {
	q := pgdb.New(tx)
	var deltas []event.Delta
	var forget []change
	notify := map[string]bool{}
	for _, c := range changes {
		notify[tenant.String()+" "+c.delta.ConversationID] = true
		if c.forget {
			forget = append(forget, c)
			deltas = without(deltas, c.delta)
			continue
		}
		deltas = Join(deltas, c.delta)
	}
	if len(deltas) > 0 {
		raw, err := json.Marshal(deltas)
		if err != nil {
			return err
		}
		if err := q.InsertDeltas(ctx, pgdb.InsertDeltasParams{TenantID: tenant.String(), Deltas: raw}); err != nil {
			return err
		}
	}
	for _, c := range forget {
		err := q.DeleteDeltas(ctx, pgdb.DeleteDeltasParams{TenantID: tenant.String(), ConversationID: c.delta.ConversationID,
			MessageID: c.delta.MessageID, Attempt: int32(c.delta.Attempt)})
		if err != nil {
			return err
		}
	}
	payloads := make([]string, 0, len(notify))
	for payload := range notify {
		payloads = append(payloads, payload)
	}
	return q.NotifyEach(ctx, pgdb.NotifyEachParams{Channel: channelDeltas, Payloads: payloads})
}

func without(deltas []event.Delta, forgotten event.Delta) []event.Delta {
	kept := deltas[:0]
	for _, d := range deltas {
		if d.ConversationID != forgotten.ConversationID || d.MessageID != forgotten.MessageID || d.Attempt > forgotten.Attempt {
			kept = append(kept, d)
		}
	}
	return kept
}

// Join adds a delta to a list, to the last one's end where it continues it.
func Join(list []event.Delta, d event.Delta) []event.Delta {
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.ConversationID == d.ConversationID && last.MessageID == d.MessageID && last.Attempt == d.Attempt &&
			last.Reasoning == d.Reasoning && last.Offset+len(last.Text) == d.Offset {
			last.Text += d.Text
			return list
		}
	}
	return append(list, d)
}
