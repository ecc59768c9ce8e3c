package chat

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// view is what has been printed of one conversation, and what it means for the
// next line: what runs, what waits. Everything is kept by its id, so that a state
// read anew or an event that comes again prints nothing twice.
type view struct {
	s         *session
	turns     map[string]*turn
	messages  map[string]*message
	calls     map[string]*call
	cards     map[string]*card
	questions map[string]*chat.Pending
	// order numbers the cards for the person: the first one is 1.
	order []string
	// asked are open questions, oldest first.
	asked []string
	// writing is the message whose text is on an unfinished line.
	writing *message
	// offset is the server's clock minus ours.
	offset time.Duration
	// prompted says that the prompt stands on the screen, fresh that a card came
	// after the last one, labelled that the model was named.
	prompted, fresh, labelled bool
}

type turn struct {
	status chat.TurnStatus
	queued bool
	code   fault.Code
	// mine is the text that this terminal sent: it is on the screen already.
	mine string
}

// message is text of the agent; sent is what of it is on the screen.
type message struct {
	turnID  string
	sent    string
	attempt int
	stored  bool
	draw    *terminal.Markdown
}

type call struct {
	tool  string
	phase chat.CallStatus
}

// card is an operation with when and how it was printed.
type card struct {
	operation.Card
	n int
	// shown is when this pending was printed.
	shown   time.Time
	pending string
	// told is the state that was printed; queued says that a decision waits as a signal.
	told   operation.Status
	queued bool
}

func newView(s *session) *view {
	return &view{s: s, turns: map[string]*turn{}, messages: map[string]*message{}, calls: map[string]*call{}, cards: map[string]*card{},
		questions: map[string]*chat.Pending{}}
}

func (v *view) turn(id string) *turn {
	t, ok := v.turns[id]
	if !ok {
		t = &turn{}
		v.turns[id] = t
	}
	return t
}

// sent and started note what this terminal has just asked for, before the
// journal tells: nothing is at rest in between.
func (v *view) sent(turnID, line string) {
	if t := v.turn(turnID); t.status == "" {
		t.status, t.mine = chat.Running, line
	}
}

func (v *view) started(turnID string) { v.turn(turnID).status = chat.Running }

// busy reports whether something goes on by itself: then a pipe waits.
func (v *view) busy() bool {
	moving, waits := false, false
	for _, c := range v.cards {
		switch c.Status {
		case operation.Draft, operation.Approved, operation.Executing, operation.Reconciling:
			moving = true
		case operation.AwaitingApproval, operation.NeedsLogin, operation.NeedsPerson, operation.HandedOff, operation.Failed:
			waits = true
		}
	}
	for _, q := range v.questions {
		waits = waits || q.Status == chat.PendingOpen
	}
	for _, t := range v.turns {
		switch {
		case t.status == chat.Running, t.status == chat.Waiting && !waits:
			return true
		}
	}
	return moving
}

func (v *view) running() bool {
	for _, t := range v.turns {
		if t.status == chat.Running {
			return true
		}
	}
	return false
}

func (v *view) resumable() bool {
	for _, t := range v.turns {
		if t.status.Resumable() {
			return true
		}
	}
	return false
}

// question is the newest one that is open. A form is no question: no message
// answers it.
func (v *view) question() *chat.Pending {
	for _, id := range slices.Backward(v.asked) {
		if q := v.questions[id]; q.Status == chat.PendingOpen && q.Question != nil {
			return q
		}
	}
	return nil
}

func (v *view) settleQuestion(id string, status chat.PendingStatus) {
	if q, ok := v.questions[id]; ok {
		q.Status = status
	}
}

func (v *view) openCards() (n int) {
	for _, c := range v.cards {
		if c.decidable() {
			n++
		}
	}
	return n
}

// pick is the card with the number, or the only one that fits; nil otherwise.
func (v *view) pick(which string, fits func(*card) bool) (found *card) {
	for i, id := range v.order {
		c := v.cards[id]
		switch {
		case !fits(c), which != "" && which != strconv.Itoa(i+1):
		case found != nil:
			return nil
		default:
			found = c
		}
	}
	return found
}

// mayRepropose reports whether a fresh proposal, or another attempt, may follow.
func (c *card) mayRepropose() bool {
	if c.ReplacedBy != "" {
		return false
	}
	switch c.Status {
	case operation.Refused, operation.Expired, operation.Cancelled, operation.Rejected, operation.Failed, operation.Abandoned:
		return true
	default:
		return false
	}
}

// label says once who answers.
func (v *view) label(model string, demo bool) {
	if v.labelled || model == "" && !demo {
		return
	}
	v.labelled = true
	if demo {
		v.s.line("%s", v.s.word("model.demo.what"))
		return
	}
	v.s.line("%s: %s", v.s.word("model.what"), model)
}

// load prints what of the state is not on the screen.
func (v *view) load(state chat.State) {
	v.offset = state.ServerNow.Sub(v.s.now())
	v.label(state.Model, state.Demo)
	if state.Conversation.Title != "" && len(v.turns) == 0 {
		v.s.line("— %s —", terminal.Line(state.Conversation.Title))
	}
	for _, t := range state.Turns {
		known := v.turn(t.TurnID)
		known.status, known.queued, known.code = t.Status, t.Queued, t.ErrorCode
	}
	for _, c := range state.Calls {
		v.calls[c.CallID] = &call{tool: c.Tool, phase: c.Status}
	}
	for _, m := range state.Messages {
		if m.Role == "user" {
			v.user(m.TurnID, m.MessageID, m.Text)
			continue
		}
		v.store(m.TurnID, m.MessageID, m.Text)
	}
	for _, c := range state.Cards {
		v.put(c)
	}
	for _, p := range state.Pending {
		if (p.Question != nil || p.Form != nil) && p.Status == chat.PendingOpen {
			v.ask(p)
		}
		if p.Status != chat.PendingOpen {
			v.settleQuestion(p.PendingID, p.Status)
		}
	}
}

// apply prints one frame.
func (v *view) apply(f frame) {
	switch {
	case f.Type == "TEXT_MESSAGE_CONTENT" && f.RawEvent != nil:
		v.delta(f)
	case f.Type == "RUN_STARTED":
		t := v.turn(turnOf(f.RunID))
		t.status, t.queued, t.code = chat.Running, false, ""
	case f.Type == "RUN_FINISHED" && f.Outcome.Type == "interrupt":
		v.turn(turnOf(f.RunID)).status = chat.Waiting
	case f.Type == "ACTIVITY_SNAPSHOT" && f.ActivityType == "erpilot.write_proposal":
		var c operation.Card
		if json.Unmarshal(f.Content, &c) == nil && c.OpID != "" {
			v.put(c)
		}
	case f.Type == "ACTIVITY_SNAPSHOT" && f.ActivityType == "erpilot.question":
		var q struct {
			event.Question
			TurnID string `json:"turn_id"`
		}
		if json.Unmarshal(f.Content, &q) == nil && q.PendingID != "" {
			v.ask(chat.Pending{PendingID: q.PendingID, TurnID: q.TurnID, CallID: q.CallID, Kind: chat.KindQuestion, Status: chat.PendingOpen,
				Deadline: q.Deadline, Question: &chat.Question{Question: q.Question.Question, Options: q.Options, AllowFreeText: q.AllowFreeText}})
		}
	case f.Type == "ACTIVITY_SNAPSHOT" && f.ActivityType == "erpilot.form":
		var q struct {
			event.Form
			TurnID string `json:"turn_id"`
		}
		if json.Unmarshal(f.Content, &q) == nil && q.PendingID != "" {
			v.ask(chat.Pending{PendingID: q.PendingID, TurnID: q.TurnID, CallID: q.CallID, Kind: chat.KindForm, Status: chat.PendingOpen,
				Deadline: q.Deadline, Form: &chat.Form{Form: q.Form.Form, Title: q.Title, Values: q.Values}})
		}
	case f.Type == "CUSTOM":
		v.custom(strings.TrimPrefix(f.Name, "erpilot."), f.Value)
	}
}

// turnOf is the turn of an AG-UI run: "<turn>.<segment>".
func turnOf(runID string) string {
	if i := strings.LastIndexByte(runID, '.'); i >= 0 {
		return runID[:i]
	}
	return runID
}

func decoded[T any](raw json.RawMessage) (value T, ok bool) {
	return value, json.Unmarshal(raw, &value) == nil
}
