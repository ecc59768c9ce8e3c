package webtest

import (
	"slices"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

// fold keeps the state that a reload gets; c.mu is held.
func (c *Conversation) fold(e event.Event, data any) {
	s := &c.state
	s.Conversation.UpdatedAt = e.At
	switch d := data.(type) {
	case event.Started:
		s.Turns = append(s.Turns, chat.Turn{TurnID: e.TurnID, N: d.N, Status: chat.Running, Queued: d.Queued, StartedAt: e.At})
		s.Messages = append(s.Messages, chat.Message{MessageID: d.MessageID, TurnID: e.TurnID, Role: "user", Text: d.Text, Answers: d.Answers, CreatedAt: e.At})
		s.Conversation.Run = chat.Running
	case event.Run:
		c.turn(e.TurnID, chat.Running)
	case event.Suspended:
		c.turn(e.TurnID, chat.Waiting)
	case event.Message:
		s.Messages = append(s.Messages, chat.Message{MessageID: d.MessageID, TurnID: e.TurnID, Role: "assistant", Text: d.Text, Step: d.Step, CreatedAt: e.At})
		s.Streaming = nil
	case event.Reset:
		s.Streaming = nil
	case event.Tool:
		s.Calls = append(s.Calls, chat.Call{CallID: d.CallID, TurnID: e.TurnID, Step: len(s.Messages), Position: len(s.Calls), Tool: d.Tool, Effect: d.Effect, Risk: d.Risk, Arguments: d.Arguments, Status: chat.CallStarted})
	case event.ToolDone:
		c.call(d.CallID, chat.CallFinished)
	case event.Executing:
		c.call(d.CallID, chat.CallExecuting)
		c.card(d.OpID, func(card *operation.Card) { card.Status = operation.Executing })
	case event.Question:
		for i := range s.Calls {
			if s.Calls[i].CallID == d.CallID {
				s.Calls[i].PendingID = d.PendingID
			}
		}
		s.Pending = append(s.Pending, chat.Pending{PendingID: d.PendingID, ConversationID: c.ID, TurnID: e.TurnID, CallID: d.CallID, Kind: chat.KindQuestion, Status: chat.PendingOpen,
			Deadline: d.Deadline, Question: &chat.Question{Question: d.Question, Options: d.Options, AllowFreeText: d.AllowFreeText}})
	case event.Answer:
		// Only open pendings are in the state; the answer is a message.
		s.Pending = slices.DeleteFunc(s.Pending, func(p chat.Pending) bool { return p.PendingID == d.PendingID })
		c.call(d.CallID, chat.CallFinished)
		if d.Answer != "" {
			s.Messages = append(s.Messages, chat.Message{MessageID: d.PendingID + "-a", TurnID: e.TurnID, Role: "user", Text: d.Answer, Answers: d.PendingID, CreatedAt: e.At})
		}
	case operation.Card:
		s.Cards = append(s.Cards, d)
		c.card(d.Replaces, func(card *operation.Card) { card.ReplacedBy = d.OpID })
	case event.Resolved:
		c.call(d.CallID, chat.CallResolved)
		c.card(d.OpID, func(card *operation.Card) {
			card.Status, card.Decided = d.Decision, &operation.Outcome{Status: d.Decision, By: d.ByName, Channel: d.Channel, At: d.At}
		})
	case event.OpState:
		c.card(d.OpID, func(card *operation.Card) {
			card.Status, card.Bill, card.Link, card.Refusal = d.Status, d.Bill, d.Link, d.Refusal
		})
	case event.Title:
		s.Conversation.Title = d.Title
	case map[string]any: // TurnEnded
		if status, ok := d["status"].(string); ok {
			c.turn(e.TurnID, chat.TurnStatus(status))
		}
	}
	s.Conversation.PendingCount, s.Conversation.NearestDeadline = 0, nil
	for _, card := range s.Cards {
		if card.Status == operation.AwaitingApproval {
			s.Conversation.PendingCount++
			s.Conversation.NearestDeadline = &card.Deadline
		}
	}
	for _, p := range s.Pending {
		if p.Status == chat.PendingOpen {
			s.Conversation.PendingCount++
			s.Conversation.NearestDeadline = &p.Deadline
		}
	}
}

func (c *Conversation) turn(id string, status chat.TurnStatus) {
	for i := range c.state.Turns {
		if c.state.Turns[i].TurnID == id {
			c.state.Turns[i].Status = status
		}
	}
	c.state.Conversation.Run = status
}

func (c *Conversation) call(id string, status chat.CallStatus) {
	for i := range c.state.Calls {
		if c.state.Calls[i].CallID == id {
			c.state.Calls[i].Status = status
		}
	}
}

func (c *Conversation) card(opID string, change func(*operation.Card)) {
	for i := range c.state.Cards {
		if c.state.Cards[i].OpID == opID {
			change(&c.state.Cards[i])
		}
	}
}
