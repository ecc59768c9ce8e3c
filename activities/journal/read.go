package journal

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

// pageRows bounds one read of the journal.
const pageRows = 500

// Reader tails one conversation by seq: each event once, in order, whatever
// wakes it and however often.
type Reader struct {
	db             *store.DB
	tenant         identity.Tenant
	conversationID string
	after          int64
}

// NewReader starts after the seq (0 is the begin).
func NewReader(db *store.DB, tenant identity.Tenant, conversationID string, after int64) *Reader {
	return &Reader{db: db, tenant: tenant, conversationID: conversationID, after: after}
}

// Next returns the events that follow, at most 500; none when the head is
// reached. More reports that there may be others right behind.
func (r *Reader) Next(ctx context.Context) (events []event.Event, more bool, err error) {
	err = r.db.One(ctx, r.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		events, err = read(ctx, q, r.tenant, r.conversationID, r.after, pageRows)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if n := len(events); n > 0 {
		r.after = events[n-1].Seq
	}
	return events, len(events) == pageRows, nil
}

// After is the seq up to which the reader has read.
func (r *Reader) After() int64 { return r.after }

// Read returns the events after the seq, at most limit.
func Read(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID string, after int64, limit int) ([]event.Event, error) {
	return read(ctx, pgdb.New(tx), tenant, conversationID, after, limit)
}

func read(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, conversationID string, after int64, limit int) ([]event.Event, error) {
	rows, err := q.ReadJournal(ctx, pgdb.ReadJournalParams{
		TenantID: tenant.String(), ConversationID: conversationID, Seq: after, MaxRows: int32(limit),
	})
	if err != nil {
		return nil, err
	}
	events := make([]event.Event, len(rows))
	for i, row := range rows {
		events[i] = event.Event{ConversationID: conversationID, Seq: row.Seq, Type: event.Type(row.Type), Data: row.Data, At: row.At}
		if row.TurnID != nil {
			events[i].TurnID = *row.TurnID
		}
	}
	return events, nil
}

// Head returns the newest seq of the conversation, 0 when nothing is stored.
// Codes: not_found.
func Head(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID string) (int64, error) {
	head, err := pgdb.New(tx).JournalHead(ctx, pgdb.JournalHeadParams{TenantID: tenant.String(), ConversationID: conversationID})
	return head, store.NotFound(err, "conversation")
}
