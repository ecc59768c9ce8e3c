package builtin_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// taxed makes a taxed product with an ugly price, so that parts must be rounded.
func (d *office) taxed() {
	d.t.Helper()
	d.sql("INSERT INTO erp.tax (tenant_id, code, name, rate) VALUES ($1, 'T-7', '税', 7) ON CONFLICT DO NOTHING")
	d.sql(`INSERT INTO erp.product (tenant_id, code, name, category, unit, status, base_price, currency, tax)
		VALUES ($1, 'P-T', '零头茶', 'tea', '盒', 'on_sale', 3.3335, 'CNY', 'T-7')`)
	d.put("P-T", "100")
}

func TestPartsAddUpToTheWhole(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.taxed()
	so := d.bill("sales_order", "create", "", order(line("P-T", "7")))
	d.do("sales_order", "examine", so, m{})
	var parts []string
	for _, q := range []string{"1", "2", "3", ""} {
		pick := m{"source": so, "line_no": 1}
		if q != "" {
			pick["quantity"] = q
		}
		g := from("sales_order", so)
		g["lines"] = []any{pick}
		dn := d.bill("delivery", "generate", "", g)
		d.do("delivery", "examine", dn, m{})
		parts = append(parts, dn)
		d.consistent()
		if s := d.status("sales_order", so); (s == "closed") != (q == "") {
			t.Errorf("after %v deliveries the order is %s", len(parts), s)
		}
	}
	for _, c := range []string{"amount", "tax_amount", "quantity"} {
		whole := d.text("SELECT sum("+c+")::text FROM erp.sales_order_line WHERE tenant_id = $1 AND number = $2", so)
		if sum := d.text("SELECT sum("+c+")::text FROM erp.delivery_line WHERE tenant_id = $1 AND source = $2", so); sum != whole {
			t.Errorf("the %s of the parts is %s, of the whole %s", c, sum, whole)
		}
	}
	// One invoice of all deliveries.
	ar := d.bill("receivable", "generate", "", from("delivery", parts...))
	if got, want := d.column("receivable", ar, "total"), d.column("sales_order", so, "total"); got != want {
		t.Errorf("the invoice says %s, the order %s", got, want)
	}
	if n := d.text("SELECT count(*)::text FROM erp.receivable_line WHERE tenant_id = $1 AND number = $2", ar); n != "4" {
		t.Errorf("%s lines", n)
	}
	// What was taken back is drawn again, and still adds up.
	d.do("receivable", "cancel", ar, m{})
	d.do("delivery", "unexamine", parts[1], m{})
	if s := d.status("sales_order", so); s != "examined" {
		t.Errorf("the order is %s though a part is not delivered", s)
	}
	d.consistent()
	d.do("delivery", "cancel", parts[1], m{})
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	d.do("delivery", "examine", dn, m{})
	if sum, whole := d.text("SELECT sum(l.amount)::text FROM erp.delivery_line l JOIN erp.delivery d USING (tenant_id, number) WHERE tenant_id = $1 AND source = $2 AND d.status <> 'cancelled'", so),
		d.column("sales_order", so, "total"); sum != whole {
		t.Errorf("after a cancelled part the sum is %s, the whole %s", sum, whole)
	}
	d.consistent()
}

func TestSeveralSourcesBecomeOneDocumentOrOneEach(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	var orders []string
	for range 4 {
		so := d.bill("sales_order", "create", "", order(line("P-0001", "2")))
		d.do("sales_order", "examine", so, m{})
		orders = append(orders, so)
	}
	merged := d.bill("delivery", "generate", "", from("sales_order", orders[0], orders[1]))
	if n := d.text("SELECT count(*)::text FROM erp.delivery_line WHERE tenant_id = $1 AND number = $2", merged); n != "2" {
		t.Errorf("%s lines", n)
	}
	g := from("sales_order", orders[2], orders[3])
	g["mode"] = "split"
	got, p := d.do("delivery", "generate", "", g)
	if len(got.Bills) != 2 || got.Bill != got.Bills[0] || got.Bills[0] == got.Bills[1] {
		t.Errorf("bills %v, first %s", got.Bills, got.Bill)
	}
	if len(p.Lines) != 2 {
		t.Errorf("%+v", p)
	}
	d.do("delivery", "examine", merged, m{})
	for _, so := range orders[:2] {
		if s := d.status("sales_order", so); s != "closed" {
			t.Errorf("%s is %s", so, s)
		}
	}
	d.consistent()

	other := order(line("P-0001", "2"))
	other["customer"] = d.text("SELECT max(code) FROM erp.customer WHERE tenant_id = $1 AND active")
	x := d.bill("sales_order", "create", "", other)
	d.do("sales_order", "examine", x, m{})
	y := d.bill("sales_order", "create", "", order(line("P-0001", "2")))
	d.do("sales_order", "examine", y, m{})
	if f := d.wrong("delivery", "generate", "", from("sales_order", x, y)); !strings.HasPrefix(f, "sources") {
		t.Errorf("orders of two customers: %s", f)
	}
}

func TestDrawingRefusesWhatIsNotThere(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "5")))
	pick := func(kv ...any) m {
		g := from("sales_order", so)
		x := m{"source": so, "line_no": 1}
		for i := 0; i < len(kv); i += 2 {
			x[kv[i].(string)] = kv[i+1]
		}
		g["lines"] = []any{x}
		return g
	}
	if f := d.wrong("delivery", "generate", "", from("sales_order", so)); f != "sources" {
		t.Errorf("not examined: %s", f)
	}
	d.do("sales_order", "examine", so, m{})
	for what, c := range map[string]struct {
		payload any
		field   string
	}{
		"too much":         {pick("quantity", "6"), "lines[1].quantity"},
		"nothing":          {pick("quantity", "0"), "lines[1].quantity"},
		"negative":         {pick("quantity", "-1"), "lines[1].quantity"},
		"no number":        {pick("quantity", "x"), "lines[1].quantity"},
		"no such line":     {pick("line_no", 9), "lines[1].line_no"},
		"another source":   {pick("source", "SO-1"), "lines[1].source"},
		"unknown source":   {from("sales_order", "SO-999999"), "sources"},
		"no source":        {m{"source_form": "sales_order"}, "sources"},
		"wrong form":       {from("quotation", so), "source_form"},
		"mode":             {m{"sources": []string{so}, "mode": "x"}, "mode"},
		"unknown value":    {m{"sources": []string{so}, "bUpdate": "1"}, "bUpdate"},
		"fixed value":      {m{"sources": []string{so}, "customer": "C-0002"}, "customer"},
		"a date of dreams": {m{"sources": []string{so}, "delivery_date": "2026-02-30"}, "delivery_date"},
	} {
		if got := d.wrong("delivery", "generate", "", c.payload); got != c.field {
			t.Errorf("%s: wrong is %q, want %q", what, got, c.field)
		}
	}
	dn := d.bill("delivery", "generate", "", pick("quantity", "2"))
	if f := d.wrong("delivery", "generate", "", pick("quantity", "4")); f != "lines[1].quantity" {
		t.Errorf("more than remains: %s", f)
	}
	for _, action := range []string{"unexamine", "cancel", "close"} {
		if f := d.wrong("sales_order", action, so, m{}); f != "status" {
			t.Errorf("%s of an order that was drawn: %s", action, f)
		}
	}
	if f := d.wrong("delivery", "create", "", m{}); f != "action" {
		t.Errorf("a delivery without an order: %s", f)
	}
	d.do("delivery", "examine", dn, m{})
	if f := d.wrong("sales_order", "cancel", so, m{}); f != "status" {
		t.Errorf("cancel after delivery: %s", f)
	}
	// Closing gives what is not delivered free.
	d.do("sales_order", "close", so, m{})
	d.consistent()
	// Taking the delivery back opens the order again, with all of its promises.
	d.do("delivery", "unexamine", dn, m{})
	if s := d.status("sales_order", so); s != "examined" {
		t.Errorf("the order is %s", s)
	}
	d.consistent()
}

func TestWhoExaminesSecondIsTold(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "5")))
	_, a := d.preview(changing("sales_order", "examine", so, m{}))
	_, b := d.preview(changing("sales_order", "examine", so, m{}))
	if got := d.execute(a); got.Status != nouns.CommitExecuted {
		t.Fatalf("%+v", got)
	}
	got := d.execute(b)
	if got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.StateChanged) || got.Refusal.Old != "submitted" || got.Refusal.New != "examined" {
		t.Errorf("%+v %+v", got, got.Refusal)
	}
	if f := d.wrong("sales_order", "examine", so, m{}); f != "status" {
		t.Errorf("examine twice: %s", f)
	}
}

func TestDeliveriesAtOnceNeverDrawMoreThanThereIs(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "10")))
	d.do("sales_order", "examine", so, m{})
	g := from("sales_order", so)
	g["lines"] = []any{m{"source": so, "line_no": 1, "quantity": "4"}}
	var xs []nouns.Execution
	for range 16 {
		_, x := d.preview(changing("delivery", "generate", "", g))
		xs = append(xs, x)
	}
	commits, errs := make([]nouns.Commit, len(xs)), make([]error, len(xs))
	var wg sync.WaitGroup
	for i, x := range xs {
		wg.Go(func() { commits[i], errs[i] = d.c.Execute(context.Background(), d.id, x) })
	}
	wg.Wait()
	made := 0
	for i, c := range commits {
		switch {
		case errs[i] != nil:
			t.Fatal(errs[i])
		case c.Status == nouns.CommitExecuted:
			made++
		case c.Refusal.Code != string(fault.StateChanged):
			t.Errorf("%+v", c.Refusal)
		}
	}
	if made != 1 {
		t.Errorf("%d deliveries were made of one preview of the order", made)
	}
	if q := d.text("SELECT trim_scale(drawn)::text FROM erp.sales_order_line WHERE tenant_id = $1 AND number = $2", so); q != "4" {
		t.Errorf("%s drawn", q)
	}
}

func TestHistoryTellsOfEveryDocumentThatChanged(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "5")))
	d.do("sales_order", "examine", so, m{})
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	d.do("delivery", "examine", dn, m{})
	d.do("delivery", "unexamine", dn, m{})
	d.do("delivery", "cancel", dn, m{"reason": "错单"})
	actions := func(form, number string) string {
		return d.text("SELECT string_agg(action || version || coalesce(nullif(':' || comment, ':'), ''), ' ' ORDER BY history_id) FROM erp.record_history WHERE tenant_id = $1 AND form = $2 AND key = $3", form, number)
	}
	if got, want := actions("sales_order", so), "create1 examine2 draw3:"+dn+" close4:"+dn+" reopen5:"+dn+" give_back6:"+dn; got != want {
		t.Errorf("the order: %s\nwant: %s", got, want)
	}
	if got, want := actions("delivery", dn), "generate1 examine2 unexamine3 cancel4:错单"; got != want {
		t.Errorf("the delivery: %s\nwant: %s", got, want)
	}
	if v := d.column("sales_order", so, "version"); v != "6" {
		t.Errorf("the order's version is %s", v)
	}
	who := d.text("SELECT string_agg(DISTINCT actor || ' ' || channel || ' ' || (op_id <> ''), ',') FROM erp.record_history WHERE tenant_id = $1 AND key = $2", so)
	if who != "wang web true" {
		t.Errorf("written by %s", who)
	}
	var diffs []nouns.Diff
	raw := d.text("SELECT diffs::text FROM erp.record_history WHERE tenant_id = $1 AND key = $2 AND action = 'examine'", so)
	if err := json.Unmarshal([]byte(raw), &diffs); err != nil || len(diffs) != 1 || diffs[0].Field != "status" || diffs[0].Before == diffs[0].After {
		t.Errorf("%s %v", raw, err)
	}
}
