package event_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var (
	at       = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	deadline = at.Add(24 * time.Hour)
	outcome  = &operation.Outcome{Status: operation.Approved, By: "u1", Channel: operation.ChannelWeb, At: at}
)

// data holds an example of every stored type; the golden files are what the
// page's cards are tested with.
var data = map[event.Type]any{
	event.TurnStarted:     event.Started{N: 2, MessageID: "m1", Text: "给华东贸易下一张订单"},
	event.TurnResumed:     event.Run{Segment: 2},
	event.TurnSuspended:   event.Suspended{Segment: 1, Waiting: []event.WaitingFor{{PendingID: "p1", Kind: "approval", CallID: "c1", OpID: "o1", Deadline: deadline}, {PendingID: "p2", Kind: "question", CallID: "c2", Deadline: deadline}}},
	event.TurnEnded:       event.Ended{Segment: 2, Status: "failed", Code: fault.ModelUnavailable, Params: fault.Params{"detail": "x"}},
	event.MessageStored:   event.Message{MessageID: "m2", Step: 1, Text: "| a |\n|---|", Reasoning: "thinking", Model: "demo"},
	event.MessageReset:    event.Reset{MessageID: "m2", Attempt: 2},
	event.QuestionAsked:   event.Question{PendingID: "p2", CallID: "c2", Question: "哪个仓库？", Options: []string{"北", "南"}, AllowFreeText: true, Deadline: deadline},
	event.FormAsked:       event.Form{PendingID: "p3", CallID: "c3", Form: "quotation", Title: "请填写报价单", Values: json.RawMessage(`{"customer":"C-1"}`), Deadline: deadline},
	event.PendingAnswered: event.Answer{PendingID: "p2", CallID: "c2", Status: "answered", Answer: "北", MessageID: "m3"},
	event.ToolStarted:     event.Tool{CallID: "c1", MessageID: "m2", Tool: "propose_write", Effect: tool.Write, Risk: tool.RiskConfirm, Arguments: `{"form":"sales_order"}`},
	event.ApprovalPending: event.Approval{PendingID: "p1", OpID: "o1", CallID: "c1", Deadline: deadline},
	event.ApprovalResolved: event.Resolved{PendingID: "p1", OpID: "o1", CallID: "c1", Decision: operation.Approved, By: "u1", ByName: "李雷",
		Channel: operation.ChannelWeb, At: at},
	event.ToolExecuting: event.Executing{CallID: "c1", OpID: "o1", Attempt: 1},
	event.ToolFinished:  event.ToolDone{CallID: "c1", Tool: "propose_write", Status: "executed", Millis: 12, Summary: "SO-1"},
	event.WriteProposal: operation.Card{OpID: "o1", PendingID: "p1", CallID: "c1", ConversationID: "conv", TurnID: "t1", Revision: 1, Digest: "d",
		Status: operation.AwaitingApproval, Risk: tool.RiskConfirm, Policy: "self", RequesterID: "u1", RequesterName: "李雷",
		Preview: erp.Preview{Form: "customer", FormLabel: erp.Label{Zh: "客户", En: "Customer"}, Action: "update", ActionLabel: erp.Label{Zh: "修改", En: "Update"},
			Object: "华东贸易 (C-0001)", Target: "C-0001", Payload: json.RawMessage(`{"phone":"2"}`),
			Diffs: []erp.Diff{{Field: "phone", Label: erp.Label{Zh: "电话", En: "Phone"}, Before: "1", After: "2"}}},
		CreatedAt: at, Deadline: deadline},
	event.OperationChanged: event.OpState{OpID: "o1", PendingID: "p1", CallID: "c1", Status: operation.Executing, Decided: outcome},
	event.OperationResult: event.OpState{OpID: "o1", PendingID: "p1", CallID: "c1", Status: operation.Refused, Decided: outcome,
		Refusal: &erp.Refusal{Code: "stock_changed", Old: "10", New: "8"}},
	event.DecisionRefused: event.DecisionRefusal{OpID: "o1", By: "u2", Channel: operation.ChannelTemporal, Code: fault.Unverified},
	event.LoginExpired:    event.Login{OpID: "o1"},
	event.Titled:          event.Title{Title: "订单"},
	"something_new":       map[string]any{"of": "a newer worker"},
}

func stored(t *testing.T, typ event.Type, v any) event.Event {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return event.Event{ConversationID: "conv", Seq: 7, TurnID: "t1", Type: typ, Data: raw, At: at}
}

// golden compares with, or rewrites, testdata/<name>.json.
func golden(t *testing.T, name string, v any) {
	t.Helper()
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./schema/event -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant: go test ./schema/event -update\n%s", path, diff)
	}
}

func TestEveryTypeLooksOnTheWireAsItsGoldenFile(t *testing.T) {
	t.Parallel()
	for typ, v := range data {
		t.Run(string(typ), func(t *testing.T) {
			t.Parallel()
			e := stored(t, typ, v)
			frames, err := event.Wire(e)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, string(typ), map[string]any{"event": e, "frames": frames})
		})
	}
}

// The list of types is read from the source, so that a new one without a golden
// file is noticed.
func TestEveryTypeHasAGoldenFile(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(source)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " Type = ")
		if !ok {
			continue
		}
		n++
		if _, ok := data[event.Type(strings.Trim(strings.TrimSpace(value), `"`))]; !ok {
			t.Errorf("no example of %s", strings.TrimSpace(name))
		}
	}
	if n != len(data)-1 {
		t.Errorf("found %d types in event.go and %d examples besides the unknown one", n, len(data)-1)
	}
	files, err := filepath.Glob("testdata/*.json")
	if !*update && (err != nil || len(files) != len(data)+1) { // and the delta
		t.Errorf("%d golden files, want %d; %v", len(files), len(data)+1, err)
	}
}

func TestOnlyKnownTopLevelTypesLeaveUs(t *testing.T) {
	t.Parallel()
	known := map[any]bool{}
	for _, k := range strings.Fields("RUN_STARTED RUN_FINISHED RUN_ERROR TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END " +
		"TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END TOOL_CALL_RESULT ACTIVITY_SNAPSHOT ACTIVITY_DELTA CUSTOM") {
		known[k] = true
	}
	for typ, v := range data {
		frames, err := event.Wire(stored(t, typ, v))
		if err != nil || len(frames) == 0 {
			t.Errorf("%s: %d frames, %v", typ, len(frames), err)
		}
		for _, f := range frames {
			if !known[f["type"]] {
				t.Errorf("%s sends the type %v, which is not of AG-UI", typ, f["type"])
			}
			if name, ok := f["name"].(string); ok && !strings.HasPrefix(name, "erpilot.") {
				t.Errorf("%s sends CUSTOM %q", typ, name)
			}
		}
	}
}

func TestTurnsEndAsAGUIKnowsIt(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{"answered": "success", "stopped": "cancelled"} {
		frames, err := event.Wire(stored(t, event.TurnEnded, event.Ended{Segment: 1, Status: status}))
		if err != nil {
			t.Fatal(err)
		}
		last := frames[len(frames)-1]
		if got := last["outcome"].(map[string]any)["type"]; last["type"] != "RUN_FINISHED" || got != want || last["runId"] != "t1.1" {
			t.Errorf("%s: %v", status, last)
		}
	}
	queued, err := event.Wire(stored(t, event.TurnStarted, event.Started{N: 3, MessageID: "m", Text: "x", Queued: true}))
	if err != nil || len(queued) != 1 {
		t.Errorf("a queued turn starts no run yet: %v %v", queued, err)
	}
}

func TestMalformedDataIsAnError(t *testing.T) {
	t.Parallel()
	for typ := range data {
		e := event.Event{Type: typ, Data: json.RawMessage(`["not an object"]`)}
		frames, err := event.Wire(e)
		if err == nil && (len(frames) != 1 || frames[0]["type"] != "CUSTOM") {
			t.Errorf("%s: %v", typ, frames)
		}
	}
}

func TestDeltas(t *testing.T) {
	t.Parallel()
	d := event.Delta{ConversationID: "conv", TurnID: "t1", MessageID: "m2", Attempt: 2, Offset: 6, Text: "订单"}
	thought := d
	thought.Reasoning = true
	golden(t, "delta", []event.Frame{event.WireDelta(d), event.WireDelta(thought)})
}

func TestAReplacedProposalKeepsItsStatusOnTheWire(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(map[string]any{"op_id": "o1", "replaced_by": "o2"})
	if err != nil {
		t.Fatal(err)
	}
	frames, err := event.Wire(event.Event{ConversationID: "conv", Seq: 9, Type: event.OperationChanged, Data: raw, At: at})
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{{"op": "add", "path": "/replaced_by", "value": "o2"}}
	if diff := cmp.Diff(any(want), frames[0]["patch"]); diff != "" {
		t.Error(diff)
	}
}
