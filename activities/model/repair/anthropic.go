package repair

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// messageEvent is one event of a messages stream, or a whole message.
type messageEvent struct {
	Type    string       `json:"type"`
	Message *messageHead `json:"message"`
	Index   int          `json:"index"`
	Block   block        `json:"content_block"`
	Delta   struct {
		Type       string          `json:"type"`
		Text       json.RawMessage `json:"text"`
		Thinking   json.RawMessage `json:"thinking"`
		Partial    json.RawMessage `json:"partial_json"`
		StopReason string          `json:"stop_reason"`
	} `json:"delta"`
	Error json.RawMessage `json:"error"`
	messageHead
}

type messageHead struct {
	Model      string          `json:"model"`
	Content    []block         `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      *anthropicUsage `json:"usage"`
}

type anthropicUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// readMessage takes an answer of the messages API that is no stream.
func readMessage(from io.Reader, a *assembly) ([]byte, error) {
	body, err := readAll(from, 8*a.max+64<<10)
	if err != nil {
		return nil, err
	}
	var m messageEvent
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, invalid("answer is not a message")
	}
	if m.Type == "error" {
		return nil, streamError(m.Error, a.clean)
	}
	a.messageHead(m.messageHead)
	before := a.size()
	for i, b := range m.Content {
		if err := a.beginBlock(i, b); err != nil {
			return nil, err
		}
	}
	if err := a.grown(before); err != nil {
		return nil, err
	}
	if err := a.finished(m.StopReason); err != nil {
		return nil, err
	}
	return a.message()
}

// readMessageStream assembles a messages stream.
func readMessageStream(from io.Reader, a *assembly) ([]byte, error) {
	if err := readEvents(from, a, a.messageEvent); err != nil {
		return nil, err
	}
	return a.message()
}

func (a *assembly) messageEvent(data []byte) error {
	var e messageEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return invalid("an event of the stream has another shape")
	}
	before := a.size()
	switch e.Type {
	case "error":
		return streamError(e.Error, a.clean)
	case "message_start":
		if e.Message != nil {
			a.messageHead(*e.Message)
		}
	case "content_block_start":
		if err := a.beginBlock(e.Index, e.Block); err != nil {
			return err
		}
	case "content_block_delta":
		if !a.content.add(e.Delta.Text) || !a.reasoning.add(e.Delta.Thinking) {
			return invalid("text of a delta is not a string")
		}
		if len(e.Delta.Partial) > 0 {
			c := a.byIndex[e.Index]
			if c == nil || e.Delta.Partial[0] != '"' {
				return invalid("input of a tool call that was never begun")
			}
			c.args.add(e.Delta.Partial)
		}
	case "message_delta":
		a.messageHead(e.messageHead)
		if err := a.finished(e.Delta.StopReason); err != nil {
			return err
		}
	case "message_stop":
		a.over = true
	}
	return a.grown(before)
}

func (a *assembly) messageHead(h messageHead) {
	if h.Model != "" {
		a.call.Model = h.Model
	}
	if h.Usage != nil {
		a.usage.Input = max(a.usage.Input, h.Usage.Input)
		a.usage.Output = max(a.usage.Output, h.Usage.Output)
	}
}

// beginBlock takes a block with what it holds already. Kinds that langchaingo
// cannot read are left out.
func (a *assembly) beginBlock(index int, b block) error {
	switch strings.Trim(string(b["type"]), `"`) {
	case "text":
		if !a.content.add(b["text"]) {
			return invalid("text is not a string")
		}
	case "thinking":
		if !a.reasoning.add(b["thinking"]) {
			return invalid("thinking is not a string")
		}
	case "tool_use":
		if len(a.calls) == MaxCalls {
			return invalid("more than %d tool calls in one reply", MaxCalls)
		}
		c := &toolCall{input: string(b["input"])}
		if json.Unmarshal(orNull(b["name"]), &c.name) != nil || json.Unmarshal(orNull(b["id"]), &c.id) != nil {
			return invalid("name or id of a tool call is no string")
		}
		if a.byIndex == nil {
			a.byIndex = map[int]*toolCall{}
		}
		a.byIndex[index] = c
		a.calls = append(a.calls, c)
	}
	return nil
}

// message is the reply as a plain message. langchaingo decodes the input of a
// call into floats and wants an object: the exact text stands in the Call.
func (a *assembly) message() ([]byte, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	thoughts, text := a.text()
	content := []map[string]any{}
	if thoughts != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": thoughts})
	}
	if text != "" || len(a.calls) == 0 {
		content = append(content, map[string]any{"type": "text", "text": text})
	}
	for _, c := range a.calls {
		args, ok := c.args.text()
		if !ok {
			return nil, invalid("input of a tool call is damaged text")
		}
		if args == "" {
			args = c.input
		}
		a.call.Arguments = append(a.call.Arguments, args)
		input := json.RawMessage("{}")
		if b := bytes.TrimSpace([]byte(args)); len(b) > 0 && b[0] == '{' && json.Valid(b) {
			input = b
		}
		content = append(content, map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": input})
	}
	return json.Marshal(map[string]any{
		"type": "message", "role": "assistant", "model": a.call.Model, "content": content, "stop_reason": a.finish,
		"usage": anthropicUsage(a.usage),
	})
}

func orNull(v json.RawMessage) json.RawMessage {
	if len(v) == 0 {
		return json.RawMessage("null")
	}
	return v
}
