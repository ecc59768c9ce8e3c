package journal

import (
	"encoding/json"

	"github.com/erpilot/erpilot/activities/store"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

// Card draws an operation from its staging row. The preview and the refusal are
// JSON that we wrote; were one malformed, its part of the card stays empty.
func Card(row pgdb.Operation, requesterName string, caps erp.Capabilities) operation.Card {
	c := operation.Card{
		OpID: row.OpID, PendingID: row.PendingID, CallID: store.Text(row.CallID), ConversationID: store.Text(row.ConversationID),
		TurnID: store.Text(row.TurnID), Revision: int(row.Revision), Digest: row.Digest, Status: operation.Status(row.Status),
		Risk: tool.Risk(row.Risk), Policy: row.Policy, RequesterID: row.UserID, RequesterName: requesterName, Reason: row.Reason,
		Capabilities: caps, CreatedAt: row.CreatedAt.UTC(), Deadline: row.ExpiresAt.UTC(), Decided: Outcome(row),
		Bill: row.ResultBill, Link: row.ResultLink, Replaces: store.Text(row.Replaces), ReplacedBy: store.Text(row.ReplacedBy),
	}
	if row.DraftID != nil && row.DraftRevision != nil {
		c.DraftID, c.DraftRevision = *row.DraftID, int(*row.DraftRevision)
	}
	c.Bills = Several(row)
	c.Manual = !row.AutoExecute
	if c.Status == operation.HandedOff {
		c.Open = operation.OpenURL(row.TargetForm, row.OpID)
		if row.HandoffExpiresAt != nil {
			c.Deadline = row.HandoffExpiresAt.UTC()
		}
	}
	if err := json.Unmarshal(row.Preview, &c.Preview); err != nil {
		c.Preview = erp.Preview{}
	}
	if len(row.Refusal) > 0 {
		var r erp.Refusal
		if err := json.Unmarshal(row.Refusal, &r); err == nil && r.Code != "" {
			c.Refusal = &r
		}
	}
	return c
}

// Several lists the documents of an operation that wrote more than one.
func Several(row pgdb.Operation) []string {
	if len(row.ResultBills) < 2 {
		return nil
	}
	return row.ResultBills
}

// Outcome tells how the operation was decided, nil while nobody and nothing has.
func Outcome(row pgdb.Operation) *operation.Outcome {
	if row.DecidedAt == nil {
		if row.Status == string(operation.Expired) {
			return &operation.Outcome{Status: operation.Expired, Channel: operation.ChannelDeadline, At: row.ExpiresAt.UTC()}
		}
		return nil
	}
	status := operation.Approved
	switch s := operation.Status(row.Status); s {
	case operation.Rejected, operation.Cancelled, operation.Expired:
		status = s
	default: // all that follows an approval was approved
	}
	return &operation.Outcome{Status: status, By: store.Text(row.DecidedBy), Channel: operation.Channel(store.Text(row.DecidedVia)), At: row.DecidedAt.UTC()}
}
