package builtin_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
)

// newCompany is a company with a handful of documents, in the time zone that is
// furthest ahead, so that its date is often not the server's.
func newCompany(t *testing.T) *desk {
	t.Helper()
	ctx := context.Background()
	url := pgtest.NewDatabase(t)
	tenant := identity.Tenant{BrandID: "small", SubsidiaryID: "one"}
	d := &desk{w: &world{t: t, url: url, tenant: tenant.String()}}
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := d.w.exec(ctx, sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec("INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone) VALUES ($1, 'small', 'one', '小', 'Small', 'CNY', 'Pacific/Kiritimati')")
	conn := connect(t, url)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := builtin.InstallForms(ctx, tx, tenant); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	exec("INSERT INTO erp.users (tenant_id, user_id, username, name_zh, name_en, password_hash) VALUES ($1, 'u', 'u', '甲', 'A', '$argon2id$x')")
	exec("INSERT INTO erp.grants SELECT tenant_id, 'u', form, '*' FROM erp.forms WHERE tenant_id = $1")
	exec("INSERT INTO erp.customer (tenant_id, code, name, region, currency) VALUES ($1, 'C-1', '客一', 'east', 'CNY'), ($1, 'C-2', '客二', 'south', 'EUR')")
	exec("INSERT INTO erp.supplier (tenant_id, code, name, currency) VALUES ($1, 'S-1', '供一', 'CNY')")
	exec(`INSERT INTO erp.product (tenant_id, code, name, category, unit, status, base_price, currency) VALUES
		($1, 'P-1', '茶', 'tea', '盒', 'on_sale', 10, 'CNY'), ($1, 'P-2', '杯', 'utensil', '个', 'on_sale', 2.5, 'CNY')`)
	exec("INSERT INTO erp.warehouse (tenant_id, code, name, is_default) VALUES ($1, 'W-1', '仓', true)")
	exec(`INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, at) VALUES
		($1, 'P-1', 'W-1', 100, 'opening', now() - interval '400 days'), ($1, 'P-2', 'W-1', 40, 'opening', now() - interval '300 days'),
		($1, 'P-1', 'W-1', -5, 'sale', now() - interval '120 days')`)
	exec("UPDATE erp.stock SET allocated = 10 WHERE tenant_id = $1 AND product = 'P-1'")
	today := "(now() AT TIME ZONE 'Pacific/Kiritimati')::date"
	bill := func(table, partner, number, who, currency, status string, overdue int, total, settled string) {
		exec(fmt.Sprintf(`INSERT INTO erp.%s (tenant_id, number, status, %s, currency, invoice_date, due_date, total, settled, created_by, examined_at, closed_at)
			VALUES ($1, $2, $3, $4, $5, %s - 400, %s - $6::int, $7::text::numeric, $8::text::numeric, 'u', now(), now())`, table, partner, today, today),
			number, status, who, currency, overdue, total, settled)
	}
	bill("receivable", "customer", "AR-000001", "C-1", "CNY", "examined", 0, "100", "0")
	bill("receivable", "customer", "AR-000002", "C-1", "CNY", "examined", 1, "200", "50")
	bill("receivable", "customer", "AR-000003", "C-1", "CNY", "examined", 30, "10.10", "0")
	bill("receivable", "customer", "AR-000004", "C-1", "CNY", "examined", 31, "20", "0")
	bill("receivable", "customer", "AR-000005", "C-1", "CNY", "examined", 90, "40", "0")
	bill("receivable", "customer", "AR-000006", "C-1", "CNY", "examined", 91, "80", "0")
	bill("receivable", "customer", "AR-000007", "C-1", "CNY", "closed", 91, "80", "80")
	bill("receivable", "customer", "AR-000008", "C-1", "CNY", "submitted", 91, "80", "0")
	bill("receivable", "customer", "AR-000009", "C-1", "EUR", "examined", -5, "7", "0")
	bill("payable", "supplier", "AP-000001", "S-1", "CNY", "examined", 61, "33", "3")
	exec(`INSERT INTO erp.sales_order (tenant_id, number, customer, warehouse, order_date, delivery_date, status, total, currency, created_by, examined_at) VALUES
		($1, 'SO-000001', 'C-1', 'W-1', '2026-01-01', '2026-01-10', 'examined', 110, 'CNY', 'u', now()), ($1, 'SO-000002', 'C-1', 'W-1', '2026-01-01', '2199-01-10', 'submitted', 10, 'CNY', 'u', NULL)`)
	exec(`INSERT INTO erp.sales_order_line (tenant_id, number, line_no, product, product_name, unit, quantity, base_price, discount, unit_price, amount, drawn) VALUES
		($1, 'SO-000001', 1, 'P-1', '茶', '盒', 10, 10, 0, 10, 100, 7), ($1, 'SO-000001', 2, 'P-2', '杯', '个', 4, 2.5, 0, 2.5, 10, 4), ($1, 'SO-000002', 1, 'P-1', '茶', '盒', 1, 10, 0, 10, 10, 0)`)
	exec(`INSERT INTO erp.delivery (tenant_id, number, status, customer, currency, warehouse, delivery_date, total, tax_total, created_by, examined_at) VALUES
		($1, 'DN-000001', 'examined', 'C-1', 'CNY', 'W-1', '2026-01-05', 50, 5.5, 'u', now()), ($1, 'DN-000002', 'submitted', 'C-1', 'CNY', 'W-1', '2026-02-05', 20, 0, 'u', NULL),
		($1, 'DN-000003', 'closed', 'C-1', 'CNY', 'W-1', '2025-12-31', 10, 0, 'u', now()), ($1, 'DN-000004', 'examined', 'C-2', 'EUR', 'W-1', '2026-01-31', 9, 1, 'u', now())`)
	exec(`INSERT INTO erp.delivery_line (tenant_id, number, line_no, product, product_name, unit, factor, quantity, base_price, unit_price, amount, tax_amount, source, source_line) VALUES
		($1, 'DN-000001', 1, 'P-1', '茶', '盒', 1, 5, 10, 10, 50, 5.5, 'SO-000001', 1), ($1, 'DN-000002', 1, 'P-1', '茶', '盒', 1, 2, 10, 10, 20, 0, 'SO-000001', 1),
		($1, 'DN-000003', 1, 'P-2', '杯', '个', 1, 4, 2.5, 2.5, 10, 0, 'SO-000001', 2), ($1, 'DN-000004', 1, 'P-1', '茶', '箱', 12, 3, 3, 3, 9, 1, NULL, NULL)`)
	exec(`INSERT INTO erp.receivable_line (tenant_id, number, line_no, product, product_name, unit, quantity, base_price, unit_price, amount, source, source_line) VALUES
		($1, 'AR-000001', 1, 'P-1', '茶', '盒', 3, 10, 10, 30, 'DN-000001', 1), ($1, 'AR-000008', 1, 'P-1', '茶', '盒', 2, 10, 10, 20, 'DN-000001', 1)`)
	exec(`INSERT INTO erp.production_order (tenant_id, number, status, warehouse, start_date, due_date, created_by, examined_at) VALUES ($1, 'MO-000001', 'examined', 'W-1', '2026-01-01', '2026-01-02', 'u', now())`)
	exec(`INSERT INTO erp.production_order_line (tenant_id, number, line_no, product, product_name, unit, quantity, drawn) VALUES ($1, 'MO-000001', 1, 'P-1', '茶', '盒', 30, 20)`)
	exec(`INSERT INTO erp.production_report (tenant_id, number, status, warehouse, report_date, created_by) VALUES ($1, 'MR-000001', 'submitted', 'W-1', '2026-01-01', 'u')`)
	exec(`INSERT INTO erp.production_report_line (tenant_id, number, line_no, product, product_name, unit, quantity, source, source_line) VALUES ($1, 'MR-000001', 1, 'P-1', '茶', '盒', 10, 'MO-000001', 1)`)
	d.Connector = builtin.New(open(t, url))
	user, grants, err := d.User(ctx, tenant, "u")
	if err != nil {
		t.Fatal(err)
	}
	d.id = erp.Identity{User: user, Grants: grants}
	return d
}

func TestReportsSayWhatTheDocumentsSay(t *testing.T) {
	t.Parallel()
	d := newCompany(t)
	type row = nouns.Row
	for _, c := range []struct {
		form   string
		fields []string
		filter []nouns.Filter
		want   []row
	}{
		{"ar_ageing", []string{"key", "documents", "not_due", "days_1_30", "days_31_60", "days_61_90", "days_over_90", "total"}, nil, []row{
			{"key": "C-1/CNY", "documents": int64(6), "not_due": "100", "days_1_30": "160.1", "days_31_60": "20", "days_61_90": "40", "days_over_90": "80", "total": "400.1"},
			{"key": "C-1/EUR", "documents": int64(1), "not_due": "7", "days_1_30": "0", "days_31_60": "0", "days_61_90": "0", "days_over_90": "0", "total": "7"}}},
		{"ap_ageing", []string{"supplier", "supplier_name", "days_61_90", "total"}, nil, []row{{"supplier": "S-1", "supplier_name": "供一", "days_61_90": "30", "total": "30"}}},
		{"overdue_receivables", []string{"receivable", "days_overdue", "open_amount"}, []nouns.Filter{{Field: "days_overdue", Op: nouns.Lte, Value: sample1(30)}}, []row{
			{"receivable": "AR-000002", "days_overdue": int64(1), "open_amount": "150"}, {"receivable": "AR-000003", "days_overdue": int64(30), "open_amount": "10.1"}}},
		{"stock_on_hand", []string{"key", "quantity", "allocated", "available", "value"}, nil, []row{
			{"key": "P-1@W-1", "quantity": "95", "allocated": "10", "available": "85", "value": "950"}, {"key": "P-2@W-1", "quantity": "40", "allocated": "0", "available": "40", "value": "100"}}},
		{"stock_ledger", []string{"reason", "quantity", "balance"}, []nouns.Filter{{Field: "product", Op: nouns.Eq, Value: []byte(`"P-1"`)}}, []row{
			{"reason": "opening", "quantity": "100", "balance": "100"}, {"reason": "sale", "quantity": "-5", "balance": "95"}}},
		{"order_progress", []string{"key", "ordered", "delivered", "invoiced", "remaining", "percent", "late"}, nil, []row{
			{"key": "SO-000001/1", "ordered": "10", "delivered": "5", "invoiced": "3", "remaining": "5", "percent": "50", "late": "true"},
			{"key": "SO-000001/2", "ordered": "4", "delivered": "4", "invoiced": "0", "remaining": "0", "percent": "100", "late": "false"},
			{"key": "SO-000002/1", "ordered": "1", "delivered": "0", "invoiced": "0", "remaining": "1", "percent": "0", "late": "false"}}},
		{"sales_by_customer", []string{"key", "deliveries", "amount", "tax", "net"}, nil, []row{
			{"key": "2025/C-1/CNY", "deliveries": int64(1), "amount": "10", "tax": "0", "net": "10"}, {"key": "2026/C-1/CNY", "deliveries": int64(1), "amount": "50", "tax": "5.5", "net": "44.5"},
			{"key": "2026/C-2/EUR", "deliveries": int64(1), "amount": "9", "tax": "1", "net": "8"}}},
		{"sales_by_product", []string{"key", "quantity", "amount"}, []nouns.Filter{{Field: "year", Op: nouns.Eq, Value: sample1(2026)}}, []row{
			{"key": "2026/P-1/CNY", "quantity": "5", "amount": "50"}, {"key": "2026/P-1/EUR", "quantity": "36", "amount": "9"}}},
		{"sales_by_month", []string{"key", "amount", "customers"}, nil, []row{
			{"key": "2025-12/CNY", "amount": "10", "customers": int64(1)}, {"key": "2026-01/CNY", "amount": "50", "customers": int64(1)}, {"key": "2026-01/EUR", "amount": "9", "customers": int64(1)}}},
		{"slow_movers", []string{"key", "idle", "days_idle", "value"}, nil, []row{
			{"key": "P-1@W-1", "idle": "over_90", "days_idle": int64(120), "value": "950"}, {"key": "P-2@W-1", "idle": "never", "days_idle": nil, "value": "100"}}},
		{"production_progress", []string{"key", "ordered", "produced", "remaining", "percent", "late"}, nil, []row{
			{"key": "MO-000001/1", "ordered": "30", "produced": "10", "remaining": "20", "percent": "33.3", "late": "true"}}},
	} {
		page, err := d.Read(context.Background(), d.id, nouns.Query{Form: c.form, Fields: c.fields, Filters: c.filter})
		if err != nil {
			t.Errorf("%s: %v", c.form, err)
			continue
		}
		if diff := cmp.Diff(c.want, page.Rows); diff != "" || page.Total != len(c.want) {
			t.Errorf("%s (-want +got), total %d:\n%s", c.form, page.Total, diff)
		}
		f, err := d.Schema(context.Background(), d.id, c.form)
		if err != nil || f.Kind != nouns.KindReport || f.Help.En == "" || f.Help.Zh == "" {
			t.Errorf("%s: %v %+v", c.form, err, f.Help)
		}
		for _, x := range f.Fields {
			if !x.ReadOnly || x.Label.En == "" || x.Label.Zh == "" {
				t.Errorf("%s.%s is not a field of a report", c.form, x.Name)
			}
		}
		first, err := d.Read(context.Background(), d.id, nouns.Query{Form: c.form, Fields: []string{"key"}, Limit: 1})
		if err != nil || len(first.Rows) == 0 {
			t.Errorf("%s: %v", c.form, err)
			continue
		}
		if rec := d.record(t, c.form, first.Rows[0]["key"].(string)); len(rec) != len(f.Fields) {
			t.Errorf("%s as a record: %v", c.form, rec)
		}
	}
}

func sample1(n int) []byte { return fmt.Appendf(nil, "%d", n) }
