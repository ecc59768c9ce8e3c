package builtin_test

import (
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// supplied makes a supplier who asks 12.5 for a box of P-0001 and nothing known
// for P-0002.
func (d *office) supplied() {
	d.t.Helper()
	d.sql("INSERT INTO erp.supplier (tenant_id, code, name, name_en, currency, payment_days) VALUES ($1, 'S-T', '茶厂', 'Tea works', 'CNY', 45)")
	d.sql("INSERT INTO erp.supplier_price (tenant_id, supplier, product, price) VALUES ($1, 'S-T', 'P-0001', 12.5)")
	d.sql("INSERT INTO erp.product_unit (tenant_id, product, unit, unit_en, factor) VALUES ($1, 'P-0001', '茶架', 'rack', 12)")
}

func TestThePurchaseChainRaisesStockAndIsPaid(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.supplied()
	d.put("P-0001", "100")
	before := d.stock("P-0001", "WH-01")
	buy := m{"supplier": "S-T", "lines": []m{line("P-0001", "5"), {"product": "P-0001", "quantity": "2", "unit": "rack"}, {"product": "P-0002", "quantity": "3", "unit_price": "7.25"}}}
	if f := d.wrong("purchase_order", "create", "", m{"supplier": "S-T", "lines": []m{line("P-0002", "3")}}); f != "lines[1].unit_price" {
		t.Errorf("a price that nobody knows: %s", f)
	}
	po := d.bill("purchase_order", "create", "", buy)
	// 5 × 12.5 + 2 × 12 × 12.5 + 3 × 7.25
	if total := d.column("purchase_order", po, "total"); total != "384.25" {
		t.Errorf("total %s", total)
	}
	d.do("purchase_order", "examine", po, m{})
	gr := d.bill("goods_receipt", "generate", "", from("purchase_order", po))
	_, p := d.do("goods_receipt", "examine", gr, m{})
	var ledger int
	for _, x := range p.Diffs {
		if x.Field == "ledger" {
			ledger++
		}
	}
	if ledger != 2 || p.Lines[0].StockBefore == p.Lines[0].StockAfter {
		t.Errorf("the card shows %+v", p.Diffs)
	}
	if q := d.text("SELECT trim_scale(sum(quantity))::text FROM erp.stock_ledger WHERE tenant_id = $1 AND document = $2 AND product = 'P-0001' AND form = 'goods_receipt' AND reason = 'receipt'", gr); q != "29" {
		t.Errorf("%s boxes came in", q)
	}
	ap := d.bill("payable", "generate", "", from("goods_receipt", gr))
	if days := d.text("SELECT (due_date - invoice_date)::text FROM erp.payable WHERE tenant_id = $1 AND number = $2", ap); days != "45" {
		t.Errorf("due in %s days", days)
	}
	d.do("payable", "examine", ap, m{})
	part := from("payable", ap)
	part["lines"] = []m{{"source": ap, "amount": "84.25"}}
	py := d.bill("payment", "generate", "", part)
	d.do("payment", "examine", py, m{})
	if open, status := d.column("payable", ap, "open_amount"), d.status("payable", ap); open != "300.00" || status != "examined" {
		t.Errorf("%s open, %s", open, status)
	}
	rest := d.bill("payment", "create", "", m{"supplier": "S-T", "method": "cash", "lines": []m{{"source": ap}}})
	d.do("payment", "examine", rest, m{})
	if status := d.status("payable", ap); status != "closed" {
		t.Errorf("the payable that was paid is %s", status)
	}
	d.consistent()
	d.do("payment", "unexamine", rest, m{})
	d.do("payment", "unexamine", py, m{})
	if open, status := d.column("payable", ap, "open_amount"), d.status("payable", ap); open != "384.25" || status != "examined" {
		t.Errorf("%s open, %s", open, status)
	}
	if f := d.wrong("payable", "unexamine", ap, m{}); f != "status" {
		t.Errorf("a payable with payments: %s", f)
	}
	d.do("payment", "cancel", rest, m{})
	d.do("payment", "cancel", py, m{})
	d.do("payable", "unexamine", ap, m{})
	d.do("payable", "cancel", ap, m{})
	d.do("goods_receipt", "unexamine", gr, m{})
	if s := d.stock("P-0001", "WH-01"); s != before {
		t.Errorf("stock %s, was %s", s, before)
	}
	d.consistent()
}

func TestPaymentsNeverExceedWhatIsOpen(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "5")))
	d.do("sales_order", "examine", so, m{})
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	d.do("delivery", "examine", dn, m{})
	ar := d.bill("receivable", "generate", "", from("delivery", dn))
	if f := d.wrong("receipt", "generate", "", from("receivable", ar)); f != "sources" {
		t.Errorf("a receivable that is not examined: %s", f)
	}
	d.do("receivable", "examine", ar, m{})
	if f := d.wrong("receipt", "create", "", m{"customer": "C-0001", "lines": []m{{"source": ar, "amount": "99999999"}}}); f != "lines[1].amount" {
		t.Errorf("too much: %s", f)
	}
	if f := d.wrong("receipt", "create", "", m{"customer": "C-0002", "lines": []m{{"source": ar}}}); f != "lines" {
		t.Errorf("somebody else's: %s", f)
	}
	// Two receipts of all may be written; only one of them can be examined.
	a := d.bill("receipt", "generate", "", from("receivable", ar))
	b := d.bill("receipt", "generate", "", from("receivable", ar))
	d.do("receipt", "examine", a, m{})
	if f := d.wrong("receipt", "examine", b, m{}); f != "lines[1].source" {
		t.Errorf("paid twice: %s", f)
	}
	d.consistent()
}

func TestAdjustmentsAndTransfersMoveGoodsAtOnce(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "10")))
	before, far := d.stock("P-0001", "WH-01"), d.stock("P-0001", "WH-02")
	sa, p := d.do("stock_adjustment", "create", "", m{"reason": "damage", "lines": []m{line("P-0001", "-3"), line("P-0002", "2")}})
	if d.status("stock_adjustment", sa.Bill) != "examined" || p.Lines[0].StockBefore == "" || p.Lines[0].StockBefore == p.Lines[0].StockAfter {
		t.Errorf("%s, lines %+v", d.status("stock_adjustment", sa.Bill), p.Lines)
	}
	if q := d.text("SELECT trim_scale(quantity)::text FROM erp.stock_ledger WHERE tenant_id = $1 AND document = $2 AND product = 'P-0001'", sa.Bill); q != "-3" {
		t.Errorf("the ledger says %s", q)
	}
	// What is promised cannot be taken.
	if f := d.wrong("stock_adjustment", "create", "", m{"reason": "count", "lines": []m{line("P-0001", "-"+d.text("SELECT trim_scale(quantity)::text FROM erp.stock WHERE tenant_id = $1 AND key = 'P-0001@WH-01'"))}}); f != "lines[1].quantity" {
		t.Errorf("promised goods: %s", f)
	}
	st := d.bill("stock_transfer", "create", "", m{"warehouse": "WH-01", "to_warehouse": "WH-02", "lines": []m{line("P-0001", "4")}})
	if n := d.text("SELECT string_agg(warehouse || trim_scale(quantity), ' ' ORDER BY warehouse) FROM erp.stock_ledger WHERE tenant_id = $1 AND document = $2", st); n != "WH-01-4 WH-024" {
		t.Errorf("the ledger says %s", n)
	}
	if f := d.wrong("stock_transfer", "create", "", m{"warehouse": "WH-01", "to_warehouse": "WH-01", "lines": []m{line("P-0001", "4")}}); f != "to_warehouse" {
		t.Errorf("to itself: %s", f)
	}
	d.consistent()
	d.do("stock_transfer", "unexamine", st, m{})
	d.do("stock_adjustment", "unexamine", sa.Bill, m{})
	if a, b := d.stock("P-0001", "WH-01"), d.stock("P-0001", "WH-02"); a != before || b != far && (far != "none" || b != "0/0") {
		t.Errorf("stock %s and %s, was %s and %s", a, b, before, far)
	}
	if n := d.text("SELECT count(*)::text FROM erp.stock_ledger WHERE tenant_id = $1 AND document = $2 AND reversal", st); n != "2" {
		t.Errorf("%s rows of the ledger are reversals", n)
	}
	d.do("stock_adjustment", "examine", sa.Bill, m{})
	d.do("sales_order", "cancel", so, m{})
	d.consistent()
}

func TestProductionTakesMaterialsByTheBillOfMaterial(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	d.put("P-0002", "100")
	d.sql("INSERT INTO erp.product (tenant_id, code, name, category, unit, status, base_price, currency, made) VALUES ($1, 'P-M', '礼盒', 'gift', '盒', 'on_sale', 99, 'CNY', true)")
	d.sql("INSERT INTO erp.bill_of_material (tenant_id, product, material, quantity) VALUES ($1, 'P-M', 'P-0001', 2), ($1, 'P-M', 'P-0002', 0.3333335)")
	if f := d.wrong("production_order", "create", "", m{"lines": []m{line("P-0001", "4")}}); f != "lines[1].product" {
		t.Errorf("what is not made here: %s", f)
	}
	mo := d.bill("production_order", "create", "", m{"lines": []m{line("P-M", "5")}})
	d.do("production_order", "examine", mo, m{})
	g := from("production_order", mo)
	g["lines"] = []m{{"source": mo, "line_no": 1, "quantity": "3"}}
	before := [2]string{d.stock("P-0001", "WH-01"), d.stock("P-0002", "WH-01")}
	mr := d.bill("production_report", "generate", "", g)
	_, p := d.do("production_report", "examine", mr, m{})
	if got := d.text("SELECT string_agg(product || ' ' || trim_scale(quantity) || ' ' || reason, ', ' ORDER BY product) FROM erp.stock_ledger WHERE tenant_id = $1 AND document = $2", mr); got !=
		"P-0001 -6 consumption, P-0002 -1 consumption, P-M 3 production" {
		t.Errorf("the ledger says %s", got)
	}
	if len(p.Lines) != 1 || p.Lines[0].StockAfter != "3" {
		t.Errorf("%+v", p.Lines)
	}
	// Another bill of material does not change what is taken back.
	d.sql("UPDATE erp.bill_of_material SET quantity = 7 WHERE tenant_id = $1 AND product = 'P-M' AND material = 'P-0001'")
	d.do("production_report", "unexamine", mr, m{})
	if after := [2]string{d.stock("P-0001", "WH-01"), d.stock("P-0002", "WH-01")}; after != before {
		t.Errorf("stock %v, was %v", after, before)
	}
	d.do("production_report", "cancel", mr, m{})
	_, x := d.preview(changing("production_report", "generate", "", g))
	mr = d.execute(x).Bill
	_, x = d.preview(changing("production_report", "examine", mr, m{}))
	d.sql("UPDATE erp.bill_of_material SET quantity = 8 WHERE tenant_id = $1 AND product = 'P-M' AND material = 'P-0001'")
	if got := d.execute(x); got.Status != nouns.CommitRefused || got.Refusal.Fact == nil || got.Refusal.Fact.Form != "bill_of_material" {
		t.Errorf("another bill of material since the preview: %+v %+v", got, got.Refusal)
	}
	d.consistent()
}
