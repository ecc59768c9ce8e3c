package e2e

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// orderByHand is a world of processes in which sales orders are saved by hand: an
// order is handed off, and its form is open.
func orderByHand(t *testing.T) (w *world, li person, worker *process, card operation.Card, save map[string]any, conversation string) {
	t.Helper()
	w = newWorld(t, withoutWorker)
	w.manual("sales_order", "create", true)
	worker = w.start("worker")
	li = w.site().as("yunfan", "shanghai", "li")
	conversation = li.begin(orderMessage)
	card = li.handed(conversation)
	var s operation.Staging
	li.ok("GET", "/erp/api/staging/"+card.OpID, nil, &s)
	return w, li, worker, card, map[string]any{"action": "create", "payload": s.Payload, "token": uuid.NewString(), "staging": card.OpID}, conversation
}

func TestASaveWhileNoWorkerIsUpCompletesOnceOneIs(t *testing.T) {
	t.Parallel()
	w, li, worker, card, save, c := orderByHand(t)
	before := w.orders()
	worker.kill()
	var saved operation.NativeSaved
	li.ok("POST", "/erp/api/forms/sales_order/records", save, &saved)
	if row := w.op(card.OpID); row.Status != string(operation.HandedOff) || w.orders() != before+1 {
		t.Fatalf("%s, %d orders", row.Status, w.orders()-before)
	}
	li.ok("POST", "/erp/api/forms/sales_order/records", save, &saved) // the answer was lost
	w.start("worker")
	row := w.status(card.OpID, operation.Completed)
	w.event(c, event.TurnEnded, 1)
	if n := w.orders() - before; n != 1 || row.ResultBill != saved.Bill || !saved.Replayed || len(row.EditedBy) > 0 {
		t.Errorf("%d orders, bill %s, saved %+v, edited by %v", n, row.ResultBill, saved, row.EditedBy)
	}
}

func TestASaveWhoseWorkflowIsGoneCompletesItsRow(t *testing.T) {
	t.Parallel()
	w, li, worker, card, save, c := orderByHand(t)
	worker.kill()
	li.ok("POST", "/erp/api/forms/sales_order/records", save, nil)
	if err := w.parts.Temporal.TerminateWorkflow(t.Context(), contract.OperationWorkflowID(card.OpID), "", "test"); err != nil {
		t.Fatal(err)
	}
	w.start("worker")
	if row := w.status(card.OpID, operation.Completed); row.ResultBill == "" {
		t.Errorf("no bill: %+v", row)
	}
	w.event(c, event.TurnEnded, 1)
}

func TestAHandedOffOperationSurvivesAResetAndAnOperatorMayEndIt(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"), telephone("C-0002", "021-2222"))
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("改电话")
	card := li.handed(c)
	id := contract.OperationWorkflowID(card.OpID)
	if _, err := w.parts.Temporal.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{Namespace: w.parts.Namespace,
		WorkflowExecution: &common.WorkflowExecution{WorkflowId: id}, Reason: "test", RequestId: uuid.NewString(),
		WorkflowTaskFinishEventId: w.firstTask(id)}); err != nil {
		t.Fatal(err)
	}
	var state contract.OperationState
	w.eventually("the new run to know that it is handed off", func() bool {
		answer, err := w.parts.Temporal.QueryWorkflow(t.Context(), id, "", contract.QueryState)
		return err == nil && answer.Get(&state) == nil && state.Status == operation.HandedOff
	})
	if !state.Deadline.Equal(card.Deadline) || w.op(card.OpID).Status != string(operation.HandedOff) {
		t.Errorf("after the reset: %+v, the deadline was %s", state, card.Deadline)
	}
	_, version := li.customer("C-0001")
	li.ok("POST", customerRecords, saving(card, version, "021-1111"), nil)
	w.status(card.OpID, operation.Completed)

	next := li.proposed(c, 2)
	li.ok("POST", "/api/op/"+next.OpID+"/confirm", confirmation(next, uuid.NewString()), nil)
	w.status(next.OpID, operation.HandedOff)
	if err := w.parts.Temporal.CancelWorkflow(t.Context(), contract.OperationWorkflowID(next.OpID), ""); err != nil {
		t.Fatal(err)
	}
	w.status(next.OpID, operation.Cancelled)
	_, version = li.customer("C-0002")
	if p := li.refused(409, customerRecords, saving(next, version, "021-2222")); p.Code != "already_decided" || p.Params["channel"] != "operator" {
		t.Errorf("a save of what an operator ended: %+v", p)
	}
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Errorf("the turn ended %+v", e)
	}
}

func TestDeletingAConversationWithAnOpenFormGivesTheFormUp(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	c := li.begin("改电话")
	card := li.handed(c)
	if status, raw := li.do("DELETE", "/api/conversations/"+c, nil); status != 409 || problemOf(t, raw).Code != "pending_open" {
		t.Fatalf("deleted at once: %d %s", status, raw)
	}
	li.ok("DELETE", "/api/conversations/"+c+"?cancel_pending=1", nil, nil)
	w.status(card.OpID, operation.Cancelled)
	if p := li.refused(409, customerRecords, saving(card, version, "021-1111")); p.Code != "already_decided" {
		t.Errorf("saved after all: %+v", p)
	}
}

func TestANewCustomerIsMadeByHandOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // the demo planner, and the form as it is delivered
	w.relay()
	li := w.site().as("yunfan", "shanghai", "li")
	customers := w.count(`SELECT count(*) FROM erp.customer`)
	c := li.begin("新建客户 苏州明月贸易有限公司，电话 0512-1，区域 华东，联系人 李雷")
	card := li.handed(c)
	if !card.Manual {
		t.Fatal("creating a customer is not finished by hand")
	}
	var s operation.Staging
	li.ok("GET", "/erp/api/staging/"+card.OpID, nil, &s)
	var preview struct {
		Preview struct {
			Diffs []any `json:"diffs"`
		} `json:"preview"`
	}
	li.ok("POST", "/erp/api/forms/customer/preview", map[string]any{"action": "create", "payload": s.Payload}, &preview)
	if len(preview.Preview.Diffs) == 0 {
		t.Error("the preview of the form shows nothing")
	}
	var mu sync.Mutex
	bills := map[string]int{}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			var saved operation.NativeSaved
			li.ok("POST", customerRecords, map[string]any{"action": "create", "payload": s.Payload, "token": uuid.NewString(), "staging": card.OpID}, &saved)
			mu.Lock()
			defer mu.Unlock()
			bills[saved.Bill]++
		})
	}
	all.Wait()
	row := w.status(card.OpID, operation.Completed)
	if n := w.count(`SELECT count(*) FROM erp.customer`) - customers; n != 1 || len(bills) != 1 || bills[row.ResultBill] != 6 || len(row.EditedBy) > 0 {
		t.Errorf("%d new customers, told %v, the operation says %s, edited by %v", n, bills, row.ResultBill, row.EditedBy)
	}
	if r := w.result(card.OpID); !strings.Contains(r, row.ResultBill) {
		t.Errorf("the model reads %s", r)
	}
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Errorf("the turn ended %+v", e)
	}
}

func TestExecuteAnswersWithTheOutcomeOfAConfirmedOperation(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	w.manual("customer", "update", false)
	li := w.site().as("yunfan", "shanghai", "li")
	card := li.proposed(li.begin("改电话"), 1)
	execute := "/erp/api/staging/" + card.OpID + "/execute"
	if p := li.refused(409, execute, nil); p.Code != "not_pending" {
		t.Errorf("before it is confirmed: %+v", p)
	}
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, uuid.NewString()), nil)
	_, version := li.customer("C-0001")
	for range 3 {
		var state struct {
			Status, State, Bill string
		}
		li.ok("POST", execute, nil, &state)
		if state.Status != "executed" || state.State != "done" || state.Bill != "C-0001" {
			t.Errorf("executed: %+v", state)
		}
	}
	if p := li.refused(409, customerRecords, saving(card, version, "021-2222")); p.Code != "already_decided" || p.Params["bill"] != "C-0001" {
		t.Errorf("a save of what executed by itself: %+v", p)
	}
	if n := w.count(`SELECT count(*) FROM erp.commits WHERE client_token = $1`, w.op(card.OpID).ClientToken); n != 1 {
		t.Errorf("%d commits", n)
	}
}

func TestARecordIsKeyedInWithoutTheAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	li := s.as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	body := map[string]any{"action": "update", "target": "C-0001", "payload": map[string]string{"phone": "021-3333"}, "version": version, "token": uuid.NewString()}
	var saved operation.NativeSaved
	li.ok("POST", customerRecords, body, &saved)
	if saved.Bill != "C-0001" || saved.Link != "/erp/form/customer?bill=C-0001" || saved.Replayed {
		t.Errorf("saved %+v", saved)
	}
	li.ok("POST", customerRecords, body, &saved)
	phone, now := li.customer("C-0001")
	if !saved.Replayed || phone != "021-3333" || now == version {
		t.Errorf("again %+v, phone %s, version %s", saved, phone, now)
	}
	body["payload"] = map[string]string{"phone": "021-4444"}
	if p := li.refused(409, customerRecords, body); p.Code != "token_reused" {
		t.Errorf("the token with another number: %+v", p)
	}
	body["token"] = uuid.NewString()
	if p := li.refused(409, customerRecords, body); p.Code != "record_changed" || p.Params["old"] != version || p.Params["new"] != now {
		t.Errorf("an old version: %+v", p)
	}
	if status, raw := s.as("yunfan", "shanghai", "guest").do("POST", customerRecords, body); status != 403 {
		t.Errorf("without a grant: %d %s", status, raw)
	}
	if n := w.count(`SELECT count(*) FROM audit WHERE kind = 'execution' AND channel = 'native' AND actor = 'li' AND op_id IS NULL`); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}
