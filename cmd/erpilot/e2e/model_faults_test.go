package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/modeltest"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// good is a call that can be carried out.
var good = modeltest.Call{ID: "call_1", Tool: "read_form", Arguments: `{"form":"customer","mode":"count"}`}

// TestAMisbehavingModelEndsInAMessageOrABoundedReAsk drives whole turns against
// a server that speaks the real wire formats and misbehaves. Nothing may hang,
// crash or write.
func TestAMisbehavingModelEndsInAMessageOrABoundedReAsk(t *testing.T) {
	t.Parallel()
	answer := modeltest.Step{Text: "完成。"}
	again := func(s modeltest.Step) []modeltest.Step { return []modeltest.Step{s, s, s, s, s, s} }
	call := func(c ...modeltest.Call) modeltest.Step { return modeltest.Step{Calls: c} }
	for _, c := range []struct {
		name   string
		script []modeltest.Step
		// want is how the turn ends; code explains failed.
		want string
		code fault.Code
		// asked bounds the requests that the model got.
		asked int
	}{
		{"malformed arguments once", []modeltest.Step{call(modeltest.Call{ID: "a", Tool: "read_form", Arguments: `{"form":"cust`}), answer}, "answered", "", 2},
		{"malformed arguments for ever", again(call(modeltest.Call{ID: "a", Tool: "read_form", Arguments: `{"form":`})), "failed", fault.ArgumentsInvalid, 3},
		{"an unknown tool once", []modeltest.Step{call(modeltest.Call{ID: "a", Tool: "drop_table", Arguments: `{}`}), answer}, "answered", "", 2},
		{"an unknown tool for ever", again(call(modeltest.Call{ID: "a", Tool: "drop_table", Arguments: `{}`})), "failed", fault.ArgumentsInvalid, 3},
		{"a missing required field", []modeltest.Step{call(modeltest.Call{ID: "a", Tool: "read_form", Arguments: `{}`}), answer}, "answered", "", 2},
		{"two calls with one id", []modeltest.Step{call(good, good), answer}, "answered", "", 2},
		{"arguments split inside runes", []modeltest.Step{{Calls: []modeltest.Call{{ID: "a", Tool: "find_forms", Arguments: `{"query":"客户与订单"}`}}, Piece: 1, Split: true}, answer}, "answered", "", 2},
		{"text and a call", []modeltest.Step{{Text: "我来查。", Calls: []modeltest.Call{good}}, answer}, "answered", "", 2},
		{"a NUL in the text", []modeltest.Step{{Text: "好\x00的。"}}, "answered", "", 1},
		{"reasoning apart", []modeltest.Step{{Reasoning: "先想想……", Text: "好的。"}}, "answered", "", 1},
		{"an empty reply", again(modeltest.Step{}), "failed", fault.ModelInvalid, 4},
		{"a reply cut at its length", []modeltest.Step{{Text: "很长", Finish: "length"}}, "failed", fault.ModelTruncated, 1},
		{"calls cut at their length", []modeltest.Step{{Calls: []modeltest.Call{good}, Finish: "length"}}, "failed", fault.ModelTruncated, 1},
		{"429 with Retry-After", []modeltest.Step{{Status: 429, Header: http.Header{"Retry-After": {"1"}}}, answer}, "answered", "", 2},
		{"500 once", []modeltest.Step{{Status: 500}, answer}, "answered", "", 2},
		{"401", []modeltest.Step{{Status: 401}}, "failed", fault.ModelRejected, 1},
		{"a cut connection once", []modeltest.Step{{Text: "这是一段会被切断的文字", Fault: modeltest.Cut}, answer}, "answered", "", 2},
		{"a stream without an end", []modeltest.Step{{Text: "没有结束", Fault: modeltest.NoFinish}, answer}, "answered", "", 2},
		{"a never-ending stream", again(modeltest.Step{Text: "啊", Fault: modeltest.Endless}), "failed", "", 4},
		{"a stalled stream once", []modeltest.Step{{Text: "停", Fault: modeltest.Stall}, answer}, "answered", "", 2},
		{"an error object in the stream", []modeltest.Step{{Text: "一", Fault: modeltest.ErrorObject}, answer}, "answered", "", 2},
	} {
		for _, flavour := range []modeltest.Flavour{modeltest.OpenAI, modeltest.Ollama} {
			name := c.name
			if flavour == modeltest.Ollama {
				name += ", as Ollama speaks"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				server := modeltest.Start(c.script...)
				t.Cleanup(server.Close)
				m, err := model.New(model.Config{Provider: model.ProviderOpenAI, BaseURL: server.URL(flavour), APIKey: "sk-planted-secret", Model: "test",
					IdleTimeout: 2 * time.Second, Timeout: 5 * time.Second, MaxReplyBytes: 64 << 10})
				if err != nil {
					t.Fatal(err)
				}
				w := newWorld(t, withModel(m))
				before := w.orders()
				conversation := w.conversation()
				w.say(conversation, "有多少客户？")
				var ended event.Ended
				if err := json.Unmarshal(w.event(conversation, event.TurnEnded, 1).Data, &ended); err != nil {
					t.Fatal(err)
				}
				if ended.Status != c.want || c.code != "" && ended.Code != c.code || c.want == "failed" && ended.Code == "" {
					t.Errorf("ended %s with code %q, want %s %q", ended.Status, ended.Code, c.want, c.code)
				}
				if n := len(server.Requests()); n > c.asked {
					t.Errorf("the model was asked %d times, at most %d are due", n, c.asked)
				}
				if w.orders() != before {
					t.Error("something was written")
				}
				for _, e := range w.journal(conversation) {
					if strings.Contains(string(e.Data), "sk-planted-secret") {
						t.Errorf("the key stands in %s", e.Type)
					}
				}
			})
		}
	}
}

func TestARealModelsToolCallsBecomeAProposalThatAPersonConfirms(t *testing.T) {
	t.Parallel()
	server := modeltest.StartFunc(func(r modeltest.Request) modeltest.Step {
		tools, last := results(r)
		switch tools {
		case 0:
			return modeltest.Step{Calls: []modeltest.Call{
				{ID: "a", Tool: "read_form", Arguments: `{"form":"customer","filters":[{"field":"code","op":"eq","value":"C-0001"}]}`},
				{ID: "b", Tool: "read_form", Arguments: `{"form":"product","filters":[{"field":"code","op":"in","value":["P-0001","P-0002"]}]}`}},
				Shape: modeltest.Interleaved}
		case 2:
			return modeltest.Step{Calls: []modeltest.Call{{ID: "c", Tool: "save_draft",
				Arguments: `{"form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":10},{"product":"P-0002","quantity":"5"}]}}`}}}
		case 3:
			id := between(last, `"draft_id": "`, `"`)
			return modeltest.Step{Text: "请确认。", Calls: []modeltest.Call{{ID: "d", Tool: "propose_write",
				Arguments: `{"form":"sales_order","action":"create","draft_id":"` + id + `","draft_revision":1}`}}}
		default:
			return modeltest.Step{Text: "已下单：" + between(last, `"bill": "`, `"`)}
		}
	})
	t.Cleanup(server.Close)
	m, err := model.New(model.Config{Provider: model.ProviderOpenAI, BaseURL: server.URL(modeltest.OpenAI), APIKey: "sk-x", Model: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withModel(m))
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, "给晨光下单")
	w.must(w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)))
	row := w.status(opID, operation.Executed)
	w.event(c, event.TurnEnded, 1)
	if n := w.orders() - before; n != 1 {
		t.Fatalf("%d orders", n)
	}
	var said string
	for _, e := range w.journal(c) {
		if e.Type == event.MessageStored {
			said = string(e.Data)
		}
	}
	if !strings.Contains(said, row.ResultBill) {
		t.Fatalf("the model was not told the order number: %s", said)
	}
}

// results counts the tool results of a request and returns the last one.
func results(r modeltest.Request) (n int, last string) {
	var body struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return 0, ""
	}
	for _, m := range body.Messages {
		if m.Role == "tool" {
			n++
			last = fmt.Sprint(m.Content)
		}
	}
	return n, last
}

func between(s, open, shut string) string {
	_, rest, _ := strings.Cut(s, open)
	inner, _, _ := strings.Cut(rest, shut)
	return inner
}
