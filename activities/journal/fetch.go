package journal

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

const fetchLimit = 5 * time.Second

// sync fetches what other processes wrote of a watched conversation, in the
// background; a call while one is under way makes it run once more.
func (p *PG) sync(ctx context.Context, tenant identity.Tenant, conversationID string) {
	key := roomKey{tenant, conversationID}
	if !p.hasReaders(key) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.syncs[key]
	if f == nil {
		f = &fetch{}
		p.syncs[key] = f
	}
	if f.running {
		f.again = true
		return
	}
	f.running = true
	go p.fetchUntilDone(context.WithoutCancel(ctx), key, f)
}

func (p *PG) fetchUntilDone(ctx context.Context, key roomKey, f *fetch) {
	for {
		limited, cancel := context.WithTimeout(ctx, fetchLimit)
		if err := p.fetch(limited, key); err != nil {
			p.log.Warn("fetching deltas failed", "error", err)
		}
		cancel()
		p.mu.Lock()
		if !f.again {
			delete(p.syncs, key)
			p.mu.Unlock()
			return
		}
		f.again = false
		p.mu.Unlock()
	}
}

// fetch brings the hub up to what is stored: new pieces are published to local
// readers; messages without rows any more are forgotten, unless this process is
// writing them.
func (p *PG) fetch(ctx context.Context, key roomKey) error {
	known := p.known(key)
	raw, err := json.Marshal(known)
	if err != nil {
		return err
	}
	var rows []pgdb.NewDeltasRow
	var open []string
	err = p.db.Read(ctx, key.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		var err error
		if rows, err = q.NewDeltas(ctx, pgdb.NewDeltasParams{
			TenantID: key.tenant.String(), ConversationID: key.conversationID, Known: raw}); err != nil {
			return err
		}
		open, err = q.OpenDeltaMessages(ctx, pgdb.OpenDeltaMessagesParams{
			TenantID: key.tenant.String(), ConversationID: key.conversationID})
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		p.Hub.Publish(ctx, key.tenant, delta(key.conversationID, row))
	}
	for _, k := range known {
		if !slices.Contains(open, k.MessageID) && !p.writes(k.MessageID) {
			p.Hub.Forget(ctx, key.tenant, key.conversationID, k.MessageID, k.Attempt)
		}
	}
	return nil
}

// have is how much of a message the hub has.
type have struct {
	MessageID string `json:"message_id"`
	Attempt   int    `json:"attempt"`
	Reasoning bool   `json:"reasoning"`
	Length    int    `json:"length"`
}

// known says how far the hub has each open message.
func (p *PG) known(key roomKey) []have {
	list := []have{}
	p.Hub.mu.Lock()
	defer p.Hub.mu.Unlock()
	if r := p.Hub.rooms[key]; r != nil {
		for _, m := range r.messages {
			list = append(list, have{m.id, m.attempt, false, len(m.text)}, have{m.id, m.attempt, true, len(m.reasoning)})
		}
	}
	return list
}

func (p *PG) hasReaders(key roomKey) bool {
	p.Hub.mu.Lock()
	defer p.Hub.mu.Unlock()
	r := p.Hub.rooms[key]
	return r != nil && len(r.readers) > 0
}

func delta(conversationID string, row pgdb.NewDeltasRow) event.Delta {
	return event.Delta{ConversationID: conversationID, TurnID: row.TurnID, MessageID: row.MessageID, Attempt: int(row.Attempt),
		Offset: int(row.Offset), Text: row.Text, Reasoning: row.Reasoning}
}
