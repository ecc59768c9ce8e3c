package model

import (
	"bytes"
	"encoding/json"

	"github.com/tmc/langchaingo/llms"

	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// messages turns a transcript into langchaingo's vocabulary. With split, text and
// each call of an assistant entry are messages of their own.
func messages(system string, entries []turn.Entry, split bool) []llms.MessageContent {
	var out []llms.MessageContent
	add := func(role llms.ChatMessageType, parts ...llms.ContentPart) {
		if len(parts) > 0 {
			out = append(out, llms.MessageContent{Role: role, Parts: parts})
		}
	}
	if system != "" {
		add(llms.ChatMessageTypeSystem, llms.TextContent{Text: system})
	}
	for _, e := range entries {
		switch e.Role {
		case turn.RoleUser:
			add(llms.ChatMessageTypeHuman, llms.TextContent{Text: e.Text})
		case turn.RoleTool:
			add(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: e.ProviderID, Name: e.Tool, Content: e.Text})
		case turn.RoleAssistant:
			var parts []llms.ContentPart
			if e.Text != "" {
				parts = append(parts, llms.TextContent{Text: e.Text})
			}
			for _, c := range e.Calls {
				parts = append(parts, llms.ToolCall{
					ID: c.ProviderID, Type: "function",
					FunctionCall: &llms.FunctionCall{Name: c.Tool, Arguments: string(asObject(c.Arguments))},
				})
			}
			if !split {
				add(llms.ChatMessageTypeAI, parts...)
				continue
			}
			for _, part := range parts {
				add(llms.ChatMessageTypeAI, part)
			}
		}
	}
	return out
}

// paired makes sure that each call has exactly one result right behind it, which
// every provider demands: a missing one says that there is none, a stray one is
// left out.
func paired(entries []turn.Entry) []turn.Entry {
	var out []turn.Entry
	for i, e := range entries {
		if e.Role == turn.RoleTool {
			continue
		}
		if e.Role != turn.RoleAssistant || len(e.Calls) == 0 {
			if e.Text != "" {
				out = append(out, e)
			}
			continue
		}
		out = append(out, e)
		results := map[string]turn.Entry{}
		for j := i + 1; j < len(entries) && entries[j].Role == turn.RoleTool; j++ {
			if _, twice := results[entries[j].ProviderID]; !twice {
				results[entries[j].ProviderID] = entries[j]
			}
		}
		for _, c := range e.Calls {
			r, ok := results[c.ProviderID]
			if !ok {
				r = turn.Entry{Role: turn.RoleTool, ProviderID: c.ProviderID, Tool: c.Tool, Text: `{"error":{"code":"internal","detail":"no result was recorded; not executed"}}`}
			}
			out = append(out, r)
		}
	}
	return out
}

// asObject returns arguments that may stand in a request. Providers parse the
// arguments of earlier calls and fail on malformed ones, so those are shown to
// the model as a quoted text. They are never shown as an empty object.
func asObject(arguments string) json.RawMessage {
	raw := []byte(arguments)
	if b := bytes.TrimSpace(raw); len(b) > 0 && b[0] == '{' && json.Valid(b) {
		return b
	}
	quoted, err := json.Marshal(map[string]string{"malformed_arguments": arguments})
	if err != nil {
		return json.RawMessage(`{"malformed_arguments":""}`)
	}
	return quoted
}

// inputs are the exact arguments of all earlier calls by provider id.
func inputs(entries []turn.Entry) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for _, e := range entries {
		for _, c := range e.Calls {
			m[c.ProviderID] = asObject(c.Arguments)
		}
	}
	return m
}

// tools turns the catalogue into langchaingo's vocabulary.
func tools(cat []tool.Tool) []llms.Tool {
	var out []llms.Tool
	for _, t := range cat {
		out = append(out, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: t.Name, Description: t.Description, Parameters: wireSchema(t.Parameters),
		}})
	}
	return out
}

// wireSchema drops what providers refuse at the top of a tool's schema; Validate
// checks the whole schema all the same.
func wireSchema(schema json.RawMessage) any {
	var m map[string]json.RawMessage
	if json.Unmarshal(schema, &m) != nil || m == nil {
		return map[string]any{"type": "object", "properties": map[string]any{}}
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$schema", "$id"} {
		delete(m, k)
	}
	if _, ok := m["properties"]; !ok {
		m["properties"] = json.RawMessage("{}")
	}
	return m
}
