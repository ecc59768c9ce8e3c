package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/workflows/contract"
)

func decisionOn(op pgdb.Operation, id string) map[string]any {
	return map[string]any{"pending_id": op.PendingID, "revision": op.Revision, "digest": op.Digest, "decision_id": id}
}

func TestConfirmAnswersWithTheCardAndRepeatsItself(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	k.launch(b, op)
	for range 2 {
		a := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, "d1"), "X-Erpilot-Client", "terminal")
		v := a.json(t)
		if a.status != 200 || v["status"] != "approved" || v["decided"].(map[string]any)["channel"] != "terminal" {
			t.Fatalf("confirm: %d %s", a.status, a.body)
		}
	}
	other := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, "d2"))
	if p := other.json(t); other.status != 409 || other.code() != "already_decided" || p["params"].(map[string]any)["by"] != "u1" || p["params"].(map[string]any)["channel"] != "terminal" {
		t.Errorf("another decision: %d %s", other.status, other.body)
	}
	if a := b.do("POST", "/api/op/"+op.OpID+"/cancel", decisionOn(op, "d1")); a.code() != "idempotency_mismatch" {
		t.Errorf("the same id for another verb: %d %s", a.status, a.body)
	}
	if n := b.count("SELECT count(*) FROM audit WHERE kind = 'decision_refused'"); n != 1 {
		t.Errorf("%d refused decisions in the audit, want 1", n)
	}
}

func TestFiftyConfirmsAtOnceAreOneDecisionAndEachIsToldTheTruth(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	k.launch(b, op)
	var all sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for i := range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			a := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, fmt.Sprintf("d%d", i)))
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprintf("%d %s", a.status, a.code())]++
			if a.status == 409 && !strings.Contains(string(a.body), `"by":"u1"`) {
				t.Errorf("a loser is not told by whom: %s", a.body)
			}
		}()
	}
	all.Wait()
	if answers["200 "] != 1 || answers["409 already_decided"] != 49 {
		t.Errorf("answers: %v", answers)
	}
	if n := b.count("SELECT count(*) FROM decisions"); n != 1 {
		t.Errorf("%d decisions, want 1", n)
	}
}

func TestDecisionOnSomethingElseIsStale(t *testing.T) {
	t.Parallel()
	b := setup(t) // decided from the row: Temporal is not asked
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	for name, change := range map[string]func(map[string]any){
		"pending":  func(d map[string]any) { d["pending_id"] = "p-old" },
		"revision": func(d map[string]any) { d["revision"] = 2 },
		"digest":   func(d map[string]any) { d["digest"] = "other" },
	} {
		d := decisionOn(op, "d-"+name)
		change(d)
		if a := b.do("POST", "/api/op/"+op.OpID+"/confirm", d); a.status != 409 || a.code() != "stale_decision" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	late := b.operation(b.conversation(), "u1", "self", -time.Second)
	if a := b.do("POST", "/api/op/"+late.OpID+"/confirm", decisionOn(late, "d")); a.status != 409 || a.code() != "expired" {
		t.Errorf("late: %d %s", a.status, a.body)
	}
	d := decisionOn(op, "")
	if a := b.do("POST", "/api/op/"+op.OpID+"/confirm", d); a.code() != "invalid" {
		t.Errorf("no decision_id: %d %s", a.status, a.body)
	}
}

func TestWithoutAWorkerTheDecisionWaitsAsASignal(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure, func(c *gateway.Config) { c.DecideBudget = time.Second })
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	k.launch(b, op)
	a := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, "d1"))
	if v := a.json(t); a.status != http.StatusAccepted || v["status"] != "queued" || !strings.Contains(v["note"].(string), "before the deadline") {
		t.Fatalf("queued: %d %s", a.status, a.body)
	}
	k.work()
	eventually(t, "the worker takes the signal", func() bool {
		return b.do("GET", "/api/op/"+op.OpID+"/status", nil).json(t)["status"] == "approved"
	})
	if a := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, "d1")); a.status != 200 {
		t.Errorf("the same decision again: %d %s", a.status, a.body)
	}
}

func TestOthersWhoMayDecideRejectAndTheRequesterCancels(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	op := b.operation(conv, "u1", "role:approver", time.Hour)
	k.launch(b, op)
	boss := b.login("east", "boss")
	if a := b.as(boss, "GET", "/api/op?status=awaiting_approval", nil); !strings.Contains(string(a.body), op.OpID) {
		t.Errorf("the approver's inbox: %s", a.body)
	}
	if a := b.as(boss, "POST", "/api/op/"+op.OpID+"/cancel", decisionOn(op, "d1")); a.status != 200 || a.json(t)["status"] != "rejected" {
		t.Errorf("reject: %d %s", a.status, a.body)
	}
	own := b.operation(conv, "u1", "self", time.Hour)
	k.launch(b, own)
	if a := b.do("POST", "/api/op/"+own.OpID+"/cancel", decisionOn(own, "d1")); a.status != 200 || a.json(t)["status"] != "cancelled" {
		t.Errorf("cancel: %d %s", a.status, a.body)
	}
}

func TestBatchHasAResultPerItem(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	var items []any
	for range 3 {
		op := b.operation(conv, "u1", "self", time.Hour)
		k.launch(b, op)
		item := decisionOn(op, "d1")
		item["op_id"], item["decision"] = op.OpID, "approve"
		items = append(items, item)
	}
	items[1].(map[string]any)["digest"] = "other"
	a := b.do("POST", "/api/op/decisions", map[string]any{"decisions": items})
	results := a.json(t)["results"].([]any)
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprint(r.(map[string]any)["status"]))
	}
	if a.status != 200 || strings.Join(got, " ") != "200 409 200" {
		t.Errorf("results %v: %s", got, a.body)
	}
}

func TestOperationWhoseWorkflowWasTerminatedIsCancelledByOperator(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	read, confirmed, swept := b.operation(conv, "u1", "self", time.Hour), b.operation(conv, "u1", "self", time.Hour), b.operation(conv, "u1", "self", time.Hour)
	writing := b.operation(conv, "u1", "self", time.Hour)
	b.exec("UPDATE operations SET status = 'executing' WHERE op_id = $1", writing.OpID)
	for _, op := range []pgdb.Operation{read, confirmed, swept, writing} {
		k.launch(b, op)
		if err := k.client.TerminateWorkflow(context.Background(), contract.OperationWorkflowID(op.OpID), "", "operator"); err != nil {
			t.Fatal(err)
		}
	}
	s := b.stream(conv)
	a := b.do("GET", "/api/op/"+read.OpID, nil)
	if v := a.json(t); v["status"] != "cancelled" || v["decided"].(map[string]any)["channel"] != "operator" {
		t.Errorf("on read: %s", a.body)
	}
	if f := s.until("erpilot.op_result"); !strings.Contains(f.data, `"channel":"operator"`) {
		t.Errorf("the page is told: %s", f.data)
	}
	if a := b.do("POST", "/api/op/"+confirmed.OpID+"/confirm", decisionOn(confirmed, "d1")); a.status != 409 || a.code() != "already_decided" ||
		!strings.Contains(string(a.body), `"channel":"operator"`) {
		t.Errorf("confirm: %d %s", a.status, a.body)
	}
	b.exec("UPDATE operations SET created_at = created_at - interval '1 min'")
	b.Sweep(context.Background())
	if n := b.count("SELECT count(*) FROM operations WHERE op_id = $1 AND status = 'cancelled' AND decided_via = 'operator'", swept.OpID); n != 1 {
		t.Error("the sweep did not cancel the row")
	}
	if n := b.count("SELECT count(*) FROM operations WHERE op_id = $1 AND status = 'failed'", writing.OpID); n != 1 {
		t.Error("a write that may have happened was not looked up")
	}
	if n := b.count("SELECT count(*) FROM pendings WHERE status = 'cancelled'"); n != 3 {
		t.Errorf("%d pendings cancelled, want 3", n)
	}
	b.Sweep(context.Background())
	if n := b.count("SELECT count(*) FROM operations WHERE op_id = $1 AND status = 'cancelled'", writing.OpID); n != 1 {
		t.Error("what surely was not written is not cancelled either")
	}
}

func TestConfirmStartsAWorkflowThatIsMissing(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.db.Store(b)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	b.exec("UPDATE operations SET created_at = created_at - interval '1 min'")
	if a := b.do("POST", "/api/op/"+op.OpID+"/confirm", decisionOn(op, "d1")); a.status != 200 {
		t.Errorf("confirm: %d %s", a.status, a.body)
	}
}

func TestRetrySettleAndReproposeNeedTheRightState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	b.exec("UPDATE operations SET status = 'executed' WHERE op_id = $1", op.OpID)
	for path, code := range map[string]string{"retry": "not_pending", "repropose": "conflict"} {
		if a := b.do("POST", "/api/op/"+op.OpID+"/"+path, nil); a.status != 409 || a.code() != code {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := b.do("POST", "/api/op/"+op.OpID+"/settle", map[string]string{"status": "executed"}); a.code() != "not_pending" {
		t.Errorf("settle: %d %s", a.status, a.body)
	}
	if a := b.do("POST", "/api/op/"+op.OpID+"/settle", map[string]string{"status": "cancelled"}); a.code() != "invalid" {
		t.Errorf("settle as cancelled: %d %s", a.status, a.body)
	}
	if a := b.do("POST", "/api/op/"+op.OpID+"/revise", map[string]any{"revision_id": "r", "revision": 1, "payload": map[string]any{}}); a.code() != "not_pending" {
		t.Errorf("revise: %d %s", a.status, a.body)
	}
	if a := b.do("POST", "/api/op/"+op.OpID+"/revise", map[string]any{"revision_id": "r", "revision": 1, "payload": []int{1}}); a.code() != "invalid" {
		t.Errorf("revise with a list: %d %s", a.status, a.body)
	}
}

func TestReviseKeepsWhatWasTypedAndTellsWhyItWasRefused(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	k.launch(b, op)
	path := "/api/op/" + op.OpID + "/revise"
	edit := map[string]any{"revision_id": "r1", "revision": 1, "payload": map[string]any{"phone": "2"}}
	if a := b.do("POST", path, edit); a.status != 200 || a.json(t)["op_id"] != op.OpID {
		t.Errorf("revise: %d %s", a.status, a.body)
	}
	if n := b.count(`SELECT count(*) FROM operation_edits WHERE revision_id = 'r1' AND actor = 'u1' AND payload = '{"phone":"2"}'`); n != 1 {
		t.Error("the edit is not stored")
	}
	edit["revision_id"] = "refuse"
	if a := b.do("POST", path, edit); a.status != http.StatusUnprocessableEntity || a.code() != "validation_failed" || !strings.Contains(string(a.body), "no phone") {
		t.Errorf("refused: %d %s", a.status, a.body)
	}
	edit["revision"] = 2
	if a := b.do("POST", path, edit); a.code() != "stale_decision" {
		t.Errorf("of another revision: %d %s", a.status, a.body)
	}
}

// proposer stages another operation like the first.
type proposer struct{ b *bundle }

func (p *proposer) Repropose(_ context.Context, tenant identity.Tenant, userID, opID string) (contract.Prepared, error) {
	conv := ""
	err := p.b.db.Tx(context.Background(), tenant, func(ctx context.Context, tx pgx.Tx) error {
		old, err := pgdb.New(tx).Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: opID})
		conv = *old.ConversationID
		return err
	})
	if err != nil {
		return contract.Prepared{}, err
	}
	row := p.b.operation(conv, userID, "self", time.Hour)
	p.b.exec("UPDATE operations SET replaced_by = $1 WHERE op_id = $2", row.OpID, opID)
	return contract.Prepared{OpID: row.OpID, PendingID: row.PendingID, Revision: 1, Digest: row.Digest, Deadline: row.ExpiresAt, Requester: userID,
		Policy: "self", Form: row.TargetForm, Action: row.Action, Risk: "confirm", Summary: "update C-0001"}, nil
}

func TestProposeAgainIsOneClickAndOneOperation(t *testing.T) {
	t.Parallel()
	k, p := newBackend(t), &proposer{}
	b := setup(t, k.configure, func(c *gateway.Config) { c.Proposer = p })
	p.b = b
	k.db.Store(b)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	path := "/api/op/" + op.OpID + "/repropose"
	b.exec("UPDATE operations SET status = 'refused', refusal = '{\"code\":\"stock_changed\"}' WHERE op_id = $1", op.OpID)
	first := b.do("POST", path, nil)
	fresh, _ := first.json(t)["op_id"].(string)
	if first.status != http.StatusCreated || fresh == "" || fresh == op.OpID {
		t.Fatalf("first click: %d %s", first.status, first.body)
	}
	if a := b.do("POST", path, nil); a.status != 200 || a.json(t)["op_id"] != fresh {
		t.Errorf("second click: %d %s", a.status, a.body)
	}
	v := first.json(t)
	if a := b.do("POST", "/api/op/"+fresh+"/confirm", map[string]any{"pending_id": v["pending_id"], "revision": 1, "digest": v["digest"], "decision_id": "d"}); a.status != 200 {
		t.Errorf("confirm: %d %s", a.status, a.body)
	}
}

func TestLoginAgainLetsParkedOperationsGoOn(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	op := b.operation(b.conversation(), "u1", "self", time.Hour)
	k.launch(b, op)
	b.exec("UPDATE operations SET status = 'needs_login' WHERE op_id = $1", op.OpID)
	b.login("east", "li")
	eventually(t, "the operation is told", func() bool {
		v, err := k.client.QueryWorkflow(context.Background(), contract.OperationWorkflowID(op.OpID), "", "refreshed")
		told := false
		return err == nil && v.Get(&told) == nil && told
	})
}
