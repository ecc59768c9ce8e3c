package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/temporaltest"
)

func allowUnsigned(w *world) { w.parts.Operation.AllowUnsigned = true }

// temporal runs Temporal's own command line against this world and returns what
// it printed to standard output.
func (w *world) temporal(args ...string) (string, error) {
	w.t.Helper()
	server := temporaltest.Start(w.t)
	cmd := exec.CommandContext(w.t.Context(), server.Binary, append(args, "--address", server.Address, "--namespace", w.parts.Namespace)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "TEMPORAL_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TEMPORAL_CONFIG_FILE="+w.t.TempDir()+"/none.toml")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	if err != nil {
		w.t.Logf("temporal %s: %v: %s", strings.Join(args, " "), err, problems.String())
	}
	return out.String(), err
}

// byHand is the JSON that a person sends: what the memo shows.
func (w *world) byHand(opID string) string {
	row := w.op(opID)
	return contract.DecidePayload(opID, row.PendingID, int(row.Revision), row.Digest)
}

// signalRaw sends a signal as tctl does: a payload of bytes with an encoding.
func (w *world) signalRaw(opID, encoding string, data []byte) {
	w.t.Helper()
	_, err := w.parts.Temporal.WorkflowService().SignalWorkflowExecution(w.t.Context(), &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: w.parts.Namespace, WorkflowExecution: &common.WorkflowExecution{WorkflowId: contract.OperationWorkflowID(opID)},
		SignalName: contract.SignalDecide, Identity: "tctl",
		Input: &common.Payloads{Payloads: []*common.Payload{{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: data}}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// refusals are the refused decisions of a conversation, in order.
func (w *world) refusals(conversationID string) (found []event.DecisionRefusal) {
	w.t.Helper()
	for _, e := range w.journal(conversationID) {
		if e.Type == event.DecisionRefused {
			var d event.DecisionRefusal
			if err := json.Unmarshal(e.Data, &d); err != nil {
				w.t.Fatal(err)
			}
			found = append(found, d)
		}
	}
	return found
}

// executedByHand checks the end of an operation that somebody approved through
// Temporal without a login.
func (w *world) executedByHand(opID string, before int) {
	w.t.Helper()
	row := w.status(opID, operation.Executed)
	if *row.DecidedBy != "unverified" || *row.DecidedVia != string(operation.ChannelTemporal) || w.orders() != before+1 {
		w.t.Errorf("decided by %q through %q, %d orders more", *row.DecidedBy, *row.DecidedVia, w.orders()-before)
	}
}

func TestTheTemporalCLISignalsADecision(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t, allowUnsigned)
	before := w.orders()
	if _, err := w.temporal("workflow", "signal", "--workflow-id", contract.OperationWorkflowID(opID), "--name", "decide",
		"--input", w.byHand(opID)); err != nil {
		t.Fatal(err)
	}
	w.executedByHand(opID, before)
	var resolved event.Resolved
	if err := json.Unmarshal(w.event(c, event.ApprovalResolved, 1).Data, &resolved); err != nil {
		t.Fatal(err)
	}
	if resolved.Channel != operation.ChannelTemporal || resolved.By != "unverified" || resolved.Decision != operation.Approved {
		t.Errorf("the conversation reads %+v", resolved)
	}
}

func TestAnUnsignedSignalIsRefusedWhereThoseDoNotCount(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t)
	before := w.orders()
	if _, err := w.temporal("workflow", "signal", "--workflow-id", contract.OperationWorkflowID(opID), "--name", "decide",
		"--input", strings.Replace(w.byHand(opID), "{", `{"actor":"li",`, 1)); err != nil {
		t.Fatal(err)
	}
	w.event(c, event.DecisionRefused, 1)
	want := []event.DecisionRefusal{{OpID: opID, By: "li", Channel: operation.ChannelTemporal, Code: fault.Unverified}}
	if diff := cmp.Diff(want, w.refusals(c)); diff != "" {
		t.Error(diff)
	}
	if row := w.op(opID); row.Status != string(operation.AwaitingApproval) || w.orders() != before {
		t.Errorf("the operation is %s, %d orders more", row.Status, w.orders()-before)
	}
	// It still can be decided by someone who logs in.
	if _, err := w.decide(w.decision(w.op(opID), operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(opID, operation.Executed)
}

func TestASignalAsTctlSendsItDecides(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t, allowUnsigned)
	before := w.orders()
	// tctl takes the input as it was typed, spaces and missing decision_id included.
	row := w.op(opID)
	w.signalRaw(opID, "json/plain", []byte(`{ "pending_id": "`+row.PendingID+`", "revision": 1,
		"digest": "`+row.Digest+`", "decision": "approve", "comment": "按电话确认" }`))
	w.executedByHand(opID, before)
	if row := w.op(opID); row.DecisionComment != "按电话确认" {
		t.Errorf("the comment is %q", row.DecisionComment)
	}
}

func TestMalformedSignalsChangeNothingAndAreJournalled(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t, allowUnsigned)
	before, good := w.orders(), w.byHand(opID)
	signals := []struct {
		name, encoding, data string
		code                 fault.Code
		detail               string
	}{
		{"not JSON", "json/plain", "approve!", fault.Invalid, "not a decision"},
		{"wrong digest", "json/plain", strings.Replace(good, w.op(opID).Digest, strings.Repeat("0", 64), 1), fault.StaleDecision, ""},
		{"unknown field", "json/plain", strings.Replace(good, "{", `{"force":true,`, 1), fault.Invalid, "force"},
		{"array", "json/plain", "[" + good + "]", fault.Invalid, "not a decision"},
		{"two decisions", "json/plain", good + good, fault.Invalid, "more than one"},
		{"20 KB", "json/plain", strings.Replace(good, "{", `{"comment":"`+strings.Repeat("x", 20<<10)+`",`, 1), fault.Invalid, "larger"},
		{"binary encoding", "binary/plain", good, fault.Invalid, "not plain JSON"},
		{"empty", "json/plain", "", fault.Invalid, "not a decision"},
		{"null payload", "binary/null", "", fault.Invalid, "not plain JSON"},
		{"null", "json/plain", "null", fault.Invalid, "decision must be"},
		{"unknown verb", "json/plain", strings.Replace(good, `"approve"`, `"maybe"`, 1), fault.Invalid, "decision must be"},
		{"another operation", "json/plain", strings.Replace(good, opID, "another", 1), fault.StaleDecision, ""},
		{"a NUL that Postgres cannot store", "json/plain", strings.Replace(good, "{", `{"actor":"a\u0000b",`, 1), fault.Invalid, "not text"},
	}
	for i, s := range signals {
		w.signalRaw(opID, s.encoding, []byte(s.data))
		w.event(c, event.DecisionRefused, i+1)
	}
	for i, got := range w.refusals(c) {
		want := signals[i]
		if got.OpID != opID || got.Code != want.code || got.Channel != operation.ChannelTemporal || !strings.Contains(got.Params["detail"], want.detail) {
			t.Errorf("%s is journalled as %+v", want.name, got)
		}
	}
	row := w.op(opID)
	if row.Status != string(operation.AwaitingApproval) || w.orders() != before || int(row.RefusedSignals) != len(signals) {
		t.Errorf("the operation is %s, %d orders more, %d signals counted of %d", row.Status, w.orders()-before, row.RefusedSignals, len(signals))
	}
	w.signalRaw(opID, "json/plain", []byte(good))
	w.executedByHand(opID, before)
}

func TestAWithdrawalThatNothingBearsOutIsRefused(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t, allowUnsigned)
	for i, forged := range []string{`{"by":"wang","channel":"web"}`, `{"by":"li","channel":"web"}`, `{"by":"li","channel":"system","replaced_by":"` + opID + `"}`,
		`{"by":"a\u0000b","channel":"operator"}`} {
		if _, err := w.temporal("workflow", "signal", "--workflow-id", contract.OperationWorkflowID(opID), "--name", "withdraw", "--input", forged); err != nil {
			t.Fatal(err)
		}
		w.eventually("the refusal", func() bool { return int(w.op(opID).RefusedSignals) == i+1 })
	}
	w.event(c, event.DecisionRefused, 1)
	if row := w.op(opID); row.Status != string(operation.AwaitingApproval) || row.DecidedBy != nil {
		t.Errorf("the operation is %s by %v", row.Status, row.DecidedBy)
	}
	before := w.orders()
	w.signalRaw(opID, "json/plain", []byte(w.byHand(opID)))
	w.executedByHand(opID, before)
}

func TestASignalWithoutAPayloadIsJournalled(t *testing.T) {
	t.Parallel()
	w, c, opID := approvalsWorld(t, allowUnsigned)
	if _, err := w.temporal("workflow", "signal", "--workflow-id", contract.OperationWorkflowID(opID), "--name", "decide"); err != nil {
		t.Fatal(err)
	}
	w.event(c, event.DecisionRefused, 1)
	if row := w.op(opID); row.Status != string(operation.AwaitingApproval) {
		t.Errorf("the operation is %s", row.Status)
	}
}

func TestMoreThanFiftyRefusedSignalsAreOnlyCounted(t *testing.T) {
	t.Parallel()
	const sent = 55
	w, c, opID := approvalsWorld(t, allowUnsigned)
	for range sent {
		w.signalRaw(opID, "json/plain", []byte("nonsense"))
	}
	w.eventually("all signals counted", func() bool { return w.op(opID).RefusedSignals == sent })
	if n := len(w.refusals(c)); n != 50 {
		t.Errorf("%d refused signals are in the journal, want 50", n)
	}
	before := w.orders()
	w.signalRaw(opID, "json/plain", []byte(w.byHand(opID)))
	w.executedByHand(opID, before)
}

func TestTheTemporalCLIListsWhatWaits(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t)
	list := func() (ids []string) {
		out, err := w.temporal("workflow", "list", "--query", `ErpilotStatus="awaiting_approval"`, "-o", "json")
		if err != nil {
			t.Fatal(err)
		}
		var found []struct {
			Execution struct {
				WorkflowID string `json:"workflowId"`
			} `json:"execution"`
		}
		if err := json.Unmarshal([]byte(out), &found); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, x := range found {
			ids = append(ids, x.Execution.WorkflowID)
		}
		return ids
	}
	w.eventually("the operation in the list", func() bool { return cmp.Equal(list(), []string{contract.OperationWorkflowID(opID)}) })
	if _, err := w.decide(w.decision(w.op(opID), operation.Cancel)); err != nil {
		t.Fatal(err)
	}
	w.eventually("an empty list", func() bool { return len(list()) == 0 })
}

func TestTheTemporalCLIUpdatesADecisionAndGetsTheAnswer(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t, allowUnsigned)
	before := w.orders()
	update := func(input string) (string, error) {
		return w.temporal("workflow", "update", "execute", "--workflow-id", contract.OperationWorkflowID(opID), "--name", "decide", "--input", input)
	}
	if _, err := update(strings.Replace(w.byHand(opID), w.op(opID).Digest, "0", 1)); err == nil {
		t.Error("a wrong digest is accepted")
	}
	out, err := update(w.byHand(opID))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, string(operation.Approved)) {
		t.Errorf("the update answers %s", out)
	}
	w.executedByHand(opID, before)
}

func TestTheWorkflowIsReadableWithoutAWorker(t *testing.T) {
	t.Parallel()
	w, _, opID := approvalsWorld(t)
	w.worker.Stop()
	d, err := w.parts.Temporal.DescribeWorkflow(t.Context(), contract.OperationWorkflowID(opID), "")
	if err != nil {
		t.Fatal(err)
	}
	summary, err := d.GetStaticSummary()
	if err != nil {
		t.Fatal(err)
	}
	details, err := d.GetStaticDetails()
	if err != nil {
		t.Fatal(err)
	}
	memo := map[string]string{}
	for _, key := range []string{contract.MemoSummary, contract.MemoDetails, contract.MemoDecide} {
		var value string
		if err := d.GetMemoValue(key, &value); err != nil {
			t.Fatal(err)
		}
		memo[key] = value
	}
	if diff := cmp.Diff(map[string]string{contract.MemoSummary: summary, contract.MemoDetails: details, contract.MemoDecide: w.byHand(opID)}, memo); diff != "" {
		t.Error(diff)
	}
	has(t, summary, "上海晨光贸易有限公司")
	zone, err := time.LoadLocation(w.user.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	has(t, details, "上海晨光贸易有限公司", "龙井绿茶", "茉莉花茶", " → ", w.op(opID).ExpiresAt.In(zone).Format("2006-01-02 15:04"))
	out, err := w.temporal("workflow", "describe", "--workflow-id", contract.OperationWorkflowID(opID))
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "上海晨光贸易有限公司", "awaiting_approval", w.tenant.String())
}
