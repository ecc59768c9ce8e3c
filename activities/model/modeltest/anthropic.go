package modeltest

import "encoding/json"

// anthropic answers a messages request with plain JSON.
func (a *answer) anthropic() {
	if !a.ready() {
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	if a.step.RawBody != "" {
		_, _ = a.w.Write([]byte(a.step.RawBody))
		return
	}
	if a.step.Fault == ErrorObject {
		_, _ = a.w.Write([]byte(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`))
		return
	}
	content := []any{}
	if a.step.Reasoning != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.step.Reasoning, "signature": "c2ln"})
	}
	if a.step.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.step.Text})
	}
	for _, c := range a.step.Calls {
		input := json.RawMessage(c.Arguments)
		if !json.Valid(input) {
			input, _ = json.Marshal(c.Arguments)
		}
		content = append(content, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": input})
	}
	m := map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_sequence": nil, "usage": map[string]any{"input_tokens": 11, "output_tokens": 7},
		"stop_reason": map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}[a.finish()],
	}
	if a.step.Fault == NoFinish || a.step.Fault == DoneOnly {
		m["stop_reason"] = nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	a.write(body)
}
