package contract

import (
	"strconv"
	"time"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// TaskQueue is where workflows and activities of Erpilot run, unless
// configured otherwise.
const TaskQueue = "erpilot"

// Workflows.
const (
	WorkflowTurn      = "Turn"
	WorkflowOperation = "Operation"
)

// Activities of a turn.
const (
	// Generate asks the model and carries out the reads it asks for, until a
	// reply needs the workflow. Regular, heartbeating.
	Generate = "Generate"
	// PrepareOperation validates, authorises and previews a proposed write.
	PrepareOperation = "PrepareOperation"
	// AskPerson stores the pending of a question and shows its card.
	AskPerson = "AskPerson"
	// SuspendTurn gives the running slot back, ResumeTurn asks for it again.
	SuspendTurn = "SuspendTurn"
	ResumeTurn  = "ResumeTurn"
	// ExpireQuestion closes a question whose deadline has passed.
	ExpireQuestion = "ExpireQuestion"
	// EndTurn stores how the turn ended.
	EndTurn = "EndTurn"
)

// Activities of an operation.
const (
	// OpenOperation puts a staged operation before people, once its workflow can
	// receive decisions.
	OpenOperation = "OpenOperation"
	// ReadSignal decodes a raw decide signal.
	ReadSignal = "ReadSignal"
	// AuthoriseDecision checks policy, grants and proof, and persists the decision.
	AuthoriseDecision = "AuthoriseDecision"
	// RefuseDecision journals a decision that did not count.
	RefuseDecision = "RefuseDecision"
	// ReviseOperation previews an edited payload as the next revision.
	ReviseOperation = "ReviseOperation"
	// CloseOperation ends an operation without a write: expired, cancelled.
	CloseOperation = "CloseOperation"
	// ExecuteOperation writes to the ERP, one attempt. Regular.
	ExecuteOperation = "ExecuteOperation"
	// FindCommit asks the ERP what became of the attempts and fences them. Regular.
	FindCommit = "FindCommit"
	// AuthoriseRetry checks who asks for another attempt.
	AuthoriseRetry = "AuthoriseRetry"
	// SettleOperation stores what a person found out about a doubtful write.
	SettleOperation = "SettleOperation"
	// HandOffOperation checks an approved manual operation once more and hands it
	// to its person.
	HandOffOperation = "HandOffOperation"
	// CompleteOperation looks up whether the ERP has what was handed off.
	CompleteOperation = "CompleteOperation"
)

// Updates, signals and queries.
const (
	// UpdateDecide and SignalDecide carry an operation.Decision.
	UpdateDecide = "decide"
	SignalDecide = "decide"
	// UpdateRevise carries Revision, UpdateRetry Retry, UpdateSettle Settle.
	UpdateRevise = "revise"
	UpdateRetry  = "retry"
	UpdateSettle = "settle"
	// SignalWithdraw carries Withdraw: the system cancels the operation.
	SignalWithdraw = "withdraw"
	// SignalCredentials tells that the requester has logged in again.
	SignalCredentials = "credentials_refreshed"
	// SignalCompleted tells that the native form was saved; it carries nothing,
	// because the ERP's commit is what counts.
	SignalCompleted = "completed"

	// UpdateAnswer and SignalAnswer carry Answered; the text is in Postgres.
	UpdateAnswer = "answer"
	SignalAnswer = "answer"
	// SignalStop ends a turn at the next moment; proposed operations live on.
	SignalStop = "stop"
	// SignalSettled carries Settled, from an operation to its turn.
	SignalSettled = "settled"
	// SignalGoOn tells a queued turn that it has the running slot.
	SignalGoOn = "go_on"

	// QueryState returns OperationState or TurnState.
	QueryState = "state"
)

// TurnWorkflowID is the workflow id of the nth turn of a conversation.
func TurnWorkflowID(conversationID string, n int) string {
	return "turn-" + conversationID + "-" + strconv.Itoa(n)
}

// OperationWorkflowID is the workflow id of an operation.
func OperationWorkflowID(opID string) string { return "op-" + opID }

// TurnInput starts a turn.
type TurnInput struct {
	Tenant         string `json:"tenant"`
	ConversationID string `json:"conversation_id"`
	TurnID         string `json:"turn_id"`
	UserID         string `json:"user_id"`
	N              int    `json:"n"`
	// Queued turns wait for go_on before their first step.
	Queued bool        `json:"queued,omitempty"`
	Limits turn.Limits `json:"limits"`
	// State is set when a failed turn is resumed: it goes on after that step.
	State turn.State `json:"state"`
	// Segment is the number of this run of the turn, from 1.
	Segment int `json:"segment"`
	// QuestionTTL is how long a question waits.
	QuestionTTL time.Duration `json:"question_ttl"`
}

// TurnResult is how a turn ended.
type TurnResult struct {
	Status chat.TurnStatus `json:"status"`
	Code   fault.Code      `json:"code,omitempty"`
}

// TurnState answers the query "state" of a turn.
type TurnState struct {
	Status  chat.TurnStatus `json:"status"`
	State   turn.State      `json:"state"`
	Segment int             `json:"segment"`
	// Waiting lists what the turn waits for.
	Waiting []Waiting  `json:"waiting,omitempty"`
	Code    fault.Code `json:"code,omitempty"`
}

// Waiting is one thing that a suspended turn waits for.
type Waiting struct {
	CallID    string           `json:"call_id"`
	Kind      chat.PendingKind `json:"kind"`
	PendingID string           `json:"pending_id,omitempty"`
	OpID      string           `json:"op_id,omitempty"`
	Deadline  time.Time        `json:"deadline"`
}

// GenerateInput asks for the next steps of a turn.
type GenerateInput struct {
	Tenant         string      `json:"tenant"`
	ConversationID string      `json:"conversation_id"`
	TurnID         string      `json:"turn_id"`
	State          turn.State  `json:"state"`
	Limits         turn.Limits `json:"limits"`
}

// GenerateResult is how far Generate came and what the workflow has to do.
type GenerateResult struct {
	State turn.State `json:"state"`
	Plan  turn.Plan  `json:"plan"`
}

// CallInput names one call of a turn.
type CallInput struct {
	Tenant         string `json:"tenant"`
	ConversationID string `json:"conversation_id"`
	TurnID         string `json:"turn_id"`
	CallID         string `json:"call_id"`
	// Deadline of a question.
	Deadline time.Time `json:"deadline,omitzero"`
}

// Prepared is a staged operation, or the news that the call is done already
// (refused, invalid): then OpID is empty and the model reads the result.
type Prepared struct {
	OpID        string    `json:"op_id,omitempty"`
	PendingID   string    `json:"pending_id,omitempty"`
	Revision    int       `json:"revision,omitempty"`
	Digest      string    `json:"digest,omitempty"`
	Deadline    time.Time `json:"deadline,omitzero"`
	Requester   string    `json:"requester,omitempty"`
	Policy      string    `json:"policy,omitempty"`
	Form        string    `json:"form,omitempty"`
	Action      string    `json:"action,omitempty"`
	Risk        tool.Risk `json:"risk,omitempty"`
	AutoExecute bool      `json:"auto_execute,omitempty"`
	// Settled says that the operation has ended already (a reset turn).
	Settled bool `json:"settled,omitempty"`
	// Summary (one line) and Details (Markdown, ≤ 8 KB, escaped) are what an
	// operator reads in the Temporal UI; both only hold ids where
	// ERPILOT_TEMPORAL_DETAILS=ids.
	Summary string `json:"summary,omitempty"`
	Details string `json:"details,omitempty"`
}

// Asked is a question that waits.
type Asked struct {
	PendingID string    `json:"pending_id"`
	Deadline  time.Time `json:"deadline"`
	// Kind is what was asked; "" is a question.
	Kind chat.PendingKind `json:"kind,omitempty"`
	// Answered says that the answer is there already (a retried activity).
	Answered bool `json:"answered,omitempty"`
}

// SlotInput is a turn that gives back or wants the running slot.
type SlotInput struct {
	Tenant         string `json:"tenant"`
	ConversationID string `json:"conversation_id"`
	TurnID         string `json:"turn_id"`
	Segment        int    `json:"segment"`
	// Waiting is what a suspended turn waits for, for the journal.
	Waiting []Waiting `json:"waiting,omitempty"`
}

// Slot tells whether the turn runs now; otherwise it is queued and gets go_on.
type Slot struct {
	Running bool `json:"running"`
	// Ended says that the turn's row is closed already; the workflow adopts it.
	Ended chat.TurnStatus `json:"ended,omitempty"`
}

// EndInput is how a turn ends.
type EndInput struct {
	Tenant         string          `json:"tenant"`
	ConversationID string          `json:"conversation_id"`
	TurnID         string          `json:"turn_id"`
	Segment        int             `json:"segment"`
	Status         chat.TurnStatus `json:"status"`
	Code           fault.Code      `json:"code,omitempty"`
}

// Answered wakes a turn: its question has an answer in Postgres.
type Answered struct {
	PendingID string `json:"pending_id"`
}

// Settled wakes a turn: its operation has an outcome in Postgres.
type Settled struct {
	OpID   string           `json:"op_id"`
	Status operation.Status `json:"status"`
}
