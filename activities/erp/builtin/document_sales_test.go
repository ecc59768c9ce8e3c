package builtin_test

import (
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

func TestTheSalesChainRunsFromQuotationToReceipt(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "1000")
	d.put("P-0002", "1000")
	before := [2]string{d.stock("P-0001", "WH-01"), d.stock("P-0002", "WH-01")}

	qt := d.bill("quotation", "create", "", order(line("P-0001", "10"), line("P-0002", "4")))
	if d.status("quotation", qt) != "submitted" || d.stock("P-0001", "WH-01") != before[0] {
		t.Fatalf("a quotation is %s and promises nothing", d.status("quotation", qt))
	}
	if f := d.wrong("sales_order", "generate", "", from("quotation", qt)); f != "sources" {
		t.Errorf("an order from a quotation that is not examined: %s", f)
	}
	d.do("quotation", "examine", qt, m{})
	so := d.bill("sales_order", "generate", "", from("quotation", qt))
	if d.column("sales_order", so, "total") != d.column("quotation", qt, "total") {
		t.Error("the order has another total than its quotation")
	}
	d.do("sales_order", "examine", so, m{})
	if d.status("quotation", qt) != "closed" {
		t.Errorf("the quotation that was drawn whole is %s", d.status("quotation", qt))
	}
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	_, p := d.do("delivery", "examine", dn, m{})
	if len(p.Lines) != 2 || p.Lines[0].StockBefore == p.Lines[0].StockAfter {
		t.Errorf("the card of a delivery shows %+v", p.Lines)
	}
	if d.status("sales_order", so) != "closed" {
		t.Errorf("the order that was delivered whole is %s", d.status("sales_order", so))
	}
	ar := d.bill("receivable", "generate", "", from("delivery", dn))
	d.do("receivable", "examine", ar, m{})
	rc := d.bill("receipt", "generate", "", from("receivable", ar))
	_, p = d.do("receipt", "examine", rc, m{})
	if d.status("receivable", ar) != "closed" || d.column("receivable", ar, "open_amount") != "0.00" {
		t.Errorf("the receivable that was paid is %s with %s open", d.status("receivable", ar), d.column("receivable", ar, "open_amount"))
	}
	balance := false
	for _, x := range p.Diffs {
		balance = balance || x.Field == "balance" && x.Before != "" && x.After != x.Before
	}
	if !balance {
		t.Errorf("the card of a receipt shows no balance: %+v", p.Diffs)
	}
	d.consistent()

	// And all the way back.
	for _, x := range [][2]string{{"receipt", rc}, {"receivable", ar}, {"delivery", dn}, {"sales_order", so}} {
		d.do(x[0], "unexamine", x[1], m{})
		d.do(x[0], "cancel", x[1], m{"reason": "改主意"})
	}
	if after := [2]string{d.stock("P-0001", "WH-01"), d.stock("P-0002", "WH-01")}; after != before {
		t.Errorf("stock is %v, was %v", after, before)
	}
	if s := d.status("quotation", qt); s != "examined" {
		t.Errorf("the quotation whose order was cancelled is %s", s)
	}
	d.consistent()
}

func TestAnOrderPromisesStockAndADeliveryMovesIt(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.sql("DELETE FROM erp.sales_order_line WHERE tenant_id = $1 AND product = 'P-0001' AND false")
	so, p := d.do("sales_order", "create", "", order(line("P-0001", "3")))
	if p.Lines[0].StockBefore == p.Lines[0].StockAfter || p.Lines[0].StockAfter == "" {
		t.Errorf("available does not go down: %+v", p.Lines[0])
	}
	fact := false
	for _, f := range p.Facts {
		fact = fact || f.Kind == nouns.FactStock && f.Field == "available" && f.Value == p.Lines[0].StockBefore
	}
	if !fact {
		t.Errorf("no fact says what is available: %+v", p.Facts)
	}
	d.consistent()
	d.do("sales_order", "cancel", so.Bill, m{})
	d.consistent()
}
