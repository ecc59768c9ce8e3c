package operation

import (
	"time"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/tool"
)

// Card is an operation as every screen shows it: the page, the terminal, the
// inbox. It is drawn from the staging row, never from the model.
type Card struct {
	OpID           string    `json:"op_id"`
	PendingID      string    `json:"pending_id"`
	CallID         string    `json:"call_id,omitempty"`
	ConversationID string    `json:"conversation_id,omitempty"`
	TurnID         string    `json:"turn_id,omitempty"`
	Revision       int       `json:"revision"`
	Digest         string    `json:"digest"`
	Status         Status    `json:"status"`
	Risk           tool.Risk `json:"risk"`
	// Policy says who may decide; "self" is the requester alone.
	Policy        string `json:"policy"`
	RequesterID   string `json:"requester_id"`
	RequesterName string `json:"requester_name"`
	// Reason is what the agent gave as purpose; text of the model, shown as such.
	Reason       string           `json:"reason,omitempty"`
	Preview      erp.Preview      `json:"preview"`
	Capabilities erp.Capabilities `json:"capabilities"`
	CreatedAt    time.Time        `json:"created_at"`
	// Deadline is that of the decision, or of the hand-off once there is one.
	Deadline time.Time `json:"deadline"`
	// Manual says that nothing is written at the approval: the person finishes it in
	// the native form, to which Open leads once it is handed off.
	Manual bool   `json:"manual,omitempty"`
	Open   string `json:"open,omitempty"`
	// Decided is nil while nobody decided.
	Decided *Outcome `json:"decided,omitempty"`
	// Bill and Link name the written document (Executed, Completed).
	Bill string `json:"bill,omitempty"`
	Link string `json:"link,omitempty"`
	// Bills are all documents, where several were written.
	Bills []string `json:"bills,omitempty"`
	// Refusal says why nothing was written (Refused).
	Refusal *erp.Refusal `json:"refusal,omitempty"`
	// Replaces and ReplacedBy link a proposal and its fresh one.
	Replaces   string `json:"replaces,omitempty"`
	ReplacedBy string `json:"replaced_by,omitempty"`
	// DraftID and DraftRevision name the draft and its revision, counted from 1, that
	// were proposed; empty and 0 for what was proposed without a draft.
	DraftID       string `json:"draft_id,omitempty"`
	DraftRevision int    `json:"draft_revision,omitempty"`
}

// Result is the outcome as the model and later turns read it.
type Result struct {
	Status  Status       `json:"status"`
	OpID    string       `json:"op_id"`
	Bill    string       `json:"bill,omitempty"`
	Bills   []string     `json:"bills,omitempty"`
	Link    string       `json:"link,omitempty"`
	Refusal *erp.Refusal `json:"refusal,omitempty"`
	By      string       `json:"by,omitempty"`
	Channel Channel      `json:"channel,omitempty"`
	// ChangedByPerson says that a person edited the proposal before it ran.
	ChangedByPerson bool `json:"changed_by_person,omitempty"`
	// Note is a plain sentence for the model: what happened, and what did not.
	Note string `json:"note"`
}
