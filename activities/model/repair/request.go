package repair

import (
	"bytes"
	"encoding/json"
	"maps"
)

// request rewrites a body that langchaingo made: no temperature that nobody set,
// streaming on, the configured extra fields, and for Anthropic exact arguments
// and one message per role change.
func (c *Client) request(body []byte, call *Call) ([]byte, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, err
	}
	delete(m, "temperature")
	m["stream"] = json.RawMessage("true")
	if c.Dialect == OpenAI {
		m["stream_options"] = json.RawMessage(`{"include_usage":true}`)
	} else {
		messages, err := mergeMessages(m["messages"], call.Inputs)
		if err != nil {
			return nil, err
		}
		m["messages"] = messages
	}
	maps.Copy(m, c.Extra)
	if s := string(m["stream"]); s != "true" {
		delete(m, "stream_options")
	}
	for k, v := range m {
		if string(bytes.TrimSpace(v)) == "null" {
			delete(m, k)
		}
	}
	return json.Marshal(m)
}

type block = map[string]json.RawMessage

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// mergeMessages joins neighbours of one role, because the results of parallel
// calls must stand in one message, and puts the exact input into each tool_use.
func mergeMessages(raw json.RawMessage, inputs map[string]json.RawMessage) (json.RawMessage, error) {
	var in, out []message
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	for _, m := range in {
		for _, b := range m.Content {
			var id string
			if string(b["type"]) != `"tool_use"` || json.Unmarshal(b["id"], &id) != nil {
				continue
			}
			if exact, ok := inputs[id]; ok {
				b["input"] = exact
			}
		}
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = append(out[n-1].Content, m.Content...)
			continue
		}
		out = append(out, m)
	}
	return json.Marshal(out)
}
