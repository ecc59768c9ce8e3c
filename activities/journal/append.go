package journal

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// Entry is an event to be appended.
type Entry struct {
	Type event.Type
	// Data is one of the structs of schema/event (or operation.Card).
	Data any
	// Key is the event's natural key within the conversation: the same key is
	// written once, whatever is retried, replayed or reset.
	Key string
}

// Append writes events in order, each once, in the caller's transaction, and
// returns the head seq. It locks the conversation row until the transaction
// ends, so it belongs at the end of a short one and never inside an ERP write.
// After the commit the caller wakes readers with Carrier.Wake.
func Append(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID, turnID string, entries ...Entry) (int64, error) {
	type row struct {
		Type event.Type `json:"type"`
		Data any        `json:"data"`
		Key  string     `json:"key"`
	}
	rows := make([]row, 0, len(entries))
	for _, e := range entries {
		rows = append(rows, row(e))
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return 0, fault.Wrap(fault.Internal, err)
	}
	return pgdb.New(tx).AppendJournal(ctx, pgdb.AppendJournalParams{
		TenantID: tenant.String(), ConversationID: conversationID, TurnID: store.Nullable(turnID), Events: raw,
	})
}
