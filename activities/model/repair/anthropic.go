package repair

import (
	"encoding/json"
	"io"
	"strings"
)

// readAnthropic takes a whole answer of the messages API, keeps the exact
// arguments and drops the blocks that langchaingo cannot read.
func readAnthropic(from io.Reader, a *assembly) ([]byte, error) {
	body, err := readAll(from, 8*a.max+64<<10)
	if err != nil {
		return nil, err
	}
	var m struct {
		Type       string          `json:"type"`
		Model      string          `json:"model"`
		Content    []block         `json:"content"`
		StopReason string          `json:"stop_reason"`
		Usage      json.RawMessage `json:"usage"`
		Error      json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, invalid("answer is not a message")
	}
	if m.Type == "error" || len(m.Error) > 0 && string(m.Error) != "null" {
		return nil, streamError(m.Error, a.clean)
	}
	a.call.Model = m.Model
	kept := []block{}
	for _, b := range m.Content {
		switch strings.Trim(string(b["type"]), `"`) {
		case "text":
			if !a.content.add(b["text"]) {
				return nil, invalid("text is not a string")
			}
		case "thinking":
			if !a.reasoning.add(b["thinking"]) {
				return nil, invalid("thinking is not a string")
			}
		case "tool_use":
			if err := a.toolUse(b); err != nil {
				return nil, err
			}
		default:
			continue
		}
		kept = append(kept, b)
	}
	if a.size() > a.max {
		return nil, truncated("size", "reply is larger than %d bytes", a.max)
	}
	if err := a.finished(m.StopReason); err != nil {
		return nil, err
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	a.show(a.text())
	stop := a.finish
	if stop == "content_filter" {
		kept = []block{{"type": json.RawMessage(`"text"`), "text": textOf(a)}}
		a.call.Arguments = nil
	}
	if len(m.Usage) == 0 || m.Usage[0] != '{' {
		m.Usage = json.RawMessage("{}")
	}
	return json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "model": m.Model, "content": kept, "stop_reason": stop, "usage": m.Usage,
	})
}

// toolUse keeps the input as it came. langchaingo decodes an object; for
// anything else it gets an empty one, and the exact text stands in the Call.
func (a *assembly) toolUse(b block) error {
	if len(a.calls) == MaxCalls {
		return invalid("more than %d tool calls in one reply", MaxCalls)
	}
	c := &toolCall{}
	if json.Unmarshal(b["name"], &c.name) != nil || json.Unmarshal(orNull(b["id"]), &c.id) != nil {
		return invalid("a tool call has no name or no id")
	}
	input := b["input"]
	quoted, err := json.Marshal(string(input))
	if err != nil {
		return invalid("input of a tool call is no text")
	}
	c.args.add(quoted)
	a.calls = append(a.calls, c)
	a.call.Arguments = append(a.call.Arguments, string(input))
	b["id"], _ = json.Marshal(c.id)
	if len(input) == 0 || input[0] != '{' {
		b["input"] = json.RawMessage("{}")
	}
	return nil
}

func textOf(a *assembly) json.RawMessage {
	_, s := a.text()
	b, _ := json.Marshal(s)
	return b
}

func orNull(v json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return json.RawMessage("null")
	}
	return v
}
