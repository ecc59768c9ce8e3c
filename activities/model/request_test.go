package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/model/modeltest"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// transcript has all that is hard to send: text with calls, parallel results,
// malformed and exact arguments, a call without result and a stray result.
func transcript() []turn.Entry {
	return []turn.Entry{
		{Role: turn.RoleTool, ProviderID: "stray", Tool: "x", Text: "stray"},
		{Role: turn.RoleUser, Text: "one"},
		{Role: turn.RoleAssistant, Text: "looking", Calls: []turn.RequestCall{
			{ProviderID: "c1", Tool: tool.FindForms, Arguments: `{"query":"<订单>","n":12345678901234567890}`},
			{ProviderID: "c2", Tool: tool.ReadForm, Arguments: `{"form": oops`},
			{ProviderID: "c3", Tool: tool.ReadForm, Arguments: ``},
		}},
		{Role: turn.RoleTool, ProviderID: "c2", Tool: tool.ReadForm, Text: "result two"},
		{Role: turn.RoleTool, ProviderID: "c1", Tool: tool.FindForms, Text: "result one"},
		{Role: turn.RoleAssistant},
		{Role: turn.RoleUser, Text: "two"},
	}
}

func sent(t *testing.T, f modeltest.Flavour, extra string) map[string]any {
	t.Helper()
	s := start(t, modeltest.Step{Text: "ok", Whole: true})
	c := config(s, f)
	c.ExtraBody = extra
	req := turn.Request{System: "rules", Entries: transcript(), Tools: tool.Builtin(), MaxOutputTokens: 99}
	if _, err := build(t, c).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	r := s.Requests()[0]
	auth := r.Header.Get("Authorization") + r.Header.Get("X-Api-Key")
	if !strings.Contains(auth, testKey) {
		t.Errorf("key sent as %q", auth)
	}
	return body(t, r)
}

func TestOpenAIRequest(t *testing.T) {
	t.Parallel()
	m := sent(t, modeltest.OpenAI, `{"parallel_tool_calls":false,"enable_thinking":false,"top_p":0.5}`)
	want := map[string]any{
		"model": "test-model", "stream": true, "stream_options": map[string]any{"include_usage": true}, "max_tokens": 99.0,
		"parallel_tool_calls": false, "enable_thinking": false, "top_p": 0.5,
	}
	got := map[string]any{}
	for k, v := range m {
		if k != "messages" && k != "tools" {
			got[k] = v
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	fn := func(name, args string) any { return map[string]any{"name": name, "arguments": args} }
	tc := func(id string, f any) any { return map[string]any{"id": id, "type": "function", "function": f} }
	res := func(id, text string) any {
		return map[string]any{"role": "tool", "tool_call_id": id, "content": text}
	}
	messages := []any{
		map[string]any{"role": "system", "content": "rules"},
		map[string]any{"role": "user", "content": "one"},
		map[string]any{"role": "assistant", "content": "looking", "tool_calls": []any{
			tc("c1", fn(tool.FindForms, `{"query":"<订单>","n":12345678901234567890}`)),
			tc("c2", fn(tool.ReadForm, `{"malformed_arguments":"{\"form\": oops"}`)),
			tc("c3", fn(tool.ReadForm, `{"malformed_arguments":""}`)),
		}},
		res("c1", "result one"), res("c2", "result two"),
		res("c3", `{"error":{"code":"internal","detail":"no result was recorded; not executed"}}`),
		map[string]any{"role": "user", "content": "two"},
	}
	normal := flattenContent(m["messages"])
	if diff := cmp.Diff(messages, normal); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	noForbiddenTopLevel(t, m["tools"], func(x map[string]any) any { return x["function"].(map[string]any)["parameters"] })
}

// flattenContent reads [{"type":"text","text":…}] as the text.
func flattenContent(v any) any {
	list, _ := v.([]any)
	for _, x := range list {
		m, _ := x.(map[string]any)
		if parts, ok := m["content"].([]any); ok && len(parts) == 1 {
			m["content"] = parts[0].(map[string]any)["text"]
		}
	}
	return v
}

func TestAnExtraFieldRemovesAndOverrides(t *testing.T) {
	t.Parallel()
	m := sent(t, modeltest.OpenAI, `{"stream":false,"max_tokens":null,"max_completion_tokens":5}`)
	if m["stream"] != false || m["stream_options"] != nil || m["max_tokens"] != nil || m["max_completion_tokens"] != 5.0 {
		t.Errorf("body %v", m)
	}
}

func TestAnthropicRequest(t *testing.T) {
	t.Parallel()
	s := start(t, modeltest.Step{Text: "ok"})
	req := turn.Request{System: "rules", Entries: transcript(), Tools: tool.Builtin()}
	if _, err := build(t, config(s, modeltest.Anthropic)).Generate(t.Context(), req, nil); err != nil {
		t.Fatal(err)
	}
	raw := string(s.Requests()[0].Body)
	m := body(t, s.Requests()[0])
	if m["system"] != "rules" || m["max_tokens"] != 4096.0 || m["temperature"] != nil || m["stream"] != true || m["stream_options"] != nil {
		t.Errorf("body %.300s", raw)
	}
	if !strings.Contains(raw, "12345678901234567890") {
		t.Error("a number of an earlier call lost digits")
	}
	type block struct {
		Type, Text, Name, Content string
		ID                        string `json:"id"`
		ToolUseID                 string `json:"tool_use_id"`
		Input                     json.RawMessage
	}
	var got struct {
		Messages []struct {
			Role    string
			Content []block
		}
	}
	if err := json.Unmarshal([]byte(raw), &got); err != nil {
		t.Fatal(err)
	}
	var shape []string
	for _, x := range got.Messages {
		for _, b := range x.Content {
			shape = append(shape, x.Role+" "+b.Type+" "+b.Text+b.ID+b.ToolUseID+b.Content)
		}
		shape = append(shape, "--")
	}
	want := []string{
		"user text one", "--",
		"assistant text looking", "assistant tool_use c1", "assistant tool_use c2", "assistant tool_use c3", "--",
		"user tool_result c1result one", "user tool_result c2result two",
		`user tool_result c3{"error":{"code":"internal","detail":"no result was recorded; not executed"}}`,
		"user text two", "--",
	}
	if diff := cmp.Diff(want, shape); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
	noForbiddenTopLevel(t, m["tools"], func(x map[string]any) any { return x["input_schema"] })
}

func noForbiddenTopLevel(t *testing.T, tools any, schema func(map[string]any) any) {
	t.Helper()
	list, _ := tools.([]any)
	if len(list) != len(tool.Builtin()) {
		t.Errorf("%d tools sent", len(list))
	}
	for _, x := range list {
		s, ok := schema(x.(map[string]any)).(map[string]any)
		if !ok || s["type"] != "object" || s["properties"] == nil {
			t.Errorf("schema %v", s)
		}
		for _, k := range []string{"anyOf", "allOf", "oneOf", "if", "then", "not"} {
			if s[k] != nil {
				t.Errorf("schema has %s at the top", k)
			}
		}
	}
}

func TestIDsAreNewWithinTheTranscript(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		s := start(t, modeltest.Step{Calls: []modeltest.Call{call("c1", tool.ReadForm, argsB), call("c1", tool.ReadForm, argsB)}})
		got, err := build(t, config(s, f)).Generate(t.Context(), turn.Request{Entries: transcript()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := calls("c1_1", tool.ReadForm, argsB, "c1_2", tool.ReadForm, argsB)
		if diff := cmp.Diff(want, got.Calls); diff != "" {
			t.Errorf("%s: %s", f, diff)
		}
	}
}
