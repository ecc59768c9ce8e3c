package chat

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

// withTurn is an event's data as the wire sends it.
type withTurn[T any] struct {
	Data   T
	TurnID string
}

func (w *withTurn[T]) UnmarshalJSON(raw []byte) error {
	var id struct {
		TurnID string `json:"turn_id"`
	}
	if err := json.Unmarshal(raw, &id); err != nil {
		return err
	}
	w.TurnID = id.TurnID
	return json.Unmarshal(raw, &w.Data)
}

// custom prints what is ours on the wire. Unknown names are skipped: a newer
// gateway may say more than this program knows.
func (v *view) custom(name string, raw json.RawMessage) {
	switch event.Type(name) {
	case "user_message":
		if d, ok := decoded[withTurn[event.Started]](raw); ok {
			t := v.turn(d.TurnID)
			if d.Data.Queued && t.status != chat.Answered {
				t.status, t.queued = chat.Running, true // it starts by itself
				v.s.line("%s", v.s.word("turn.queued"))
			}
			v.user(d.TurnID, d.Data.MessageID, d.Data.Text)
		}
	case event.MessageStored:
		if d, ok := decoded[withTurn[event.Message]](raw); ok {
			v.store(d.TurnID, d.Data.MessageID, d.Data.Text)
		}
	case event.MessageReset:
		if d, ok := decoded[event.Reset](raw); ok {
			v.reset(d)
		}
	case event.ToolStarted:
		if d, ok := decoded[event.Tool](raw); ok {
			v.phase(d.CallID, d.Tool, chat.CallStarted, v.s.word("phase.started"))
		}
	case event.ApprovalPending:
		if d, ok := decoded[event.Approval](raw); ok {
			v.phase(d.CallID, "", chat.CallPending, v.s.word("phase.pending"))
			v.pendingOpen(d)
		}
	case event.ApprovalResolved:
		if d, ok := decoded[event.Resolved](raw); ok {
			v.resolved(d)
		}
	case event.ToolExecuting:
		if d, ok := decoded[event.Executing](raw); ok {
			v.phase(d.CallID, "", chat.CallExecuting, v.s.word("phase.executing"))
			v.move(d.OpID, operation.Executing)
		}
	case event.ToolFinished:
		if d, ok := decoded[event.ToolDone](raw); ok {
			v.finished(d)
		}
	case event.OperationChanged, event.OperationResult:
		if d, ok := decoded[event.OpState](raw); ok {
			v.state(d)
		}
	case event.DecisionRefused:
		if d, ok := decoded[event.DecisionRefusal](raw); ok {
			v.s.line("! %s", v.s.word("card.refused_decision", "channel", terminal.Word("channel", string(d.Channel), v.s.locale),
				"reason", terminal.Fault(d.Code, d.Params, v.s.locale, v.s.zone)))
		}
	case event.PendingAnswered:
		if d, ok := decoded[event.Answer](raw); ok {
			v.answer(d)
		}
	case event.TurnEnded:
		if d, ok := decoded[withTurn[event.Ended]](raw); ok {
			v.ended(d.TurnID, d.Data)
		}
	case event.LoginExpired:
		v.s.line("! %s", v.s.word("card.needs_login"))
	}
}

// user prints what a person said, unless this terminal's person just typed it.
func (v *view) user(turnID, messageID, text string) {
	if _, seen := v.messages[messageID]; seen {
		return
	}
	v.messages[messageID] = &message{turnID: turnID, stored: true}
	if t := v.turn(turnID); t.mine == text && v.s.interactive {
		t.mine = ""
		return
	}
	v.s.line("\n> %s", strings.ReplaceAll(terminal.Clean(text), "\n", "\n  "))
}

// delta writes the part of a piece that is not on the screen.
func (v *view) delta(f frame) {
	m, ok := v.messages[f.MessageID]
	if !ok {
		m = &message{turnID: f.RawEvent.TurnID, attempt: f.RawEvent.Attempt}
		v.messages[f.MessageID] = m
	}
	switch at := f.RawEvent; {
	case m.stored || at.Attempt < m.attempt:
		return
	case at.Attempt > m.attempt:
		v.reset(event.Reset{MessageID: f.MessageID, Attempt: at.Attempt})
	case at.Offset > len(m.sent):
		return // something before it is missing; the stored message brings it
	}
	end := f.RawEvent.Offset + len(f.Delta)
	if end <= len(m.sent) {
		return
	}
	v.text(m, f.Delta[len(m.sent)-min(f.RawEvent.Offset, len(m.sent)):])
}

// text writes a piece of a message.
func (v *view) text(m *message, piece string) {
	if v.writing != m {
		v.interject()
		v.s.write("\n")
		v.writing = m
		if m.draw == nil {
			m.draw = terminal.NewMarkdown(v.s.out)
			m.draw.Base = v.s.api.base
		}
	}
	m.draw.Write(piece)
	m.sent += piece
}

// interject makes room for a line of its own: the line of a text that is being
// written is ended, a table that is not drawn yet is kept, and the line of a prompt
// is ended too.
func (v *view) interject() {
	if m := v.writing; m != nil {
		v.writing = nil
		if m.draw.Pause() {
			v.s.write("\n")
		}
	}
	if v.prompted {
		v.prompted = false
		v.s.write("\n")
	}
}

// endText finishes the text of a message: what of it was kept is drawn.
func (v *view) endText(m *message) {
	if m.draw == nil {
		return
	}
	if v.writing != m {
		v.interject()
	}
	v.writing = nil
	_ = m.draw.Close() // a broken output shows itself at the next line
	if m.draw.Open() {
		v.s.write("\n")
	}
	m.draw = nil
}

// reset forgets the text of a message: the model is asked again.
func (v *view) reset(d event.Reset) {
	m, ok := v.messages[d.MessageID]
	if !ok || m.stored || d.Attempt < m.attempt {
		return
	}
	if m.sent != "" {
		v.s.line("%s", v.s.say("chat.reset"))
	}
	m.sent, m.attempt, m.draw = "", d.Attempt, nil
}

// store replaces what was streamed by the whole message: the rest of it is
// written, or all of it where the stream had said something else.
func (v *view) store(turnID, messageID, text string) {
	m, ok := v.messages[messageID]
	if !ok {
		m = &message{turnID: turnID}
		v.messages[messageID] = m
	}
	if m.stored {
		return
	}
	m.stored = true
	rest, fits := strings.CutPrefix(text, m.sent)
	switch {
	case text == "":
	case !fits:
		v.s.line("%s", v.s.say("chat.reset"))
		m.draw = nil
		v.text(m, text)
	case rest != "":
		v.text(m, rest)
	}
	v.endText(m)
}

// phase prints a step of a call once; phases are never merged.
func (v *view) phase(callID, tool string, phase chat.CallStatus, words string) {
	c, ok := v.calls[callID]
	if !ok {
		c = &call{}
		v.calls[callID] = c
	}
	if tool != "" {
		c.tool = tool
	}
	if callID == "" || c.phase == phase {
		return
	}
	c.phase = phase
	v.s.line("  · %s · %s", terminal.Word("tool", c.tool, v.s.locale), words)
}

func (v *view) resolved(d event.Resolved) {
	v.move(d.OpID, d.Decision)
	v.s.line("  · %s", terminal.By(operation.Outcome{Status: d.Decision, By: d.By, Channel: d.Channel, At: d.At}, d.ByName, v.s.locale, v.s.zone))
	if c, ok := v.calls[d.CallID]; ok {
		c.phase = chat.CallResolved
	}
}

func (v *view) finished(d event.ToolDone) {
	said := []string{terminal.Word("done", d.Status, v.s.locale)}
	if d.Total > 0 {
		said = append(said, v.s.word("call.rows", "rows", strconv.Itoa(d.Rows), "total", strconv.Itoa(d.Total)))
	}
	if d.Code != "" {
		said = append(said, terminal.Fault(d.Code, d.Params, v.s.locale, v.s.zone))
	} else if d.Summary != "" && d.Total == 0 {
		said = append(said, terminal.Line(d.Summary))
	}
	if d.Status == "ok" || d.Status == "error" { // a write took as long as the person did
		said = append(said, v.s.word("ms", "ms", strconv.FormatInt(d.Millis, 10)))
	}
	v.phase(d.CallID, d.Tool, chat.CallFinished, strings.Join(said, " · "))
}

func (v *view) answer(d event.Answer) {
	q, ok := v.questions[d.PendingID]
	if !ok {
		return
	}
	q.Status = chat.PendingStatus(d.Status)
	if q.Form != nil {
		key := map[chat.PendingStatus]string{chat.PendingAnswered: "form.answered", chat.PendingExpired: "form.expired", chat.PendingCancelled: "form.cancelled"}[q.Status]
		v.s.line("  · %s", v.s.word(key))
		return
	}
	switch q.Status {
	case chat.PendingAnswered:
		v.s.line("  · %s", v.s.word("question.answered", "answer", d.Answer))
	case chat.PendingExpired:
		v.s.line("  · %s", v.s.word("question.expired"))
	case chat.PendingCancelled:
		v.s.line("  · %s", v.s.word("question.cancelled"))
	}
}

// ended closes a turn and says why when it did not end well.
func (v *view) ended(turnID string, d event.Ended) {
	t := v.turn(turnID)
	t.status, t.queued, t.code = chat.TurnStatus(d.Status), false, d.Code
	for _, m := range v.messages {
		if m.turnID == turnID {
			v.endText(m)
		}
	}
	switch t.status {
	case chat.Failed, chat.Limit:
		v.s.line("! %s", terminal.Fault(d.Code, d.Params, v.s.locale, v.s.zone))
		v.s.line("  %s", v.s.say("chat.may_resume"))
	case chat.Stopped:
		v.s.line("  · %s", v.s.word("say.stopped"))
	}
}

// ask prints a question with its options, or where a form is filled in.
func (v *view) ask(p chat.Pending) {
	if _, seen := v.questions[p.PendingID]; seen {
		return
	}
	v.questions[p.PendingID] = &p
	v.asked = append(v.asked, p.PendingID)
	if p.Form != nil {
		v.s.line("\n? %s", terminal.Clean(p.Form.Title))
		v.s.line("  %s", v.s.say("chat.fill_in", "url", v.link("/c/"+v.s.conversationID)))
		v.s.line("  %s", v.until(p.Deadline))
		return
	}
	v.s.line("\n? %s", terminal.Clean(p.Question.Question))
	for i, o := range p.Question.Options {
		v.s.line("%3d  %s", i+1, terminal.Line(o))
	}
	key := "chat.answer_free"
	switch {
	case len(p.Question.Options) > 0 && p.Question.AllowFreeText:
		key = "chat.answer_both"
	case len(p.Question.Options) > 0:
		key = "chat.answer_number"
	}
	v.s.line("  %s", v.s.say(key))
	v.s.line("  %s", v.until(p.Deadline))
}
