package journal

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/identity"
)

// Channels of NOTIFY. The payload is "<tenant> <conversation>".
const (
	channelJournal = "erpilot_journal"
	channelDeltas  = "erpilot_deltas"
)

const (
	pollEvery    = time.Second
	reconnectMax = 5 * time.Second
)

// Watcher feeds a hub with what other processes do: it listens, and polls as a
// safety net.
type Watcher struct {
	db  *store.DB
	hub *Hub
	log *slog.Logger
	// deltas is set where another process's deltas are fetched (PG).
	deltas func(ctx context.Context, tenant identity.Tenant, conversationID string)
	// poll is the pace of the safety net.
	poll time.Duration
}

// NewWatcher returns the watcher of a hub in one process. Run starts it.
func NewWatcher(db *store.DB, hub *Hub, log *slog.Logger) *Watcher {
	return &Watcher{db: db, hub: hub, log: log, poll: pollEvery}
}

// Run listens and polls until the context ends. It never gives up: while the
// database is away it tries again, at most 5 s apart.
func (w *Watcher) Run(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.pollForEver(ctx)
	}()
	w.listenForEver(ctx)
	<-done
}

func (w *Watcher) listenForEver(ctx context.Context) {
	wait := 100 * time.Millisecond
	for ctx.Err() == nil {
		begun := time.Now()
		if err := w.listen(ctx); err != nil && ctx.Err() == nil {
			w.log.Warn("listening to the journal was interrupted", "error", err)
		}
		if time.Since(begun) > time.Minute {
			wait = 100 * time.Millisecond
		}
		pause(ctx, wait/2+rand.N(wait/2)) //nolint:gosec // Jitter needs no secrecy.
		wait = min(2*wait, reconnectMax)
	}
}

func (w *Watcher) listen(ctx context.Context) error {
	channels := []string{channelJournal}
	if w.deltas != nil {
		channels = append(channels, channelDeltas)
	}
	conn, err := w.db.Listen(ctx, channels...)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it may be broken already
	// Whatever happened while nobody listened is read now.
	w.hub.wakeAll()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		tenantID, conversationID, _ := strings.Cut(n.Payload, " ")
		tenant, err := identity.ParseTenant(tenantID)
		if err != nil {
			continue // not one of ours
		}
		switch n.Channel {
		case channelJournal:
			w.hub.Wake(tenant, conversationID)
		case channelDeltas:
			w.deltas(ctx, tenant, conversationID)
		}
	}
}

func (w *Watcher) pollForEver(ctx context.Context) {
	tick := time.NewTicker(w.poll)
	defer tick.Stop()
	heads := map[roomKey]int64{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			heads = w.pollOnce(ctx, heads)
		}
	}
}

// pollOnce wakes the readers of conversations whose head has moved since the
// last poll, with one query per tenant.
func (w *Watcher) pollOnce(ctx context.Context, known map[roomKey]int64) map[roomKey]int64 {
	heads := map[roomKey]int64{}
	for tenant, conversations := range w.hub.watched() {
		var rows []pgdb.JournalHeadsRow
		err := w.db.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
			var err error
			rows, err = q.JournalHeads(ctx, pgdb.JournalHeadsParams{TenantID: tenant.String(), Conversations: conversations})
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				w.log.Warn("polling the journal failed", "error", err)
			}
			return known
		}
		for _, row := range rows {
			key := roomKey{tenant, row.ConversationID}
			heads[key] = row.HeadSeq
			if known[key] != row.HeadSeq {
				w.hub.Wake(tenant, row.ConversationID)
			}
		}
		if w.deltas != nil {
			for _, conversationID := range conversations {
				w.deltas(ctx, tenant, conversationID)
			}
		}
	}
	return heads
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
