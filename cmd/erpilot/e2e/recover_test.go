package e2e

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/erpilot/erpilot/activities/erp"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

func TestAWorkerKilledWhileWaitingLosesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withoutWorker)
	before := w.orders()
	worker := w.start("worker")
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	worker.kill()
	w.start("worker")
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(opID, operation.Executed)
	w.event(c, event.TurnEnded, 1)
	if n := w.orders() - before; n != 1 {
		t.Fatalf("%d orders", n)
	}
}

func TestAWorkerKilledBetweenCommitAndAcknowledgementWritesOneOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withoutWorker)
	before := w.orders()
	worker := w.start("worker")
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)

	// The ERP's write waits for a stock row that we hold, then the outcome waits
	// for the staging row that we hold: the commit is in the ERP, and nobody was told.
	stock := w.hold(`SELECT FROM erp.stock WHERE tenant_id = 'yunfan.shanghai' AND product = 'P-0001' FOR UPDATE`)
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(opID, operation.Executing)
	staging := w.hold(`SELECT FROM operations WHERE op_id = '` + opID + `' FOR UPDATE`)
	stock()
	w.eventually("the order", func() bool { return w.orders() == before+1 })
	worker.kill()
	staging()
	if row := w.op(opID); row.Status != string(operation.Executing) {
		t.Fatalf("the outcome was stored as %s before the worker died", row.Status)
	}

	w.start("worker")
	row = w.status(opID, operation.Executed)
	w.event(c, event.TurnEnded, 1)
	if n := w.orders() - before; n != 1 || row.ResultBill == "" {
		t.Fatalf("%d orders, bill %q", n, row.ResultBill)
	}
}

// hold takes a row lock in a transaction of its own and returns its release.
func (w *world) hold(sql string) (release func()) {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, s := range []string{"BEGIN", "SET LOCAL erpilot.tenant = '" + w.tenant.String() + "'", sql} {
		tag, err := conn.Exec(w.t.Context(), s)
		if err != nil || s == sql && tag.RowsAffected() == 0 {
			w.t.Fatalf("hold: %d rows, %v", tag.RowsAffected(), err)
		}
	}
	release = sync.OnceFunc(func() { _ = conn.Close(context.Background()) })
	w.t.Cleanup(release)
	return release
}

// lossy is an ERP whose answers get lost as told.
type lossy struct {
	erp.Connector
	mu sync.Mutex
	// lose runs before (commit false) or after (commit true) the real write; it
	// returns the error that the caller sees instead of the answer.
	lose func(attempt int, commit bool) error
}

func (l *lossy) Execute(ctx context.Context, id erp.Identity, x schema.Execution) (schema.Commit, error) {
	l.mu.Lock()
	lose := l.lose
	l.mu.Unlock()
	if err := lose(x.Attempt, false); err != nil {
		return schema.Commit{}, err
	}
	c, err := l.Connector.Execute(ctx, id, x)
	if err != nil {
		return c, err
	}
	return c, lose(x.Attempt, true)
}

func TestALostAnswerIsLookedUpAndNeverWrittenTwice(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose func(attempt int, commit bool) error
		want operation.Status
		n    int
	}{
		"after the commit": {func(_ int, commit bool) error {
			if commit {
				return fault.New(fault.OutcomeUnknown)
			}
			return nil
		}, operation.Executed, 1},
		"before the write, once": {func(attempt int, commit bool) error {
			if !commit && attempt == 1 {
				return fault.New(fault.Unavailable)
			}
			return nil
		}, operation.Executed, 1},
		"before the write, always": {func(_ int, commit bool) error {
			if !commit {
				return fault.New(fault.Unavailable)
			}
			return nil
		}, operation.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &lossy{lose: c.lose}
			w := newWorld(t, withERP(func(e erp.Connector) erp.Connector { l.Connector = e; return l }))
			before := w.orders()
			conversation := w.conversation()
			opID := w.propose(conversation, orderMessage)
			if _, err := w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)); err != nil {
				t.Fatal(err)
			}
			w.event(conversation, event.OperationResult, 1)
			w.status(opID, c.want)
			w.event(conversation, event.TurnEnded, 1)
			if n := w.orders() - before; n != c.n {
				t.Fatalf("%d orders", n)
			}
			if c.want != operation.Failed {
				return
			}
			// Surely nothing was written, so retry is allowed, under the same token.
			l.mu.Lock()
			l.lose = func(int, bool) error { return nil }
			l.mu.Unlock()
			if err := w.update(opID, contract.UpdateRetry, contract.Retry{Actor: w.user.UserID, Proof: w.prove(operation.RetryClaim(opID))}, nil); err != nil {
				t.Fatal(err)
			}
			w.status(opID, operation.Executed)
			if n := w.orders() - before; n != 1 {
				t.Fatalf("%d orders after the retry", n)
			}
		})
	}
}

func TestAnOperationResetToBeforeItsExecutionStaysExecutedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	if _, err := w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(opID, operation.Executed)
	w.event(c, event.TurnEnded, 1)
	id := contract.OperationWorkflowID(opID)
	var out contract.OperationResult
	if err := w.parts.Temporal.GetWorkflow(t.Context(), id, "").Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	reset, err := w.parts.Temporal.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{Namespace: w.parts.Namespace,
		WorkflowExecution: &common.WorkflowExecution{WorkflowId: id}, Reason: "test", RequestId: uuid.NewString(),
		WorkflowTaskFinishEventId: w.firstTask(id)})
	if err != nil {
		t.Fatal(err)
	}
	out = contract.OperationResult{}
	if err := w.parts.Temporal.GetWorkflow(t.Context(), id, reset.RunId).Get(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if n := w.orders() - before; n != 1 || out.Status != operation.Executed || w.op(opID).Status != string(operation.Executed) {
		t.Fatalf("%d orders, the workflow ended %s, the row is %s", n, out.Status, w.op(opID).Status)
	}
}

// firstTask is the id of the first completed workflow task: the earliest point
// to reset to.
func (w *world) firstTask(workflowID string) int64 {
	w.t.Helper()
	it := w.parts.Temporal.GetWorkflowHistory(w.t.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			w.t.Fatal(err)
		}
		if e.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			return e.EventId
		}
	}
	w.t.Fatal("no completed workflow task")
	return 0
}

func TestATurnThatIsStoppedLeavesItsProposalAlive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	if err := w.parts.Temporal.SignalWorkflow(t.Context(), contract.TurnWorkflowID(c, 1), "", contract.SignalStop, nil); err != nil {
		t.Fatal(err)
	}
	w.event(c, event.TurnEnded, 1)
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(opID, operation.Executed)
	if n := w.orders() - before; n != 1 {
		t.Fatalf("%d orders", n)
	}
	// A later turn reads the outcome in its transcript and runs at once.
	w.say(c, "华东客户有哪些？")
	w.event(c, event.TurnEnded, 2)
}

// mute is an ERP that loses its answer and cannot tell afterwards what it did.
type mute struct{ erp.Connector }

func (m mute) Execute(ctx context.Context, id erp.Identity, x schema.Execution) (schema.Commit, error) {
	if _, err := m.Connector.Execute(ctx, id, x); err != nil {
		return schema.Commit{}, err
	}
	return schema.Commit{}, fault.New(fault.OutcomeUnknown)
}

func (mute) FindCommit(context.Context, erp.Identity, string, int) (schema.Commit, error) {
	return schema.Commit{Status: schema.CommitUnknown}, nil
}

func TestAnERPThatCannotTellHandsTheQuestionToAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withERP(func(e erp.Connector) erp.Connector { return mute{e} }))
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	w.must(w.decide(w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)))
	w.status(opID, operation.NeedsPerson)
	w.event(c, event.TurnEnded, 1)
	found := contract.Settle{Actor: w.user.UserID, Status: operation.Executed, Bill: "SO-005201"}
	if err := w.update(opID, contract.UpdateSettle, found, nil); codeOf(err) != fault.Unverified {
		t.Fatalf("an unsigned settlement: %v", err)
	}
	found.Proof = w.prove(operation.SettleClaim(opID, found.Status, found.Bill))
	if err := w.update(opID, contract.UpdateSettle, found, nil); err != nil {
		t.Fatal(err)
	}
	row := w.status(opID, operation.Executed)
	if n := w.orders() - before; n != 1 || row.ResultBill != found.Bill {
		t.Fatalf("%d orders, bill %q", n, row.ResultBill)
	}
}
