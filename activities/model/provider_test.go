package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/modeltest"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

const testKey = "sk-test-0123456789abcdef"

// ways are the wire formats that a step can be answered in.
func ways(step modeltest.Step, openaiOnly bool) map[string]way {
	m := map[string]way{}
	for _, f := range flavours {
		if openaiOnly && f == modeltest.Anthropic {
			continue
		}
		m[string(f)] = way{f, step}
		streamOnly := step.Raw != nil || step.Whole
		if slices.Contains([]modeltest.Fault{modeltest.HugeLine, modeltest.Trailing, modeltest.NoDone, modeltest.HangAfterFinish, modeltest.NoFinish, modeltest.DoneOnly, modeltest.ErrorObject}, step.Fault) {
			streamOnly = true
		}
		for _, c := range step.Calls {
			// Anthropic's JSON cannot hold malformed arguments.
			streamOnly = streamOnly || f == modeltest.Anthropic && !json.Valid([]byte(c.Arguments))
		}
		if !streamOnly {
			whole := step
			whole.Whole = true
			m[string(f)+", not streamed"] = way{f, whole}
		}
	}
	return m
}

type way struct {
	flavour modeltest.Flavour
	step    modeltest.Step
}

var flavours = []modeltest.Flavour{modeltest.OpenAI, modeltest.Ollama, modeltest.Anthropic}

// sink collects deltas.
type sink struct {
	text, reasoning strings.Builder
	pieces          int
	onText          func()
}

func (s *sink) Text(d string) {
	s.text.WriteString(d)
	s.pieces++
	if s.onText != nil {
		s.onText()
	}
}
func (s *sink) Reasoning(d string) { s.reasoning.WriteString(d) }

func config(s *modeltest.Server, f modeltest.Flavour) model.Config {
	c := model.Config{
		Provider: model.ProviderOpenAI, BaseURL: s.URL(f), APIKey: testKey, Model: "test-model",
		IdleTimeout: 5 * time.Second, Timeout: 20 * time.Second,
	}
	if f == modeltest.Anthropic {
		c.Provider = model.ProviderAnthropic
	}
	return c
}

func start(t *testing.T, steps ...modeltest.Step) *modeltest.Server {
	t.Helper()
	s := modeltest.Start(steps...)
	t.Cleanup(s.Close)
	return s
}

func build(t *testing.T, c model.Config) model.Model {
	t.Helper()
	m, err := model.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func request(text string) turn.Request {
	return turn.Request{System: "be brief", Entries: []turn.Entry{{Role: turn.RoleUser, Text: text}}, Tools: tool.Builtin()}
}

func call(id, name, args string) modeltest.Call {
	return modeltest.Call{ID: id, Tool: name, Arguments: args}
}

func calls(xs ...string) []turn.RequestCall {
	var out []turn.RequestCall
	for i := 0; i < len(xs); i += 3 {
		out = append(out, turn.RequestCall{ProviderID: xs[i], Tool: xs[i+1], Arguments: xs[i+2]})
	}
	return out
}

const (
	argsA = `{"query":"华东客户 😀 \u8ba2\u5355 \"quoted\" back\\slash"}`
	argsB = `{"form":"customer","mode":"list"}`
)

func TestGoodAnswersComeOutRight(t *testing.T) {
	t.Parallel()
	two := []modeltest.Call{call("c1", tool.FindForms, argsA), call("c2", tool.ReadForm, argsB)}
	wantTwo := calls("c1", tool.FindForms, argsA, "c2", tool.ReadForm, argsB)
	big := `{"query":"` + strings.Repeat("订单x", 40<<10) + `"}`
	cases := map[string]struct {
		step   modeltest.Step
		text   string
		calls  []turn.RequestCall
		finish turn.Finish
		// reasoning is that of the step, where empty.
		reasoning string
		// openai marks what only that wire format can do.
		openai bool
	}{
		"text":                       {step: modeltest.Step{Text: "你好，世界 👋🏽!"}, text: "你好，世界 👋🏽!", finish: turn.FinishStop},
		"text split inside runes":    {step: modeltest.Step{Text: "你好，世界 👋🏽!", Split: true, Piece: 1}, text: "你好，世界 👋🏽!", finish: turn.FinishStop},
		"text and reasoning":         {step: modeltest.Step{Text: "yes", Reasoning: "thinking 想"}, text: "yes", finish: turn.FinishStop},
		"one call":                   {step: modeltest.Step{Calls: two[:1]}, calls: wantTwo[:1], finish: turn.FinishCalls},
		"text and a call":            {step: modeltest.Step{Text: "Let me look.", Calls: two[:1]}, text: "Let me look.", calls: wantTwo[:1], finish: turn.FinishCalls},
		"reasoning and a call":       {step: modeltest.Step{Reasoning: "hm", Calls: two[:1]}, calls: wantTwo[:1], finish: turn.FinishCalls},
		"parallel calls":             {step: modeltest.Step{Calls: two}, calls: wantTwo, finish: turn.FinishCalls},
		"interleaved calls":          {step: modeltest.Step{Calls: two, Shape: modeltest.Interleaved, Piece: 3}, calls: wantTwo, finish: turn.FinishCalls},
		"arguments split in runes":   {step: modeltest.Step{Calls: two, Split: true, Piece: 1}, calls: wantTwo, finish: turn.FinishCalls},
		"type in each delta":         {step: modeltest.Step{Calls: two, Shape: modeltest.TypeInEach, Piece: 2}, calls: wantTwo, finish: turn.FinishCalls},
		"no index":                   {step: modeltest.Step{Calls: two, Shape: modeltest.NoIndex}, calls: wantTwo, finish: turn.FinishCalls},
		"same index, other id":       {step: modeltest.Step{Calls: two, Shape: modeltest.SameIndex}, calls: wantTwo, finish: turn.FinishCalls},
		"arguments as an object":     {step: modeltest.Step{Calls: two, Shape: modeltest.ObjectArguments}, calls: wantTwo, finish: turn.FinishCalls},
		"two calls with one id":      {step: modeltest.Step{Calls: []modeltest.Call{call("c", tool.FindForms, argsA), call("c", tool.ReadForm, argsB)}}, calls: calls("c", tool.FindForms, argsA, "c_1", tool.ReadForm, argsB), finish: turn.FinishCalls},
		"one id, no index":           {step: modeltest.Step{Shape: modeltest.SameIndex, Calls: []modeltest.Call{call("c", tool.ReadForm, argsB), call("c", tool.ReadForm, argsB)}}, calls: calls("c", tool.ReadForm, argsB, "c_1", tool.ReadForm, argsB), finish: turn.FinishCalls},
		"calls without id":           {step: modeltest.Step{Calls: []modeltest.Call{call("", tool.FindForms, argsA), call("", tool.ReadForm, argsB)}}, calls: calls("call_1", tool.FindForms, argsA, "call_2", tool.ReadForm, argsB), finish: turn.FinishCalls},
		"finish says stop":           {step: modeltest.Step{Calls: two[:1], Finish: "stop"}, calls: wantTwo[:1], finish: turn.FinishCalls},
		"240 KB of arguments":        {step: modeltest.Step{Calls: []modeltest.Call{call("c1", tool.FindForms, big)}, Piece: 100 << 10}, calls: calls("c1", tool.FindForms, big), finish: turn.FinishCalls},
		"numbers beyond doubles":     {step: modeltest.Step{Calls: []modeltest.Call{call("c1", "x", `{"n":12345678901234567890.5}`)}}, calls: calls("c1", "x", `{"n":12345678901234567890.5}`), finish: turn.FinishCalls},
		"huge lines":                 {step: modeltest.Step{Text: strings.Repeat("字", 50<<10), Fault: modeltest.HugeLine}, text: strings.Repeat("字", 50<<10), finish: turn.FinishStop},
		"a delta after the finish":   {step: modeltest.Step{Text: "ok", Fault: modeltest.Trailing}, text: "ok", finish: turn.FinishStop},
		"no [DONE]":                  {step: modeltest.Step{Text: "ok", Fault: modeltest.NoDone}, text: "ok", finish: turn.FinishStop},
		"JSON in place of a stream":  {step: modeltest.Step{Text: "ok", Calls: two, Whole: true}, text: "ok", calls: wantTwo, finish: turn.FinishCalls},
		"text cut at the limit":      {step: modeltest.Step{Text: "half an ans", Finish: "length"}, text: "half an ans", finish: turn.FinishLength},
		"withheld":                   {step: modeltest.Step{Text: "I can", Calls: two, Finish: "content_filter"}, text: "I can", finish: turn.FinishFiltered},
		"malformed arguments":        {step: modeltest.Step{Calls: []modeltest.Call{call("c1", tool.FindForms, `{"query": oops`)}}, calls: calls("c1", tool.FindForms, `{"query": oops`), finish: turn.FinishCalls},
		"no arguments":               {step: modeltest.Step{Calls: []modeltest.Call{call("c1", tool.FindForms, "")}}, calls: calls("c1", tool.FindForms, ""), finish: turn.FinishCalls, openai: true},
		"unknown tool":               {step: modeltest.Step{Calls: []modeltest.Call{call("c1", "drop_table", `{}`)}}, calls: calls("c1", "drop_table", `{}`), finish: turn.FinishCalls},
		"missing required field":     {step: modeltest.Step{Calls: []modeltest.Call{call("c1", tool.ReadForm, `{"form":"x"}`)}}, calls: calls("c1", tool.ReadForm, `{"form":"x"}`), finish: turn.FinishCalls},
		"hang after the finish":      {step: modeltest.Step{Text: "ok", Fault: modeltest.HangAfterFinish}, text: "ok", finish: turn.FinishStop},
		"data over lines, odd bytes": {step: modeltest.Step{Raw: []string{"\ufeff: bom", "event: message", `data: {"choices":[{"index":0,`, `data: "delta":{"content":"o"}}]}`, "", "retry: 5", `data:{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"k"},"finish_reason":"stop"}],"error":null}` + "\r", "\r", "data: [DONE]"}}, text: "ok", finish: turn.FinishStop, openai: true},
		"thinking inside the text":   {step: modeltest.Step{Text: "\n<think>first 想</think>\n\nyes", Piece: 2}, text: "yes", reasoning: "first 想", finish: turn.FinishStop, openai: true},
		"a mark that is none":        {step: modeltest.Step{Text: "<th", Piece: 1}, text: "<th", finish: turn.FinishStop},
		"a mark further on":          {step: modeltest.Step{Text: "a <think>b</think>", Piece: 1}, text: "a <think>b</think>", finish: turn.FinishStop},
		"surrogates over deltas":     {step: modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"content":"a\ud83d"}}]}`, "", `data: {"choices":[{"delta":{"content":"\ude00b"},"finish_reason":"stop"}]}`, "", "data: [DONE]"}}, text: "a😀b", finish: turn.FinishStop, openai: true},
	}
	for name, c := range cases {
		for how, w := range ways(c.step, c.openai) {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				f := w.flavour
				cfg := config(start(t, w.step), f)
				if c.step.Fault == modeltest.HangAfterFinish {
					cfg.IdleTimeout = 100 * time.Millisecond
				}
				var s sink
				got, err := build(t, cfg).Generate(t.Context(), request("hi"), &s)
				if err != nil {
					t.Fatal(err)
				}
				reasoning := c.reasoning + c.step.Reasoning
				want := turn.Reply{Text: c.text, Reasoning: reasoning, Calls: c.calls, Finish: c.finish, Model: "test-model", Usage: turn.Usage{InputTokens: 11, OutputTokens: 7}}
				if c.step.Raw != nil || c.step.Fault == modeltest.HangAfterFinish && f != modeltest.Anthropic {
					want.Usage = turn.Usage{}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("reply (-want +got):\n%.2000s", diff)
				}
				if s.text.String() != c.text || s.reasoning.String() != reasoning {
					t.Errorf("sink got %.200q and %.200q", s.text.String(), s.reasoning.String())
				}
			})
		}
	}
}

func TestBadAnswersEndInAClearError(t *testing.T) {
	t.Parallel()
	one := []modeltest.Call{call("c1", tool.ReadForm, argsB)}
	cases := map[string]struct {
		step modeltest.Step
		code fault.Code
		// openai marks what only that wire format can do.
		openai bool
	}{
		"empty reply":                {modeltest.Step{}, fault.ModelInvalid, false},
		"only reasoning":             {modeltest.Step{Reasoning: "hm"}, fault.ModelInvalid, false},
		"only thoughts in the text":  {modeltest.Step{Text: "<think>hm</think>"}, fault.ModelInvalid, true},
		"thoughts without an end":    {modeltest.Step{Text: "<think>hm"}, fault.ModelInvalid, true},
		"only white space":           {modeltest.Step{Text: " \n"}, fault.ModelInvalid, false},
		"length with a call":         {modeltest.Step{Calls: one, Finish: "length"}, fault.ModelTruncated, false},
		"length and nothing":         {modeltest.Step{Finish: "length"}, fault.ModelTruncated, false},
		"cut":                        {modeltest.Step{Text: "half", Fault: modeltest.Cut}, fault.ModelTruncated, false},
		"cut inside a call":          {modeltest.Step{Calls: one, Fault: modeltest.Cut}, fault.ModelTruncated, false},
		"EOF without finish":         {modeltest.Step{Text: "half", Fault: modeltest.NoFinish}, fault.ModelTruncated, false},
		"done without finish":        {modeltest.Step{Calls: one, Fault: modeltest.DoneOnly}, fault.ModelTruncated, false},
		"error object":               {modeltest.Step{Text: "half", Fault: modeltest.ErrorObject}, fault.ModelUnavailable, false},
		"garbage":                    {modeltest.Step{Text: "half", Fault: modeltest.Garbage}, fault.ModelInvalid, false},
		"stalled":                    {modeltest.Step{Text: "half", Fault: modeltest.Stall}, fault.ModelTruncated, false},
		"silent":                     {modeltest.Step{Fault: modeltest.Silent}, fault.ModelUnavailable, false},
		"endless":                    {modeltest.Step{Fault: modeltest.Endless}, fault.ModelTruncated, false},
		"endless comments":           {modeltest.Step{Fault: modeltest.KeepAlive}, fault.ModelTruncated, false},
		"another shape":              {modeltest.Step{RawBody: `{"choices":"none","content":"none"}`, Raw: []string{`data: {"choices":"none","content":"none"}`, ""}}, fault.ModelInvalid, false},
		"no choices":                 {modeltest.Step{RawBody: `{}`, Whole: true}, fault.ModelInvalid, true},
		"array":                      {modeltest.Step{RawBody: `[]`, Whole: true}, fault.ModelInvalid, false},
		"empty body":                 {modeltest.Step{RawBody: ` `, Whole: true}, fault.ModelInvalid, false},
		"arguments without a call":   {modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "", "data: [DONE]"}}, fault.ModelInvalid, true},
		"a call without a name":      {modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`, "", "data: [DONE]"}}, fault.ModelInvalid, true},
		"provider gives up":          {modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"content":"x"},"finish_reason":"error"}]}`, ""}}, fault.ModelUnavailable, true},
		"bare error line":            {modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"content":"x"}}]}`, "", `{"error":"boom"}`}}, fault.ModelUnavailable, true},
		"context too long":           {modeltest.Step{Raw: []string{`data: {"error":{"message":"too long","code":"context_length_exceeded"}}`, ""}}, fault.ModelRejected, true},
		"damaged arguments":          {modeltest.Step{Raw: []string{`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"n","arguments":"{\"a\":\"\ud83d\"}"}}]},"finish_reason":"tool_calls"}]}`, ""}}, fault.ModelInvalid, true},
		"thirty-three calls":         {modeltest.Step{Calls: many(33)}, fault.ModelInvalid, false},
		"429":                        {modeltest.Step{Status: 429}, fault.ModelUnavailable, false},
		"500":                        {modeltest.Step{Status: 500}, fault.ModelUnavailable, false},
		"529":                        {modeltest.Step{Status: 529}, fault.ModelUnavailable, false},
		"400":                        {modeltest.Step{Status: 400}, fault.ModelRejected, false},
		"401":                        {modeltest.Step{Status: 401}, fault.ModelRejected, false},
		"404":                        {modeltest.Step{Status: 404}, fault.ModelRejected, false},
		"a redirect is not followed": {modeltest.Step{Status: 307, Header: http.Header{"Location": {"http://127.0.0.1:1/"}}}, fault.ModelRejected, false},
	}
	for name, c := range cases {
		for how, w := range ways(c.step, c.openai) {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				cfg := config(start(t, w.step), w.flavour)
				cfg.IdleTimeout, cfg.Timeout, cfg.MaxReplyBytes = 300*time.Millisecond, time.Second, 64<<10
				if c.step.Fault == modeltest.Endless {
					cfg.IdleTimeout, cfg.Timeout = 10*time.Second, 20*time.Second
				}
				reply, err := build(t, cfg).Generate(t.Context(), request("hi"), nil)
				if err == nil {
					t.Fatalf("no error, but %+v", reply)
				}
				if got := fault.CodeOf(err); got != c.code {
					t.Errorf("code %s, want %s: %v", got, c.code, err)
				}
				if u, ok := errors.AsType[*model.Unavailable](err); (c.code == fault.ModelUnavailable) != ok || ok && u.Status != 0 && u.Status != c.step.Status && u.Status != 503 {
					t.Errorf("unavailable: %v", err)
				}
				if diff := cmp.Diff(turn.Reply{}, reply); diff != "" {
					t.Errorf("an error with a reply: %s", diff)
				}
			})
		}
	}
}

func many(n int) (out []modeltest.Call) {
	for i := range n {
		out = append(out, call(fmt.Sprint("c", i), tool.ReadForm, argsB))
	}
	return out
}

func TestRetryAfterIsKept(t *testing.T) {
	t.Parallel()
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	cases := map[string]struct {
		header http.Header
		want   time.Duration
	}{
		"seconds":      {http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		"milliseconds": {http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, 250 * time.Millisecond},
		"date":         {http.Header{"Date": {date.Format(http.TimeFormat)}, "Retry-After": {date.Add(time.Minute).Format(http.TimeFormat)}}, time.Minute},
		"past date":    {http.Header{"Date": {date.Format(http.TimeFormat)}, "Retry-After": {date.Add(-time.Minute).Format(http.TimeFormat)}}, 0},
		"nonsense":     {http.Header{"Retry-After": {"soon"}}, 0},
		"for ever":     {http.Header{"Retry-After": {"1e300"}}, time.Hour},
		"NaN":          {http.Header{"Retry-After": {"NaN"}}, 0},
		"none":         {nil, 0},
	}
	for name, c := range cases {
		for _, f := range flavours {
			t.Run(fmt.Sprintf("%s/%s", name, f), func(t *testing.T) {
				t.Parallel()
				m := build(t, config(start(t, modeltest.Step{Status: 429, Header: c.header}), f))
				_, err := m.Generate(t.Context(), request("hi"), nil)
				u, ok := errors.AsType[*model.Unavailable](err)
				if !ok || u.RetryAfter != c.want || u.Status != 429 {
					t.Errorf("got %+v (%v), want %s", u, err, c.want)
				}
			})
		}
	}
}

func TestAContextErrorPassesThrough(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		for _, step := range []modeltest.Step{{Fault: modeltest.Silent}, {Text: "half", Fault: modeltest.Stall}, {Fault: modeltest.Endless}} {
			t.Run(fmt.Sprintf("deadline/%s/%d", f, step.Fault), func(t *testing.T) {
				t.Parallel()
				cfg := config(start(t, step), f)
				cfg.MaxReplyBytes = 64 << 20
				ctx, stop := context.WithTimeout(t.Context(), 80*time.Millisecond)
				defer stop()
				if _, err := build(t, cfg).Generate(ctx, request("hi"), nil); err != context.DeadlineExceeded { //nolint:errorlint // the very error is promised
					t.Errorf("got %v", err)
				}
			})
		}
	}
	t.Run("cancelled in mid-stream", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		s := &sink{onText: stop}
		_, err := build(t, config(start(t, modeltest.Step{Text: "half", Fault: modeltest.Stall}), modeltest.OpenAI)).Generate(ctx, request("hi"), s)
		if err != context.Canceled { //nolint:errorlint // the very error is promised
			t.Errorf("got %v", err)
		}
	})
	t.Run("over before it began", func(t *testing.T) {
		t.Parallel()
		srv := start(t)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		if _, err := build(t, config(srv, modeltest.OpenAI)).Generate(ctx, request("hi"), nil); !errors.Is(err, context.Canceled) || len(srv.Requests()) > 0 {
			t.Errorf("got %v after %d requests", err, len(srv.Requests()))
		}
	})
}

func TestNoServerIsUnavailable(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		s := modeltest.Start()
		cfg := config(s, f)
		s.Close()
		_, err := build(t, cfg).Generate(t.Context(), request("hi"), nil)
		if fault.CodeOf(err) != fault.ModelUnavailable {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestTheKeyIsInNoError(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		for _, status := range []int{401, 500} {
			s := start(t, modeltest.Step{Status: status, Message: "Incorrect API key provided: " + testKey + " (also sk-other-key, Bearer abc.def)\nline two"})
			_, err := build(t, config(s, f)).Generate(t.Context(), request("hi"), nil)
			text := fmt.Sprintf("%v %+v", err, fault.ParamsOf(err))
			for _, leak := range []string{testKey, "sk-other", "abc.def", "\n"} {
				if strings.Contains(text, leak) {
					t.Errorf("%s: %q holds %q", f, text, leak)
				}
			}
			if !strings.Contains(text, "Incorrect API key") {
				t.Errorf("%s: %q lost the provider's words", f, text)
			}
		}
	}
}

func TestTextStreamsInPieces(t *testing.T) {
	t.Parallel()
	var s sink
	if _, err := build(t, config(start(t, modeltest.Step{Text: strings.Repeat("一二三 ", 20), Piece: 10}), modeltest.OpenAI)).Generate(t.Context(), request("hi"), &s); err != nil {
		t.Fatal(err)
	}
	if s.pieces < 10 {
		t.Errorf("%d pieces", s.pieces)
	}
}

func TestConfigNamesAllProblems(t *testing.T) {
	t.Parallel()
	err := model.Config{Provider: "openai", BaseURL: "ftp://x", ExtraBody: "[]", IdleTimeout: -1, MaxReplyBytes: -1, MaxOutputTokens: -1}.Validate()
	for _, field := range []string{"Model", "BaseURL", "ExtraBody", "IdleTimeout", "MaxReplyBytes", "MaxOutputTokens"} {
		if err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%v does not name %s", err, field)
		}
	}
	for _, c := range []model.Config{{}, {Provider: "gemini"}, {Provider: "anthropic", Model: "m"}, {Provider: "openai", Model: "m", BaseURL: "http://user:pw@host/v1"}} {
		if _, err := model.New(c); err == nil {
			t.Errorf("%+v accepted", c)
		}
	}
}

func body(t *testing.T, r modeltest.Request) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(r.Body, &m); err != nil {
		t.Fatal(err)
	}
	return m
}
