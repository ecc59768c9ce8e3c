package repair

import (
	"encoding/json"
	"strings"
	"time"
)

// MaxCalls bounds the tool calls of one reply.
const MaxCalls = 32

// assembly puts one reply together from deltas.
type assembly struct {
	call  *Call
	max   int
	clean func(string) string
	// literal takes <think> in a text for text: Anthropic sends reasoning apart.
	literal bool
	// settle shortens the wait for more of the stream; nil does nothing.
	settle func(time.Duration)

	content   rawString
	reasoning rawString
	think     thinking
	calls     []*toolCall
	byIndex   map[int]*toolCall
	usage     usage
	// finish is empty until the provider says why it stopped.
	finish string
	// over: the provider said that nothing follows.
	over bool
}

type toolCall struct {
	id   string
	name string
	args rawString
	// input is what Anthropic gave at the begin of the block; it counts when no
	// piece follows.
	input string
}

type usage struct {
	Input  int `json:"prompt_tokens"`
	Output int `json:"completion_tokens"`
}

type delta struct {
	Content json.RawMessage `json:"content"`
	// Refusal is OpenAI's own field for a refused answer; it is text to read.
	Refusal json.RawMessage `json:"refusal"`
	// Reasoning is Ollama's, OpenRouter's and newer vLLM's name for ReasoningContent.
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Calls            []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    *int            `json:"index"`
	ID       json.RawMessage `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// apply adds one delta and shows the new text.
func (a *assembly) apply(d delta) error {
	before := a.size()
	for _, v := range []json.RawMessage{d.Content, d.Refusal} {
		if !a.content.add(v) {
			return invalid("content is not a string")
		}
	}
	thoughts := d.ReasoningContent
	if len(thoughts) == 0 || string(thoughts) == "null" {
		thoughts = d.Reasoning
	}
	if !a.reasoning.add(thoughts) {
		return invalid("reasoning is not a string")
	}
	for _, c := range d.Calls {
		if err := a.addCall(c); err != nil {
			return err
		}
	}
	return a.grown(before)
}

// grown checks the size after a delta and shows what became whole.
func (a *assembly) grown(before int) error {
	after := a.size()
	if after > a.max {
		return truncated("size", "reply is larger than %d bytes", a.max)
	}
	if after > before {
		// More came after the finish: it must be finished again.
		a.finish = ""
	}
	a.call.reasoning(a.reasoning.next())
	if a.literal {
		a.call.text(a.content.next())
		return nil
	}
	a.show(a.think.feed(a.content.next()))
	return nil
}

func (a *assembly) show(reasoning, text string) {
	a.call.reasoning(reasoning)
	a.call.text(text)
}

func (a *assembly) size() int {
	n := len(a.content.raw) + len(a.reasoning.raw)
	for _, c := range a.calls {
		n += len(c.args.raw) + len(c.input) + len(c.name) + len(c.id)
	}
	return n
}

func (a *assembly) addCall(d callDelta) error {
	id := strings.Trim(string(d.ID), `"`)
	if id == "null" {
		id = ""
	}
	name, args := d.Function.Name, d.Function.Arguments
	if string(args) == "null" || string(args) == `""` {
		args = nil
	}
	if id == "" && name == "" && len(args) == 0 {
		return nil
	}
	c := a.find(d.Index, id, name, args)
	if c == nil {
		if name == "" && id == "" {
			return invalid("arguments of a tool call that was never begun")
		}
		if len(a.calls) == MaxCalls {
			return invalid("more than %d tool calls in one reply", MaxCalls)
		}
		c = &toolCall{id: id}
		a.calls = append(a.calls, c)
	}
	if d.Index != nil {
		if a.byIndex == nil {
			a.byIndex = map[int]*toolCall{}
		}
		a.byIndex[*d.Index] = c
	}
	if c.id == "" {
		c.id = id
	}
	// Some servers repeat the name with every piece, a few send it in pieces.
	if name != c.name && c.args.empty() {
		c.name += name
	}
	if !c.args.add(args) {
		return invalid("arguments of a tool call are not a string")
	}
	return nil
}

// find returns the open call that a delta belongs to, nil when it begins a new
// one. A new id is a new call, whatever the index says; so is a second object of
// arguments after a whole one.
func (a *assembly) find(index *int, id, name string, args json.RawMessage) *toolCall {
	var c *toolCall
	switch {
	case index != nil:
		c = a.byIndex[*index]
		if c != nil && id != "" && c.id != "" && id != c.id {
			return nil
		}
	case id != "":
		for _, x := range a.calls {
			if x.id == id {
				c = x
			}
		}
	case len(a.calls) > 0:
		c = a.calls[len(a.calls)-1]
		if name != "" && name != c.name && !c.args.empty() {
			return nil
		}
	}
	if c != nil && len(args) > 0 && c.whole() && beginsObject(args) {
		return nil
	}
	return c
}

// whole tells whether the arguments so far are one complete JSON value.
func (c *toolCall) whole() bool {
	raw := c.args.raw
	if n := len(raw); n == 0 || raw[n-1] != '}' {
		return false
	}
	s, ok := c.args.text()
	return ok && json.Valid([]byte(s))
}

func beginsObject(args json.RawMessage) bool {
	s := strings.TrimLeft(strings.TrimPrefix(string(args), `"`), " \t")
	return strings.HasPrefix(s, "{")
}

// finished maps a provider's reason to ours. It is an error for reasons that say
// that the provider failed.
func (a *assembly) finished(reason string) error {
	switch reason {
	case "":
		return nil
	case "error", "insufficient_system_resource", "engine_overloaded":
		return unavailable(0, 0, invalid("provider stopped: %s", reason))
	case "length", "max_tokens", "model_length", "model_context_window_exceeded":
		a.finish = "length"
	case "content_filter", "refusal", "sensitive":
		a.finish = "content_filter"
	default:
		a.finish = "stop"
	}
	if a.settle != nil {
		a.settle(afterFinish)
	}
	return nil
}

// check ends the assembly: a reply that is whole and makes sense, or an error.
func (a *assembly) check() error {
	if a.finish == "" {
		return truncated("cut", "stream ended without a finish reason")
	}
	_, text := a.text()
	empty := strings.TrimSpace(text) == ""
	if a.finish == "length" && (len(a.calls) > 0 || empty) {
		return truncated("length", "reply hit its token limit")
	}
	if a.finish == "content_filter" {
		a.calls = nil
		return nil
	}
	if len(a.calls) == 0 && empty {
		return invalid("reply is empty")
	}
	if len(a.calls) > 0 {
		a.finish = "tool_calls"
	}
	for _, c := range a.calls {
		if c.name == "" {
			return invalid("a tool call has no name")
		}
	}
	return nil
}

// text is the whole reasoning and the whole text of the reply. A half rune at
// the very end becomes U+FFFD.
func (a *assembly) text() (reasoning, text string) {
	content, _ := a.content.text()
	thoughts, _ := a.reasoning.text()
	if a.literal {
		return thoughts, content
	}
	inText, text := partThinking(content)
	return thoughts + inText, text
}

// answer is the reply as a plain chat completion.
func (a *assembly) answer() ([]byte, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	type function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	type call struct {
		ID       string   `json:"id"`
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	a.show(a.think.end())
	thoughts, content := a.text()
	message := map[string]any{"role": "assistant", "content": content, "reasoning_content": thoughts}
	var calls []call
	for _, c := range a.calls {
		args, ok := c.args.text()
		if !ok {
			return nil, invalid("arguments of a tool call are damaged text")
		}
		calls = append(calls, call{ID: c.id, Type: "function", Function: function{c.name, args}})
		a.call.Arguments = append(a.call.Arguments, args)
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return json.Marshal(map[string]any{
		"object": "chat.completion", "model": a.call.Model, "usage": a.usage,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish}},
	})
}
