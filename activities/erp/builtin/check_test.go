package builtin_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
)

func TestTheDemoKeepsEveryInvariant(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	for i, tenant := range demo.Tenants() {
		err := builtin.CheckEach(context.Background(), conn, tenant, func(c builtin.Checked) {
			if c.Broken != 0 || len(c.Offenders) != 0 {
				t.Errorf("%s: %s: %d broken, %v", tenant, c.Says, c.Broken, c.Offenders)
			}
			if c.Rows == 0 || i == 0 && c.Invariant != "customers" && c.Invariant != "suppliers" && c.Invariant != "numbers" && c.Rows < 500 {
				t.Errorf("%s: %s: only %d rows", tenant, c.Invariant, c.Rows)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inside lets a check see what its own transaction has done.
type inside struct{ pgx.Tx }

func (x inside) BeginTx(ctx context.Context, _ pgx.TxOptions) (pgx.Tx, error) { return x.Begin(ctx) }

func TestEveryInvariantBites(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	tenant := demo.Tenants()[0]
	for invariant, sql := range map[string]string{
		"stock":        "UPDATE erp.stock SET quantity = quantity + 1 WHERE tenant_id = $1 AND key = 'P-0001@WH-01'",
		"ledger":       "UPDATE erp.stock_ledger SET balance = balance + 1 WHERE tenant_id = $1 AND ledger_id = (SELECT min(ledger_id) FROM erp.stock_ledger WHERE tenant_id = $1)",
		"moves":        "UPDATE erp.stock_ledger SET document = 'DN-999999' WHERE tenant_id = $1 AND ledger_id = (SELECT min(ledger_id) FROM erp.stock_ledger WHERE tenant_id = $1 AND form = 'delivery')",
		"allocated":    "UPDATE erp.stock SET allocated = allocated + 1 WHERE tenant_id = $1 AND key = 'P-0002@WH-01'",
		"totals":       "UPDATE erp.quotation SET total = total + 1 WHERE tenant_id = $1 AND number = 'QT-000001'",
		"tax":          "UPDATE erp.purchase_order SET tax_total = tax_total - 0.01 WHERE tenant_id = $1 AND number = (SELECT min(number) FROM erp.purchase_order WHERE tenant_id = $1 AND tax_total > 0)",
		"drawn":        "UPDATE erp.production_order_line SET drawn = drawn - 1 WHERE tenant_id = $1 AND drawn = quantity",
		"drawn_amount": "UPDATE erp.quotation_line SET drawn_amount = drawn_amount - 0.01 WHERE tenant_id = $1 AND drawn_amount > 0",
		"drawn_tax":    "UPDATE erp.sales_order_line SET drawn_tax = drawn_tax - 0.01 WHERE tenant_id = $1 AND drawn_tax > 0",
		"settled": `UPDATE erp.receipt_line l SET source = x.other FROM (SELECT l.number, l.line_no, (SELECT max(o.number) FROM erp.receivable o WHERE o.tenant_id = $1 AND o.customer = h.customer
			AND o.number <> l.source) AS other FROM erp.receipt h JOIN erp.receipt_line l USING (tenant_id, number) WHERE tenant_id = $1 AND h.status = 'examined' ORDER BY 1 LIMIT 1) x
			WHERE l.tenant_id = $1 AND l.number = x.number AND l.line_no = x.line_no`,
		"customers": "UPDATE erp.receivable SET customer = 'C-0002' WHERE tenant_id = $1 AND customer = 'C-0001' AND status IN ('submitted', 'examined')",
		"suppliers": "UPDATE erp.payable SET currency = 'EUR' WHERE tenant_id = $1 AND number = (SELECT min(number) FROM erp.payable WHERE tenant_id = $1 AND status = 'examined')",
		"numbers":   "UPDATE erp.counters SET last = last - 1 WHERE tenant_id = $1 AND counter = 'stock_transfer'",
	} {
		tx, err := conn.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
			t.Fatal(err)
		}
		tag, err := tx.Exec(ctx, sql, tenant.String())
		if err != nil || tag.RowsAffected() == 0 {
			t.Fatalf("%s: %d rows, %v", invariant, tag.RowsAffected(), err)
		}
		got, err := builtin.Check(ctx, inside{tx}, tenant)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Invariant != invariant || got[0].Broken == 0 || len(got[0].Offenders) == 0 || len(got[0].Offenders) > 5 {
			t.Errorf("breaking %s is seen as %v", invariant, got)
		}
		if err := tx.Rollback(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := builtin.Check(ctx, conn, tenant); err != nil || len(got) != 0 {
		t.Errorf("in the end %v, %v", got, err)
	}
}

func TestAForeignTenantsTroubleIsItsOwn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	if _, err := conn.Exec(ctx, "UPDATE erp.stock SET quantity = quantity + 1 WHERE tenant_id = $1", demo.Tenants()[1].String()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 1, 0, 0} {
		if got, err := builtin.Check(ctx, conn, demo.Tenants()[i]); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", demo.Tenants()[i], got, err)
		}
	}
}
