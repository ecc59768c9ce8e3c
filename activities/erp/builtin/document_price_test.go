package builtin_test

import (
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// firstLine previews an order of C-0001 and returns its first line.
func (d *office) firstLine(lines ...m) nouns.Line {
	d.t.Helper()
	p, _ := d.preview(changing("sales_order", "create", "", order(lines...)))
	return p.Lines[0]
}

func TestPricesComeFromTheListByCustomerAndQuantity(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.taxed()
	d.sql("DELETE FROM erp.customer_discount WHERE tenant_id = $1 AND customer = 'C-0001'")
	d.sql("INSERT INTO erp.product_unit (tenant_id, product, unit, unit_en, factor) VALUES ($1, 'P-T', '箱', 'case', 12)")
	since := "2020-01-01"
	price := func(code, customer, quantity, price, until string) {
		d.sql(`INSERT INTO erp.customer_price (tenant_id, code, customer, product, min_quantity, price, valid_from, valid_until)
			VALUES ($1, $2, nullif($3, ''), 'P-T', $4::text::numeric, $5::text::numeric, $7::text::date, nullif($6, '')::date)`, code, customer, quantity, price, until, since)
	}
	if l := d.firstLine(line("P-T", "1")); l.BasePrice != "3.3335" || l.Amount != "3.33" {
		t.Errorf("without a list: %+v", l)
	}
	price("L-1", "", "0", "3", "")
	price("L-2", "", "10", "2.9", "")
	price("L-3", "", "20", "0.01", "2020-12-31")
	for quantity, want := range map[string]string{"9": "3", "10": "2.9", "50": "2.9"} {
		if l := d.firstLine(line("P-T", quantity)); l.BasePrice != want {
			t.Errorf("general list for %s: %s, want %s", quantity, l.BasePrice, want)
		}
	}
	// A case is 12 boxes, so it reaches the tier, and costs 12 times the price.
	if l := d.firstLine(m{"product": "P-T", "quantity": "1", "unit": "case"}); l.BasePrice != "34.8" || l.Unit != "箱" || l.UnitPrice != "34.8" {
		t.Errorf("a case: %+v", l)
	}
	price("L-4", "C-0001", "5", "2.5", "")
	if l := d.firstLine(line("P-T", "50")); l.BasePrice != "2.5" {
		t.Errorf("the customer's own price: %+v", l)
	}
	if l := d.firstLine(line("P-T", "4")); l.BasePrice != "3" {
		t.Errorf("below the customer's own tier: %+v", l)
	}
	d.sql("INSERT INTO erp.customer_discount (tenant_id, customer, product, percent) VALUES ($1, 'C-0001', 'P-T', 10)")
	p, x := d.preview(changing("sales_order", "create", "", order(line("P-T", "5"))))
	if l := p.Lines[0]; l.UnitPrice != "2.25" || l.Amount != "11.25" {
		t.Errorf("with a discount: %+v", l)
	}
	// 11.25 × 7 ÷ 107
	tax := ""
	for _, f := range p.Diffs {
		if f.Field == "tax_total" {
			tax = f.After
		}
	}
	if tax != "0.74" {
		t.Errorf("tax %q", tax)
	}
	since = "2021-01-01"
	price("L-5", "C-0001", "5", "2.4", "")
	if got := d.execute(x); got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.QuoteChanged) || got.Refusal.Fact.Form != "customer_price" {
		t.Errorf("a newer price since the preview: %+v %+v", got, got.Refusal)
	}
	d.sql("UPDATE erp.customer SET tax_exempt = true WHERE tenant_id = $1 AND code = 'C-0001'")
	so := d.bill("sales_order", "create", "", order(line("P-T", "5")))
	if tax := d.column("sales_order", so, "tax_total"); tax != "0.00" {
		t.Errorf("an exempt customer pays %s tax", tax)
	}
}

func TestForeignCustomersAreChargedByTheRateOfTheDay(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.taxed()
	d.sql("INSERT INTO erp.currency (tenant_id, code, name, digits) VALUES ($1, 'XJP', '某元', 0) ON CONFLICT DO NOTHING")
	d.sql("INSERT INTO erp.customer (tenant_id, code, name, region, currency) VALUES ($1, 'C-X', '外商', 'east', 'XJP')")
	sale := m{"customer": "C-X", "order_date": "2026-06-15", "lines": []m{line("P-T", "7")}}
	if f := d.wrong("sales_order", "create", "", sale); f != "exchange_rate" {
		t.Errorf("without a rate: %s", f)
	}
	d.sql("INSERT INTO erp.exchange_rate (tenant_id, code, currency, valid_from, rate) VALUES ($1, 'R-1', 'XJP', '2026-06-01', 0.05), ($1, 'R-2', 'XJP', '2026-07-01', 0.06)")
	p, x := d.preview(changing("sales_order", "create", "", sale))
	// 3.3335 ÷ 0.05 = 66.67, × 7 = 466.69, in whole units.
	if l := p.Lines[0]; l.BasePrice != "66.67" || l.Amount != "467" || p.Currency != "XJP" {
		t.Errorf("%+v in %s", l, p.Currency)
	}
	so := d.execute(x).Bill
	if r := d.column("sales_order", so, "exchange_rate"); r != "0.05000000" {
		t.Errorf("rate %s", r)
	}
	_, x = d.preview(changing("sales_order", "create", "", sale))
	d.sql("INSERT INTO erp.exchange_rate (tenant_id, code, currency, valid_from, rate) VALUES ($1, 'R-3', 'XJP', '2026-06-10', 0.055)")
	if got := d.execute(x); got.Status != nouns.CommitRefused || got.Refusal.Old != "0.05" || got.Refusal.New != "0.055" {
		t.Errorf("another rate since the preview: %+v %+v", got, got.Refusal)
	}
	d.do("sales_order", "examine", so, m{})
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	d.do("delivery", "examine", dn, m{})
	d.do("receivable", "examine", d.bill("receivable", "generate", "", from("delivery", dn)), m{})
	d.consistent()
}

func TestUnitsAreResolvedAndMerged(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.taxed()
	d.sql("INSERT INTO erp.product_unit (tenant_id, product, unit, unit_en, factor) VALUES ($1, 'P-T', '箱', 'case', 12)")
	for what, c := range map[string]struct {
		line  m
		field string
	}{
		"no such unit":     {m{"product": "P-T", "quantity": "1", "unit": "桶"}, "lines[1].unit"},
		"part of a box":    {m{"product": "P-T", "quantity": "0.3", "unit": "箱"}, "lines[1].quantity"},
		"more than is":     {m{"product": "P-T", "quantity": "9", "unit": "箱"}, "lines[1].quantity"},
		"a unit of others": {m{"product": "P-0001", "quantity": "1", "unit": "case"}, "lines[1].unit"},
	} {
		if f := d.wrong("sales_order", "create", "", order(c.line)); f != c.field {
			t.Errorf("%s: %s, want %s", what, f, c.field)
		}
	}
	so, p := d.do("sales_order", "create", "", order(m{"product": "P-T", "quantity": "1", "unit": "case"}, line("P-T", "2"), m{"product": "P-T", "quantity": "0.5", "unit": "箱"}))
	if len(p.Lines) != 2 || p.Lines[0].Quantity != "1.5" || p.Lines[0].StockBefore != "100" || p.Lines[0].StockAfter != "80" {
		t.Errorf("%+v", p.Lines)
	}
	if s := d.stock("P-T", "WH-01"); s != "100/20" {
		t.Errorf("stock %s", s)
	}
	d.do("sales_order", "examine", so.Bill, m{})
	g := from("sales_order", so.Bill)
	g["lines"] = []m{{"source": so.Bill, "line_no": 1, "quantity": "0.5"}}
	dn := d.bill("delivery", "generate", "", g)
	d.do("delivery", "examine", dn, m{})
	if s := d.stock("P-T", "WH-01"); s != "94/14" {
		t.Errorf("stock %s", s)
	}
	d.do("delivery", "unexamine", dn, m{})
	if s := d.stock("P-T", "WH-01"); s != "100/20" {
		t.Errorf("stock %s", s)
	}
	d.consistent()
}

func TestDraftsAreChangedSubmittedWithdrawnAndDeleted(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.taxed()
	draft := order(line("P-T", "5"))
	draft["status"] = "draft"
	so := d.bill("sales_order", "create", "", draft)
	if s := d.stock("P-T", "WH-01"); d.status("sales_order", so) != "draft" || s != "100/0" {
		t.Fatalf("a draft is %s and holds %s", d.status("sales_order", so), s)
	}
	_, p := d.do("sales_order", "update", so, m{"remark": "加急", "lines": []m{line("P-T", "6"), line("P-0001", "1")}})
	if len(p.Lines) != 2 {
		t.Errorf("%+v", p.Lines)
	}
	d.do("sales_order", "update", so, m{"remark": ""})
	if total, sum := d.column("sales_order", so, "total"), d.text("SELECT sum(amount)::text FROM erp.sales_order_line WHERE tenant_id = $1 AND number = $2", so); total != sum {
		t.Errorf("total %s, lines %s", total, sum)
	}
	d.do("sales_order", "submit", so, m{})
	if s := d.stock("P-T", "WH-01"); s != "100/6" {
		t.Errorf("a submitted order holds %s", s)
	}
	if f := d.wrong("sales_order", "update", so, m{"remark": "x"}); f != "status" {
		t.Errorf("a change of what is submitted: %s", f)
	}
	d.do("sales_order", "withdraw", so, m{})
	if s := d.stock("P-T", "WH-01"); s != "100/0" {
		t.Errorf("a withdrawn order holds %s", s)
	}
	if f := d.wrong("sales_order", "delete", so, m{}); f != "status" {
		t.Errorf("what was submitted is deleted: %s", f)
	}
	d.do("sales_order", "cancel", so, m{})
	gone := d.bill("quotation", "create", "", draft)
	d.do("quotation", "delete", gone, m{})
	if n := d.text("SELECT count(*)::text FROM erp.quotation WHERE tenant_id = $1 AND number = $2", gone); n != "0" {
		t.Error("the draft is still there")
	}
	if next := d.bill("quotation", "create", "", draft); next <= gone {
		t.Errorf("%s was used again: %s", gone, next)
	}
	d.consistent()
}
