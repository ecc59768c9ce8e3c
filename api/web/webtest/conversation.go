package webtest

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

// Conversation is one journal and the state that it folds to.
type Conversation struct {
	ID      string
	gateway *Gateway

	mu    sync.Mutex
	state chat.State
	items []item
	wake  chan struct{} // closed and replaced with each item
	calls int
}

// item is an event or a delta, in the order in which they happened.
type item struct {
	event *event.Event
	delta *event.Delta
}

// Append journals an event and folds it into the state.
func (c *Conversation) Append(kind event.Type, turnID string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // test data always encodes
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Head++
	e := event.Event{ConversationID: c.ID, Seq: c.state.Head, TurnID: turnID, Type: kind, Data: raw, At: c.gateway.now()}
	c.fold(e, data)
	c.push(item{event: &e})
}

// Write streams a piece of a message, without a seq.
func (c *Conversation) Write(d event.Delta) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d.ConversationID = c.ID
	open := c.open(d.MessageID, d.TurnID)
	if !d.Reasoning {
		open.Text = open.Text[:min(d.Offset, len(open.Text))] + d.Text
	}
	c.push(item{delta: &d})
}

func (c *Conversation) push(i item) {
	c.items = append(c.items, i)
	close(c.wake)
	c.wake = make(chan struct{})
}

func (c *Conversation) open(id, turnID string) *chat.Message {
	for i := range c.state.Streaming {
		if c.state.Streaming[i].MessageID == id {
			return &c.state.Streaming[i]
		}
	}
	c.state.Streaming = append(c.state.Streaming, chat.Message{MessageID: id, TurnID: turnID, Role: "assistant", Step: len(c.state.Messages) + 1})
	return &c.state.Streaming[len(c.state.Streaming)-1]
}

// State is a copy of the truth.
func (c *Conversation) State() chat.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.state
	s.ServerNow, s.Model, s.Demo = c.gateway.now(), c.gateway.Model, c.gateway.Demo
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	var copied chat.State
	if err := json.Unmarshal(raw, &copied); err != nil {
		panic(err)
	}
	return copied
}

// Card returns the card of an operation.
func (c *Conversation) Card(opID string) (operation.Card, bool) {
	for _, card := range c.State().Cards {
		if card.OpID == opID {
			return card, true
		}
	}
	return operation.Card{}, false
}

// Turn opens a turn for a person's text and returns its id.
func (c *Conversation) Turn(text, answers string) string {
	c.mu.Lock()
	n := len(c.state.Turns) + 1
	c.mu.Unlock()
	id := fmt.Sprintf("%s-t%d", c.ID, n)
	c.Append(event.TurnStarted, id, event.Started{N: n, MessageID: id + "-u", Text: text, Answers: answers})
	return id
}

// Say stores a whole message of the agent.
func (c *Conversation) Say(turnID, text string) {
	c.mu.Lock()
	n := len(c.state.Messages)
	c.mu.Unlock()
	c.Append(event.MessageStored, turnID, event.Message{MessageID: fmt.Sprintf("%s-m%d", turnID, n), Step: n + 1, Text: text, Model: c.gateway.Model})
}

// Call journals a call from its start to its end.
func (c *Conversation) Call(turnID, name, arguments string, done event.ToolDone) {
	id := c.Begin(turnID, name, arguments)
	done.CallID, done.Tool = id, name
	if done.Status == "" {
		done.Status = "ok"
	}
	c.Append(event.ToolFinished, turnID, done)
}

// Begin journals the start of a call and returns its id.
func (c *Conversation) Begin(turnID, name, arguments string) string {
	c.mu.Lock()
	c.calls++
	id := fmt.Sprintf("%s-c%d", turnID, c.calls)
	c.mu.Unlock()
	c.Append(event.ToolStarted, turnID, event.Tool{CallID: id, Tool: name, Effect: effect(name), Risk: "read", Arguments: arguments})
	return id
}

// End closes the turn.
func (c *Conversation) End(turnID, status, code string) {
	c.Append(event.TurnEnded, turnID, map[string]any{"segment": 1, "status": status, "code": code})
}

// Ask puts a question that waits.
func (c *Conversation) Ask(turnID, question string, options []string, deadline time.Time) string {
	arguments, err := json.Marshal(map[string]any{"question": question, "options": options})
	if err != nil {
		panic(err)
	}
	call := c.Begin(turnID, "ask_user", string(arguments))
	id := "q-" + call
	c.Append(event.QuestionAsked, turnID, event.Question{PendingID: id, CallID: call, Question: question, Options: options, AllowFreeText: true, Deadline: deadline})
	c.Append(event.TurnSuspended, turnID, event.Suspended{Segment: 1, Waiting: []event.WaitingFor{{PendingID: id, Kind: "question", Deadline: deadline}}})
	return id
}

// Propose shows a card that waits for a decision.
// The proposal is staged before it waits, as in the product.
func (c *Conversation) Propose(turnID string, card operation.Card) {
	if card.CallID == "" {
		card.CallID = c.Begin(turnID, "propose_write", `{"action":"create","draft_id":"draft-1","draft_revision":1,"form":"sales_order"}`)
	}
	card.ConversationID, card.TurnID = c.ID, turnID
	status := card.Status
	card.Status = operation.Draft
	c.Append(event.WriteProposal, turnID, card)
	c.Append(event.OperationChanged, turnID, event.OpState{OpID: card.OpID, PendingID: card.PendingID, CallID: card.CallID, Status: status})
	c.Append(event.ApprovalPending, turnID, event.Approval{PendingID: card.PendingID, OpID: card.OpID, CallID: card.CallID, Deadline: card.Deadline})
	c.Append(event.TurnSuspended, turnID, event.Suspended{Segment: 1, Waiting: []event.WaitingFor{{PendingID: card.PendingID, Kind: "approval", OpID: card.OpID, Deadline: card.Deadline}}})
}

// effect is what the catalogue says of the tool.
func effect(name string) tool.Effect {
	if t, ok := tool.Builtin().Find(name); ok {
		return t.Effect
	}
	return tool.Read
}
