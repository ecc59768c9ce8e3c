package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// answer writes one Step.
type answer struct {
	w      http.ResponseWriter
	step   Step
	model  string
	ollama bool
	gone   <-chan struct{}
	stop   <-chan struct{}

	// What the faults need of a wire format: one delta of text (a JSON string),
	// the tool calls, an error object.
	say       func(piece string)
	sendCalls func()
	oops      func()
}

func (a *answer) status() {
	for k, v := range a.step.Header {
		a.w.Header()[k] = v
	}
	a.w.Header().Set("Content-Type", "application/json")
	a.w.WriteHeader(a.step.Status)
	msg := a.step.Message
	if msg == "" {
		msg = http.StatusText(a.step.Status)
	}
	_ = json.NewEncoder(a.w).Encode(map[string]any{"type": "error", "error": map[string]any{"message": msg, "type": "test_error"}})
}

// ready waits as the step says; false means that there is nobody to answer.
func (a *answer) ready() bool {
	if a.step.Fault == Silent {
		a.hang()
		return false
	}
	if a.step.Wait == nil {
		return true
	}
	select {
	case <-a.step.Wait:
		return true
	case <-a.gone:
	case <-a.stop:
	}
	return false
}

func (a *answer) hang() {
	select {
	case <-a.gone:
	case <-a.stop:
	}
}

func (a *answer) over() bool {
	select {
	case <-a.gone:
		return true
	case <-a.stop:
		return true
	default:
		return false
	}
}

// cut breaks the connection without an end of the body.
func (a *answer) cut() { panic(http.ErrAbortHandler) }

func (a *answer) flush() { _ = http.NewResponseController(a.w).Flush() }

func (a *answer) line(s string) {
	_, _ = a.w.Write([]byte(s + "\n"))
	a.flush()
}

// event writes a chunk. Bytes of half runes stay as they are.
func (a *answer) event(delta string, finish string) {
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	a.line(fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":%q,"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n", a.model, delta, end))
}

// whole answers with plain JSON.
func (a *answer) whole() {
	if !a.ready() {
		return
	}
	a.w.Header().Set("Content-Type", "application/json")
	if a.step.RawBody != "" {
		_, _ = a.w.Write([]byte(a.step.RawBody))
		return
	}
	var calls []any
	for i, c := range a.step.Calls {
		calls = append(calls, map[string]any{"id": c.ID, "index": i, "type": "function", "function": map[string]any{"name": c.Tool, "arguments": c.Arguments}})
	}
	message := map[string]any{"role": "assistant", "content": a.step.Text, a.reasoningField(): a.step.Reasoning}
	if calls != nil {
		message["tool_calls"] = calls
	}
	body, _ := json.Marshal(map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": a.model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": a.finish()}},
		"usage":   map[string]any{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
	})
	a.write(body)
}

// write sends a whole body, broken as the step says.
func (a *answer) write(body []byte) {
	switch a.step.Fault {
	case Cut:
		a.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = a.w.Write(body[:len(body)/2])
		a.flush()
		a.cut()
	case Stall:
		_, _ = a.w.Write(body[:len(body)/2])
		a.flush()
		a.hang()
	case Endless, KeepAlive:
		for !a.over() {
			_, _ = a.w.Write([]byte(strings.Repeat(" ", 4096)))
			a.flush()
		}
	case Garbage:
		_, _ = a.w.Write([]byte("<html>Bad Gateway</html>"))
	default:
		_, _ = a.w.Write(body)
	}
}

func (a *answer) finish() string {
	switch {
	case a.step.Finish != "":
		return a.step.Finish
	case len(a.step.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func (a *answer) reasoningField() string {
	if a.ollama {
		return "reasoning"
	}
	return "reasoning_content"
}

// stream answers with SSE.
func (a *answer) stream() {
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
	a.say = func(piece string) { a.event(`{"content":`+piece+`}`, "") }
	a.sendCalls = a.calls
	a.oops = func() {
		a.line(`data: {"error":{"message":"upstream failed","type":"server_error","code":503}}` + "\n")
	}
	a.event(`{"role":"assistant","content":""}`, "")
	for _, p := range a.pieces(a.step.Reasoning) {
		a.event(fmt.Sprintf(`{%q:%s}`, a.reasoningField(), p), "")
	}
	if a.step.Fault == HugeLine {
		a.line(": " + strings.Repeat("x", 1<<20))
	}
	for _, p := range a.pieces(a.step.Text) {
		a.say(p)
	}
	if a.broken() {
		return
	}
	a.calls()
	if a.step.Fault == NoFinish {
		return
	}
	if a.step.Fault != DoneOnly {
		a.event(`{}`, a.finish())
	}
	if a.step.Fault == Trailing {
		a.event(`{"content":""}`, "")
	}
	if a.step.Fault == HangAfterFinish {
		a.hang()
		return
	}
	a.line(fmt.Sprintf(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":%q,"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`+"\n", a.model))
	if a.step.Fault != NoDone {
		a.line("data: [DONE]\n")
	}
}

// broken carries out the faults that end a stream in its middle.
func (a *answer) broken() bool {
	switch a.step.Fault {
	case Cut:
		if len(a.step.Calls) > 0 {
			half := a.step.Calls[0]
			half.Arguments = half.Arguments[:len(half.Arguments)/2]
			a.step.Calls = []Call{half}
			a.sendCalls()
		}
		_, _ = a.w.Write([]byte(`data: {"id":"chatcmpl-1","cho`))
		a.flush()
		a.cut()
	case Endless:
		for !a.over() {
			a.say(`"` + strings.Repeat("again ", 100) + `"`)
		}
	case KeepAlive:
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for !a.over() {
			a.line(": keep-alive\n")
			select {
			case <-tick.C:
			case <-a.gone:
			case <-a.stop:
			}
		}
	case Stall:
		a.hang()
	case ErrorObject:
		a.oops()
	case Garbage:
		a.line("data: {oops}\n")
	default:
		return false
	}
	return true
}

// pieces cuts a string into JSON strings.
func (a *answer) pieces(s string) []string {
	if s == "" {
		return nil
	}
	n := a.step.Piece
	if n <= 0 {
		n = 7
	}
	if a.step.Fault == HugeLine {
		n = len(s)
	}
	var out []string
	for len(s) > 0 {
		cut := min(n, len(s))
		for !a.step.Split && cut < len(s) && !utf8.RuneStart(s[cut]) {
			cut++
		}
		out = append(out, quote(s[:cut]))
		s = s[cut:]
	}
	return out
}

// quote makes a JSON string and keeps bytes that are no whole rune.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
