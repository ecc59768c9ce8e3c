package modeltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

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
		"stop_reason": a.stopReason(),
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

// stopReason is the finish in Anthropic's words.
func (a *answer) stopReason() string {
	return map[string]string{"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "content_filter": "refusal"}[a.finish()]
}

// anthropicStream answers a messages request with SSE. Shapes of tool calls are
// OpenAI's affair; a step's shape is ignored.
func (a *answer) anthropicStream() {
	if !a.ready() {
		return
	}
	a.w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	a.flush()
	if a.step.Raw != nil {
		for _, l := range a.step.Raw {
			a.line(l)
		}
		return
	}
	index := -1
	send := func(kind, rest string) {
		a.line(fmt.Sprintf("event: %s\ndata: {\"type\":%q%s}\n", kind, kind, rest))
	}
	begin := func(block string) {
		index++
		send("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, index, block))
	}
	delta := func(kind, field, piece string) {
		send("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":%q,%q:%s}`, index, kind, field, piece))
	}
	end := func() { send("content_block_stop", fmt.Sprintf(`,"index":%d`, index)) }

	a.say = func(piece string) { delta("text_delta", "text", piece) }
	a.oops = func() { send("error", `,"error":{"type":"overloaded_error","message":"Overloaded"}`) }
	a.sendCalls = func() {
		for _, c := range a.step.Calls {
			begin(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, c.ID, c.Tool))
			delta("input_json_delta", "partial_json", `""`)
			for _, p := range a.pieces(c.Arguments) {
				delta("input_json_delta", "partial_json", p)
			}
			if a.step.Fault != Cut {
				end()
			}
		}
	}

	send("message_start", fmt.Sprintf(`,"message":{"id":"msg_1","type":"message","role":"assistant","model":%q,"content":[],"stop_reason":null,"usage":{"input_tokens":11,"output_tokens":1}}`, a.model))
	send("ping", "")
	if a.step.Reasoning != "" {
		begin(`{"type":"thinking","thinking":"","signature":""}`)
		for _, p := range a.pieces(a.step.Reasoning) {
			delta("thinking_delta", "thinking", p)
		}
		delta("signature_delta", "signature", `"c2ln"`)
		end()
	}
	if a.step.Fault == HugeLine {
		a.line(": " + strings.Repeat("x", 1<<20))
	}
	if a.step.Text != "" || a.step.Fault == Endless {
		begin(`{"type":"text","text":""}`)
		for _, p := range a.pieces(a.step.Text) {
			a.say(p)
		}
	}
	if a.broken() {
		return
	}
	if a.step.Text != "" {
		end()
	}
	a.sendCalls()
	if a.step.Fault == NoFinish {
		return
	}
	if a.step.Fault != DoneOnly {
		send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":7}`, a.stopReason()))
	}
	if a.step.Fault == Trailing {
		send("ping", "")
	}
	if a.step.Fault == HangAfterFinish {
		a.hang()
		return
	}
	if a.step.Fault != NoDone {
		send("message_stop", "")
	}
}
