package e2e

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// exec changes the ERP behind the person's back.
func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			w.t.Fatalf("nothing changed by %s", sql)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// repropose is the one click on the refused card.
func (w *world) repropose(opID string) string {
	w.t.Helper()
	p, err := w.parts.Operations().Repropose(w.t.Context(), w.tenant, w.user.UserID, opID)
	if err != nil {
		w.t.Fatal(err)
	}
	row := w.op(p.OpID)
	conversation := ""
	if row.ConversationID != nil {
		conversation = *row.ConversationID
	}
	if _, err := w.parts.Temporal.ExecuteWorkflow(w.t.Context(), contract.OperationOptions(w.parts.TaskQueue, w.tenant.String(), p, conversation),
		contract.WorkflowOperation, contract.OperationStart(w.tenant.String(), p, conversation, "")); err != nil {
		w.t.Fatal(err)
	}
	return p.OpID
}

func refusal(t *testing.T, row pgdb.Operation) erp.Refusal {
	t.Helper()
	var r erp.Refusal
	if err := json.Unmarshal(row.Refusal, &r); err != nil {
		t.Fatalf("refusal %s: %v", row.Refusal, err)
	}
	return r
}

func TestAFactThatMovedRefusesTheWriteAndProposingAgainNeedsOneClick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const price = `UPDATE erp.product SET base_price = base_price + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'P-0001'`
	for _, c := range []struct {
		name string
		move func(opID string)
		code fault.Code
		// field of the fact that the card highlights
		kind erp.FactKind
	}{
		{"a price", func(string) { w.exec(price) }, fault.QuoteChanged, erp.FactPrice},
		{"a product's name", func(string) {
			w.exec(`UPDATE erp.product SET name = name || '（新）' WHERE tenant_id = 'yunfan.shanghai' AND code = 'P-0002'`)
		}, fault.QuoteChanged, erp.FactName},
		{"a stock level", func(string) {
			w.exec(`UPDATE erp.stock SET quantity = quantity + 3 WHERE tenant_id = 'yunfan.shanghai' AND product = 'P-0001'`)
		}, fault.StockChanged, erp.FactStock},
		{"the draft", func(opID string) {
			w.exec(`UPDATE drafts SET revision = revision + 1 WHERE draft_id = (SELECT draft_id FROM operations WHERE op_id = $1)`, opID)
			w.exec(`INSERT INTO draft_revisions (tenant_id, draft_id, revision, payload, quote, valid_until, created_by)
				SELECT tenant_id, draft_id, revision + 1, payload, quote, valid_until, created_by FROM draft_revisions
				WHERE draft_id = (SELECT draft_id FROM operations WHERE op_id = $1)`, opID)
		}, fault.DraftChanged, erp.FactDraft},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := w.orders()
			conversation := w.conversation()
			opID := w.propose(conversation, orderMessage)
			row := w.status(opID, operation.AwaitingApproval)
			c.move(opID)
			if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
				t.Fatal(err)
			}
			row = w.status(opID, operation.Refused)
			r := refusal(t, row)
			if r.Code != string(c.code) || r.Fact == nil || r.Fact.Kind != c.kind || r.Old == r.New {
				t.Fatalf("refused with %+v", r)
			}
			t.Logf("%s: %s %s %s → %s", r.Code, r.Fact.Object, r.Fact.Label.En, r.Old, r.New)
			if n := w.orders() - before; n != 0 {
				t.Fatalf("%d orders were written", n)
			}
			again := w.repropose(opID)
			if w.repropose(opID) != again {
				t.Error("a second click made a second proposal")
			}
			row = w.status(again, operation.AwaitingApproval)
			if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
				t.Fatal(err)
			}
			w.status(again, operation.Executed)
			if n := w.orders() - before; n != 1 {
				t.Fatalf("%d orders after confirming again", n)
			}
		})
	}
}

func TestAToolContractThatChangedMeanwhileRefusesTheDecision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	// A new version of the product is deployed while the person thinks.
	w.worker.Stop()
	raised := slices.Clone(w.parts.Catalogue)
	for i := range raised {
		if raised[i].Name == tool.ProposeWrite {
			raised[i].SchemaVersion++
		}
	}
	w.parts.Catalogue = raised
	w.startWorker()
	_, err := w.decide(w.decision(row, operation.Approve))
	if code := codeOf(err); code != fault.ContractChanged {
		t.Fatalf("the decision was answered with %q (%v)", code, err)
	}
	row = w.status(opID, operation.Refused)
	if r := refusal(t, row); r.Code != string(fault.ContractChanged) || w.orders() != before {
		t.Fatalf("refused with %+v, %d orders more", r, w.orders()-before)
	}
	w.event(c, event.TurnEnded, 1)
	again := w.repropose(opID)
	w.status(again, operation.AwaitingApproval)
}
