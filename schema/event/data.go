package event

import (
	"encoding/json"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

// Started opens a turn. Segment counts the runs of a turn from 1; the AG-UI
// runId is "<turn_id>.<segment>".
type Started struct {
	N         int    `json:"n"`
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
	Answers   string `json:"answers,omitempty"`
	Queued    bool   `json:"queued,omitempty"`
}

// Run begins another segment of a turn.
type Run struct {
	Segment int `json:"segment"`
}

// Suspended ends a segment: the turn waits for these.
type Suspended struct {
	Segment int          `json:"segment"`
	Waiting []WaitingFor `json:"waiting"`
}

// WaitingFor is one open pending.
type WaitingFor struct {
	PendingID string    `json:"pending_id"`
	Kind      string    `json:"kind"`
	CallID    string    `json:"call_id,omitempty"`
	OpID      string    `json:"op_id,omitempty"`
	Deadline  time.Time `json:"deadline"`
}

// Ended closes a turn. Code and Params explain failed and limit.
type Ended struct {
	Segment int          `json:"segment"`
	Status  string       `json:"status"`
	Code    fault.Code   `json:"code,omitempty"`
	Params  fault.Params `json:"params,omitempty"`
}

// Message is a whole message of the agent.
type Message struct {
	MessageID string `json:"message_id"`
	Step      int    `json:"step"`
	Text      string `json:"text"`
	Reasoning string `json:"reasoning,omitempty"`
	// Model labels who wrote it.
	Model string `json:"model"`
}

// Reset drops the deltas of a message below the attempt.
type Reset struct {
	MessageID string `json:"message_id"`
	Attempt   int    `json:"attempt"`
}

// Question is put to the person.
type Question struct {
	PendingID     string    `json:"pending_id"`
	CallID        string    `json:"call_id"`
	Question      string    `json:"question"`
	Options       []string  `json:"options,omitempty"`
	AllowFreeText bool      `json:"allow_free_text"`
	Deadline      time.Time `json:"deadline"`
}

// Form is put to the person to be filled in.
type Form struct {
	PendingID string          `json:"pending_id"`
	CallID    string          `json:"call_id"`
	Form      string          `json:"form"`
	Title     string          `json:"title"`
	Values    json.RawMessage `json:"values,omitempty"`
	Deadline  time.Time       `json:"deadline"`
}

// Answer settles a question or a form: status "answered", "expired" or "cancelled".
type Answer struct {
	PendingID string `json:"pending_id"`
	CallID    string `json:"call_id"`
	Status    string `json:"status"`
	Answer    string `json:"answer,omitempty"`
	// MessageID is the person's message that holds the answer.
	MessageID string `json:"message_id,omitempty"`
}

// Tool is a call that the model asked for. Arguments are canonical JSON.
type Tool struct {
	CallID    string      `json:"call_id"`
	MessageID string      `json:"message_id,omitempty"`
	Tool      string      `json:"tool"`
	Effect    tool.Effect `json:"effect"`
	Risk      tool.Risk   `json:"risk"`
	Arguments string      `json:"arguments"`
}

// ToolDone is the end of a call. Summary is short and safe to show; the whole
// result stays in Postgres.
type ToolDone struct {
	CallID string `json:"call_id"`
	Tool   string `json:"tool"`
	// Status is "ok", "error", or the operation's status for a write.
	Status  string       `json:"status"`
	Code    fault.Code   `json:"code,omitempty"`
	Params  fault.Params `json:"params,omitempty"`
	Rows    int          `json:"rows,omitempty"`
	Total   int          `json:"total,omitempty"`
	Millis  int64        `json:"ms"`
	Summary string       `json:"summary,omitempty"`
}

// Approval is a call that waits for a decision.
type Approval struct {
	PendingID string    `json:"pending_id"`
	OpID      string    `json:"op_id"`
	CallID    string    `json:"call_id,omitempty"`
	Deadline  time.Time `json:"deadline"`
}

// Resolved tells how a pending approval ended.
type Resolved struct {
	PendingID string            `json:"pending_id"`
	OpID      string            `json:"op_id"`
	CallID    string            `json:"call_id,omitempty"`
	Decision  operation.Status  `json:"decision"`
	By        string            `json:"by,omitempty"`
	ByName    string            `json:"by_name,omitempty"`
	Channel   operation.Channel `json:"channel,omitempty"`
	Comment   string            `json:"comment,omitempty"`
	At        time.Time         `json:"at"`
}

// Executing is a call whose write begins.
type Executing struct {
	CallID  string `json:"call_id,omitempty"`
	OpID    string `json:"op_id"`
	Attempt int    `json:"attempt"`
}

// OpState is a new state of an operation, with its result when it has one.
type OpState struct {
	OpID      string             `json:"op_id"`
	PendingID string             `json:"pending_id"`
	CallID    string             `json:"call_id,omitempty"`
	Status    operation.Status   `json:"status"`
	Decided   *operation.Outcome `json:"decided,omitempty"`
	Bill      string             `json:"bill,omitempty"`
	Link      string             `json:"link,omitempty"`
	Bills     []string           `json:"bills,omitempty"`
	Refusal   *erp.Refusal       `json:"refusal,omitempty"`
	// Open leads to the native form, and Deadline is that of the hand-off (HandedOff).
	Open     string    `json:"open,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	// ReplacedBy names the fresh proposal that took this one's place.
	ReplacedBy string `json:"replaced_by,omitempty"`
}

// DecisionRefusal is a decision that changed nothing.
type DecisionRefusal struct {
	OpID    string            `json:"op_id"`
	By      string            `json:"by,omitempty"`
	Channel operation.Channel `json:"channel"`
	Code    fault.Code        `json:"code"`
	Params  fault.Params      `json:"params,omitempty"`
}

// Login asks the person to log in again for an operation or a turn.
type Login struct {
	OpID string `json:"op_id,omitempty"`
}

// Title is the conversation's new title.
type Title struct {
	Title string `json:"title"`
}
