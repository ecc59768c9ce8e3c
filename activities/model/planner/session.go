package planner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/tmc/langchaingo/llms"

	"github.com/erpilot/erpilot/activities/model/envelope"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/tool"
)

// session is what the transcript says since the person's last message.
type session struct {
	text string
	// zh: the message holds Chinese, so the answer is Chinese.
	zh   bool
	done []*exchange
	// calls counts the tool calls of the whole transcript, for new ids.
	calls int
	// drafted is the last draft that an earlier message made; nil without one.
	drafted *drafted
	// today is the person's date as the prompt tells it, "" when it does not.
	today string
	// zone is the person's time zone; UTC when the prompt does not tell it.
	zone *time.Location
}

// exchange is one call and its result.
type exchange struct {
	id, tool, args string
	result         result
	has, used      bool
}

// call is a tool call to make. Args are marshalled with sorted names.
type call struct {
	tool string
	args map[string]any
}

func (c call) json() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(c.args); err != nil {
		panic("planner: arguments that are no JSON: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

// step is the planner's reply: an answer, or calls with an optional text.
type step struct {
	text  string
	calls []call
}

// read finds the last message of the person and what came since.
func read(messages []llms.MessageContent) *session {
	s := &session{zone: time.UTC}
	last := -1
	for i, m := range messages {
		if m.Role == llms.ChatMessageTypeSystem {
			if d := todayIs.FindStringSubmatch(textOf(m)); d != nil {
				s.today = d[1]
			}
			if z := zoneIs.FindStringSubmatch(textOf(m)); z != nil {
				if zone, err := time.LoadLocation(z[1]); err == nil {
					s.zone = zone
				}
			}
		}
		if m.Role == llms.ChatMessageTypeHuman && !isNote(textOf(m)) {
			last = i
		}
		for _, part := range m.Parts {
			if _, ok := part.(llms.ToolCall); ok {
				s.calls++
			}
		}
	}
	if last < 0 {
		return s
	}
	s.drafted = lastDraft(messages[:last])
	s.text = strings.TrimSpace(textOf(messages[last]))
	s.zh = strings.ContainsFunc(s.text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	for _, m := range messages[last+1:] {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llms.ToolCall:
				if p.FunctionCall != nil {
					s.done = append(s.done, &exchange{id: p.ID, tool: p.FunctionCall.Name, args: canonical(p.FunctionCall.Arguments)})
				}
			case llms.ToolCallResponse:
				for _, x := range s.done {
					if x.id == p.ToolCallID && !x.has {
						x.result, x.has = parse(p.Content), true
					}
				}
			}
		}
	}
	return s
}

// todayIs and zoneIs are what the prompt says of the person's date and time zone.
var (
	todayIs = regexp.MustCompile(`Today is ([0-9]{4}-[0-9]{2}-[0-9]{2})`)
	zoneIs  = regexp.MustCompile(`the person's time zone, which is ([A-Za-z0-9_+/-]+)`)
)

// lastDraft finds what was last saved as a draft.
func lastDraft(messages []llms.MessageContent) *drafted {
	calls := map[string]row{}
	var found *drafted
	for _, m := range messages {
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llms.ToolCall:
				if p.FunctionCall != nil && p.FunctionCall.Name == tool.SaveDraft {
					calls[p.ID] = parse(p.FunctionCall.Arguments).fields
				}
			case llms.ToolCallResponse:
				if args := calls[p.ToolCallID]; args != nil {
					if d := draftOf(args, parse(p.Content)); d != nil {
						found = d
					}
				}
			}
		}
	}
	return found
}

// isNote tells what the host put in between from what the person wrote.
func isNote(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(text), "<erp_data>")
}

func textOf(m llms.MessageContent) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if t, ok := part.(llms.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// need returns the results of the calls, or the step that makes the missing ones.
func (s *session) need(calls ...call) ([]result, *step) {
	var out []result
	var missing []call
	for _, c := range calls {
		x := s.find(c)
		if x == nil {
			missing = append(missing, c)
			continue
		}
		x.used = true
		out = append(out, x.result)
	}
	if missing != nil {
		return nil, &step{calls: missing}
	}
	return out, nil
}

// prefetch makes the missing ones of calls that will be needed later, so that
// independent reads go out together.
func (s *session) prefetch(calls ...call) *step {
	var missing []call
	seen := map[string]bool{}
	for _, c := range calls {
		if key := c.tool + c.json(); s.find(c) == nil && !seen[key] {
			seen[key] = true
			missing = append(missing, c)
		}
	}
	if missing == nil {
		return nil
	}
	return &step{calls: missing}
}

// find looks an exchange up, an unused one first: the same read may serve twice.
func (s *session) find(c call) *exchange {
	args := canonical(c.json())
	var again *exchange
	for _, x := range s.done {
		if x.has && x.tool == c.tool && x.args == args {
			if !x.used {
				return x
			}
			again = x
		}
	}
	return again
}

// canonical makes arguments comparable, whoever wrote them down.
func canonical(args string) string {
	d := json.NewDecoder(strings.NewReader(args))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return args
	}
	b, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(b)
}

// say formats a text in the person's language; both take the same arguments.
func (s *session) say(zh, en string, args ...any) string {
	if s.zh {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

func (s *session) locale() identity.Locale {
	if s.zh {
		return identity.Chinese
	}
	return identity.English
}

// answer is a step that ends the turn.
func (s *session) answer(zh, en string, args ...any) *step {
	return &step{text: s.say(zh, en, args...)}
}

// parse reads a tool result, in its envelope or not.
func parse(content string) result {
	inner := envelope.Open(content)
	r := result{raw: inner}
	d := json.NewDecoder(strings.NewReader(inner))
	d.UseNumber()
	if d.Decode(&r.fields) != nil {
		r.fields = nil
		var text string
		if json.Unmarshal([]byte(inner), &text) == nil {
			r.raw = text
		}
	}
	return r
}
