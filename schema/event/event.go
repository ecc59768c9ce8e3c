package event

import (
	"encoding/json"
	"time"
)

// Type names a stored event.
type Type string

const (
	// TurnStarted: a person's message opened a turn. Data: Started.
	TurnStarted Type = "turn_started"
	// TurnResumed: a waiting turn goes on. Data: Run.
	TurnResumed Type = "turn_resumed"
	// TurnSuspended: the turn waits for people. Data: Suspended.
	TurnSuspended Type = "turn_suspended"
	// TurnEnded: the turn is over. Data: Ended.
	TurnEnded Type = "turn_ended"
	// MessageStored: a whole assistant message. Data: Message.
	MessageStored Type = "message"
	// MessageReset: forget the deltas of this message, the model is asked
	// again. Data: Reset.
	MessageReset Type = "message_reset"
	// PendingAnswered: a question or form was answered or expired. Data: Answer.
	PendingAnswered Type = "answered"
	// Question is asked. Data: Question.
	QuestionAsked Type = "question"
	// FormAsked: a form is shown to be filled in. Data: Form.
	FormAsked Type = "form"

	// The phases of a call.

	ToolStarted      Type = "tool_started"
	ApprovalPending  Type = "approval_pending"
	ApprovalResolved Type = "approval_resolved"
	ToolExecuting    Type = "tool_executing"
	ToolFinished     Type = "tool_finished"

	// WriteProposal shows an operation.Card. Data: operation.Card.
	WriteProposal Type = "write_proposal"
	// OperationChanged: the operation is in another state. Data: OpState.
	OperationChanged Type = "op_state"
	// OperationResult: executed, refused, failed, … Data: OpState with result.
	OperationResult Type = "op_result"
	// DecisionRefused: someone's decision did not count, and why. Data: DecisionRefusal.
	DecisionRefused Type = "decision_refused"
	// LoginExpired: the person must log in again. Data: Login.
	LoginExpired Type = "login_expired"
	// Titled: the conversation has a new title. Data: Title.
	Titled Type = "titled"
)

// Event is one row of the journal.
type Event struct {
	ConversationID string `json:"conversation_id"`
	// Seq is gapless per conversation, from 1.
	Seq    int64           `json:"seq"`
	TurnID string          `json:"turn_id,omitempty"`
	Type   Type            `json:"type"`
	Data   json.RawMessage `json:"data"`
	At     time.Time       `json:"at"`
}

// Delta is a piece of a message that is being written. It has no seq.
type Delta struct {
	ConversationID string `json:"conversation_id"`
	TurnID         string `json:"turn_id"`
	MessageID      string `json:"message_id"`
	// Attempt rises with each new try of the model call; an older one is dropped.
	Attempt int `json:"attempt"`
	// Offset is where the text belongs, in bytes of UTF-8 from the message's start.
	Offset int    `json:"offset"`
	Text   string `json:"text"`
	// Reasoning marks the model's own thinking, shown folded.
	Reasoning bool `json:"reasoning,omitempty"`
}
