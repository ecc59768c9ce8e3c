package chat

import (
	"encoding/json"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

// Conversation is a named thread of one user.
type Conversation struct {
	ConversationID string    `json:"conversation_id"`
	Title          string    `json:"title"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	// PendingCount counts what waits for a person; NearestDeadline is the
	// soonest of them, nil when nothing waits.
	PendingCount    int        `json:"pending_count"`
	NearestDeadline *time.Time `json:"nearest_deadline,omitempty"`
	// Run is the status of the newest turn, "" when there is none.
	Run TurnStatus `json:"run,omitempty"`
}

// TurnStatus is the state of a turn.
type TurnStatus string

const (
	// Running holds the conversation's one running slot.
	Running TurnStatus = "running"
	// Waiting for a person, or queued for the running slot; costs nothing.
	Waiting TurnStatus = "waiting"
	// Answered ended well. Terminal.
	Answered TurnStatus = "answered"
	// Stopped by the person. Terminal; proposed operations live on.
	Stopped TurnStatus = "stopped"
	// Failed ended with an error; resume goes on from the stored step.
	Failed TurnStatus = "failed"
	// Limit hit a guard rail; resume goes on from the stored step.
	Limit TurnStatus = "limit"
)

// Ended reports whether the turn's workflow has closed.
func (s TurnStatus) Ended() bool { return s != Running && s != Waiting }

// Resumable reports whether POST …/resume may continue the turn.
func (s TurnStatus) Resumable() bool { return s == Failed || s == Limit }

// AnswersNothing, as the `answers` of a posted message, says that the message
// opens a turn of its own although a question is open.
const AnswersNothing = "-"

// Message is what a person or the agent said.
type Message struct {
	MessageID string `json:"message_id"`
	TurnID    string `json:"turn_id"`
	// Role is "user" or "assistant".
	Role string `json:"role"`
	Text string `json:"text"`
	// Reasoning is the model's own thinking, shown folded.
	Reasoning string `json:"reasoning,omitempty"`
	// Step is the model call that made an assistant message, from 1; 0 for a user's.
	Step int `json:"step"`
	// Model labels who wrote an assistant message, "" for a user's.
	Model string `json:"model,omitempty"`
	// Answers is the pending that a user message answered, "" mostly.
	Answers   string    `json:"answers,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// CallStatus is the phase of one tool call. Phases are never merged:
// "approved" is not "created".
type CallStatus string

const (
	CallStarted   CallStatus = "started"
	CallPending   CallStatus = "pending"
	CallResolved  CallStatus = "resolved"
	CallExecuting CallStatus = "executing"
	CallFinished  CallStatus = "finished"
)

// Call is one tool call, from the model's request to its one result.
type Call struct {
	CallID string `json:"call_id"`
	TurnID string `json:"turn_id"`
	Step   int    `json:"step"`
	// Position orders the calls of a step, from 0.
	Position int         `json:"position"`
	Tool     string      `json:"tool"`
	Effect   tool.Effect `json:"effect"`
	Risk     tool.Risk   `json:"risk"`
	// Arguments are canonical JSON (RFC 8785), or the raw text of an invalid call.
	Arguments            string `json:"arguments"`
	ArgumentsFingerprint string `json:"arguments_fingerprint"`
	ToolSchemaVersion    int    `json:"tool_schema_version"`
	PendingID            string `json:"pending_id,omitempty"`
	ClientToken          string `json:"client_token,omitempty"`
	// ApprovalCreatedAt and ApprovalExpiresAt are fixed at the proposal.
	ApprovalCreatedAt *time.Time `json:"approval_created_at,omitempty"`
	ApprovalExpiresAt *time.Time `json:"approval_expires_at,omitempty"`
	Status            CallStatus `json:"status"`
	// Result is JSON for the model; nil while the call is open.
	Result json.RawMessage `json:"result,omitempty"`
	// Failed marks a result that reports an error.
	Failed bool `json:"failed,omitempty"`
}

// PendingKind says what a pending waits for.
type PendingKind string

const (
	KindApproval PendingKind = "approval"
	KindQuestion PendingKind = "question"
	KindForm     PendingKind = "form"
)

// PendingStatus is the state of a pending.
type PendingStatus string

const (
	PendingOpen       PendingStatus = "open"
	PendingAnswered   PendingStatus = "answered"
	PendingDecided    PendingStatus = "decided"
	PendingExpired    PendingStatus = "expired"
	PendingSuperseded PendingStatus = "superseded"
	PendingCancelled  PendingStatus = "cancelled"
)

// Pending is something that waits for a person.
type Pending struct {
	PendingID      string        `json:"pending_id"`
	ConversationID string        `json:"conversation_id"`
	TurnID         string        `json:"turn_id,omitempty"`
	CallID         string        `json:"call_id,omitempty"`
	OpID           string        `json:"op_id,omitempty"`
	Kind           PendingKind   `json:"kind"`
	Status         PendingStatus `json:"status"`
	Deadline       time.Time     `json:"deadline"`
	// Question is set for KindQuestion.
	Question *Question `json:"question,omitempty"`
	// Form is set for KindForm.
	Form *Form `json:"form,omitempty"`
	// Answer is what the person said, "" while open.
	Answer string `json:"answer,omitempty"`
}

// Question is asked of a person, with options and free text.
type Question struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
	// AllowFreeText lets the person type something else.
	AllowFreeText bool `json:"allow_free_text"`
}

// Form is asked of a person: the fields of a new record of an ERP form.
type Form struct {
	Form  string `json:"form"`
	Title string `json:"title"`
	// Values are what stands in it to begin with; nil for an empty form.
	Values json.RawMessage `json:"values,omitempty"`
}

// maxFormAnswer bounds the answer to a form, in bytes.
const maxFormAnswer = 32 << 10

// Accepts checks an answer: a JSON object of at most 32 KiB with at least one
// value. Otherwise fault.Invalid. Whether the values fit is for the ERP to say.
func (f Form) Accepts(answer string) error {
	var values map[string]json.RawMessage
	if len(answer) > maxFormAnswer || json.Unmarshal([]byte(answer), &values) != nil || len(values) == 0 {
		return fault.New(fault.Invalid, "detail", "the answer to a form is a JSON object with its values, of at most 32 KiB")
	}
	return nil
}

// Accepts checks an answer: not empty, at most 4,000 characters, one of the
// options where free text is not allowed. Otherwise fault.Invalid.
func (q Question) Accepts(answer string) error {
	if answer == "" || len([]rune(answer)) > 4000 {
		return fault.New(fault.Invalid, "detail", "the answer must have 1 to 4000 characters")
	}
	if q.AllowFreeText || len(q.Options) == 0 {
		return nil
	}
	for _, o := range q.Options {
		if o == answer {
			return nil
		}
	}
	return fault.New(fault.Invalid, "detail", "choose one of the options")
}

// State is the whole truth of a conversation after a reload.
type State struct {
	Conversation Conversation     `json:"conversation"`
	Messages     []Message        `json:"messages"`
	Turns        []Turn           `json:"turns"`
	Calls        []Call           `json:"calls"`
	Cards        []operation.Card `json:"cards"`
	Pending      []Pending        `json:"pending"`
	// Streaming holds the text so far of messages that are being written.
	Streaming []Message `json:"streaming,omitempty"`
	// Head is the journal's newest seq; a stream continues after it.
	Head      int64     `json:"head"`
	ServerNow time.Time `json:"server_now"`
	// Model labels who answers; Demo says that it is the demo planner.
	Model string `json:"model"`
	Demo  bool   `json:"demo"`
}

// Turn is one input of the user and all that follows from it.
type Turn struct {
	TurnID    string     `json:"turn_id"`
	N         int        `json:"n"`
	Status    TurnStatus `json:"status"`
	Queued    bool       `json:"queued,omitempty"`
	ErrorCode fault.Code `json:"error_code,omitempty"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at,omitempty"`
}
