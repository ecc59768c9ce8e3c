package contract

import (
	"strconv"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// OperationInput starts the workflow of a staged operation.
type OperationInput struct {
	Tenant         string    `json:"tenant"`
	OpID           string    `json:"op_id"`
	ConversationID string    `json:"conversation_id,omitempty"`
	TurnID         string    `json:"turn_id,omitempty"`
	Requester      string    `json:"requester"`
	PendingID      string    `json:"pending_id"`
	Revision       int       `json:"revision"`
	Digest         string    `json:"digest"`
	Deadline       time.Time `json:"deadline"`
	Policy         string    `json:"policy"`
	Form           string    `json:"form"`
	Action         string    `json:"action"`
	AutoExecute    bool      `json:"auto_execute"`
	Summary        string    `json:"summary,omitempty"`
	Details        string    `json:"details,omitempty"`
}

// OperationState answers the query "state" and the updates of an operation.
type OperationState struct {
	OpID      string             `json:"op_id"`
	Status    operation.Status   `json:"status"`
	PendingID string             `json:"pending_id"`
	Revision  int                `json:"revision"`
	Digest    string             `json:"digest"`
	Deadline  time.Time          `json:"deadline"`
	Requester string             `json:"requester"`
	Policy    string             `json:"policy"`
	Form      string             `json:"form"`
	Action    string             `json:"action"`
	Decided   *operation.Outcome `json:"decided,omitempty"`
	Attempts  int                `json:"attempts,omitempty"`
	// Refused tells why nothing was written.
	Refused fault.Code `json:"refused,omitempty"`
	Bill    string     `json:"bill,omitempty"`
	Summary string     `json:"summary,omitempty"`
	Details string     `json:"details,omitempty"`
}

// OperationResult is how an operation ended.
type OperationResult struct {
	Status  operation.Status `json:"status"`
	Refused fault.Code       `json:"refused,omitempty"`
	Bill    string           `json:"bill,omitempty"`
}

// OpInput names an operation for an activity.
type OpInput struct {
	Tenant string `json:"tenant"`
	OpID   string `json:"op_id"`
}

// FindInput asks what became of an operation's attempts.
type FindInput struct {
	OpInput
	// Final says that no other attempt follows by itself: "nothing written" is
	// then told to everyone as failed.
	Final bool `json:"final"`
}

// SignalInput is a raw decide signal; Index counts the signals of the workflow.
type SignalInput struct {
	OpInput
	Encoding string `json:"encoding"`
	Data     []byte `json:"data"`
	Index    int    `json:"index"`
}

// SignalRead is a decoded signal, or why it could not be read.
type SignalRead struct {
	Decision operation.Decision `json:"decision"`
	Code     fault.Code         `json:"code,omitempty"`
	Detail   string             `json:"detail,omitempty"`
}

// AuthoriseInput is a decision that fits what waits and was claimed.
type AuthoriseInput struct {
	OpInput
	Decision operation.Decision `json:"decision"`
	// ClaimedAt is when the claim was accepted; before the deadline it counts.
	ClaimedAt time.Time `json:"claimed_at"`
}

// Authorised is the answer to a claim.
type Authorised struct {
	// Status is the operation's state now.
	Status operation.Status `json:"status"`
	// Outcome is how the operation was decided; nil while votes are missing.
	Outcome *operation.Outcome `json:"outcome,omitempty"`
	// Code is set when the decision was refused; Params explain.
	Code   fault.Code   `json:"code,omitempty"`
	Params fault.Params `json:"params,omitempty"`
}

// RefusedInput is a decision that did not count.
type RefusedInput struct {
	OpInput
	Actor   string            `json:"actor,omitempty"`
	Channel operation.Channel `json:"channel"`
	Code    fault.Code        `json:"code"`
	Params  fault.Params      `json:"params,omitempty"`
	Index   int               `json:"index"`
}

// Revision is an edit by a person. The new payload is in Postgres, under its id.
type Revision struct {
	RevisionID string `json:"revision_id"`
	Actor      string `json:"actor"`
	Proof      string `json:"proof,omitempty"`
	// Native says that the native form was saved with other values than were
	// approved: it takes a handed-off operation back to its approval.
	Native bool `json:"native,omitempty"`
}

// ReviseInput asks for the next revision.
type ReviseInput struct {
	OpInput
	Revision
	// From is the revision that was edited.
	From int `json:"from"`
}

// Revised is the operation after an edit, or why the edit was refused.
type Revised struct {
	Prepared
	Code   fault.Code   `json:"code,omitempty"`
	Params fault.Params `json:"params,omitempty"`
}

// Retry asks for another attempt of a failed operation.
type Retry struct {
	Actor string `json:"actor"`
	Proof string `json:"proof,omitempty"`
}

// RetryInput asks whether a person may have it.
type RetryInput struct {
	OpInput
	Retry
}

// Refused is why something asked for was refused; Code "" means that it was not.
type Refused struct {
	Code   fault.Code   `json:"code,omitempty"`
	Params fault.Params `json:"params,omitempty"`
}

// Settle is what a person found out about a doubtful write.
type Settle struct {
	Actor string `json:"actor"`
	Proof string `json:"proof,omitempty"`
	// Status is executed or failed.
	Status operation.Status `json:"status"`
	Bill   string           `json:"bill,omitempty"`
}

// SettleInput carries it out.
type SettleInput struct {
	OpInput
	Settle
}

// SettleResult is the row afterwards, or why the settlement was refused.
type SettleResult struct {
	Closed
	Refused
}

// CompleteInput asks whether the ERP has what was handed off. Index counts the
// signals of the workflow.
type CompleteInput struct {
	OpInput
	Index int `json:"index"`
}

// Withdraw cancels an operation for the system: a newer proposal of the same
// draft, a deleted conversation.
type Withdraw struct {
	By      string            `json:"by"`
	Channel operation.Channel `json:"channel"`
	// ReplacedBy is the newer operation, if there is one.
	ReplacedBy string `json:"replaced_by,omitempty"`
}

// CloseInput ends an operation without a write.
type CloseInput struct {
	OpInput
	Status     operation.Status  `json:"status"`
	By         string            `json:"by"`
	Channel    operation.Channel `json:"channel"`
	ReplacedBy string            `json:"replaced_by,omitempty"`
}

// Closed is the state of the row afterwards; a lost compare-and-set adopts it.
type Closed struct {
	Status  operation.Status   `json:"status"`
	Outcome *operation.Outcome `json:"outcome,omitempty"`
	Refused fault.Code         `json:"refused,omitempty"`
	Bill    string             `json:"bill,omitempty"`
	// Attempts is the number of attempts begun.
	Attempts int `json:"attempts,omitempty"`
	// Deadline is set while the operation is handed off: then it is abandoned.
	Deadline time.Time `json:"deadline,omitzero"`
}

// DecidePayload is the JSON of an approval by hand, ready for `--input`. All
// values are ids and numbers of our own making, so nothing needs escaping.
func DecidePayload(opID, pendingID string, revision int, digest string) string {
	return `{"op_id": "` + opID + `", "pending_id": "` + pendingID + `", "revision": ` + strconv.Itoa(revision) + `, "digest": "` + digest +
		`", "decision": "approve", "decision_id": "by-hand-` + pendingID + `"}`
}
