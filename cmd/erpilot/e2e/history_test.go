package e2e

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

var record = flag.Bool("record", false, "write the histories that workflows/replay replays")

// replayed is where recorded histories live.
const replayed = "../../../workflows/replay/testdata"

// ways are the ways through both workflows that are recorded.
var ways = []struct {
	name string
	ttl  time.Duration
	// lose makes the ERP's answers get lost.
	lose func(attempt int, commit bool) error
	take func(w *world, c string)
}{
	{name: "answer", take: func(w *world, c string) {
		w.say(c, "华东客户有哪些？")
		w.event(c, event.TurnEnded, 1)
	}},
	{name: "approve", take: func(w *world, c string) { w.decided(c, operation.Approve, operation.Executed) }},
	{name: "reject", take: func(w *world, c string) { w.decided(c, operation.Reject, operation.Rejected) }},
	{name: "cancel", take: func(w *world, c string) { w.decided(c, operation.Cancel, operation.Cancelled) }},
	{name: "expire", ttl: 2 * time.Second, take: func(w *world, c string) { w.status(w.propose(c, orderMessage), operation.Expired) }},
	{name: "refuse", take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		row := w.status(opID, operation.AwaitingApproval)
		w.exec(`UPDATE erp.product SET base_price = base_price + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'P-0001'`)
		w.must(w.decide(w.decision(row, operation.Approve)))
		w.status(opID, operation.Refused)
	}},
	{name: "question", take: func(w *world, c string) {
		w.say(c, "查询贸易有限公司的订单")
		w.event(c, event.QuestionAsked, 1)
		w.say(c, "上海晨光贸易有限公司")
	}},
	{name: "edit", take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		old := w.status(opID, operation.AwaitingApproval)
		w.tx(func(q *pgdb.Queries) error {
			return q.InsertOperationEdit(w.t.Context(), pgdb.InsertOperationEditParams{TenantID: w.tenant.String(), RevisionID: "edit-1", OpID: opID,
				Payload: []byte(strings.Replace(string(old.Requested), `"10"`, `"7"`, 1)), Actor: w.user.UserID})
		})
		if err := w.update(opID, contract.UpdateRevise, contract.Revision{RevisionID: "edit-1", Actor: w.user.UserID, Proof: w.prove(operation.ReviseClaim(opID, "edit-1"))}, nil); err != nil {
			w.t.Fatal(err)
		}
		w.must(w.decide(w.decision(w.op(opID), operation.Approve)))
		w.status(opID, operation.Executed)
	}},
	{name: "retry", lose: func(attempt int, commit bool) error {
		if !commit && attempt < 4 {
			return fault.New(fault.Unavailable)
		}
		return nil
	}, take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		w.must(w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)))
		w.event(c, event.OperationResult, 1)
		if err := w.update(opID, contract.UpdateRetry, contract.Retry{Actor: w.user.UserID, Proof: w.prove(operation.RetryClaim(opID))}, nil); err != nil {
			w.t.Fatal(err)
		}
		w.status(opID, operation.Executed)
	}},
	{name: "signal", take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		row := w.status(opID, operation.AwaitingApproval)
		id := contract.OperationWorkflowID(opID)
		wrong := w.decision(row, operation.Approve)
		wrong.Digest = strings.Repeat("0", 64)
		for _, d := range []operation.Decision{wrong, w.decision(row, operation.Approve)} {
			if err := w.parts.Temporal.SignalWorkflow(w.t.Context(), id, "", contract.SignalDecide, d); err != nil {
				w.t.Fatal(err)
			}
		}
		w.status(opID, operation.Executed)
		w.event(c, event.DecisionRefused, 1)
	}},
	{name: "login", take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		row := w.status(opID, operation.AwaitingApproval)
		w.exec(`UPDATE sessions SET revoked_at = now() WHERE revoked_at IS NULL`)
		w.must(w.decide(w.decision(row, operation.Approve)))
		w.status(opID, operation.NeedsLogin)
		w.event(c, event.LoginExpired, 1)
		w.login("li")
		if err := w.parts.Temporal.SignalWorkflow(w.t.Context(), contract.OperationWorkflowID(opID), "", contract.SignalCredentials, nil); err != nil {
			w.t.Fatal(err)
		}
		w.status(opID, operation.Executed)
	}},
	{name: "handoff", take: func(w *world, c string) {
		w.manual("sales_order", "create", true)
		opID := w.handOff(c)
		// Saved only after a signal that says so without a save.
		if err := w.parts.Temporal.SignalWorkflow(w.t.Context(), contract.OperationWorkflowID(opID), "", contract.SignalCompleted, nil); err != nil {
			w.t.Fatal(err)
		}
		w.event(c, event.DecisionRefused, 1)
		w.relay()
		row := w.op(opID)
		if _, err := w.parts.Operations().SaveStaged(w.t.Context(), w.tenant, w.user.UserID, opID, operation.NativeSave{Form: row.TargetForm,
			Action: row.Action, Payload: row.Payload, Token: "t"}); err != nil {
			w.t.Fatal(err)
		}
		w.status(opID, operation.Completed)
	}},
	{name: "leave", take: func(w *world, c string) {
		w.manual("sales_order", "create", true)
		opID := w.handOff(c)
		w.must(w.decide(w.decision(w.op(opID), operation.Cancel)))
		w.status(opID, operation.Cancelled)
	}},
	{name: "stop", take: func(w *world, c string) {
		opID := w.propose(c, orderMessage)
		w.status(opID, operation.AwaitingApproval)
		if err := w.parts.Temporal.SignalWorkflow(w.t.Context(), contract.TurnWorkflowID(c, 1), "", contract.SignalStop, nil); err != nil {
			w.t.Fatal(err)
		}
		w.event(c, event.TurnEnded, 1)
		w.must(w.decide(w.decision(w.op(opID), operation.Approve)))
		w.status(opID, operation.Executed)
	}},
}

func (w *world) must(_ contract.OperationState, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// handOff proposes and approves what a person finishes in the native form.
func (w *world) handOff(c string) (opID string) {
	w.t.Helper()
	opID = w.propose(c, orderMessage)
	w.must(w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)))
	w.status(opID, operation.HandedOff)
	return opID
}

// decided proposes, decides and waits for the outcome.
func (w *world) decided(c string, verb operation.Verb, want operation.Status) {
	w.t.Helper()
	opID := w.propose(c, orderMessage)
	w.must(w.decide(w.decision(w.status(opID, operation.AwaitingApproval), verb)))
	w.status(opID, want)
}

// TestHistoriesHoldNoTextsAndNoSecrets goes every way through both workflows,
// downloads all histories and searches them for what must not be there. With
// -record it also stores them for workflows/replay.
func TestHistoriesHoldNoTextsAndNoSecrets(t *testing.T) {
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			options := []option{withTTL(way.ttl)}
			if way.lose != nil {
				options = append(options, withERP(func(e erp.Connector) erp.Connector { return &lossy{Connector: e, lose: way.lose} }))
			}
			w := newWorld(t, options...)
			c := w.conversation()
			way.take(w, c)
			w.event(c, event.TurnEnded, 1)
			forbidden := w.forbidden(c)
			for id, h := range w.histories() {
				raw, err := temporalproto.CustomJSONMarshalOptions{Indent: "  "}.Marshal(h)
				if err != nil {
					t.Fatal(err)
				}
				for what, s := range forbidden {
					if strings.Contains(string(raw), s) || strings.Contains(string(raw), strings.Trim(string(mustJSON(t, s)), `"`)) {
						t.Errorf("the history of %s holds %s: %q", id, what, s)
					}
				}
				w.store(way.name, id, raw)
			}
		})
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// forbidden are texts of this world that no history may hold.
func (w *world) forbidden(c string) map[string]string {
	w.t.Helper()
	f := map[string]string{"the password": "demo1234", "the phone of a customer": "", "the mail of a customer": ""}
	w.tx(func(q *pgdb.Queries) error {
		messages, err := q.ListMessages(w.t.Context(), pgdb.ListMessagesParams{TenantID: w.tenant.String(), ConversationID: c})
		for _, m := range messages {
			f[m.Role+" message "+m.MessageID] = m.Text
		}
		return err
	})
	user, grants, err := w.parts.ERP.User(w.t.Context(), w.tenant, w.user.UserID)
	if err != nil {
		w.t.Fatal(err)
	}
	page, err := w.parts.ERP.Read(w.t.Context(), erp.Identity{User: user, Grants: grants}, schema.Query{Form: "customer", Mode: schema.Record, ID: "C-0001"})
	if err != nil {
		w.t.Fatal(err)
	}
	f["the phone of a customer"], _ = page.Record["phone"].(string)
	f["the mail of a customer"], _ = page.Record["email"].(string)
	for what, s := range f {
		if s == "" {
			w.t.Fatalf("%s is not known, so the search would find nothing", what)
		}
	}
	return f
}

// histories downloads every history of the namespace, by workflow id.
func (w *world) histories() map[string]*history.History {
	w.t.Helper()
	all := map[string]*history.History{}
	w.eventually("all workflows to close", func() bool {
		list, err := w.parts.Temporal.ListWorkflow(w.t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Namespace: w.parts.Namespace})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, x := range list.GetExecutions() {
			if x.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
				return false
			}
			h := &history.History{}
			it := w.parts.Temporal.GetWorkflowHistory(w.t.Context(), x.GetExecution().GetWorkflowId(), x.GetExecution().GetRunId(), false,
				enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
			for it.HasNext() {
				e, err := it.Next()
				if err != nil {
					w.t.Fatal(err)
				}
				h.Events = append(h.Events, e)
			}
			all[x.GetExecution().GetWorkflowId()] = h
		}
		return len(list.GetExecutions()) > 0
	})
	for id, h := range all {
		w.t.Logf("%s: %d events", strings.SplitN(id, "-", 2)[0], len(h.Events))
	}
	return all
}

// store writes a history for workflows/replay when asked to.
func (w *world) store(way, workflowID string, raw []byte) {
	w.t.Helper()
	if !*record {
		return
	}
	kind := "turn"
	if strings.HasPrefix(workflowID, "op-") {
		kind = "operation"
	}
	host, err := os.Hostname()
	if err != nil {
		w.t.Fatal(err)
	}
	raw = []byte(strings.ReplaceAll(string(raw), "@"+host+"@", "@worker@"))
	raw = []byte(strings.ReplaceAll(string(raw), `"`+host+`:`, `"worker:`))
	if err := os.WriteFile(filepath.Join(replayed, way+"-"+kind+".json"), append(raw, '\n'), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// TestNamesAndAmountsStayOutOfTemporalWhenAskedTo holds
// ERPILOT_TEMPORAL_DETAILS=ids: no display row enters history, memo or summary.
func TestNamesAndAmountsStayOutOfTemporalWhenAskedTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.parts.Operation.IDsOnly = true })
	c := w.conversation()
	w.decided(c, operation.Approve, operation.Executed)
	w.event(c, event.TurnEnded, 1)
	for id, h := range w.histories() {
		raw, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []string{"晨光", "龙井", "李娜"} {
			if strings.Contains(string(raw), s) {
				t.Errorf("the history of %s holds %q", id, s)
			}
		}
	}
}
