package repair

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/erpilot/erpilot/schema/fault"
)

// FuzzStream holds for any bytes: an error with a code, or one whole answer that
// langchaingo can read; the same however the bytes were cut; and the sink saw
// what the answer says.
func FuzzStream(f *testing.F) {
	chunk := func(delta, finish string) string {
		return `data: {"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + "}]}\n\n"
	}
	for _, s := range []string{
		"", "data: [DONE]\n\n", ": hello\n\n", "data:", "data: {", "{", "data: {\"error\":\"x\"}\n\n",
		chunk(`{"content":"你好"}`, "null") + chunk(`{}`, `"stop"`) + "data: [DONE]\n\n",
		chunk(`{"content":"a\ud83d"}`, "null") + chunk(`{"content":"\ude00b"}`, `"stop"`),
		chunk("{\"content\":\"\xe4\xbd\"}", "null") + chunk("{\"content\":\"\xa0\"}", `"stop"`),
		chunk(`{"reasoning_content":"hm","content":null}`, "null") + chunk(`{"content":"x"}`, `"length"`),
		chunk(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}]}`, "null") +
			chunk(`{"tool_calls":[{"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"{}"}}]}`, `"tool_calls"`),
		chunk(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}`, `"tool_calls"`),
		chunk(`{"tool_calls":[{"function":{"arguments":"{}"}}]}`, `"tool_calls"`),
		chunk(`{"tool_calls":[{"index":0,"id":7,"function":{"name":"f","arguments":"\\"}}]}`, `"tool_calls"`),
		chunk(`{"content":"<thi"}`, "null") + chunk(`{"content":"nk>a</think>\nb"}`, `"stop"`),
		"data: {\"choices\":[\ndata: ]}\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		run := func(slow bool) ([]byte, string, error) {
			var seen strings.Builder
			a := &assembly{call: &Call{Reasoning: func(string) {}, Text: func(s string) { seen.WriteString(s) }}, max: 1 << 16, clean: func(s string) string { return s }}
			if slow {
				out, err := readStream(iotest.OneByteReader(bytes.NewReader(in)), a)
				return out, seen.String(), err
			}
			out, err := readStream(bytes.NewReader(in), a)
			return out, seen.String(), err
		}
		out, seen, err := run(false)
		again, _, errAgain := run(true)
		if !bytes.Equal(out, again) || fault.CodeOf(err) != fault.CodeOf(errAgain) {
			t.Fatalf("depends on how it was cut: %s %v / %s %v", out, err, again, errAgain)
		}
		if err != nil {
			if c := fault.CodeOf(err); c == fault.Internal || out != nil {
				t.Fatalf("%v with answer %q", err, out)
			}
			return
		}
		var got struct {
			Choices []struct {
				Message struct {
					Content string `json:"content"`
					Calls   []struct {
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal(out, &got); err != nil || len(got.Choices) != 1 || got.Choices[0].FinishReason == "" {
			t.Fatalf("answer %q: %v", out, err)
		}
		m := got.Choices[0].Message
		if strings.TrimSpace(m.Content) == "" && len(m.Calls) == 0 && got.Choices[0].FinishReason != "content_filter" {
			t.Fatalf("empty answer %q", out)
		}
		if !strings.HasPrefix(m.Content, seen) && !strings.ContainsRune(seen, utf8.RuneError) {
			t.Fatalf("sink saw %q of %q", seen, m.Content)
		}
	})
}

// FuzzMessageStream holds for any bytes under Anthropic's format: an error with a
// code, or one whole message, the same however the bytes were cut.
func FuzzMessageStream(f *testing.F) {
	event := func(kind, rest string) string {
		return "event: " + kind + "\ndata: {\"type\":\"" + kind + "\"" + rest + "}\n\n"
	}
	end := event("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}`) + event("message_stop", "")
	for _, s := range []string{
		"", end, event("ping", ""), event("error", `,"error":{"type":"overloaded_error"}`),
		event("content_block_start", `,"index":0,"content_block":{"type":"text","text":"a"}`) + event("content_block_delta", `,"index":0,"delta":{"text":"\ud83d"}`) + end,
		event("content_block_start", `,"index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}`) + event("content_block_delta", `,"index":0,"delta":{"partial_json":"{"}`) + end,
		event("content_block_start", `,"index":0,"content_block":{"type":"tool_use","id":7}`) + end,
		event("content_block_delta", `,"index":3,"delta":{"partial_json":"{"}`), event("message_start", `,"message":null`),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		run := func(r io.Reader) ([]byte, error) {
			return readMessageStream(r, &assembly{call: &Call{}, max: 1 << 16, literal: true, clean: func(s string) string { return s }})
		}
		out, err := run(bytes.NewReader(in))
		again, errAgain := run(iotest.OneByteReader(bytes.NewReader(in)))
		if !bytes.Equal(out, again) || fault.CodeOf(err) != fault.CodeOf(errAgain) {
			t.Fatalf("depends on how it was cut: %s %v / %s %v", out, err, again, errAgain)
		}
		if err != nil && (fault.CodeOf(err) == fault.Internal || out != nil) {
			t.Fatalf("%v with answer %q", err, out)
		}
		if err == nil && !json.Valid(out) {
			t.Fatalf("answer %q", out)
		}
	})
}
