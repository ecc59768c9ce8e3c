package operation

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
)

// Staging is an operation as the native form takes it over: what to prefill, and
// whether a save is taken.
type Staging struct {
	OpID   string     `json:"op_id"`
	Form   string     `json:"form"`
	Action string     `json:"action"`
	OpType erp.OpType `json:"op_type"`
	// Target is the key of the record; empty for a new one.
	Target string `json:"target,omitempty"`
	// Payload are the values that were approved, normalised by the ERP.
	Payload     json.RawMessage `json:"payload"`
	AutoExecute bool            `json:"auto_execute"`
	Status      Status          `json:"status"`
	State       TodoState       `json:"state"`
	Policy      string          `json:"policy"`
	Revision    int             `json:"revision"`
	// Deadline is that of the hand-off once there is one, of the approval before.
	Deadline       time.Time    `json:"deadline"`
	Reason         string       `json:"reason,omitempty"`
	ConversationID string       `json:"conversation_id,omitempty"`
	Title          erp.Label    `json:"title"`
	Object         string       `json:"object"`
	Preview        erp.Preview  `json:"preview"`
	Bill           string       `json:"bill,omitempty"`
	Link           string       `json:"link,omitempty"`
	Refusal        *erp.Refusal `json:"refusal,omitempty"`
	// Open is the native form, prefilled.
	Open string `json:"open"`
	// Editable is true exactly while a save in the form is taken.
	Editable bool `json:"editable"`
	// Decided is nil while nobody decided.
	Decided *Outcome `json:"decided,omitempty"`
}

// TodoState is an operation's state on the list "my AI to-dos".
type TodoState string

const (
	// TodoProcessing needs nothing of the person now.
	TodoProcessing TodoState = "processing"
	// TodoOpen waits for the person.
	TodoOpen TodoState = "todo"
	// TodoDone is in the ERP.
	TodoDone TodoState = "done"
	// TodoFailed is not in the ERP.
	TodoFailed TodoState = "failed"
)

// Todo returns the state's place on the list.
func (s Status) Todo() TodoState {
	switch s {
	case AwaitingApproval, HandedOff, NeedsLogin, NeedsPerson:
		return TodoOpen
	case Executed, Completed:
		return TodoDone
	case Refused, Failed, Rejected, Cancelled, Expired, Abandoned:
		return TodoFailed
	default:
		return TodoProcessing
	}
}

// Todo is one line of "my AI to-dos".
type Todo struct {
	OpID      string       `json:"op_id"`
	Form      string       `json:"form"`
	Action    string       `json:"action"`
	Title     erp.Label    `json:"title"`
	Object    string       `json:"object"`
	State     TodoState    `json:"state"`
	Status    Status       `json:"status"`
	Deadline  time.Time    `json:"deadline"`
	CreatedAt time.Time    `json:"created_at"`
	Bill      string       `json:"bill,omitempty"`
	Link      string       `json:"link,omitempty"`
	Refusal   *erp.Refusal `json:"refusal,omitempty"`
	// Open is where the person acts, or sees the document.
	Open string `json:"open"`
	// Retry: the same write may be tried again. Repropose: a fresh proposal may be made.
	Retry          bool   `json:"retry"`
	Repropose      bool   `json:"repropose"`
	ConversationID string `json:"conversation_id,omitempty"`
}

// NativeSave is what a person saves in the native form under a staging.
type NativeSave struct {
	Form    string          `json:"form"`
	Action  string          `json:"action"`
	Target  string          `json:"target,omitempty"`
	Payload json.RawMessage `json:"payload"`
	// Version of the record that the page showed; empty for a new one.
	Version string `json:"version,omitempty"`
	// Token is made by the page once per press of save; 1 to 64 characters.
	Token string `json:"token"`
}

// NativeSaved is what became of it. Status is Executed (the ERP has it; the
// operation becomes completed by its workflow) or AwaitingApproval (it differs from what
// was approved and needs a new approval; nothing was written).
type NativeSaved struct {
	Status   Status   `json:"status"`
	OpID     string   `json:"op_id,omitempty"`
	Form     string   `json:"form"`
	Action   string   `json:"action"`
	Bill     string   `json:"bill,omitempty"`
	Bills    []string `json:"bills,omitempty"`
	Link     string   `json:"link,omitempty"`
	Replayed bool     `json:"replayed,omitempty"`
	// Revision that waits for the new approval.
	Revision int `json:"revision,omitempty"`
}

// OpenURL is the address of the native form that is prefilled with an operation.
func OpenURL(form, opID string) string {
	return "/erp/form/" + url.PathEscape(form) + "?staging=" + url.QueryEscape(opID)
}
