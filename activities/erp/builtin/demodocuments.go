package builtin

import (
	"github.com/erpilot/erpilot/schema/demo"
)

// demoForm says which columns of a kind of document are filled from what. Forms
// are loaded in the order in which they draw from each other.
type demoForm struct {
	form string
	// date and due name the columns of both; due "" has none.
	date, due string
	// partner is the column of it, "" without money.
	partner            string
	priced, warehouse  bool
	settled, settles   bool
	headers, lineTable *copyRows
}

func demoForms() []*demoForm {
	forms := []*demoForm{
		{form: "quotation", date: "quotation_date", due: "valid_until", partner: "customer", priced: true},
		{form: "sales_order", date: "order_date", due: "delivery_date", partner: "customer", priced: true, warehouse: true},
		{form: "delivery", date: "delivery_date", partner: "customer", priced: true, warehouse: true},
		{form: "receivable", date: "invoice_date", due: "due_date", partner: "customer", priced: true, settled: true},
		{form: "receipt", date: "receipt_date", partner: "customer", settles: true},
		{form: "purchase_order", date: "order_date", due: "expected_date", partner: "supplier", priced: true, warehouse: true},
		{form: "goods_receipt", date: "receipt_date", partner: "supplier", priced: true, warehouse: true},
		{form: "payable", date: "invoice_date", due: "due_date", partner: "supplier", priced: true, settled: true},
		{form: "payment", date: "payment_date", partner: "supplier", settles: true},
		{form: "stock_adjustment", date: "adjustment_date", warehouse: true},
		{form: "stock_transfer", date: "transfer_date", warehouse: true},
		{form: "production_order", date: "start_date", due: "due_date", warehouse: true},
		{form: "production_report", date: "report_date", warehouse: true},
	}
	for _, f := range forms {
		columns := "tenant_id, number, status, cancel_reason, created_by, created_at, examined_by, examined_at, closed_at, cancelled_at, " + f.date
		add := func(when bool, more string) {
			if when {
				columns += ", " + more
			}
		}
		add(f.due != "", f.due)
		add(f.warehouse, "warehouse")
		add(f.partner != "", f.partner+", currency, exchange_rate, total")
		add(f.priced, "tax_total")
		add(f.settled, "settled")
		add(f.settles, "method, reference")
		add(f.form == "stock_adjustment", "reason")
		add(f.form == "stock_transfer", "to_warehouse")
		f.headers = rowsOf(f.form, columns)
		columns = "tenant_id, number, line_no"
		add(f.settles, "source, amount")
		add(!f.settles, "product, product_name, unit, factor, quantity, drawn, source, source_line")
		add(f.priced, "base_price, discount, unit_price, amount, tax_rate, tax_amount, drawn_amount, drawn_tax")
		f.lineTable = rowsOf(f.form+"_line", columns)
	}
	return forms
}

// add appends a document.
func (f *demoForm) add(tenant string, d *demo.Document) {
	h := f.headers.text(tenant, d.Number, d.Status, d.CancelReason, d.CreatedBy).moment(d.CreatedAt).maybe(d.ExaminedBy).moment(d.ExaminedAt).
		moment(d.ClosedAt).moment(d.CancelledAt).day(d.Date)
	if f.due != "" {
		h.day(d.Due)
	}
	if f.warehouse {
		h.text(d.Warehouse)
	}
	if f.partner != "" {
		h.text(d.Partner, d.Currency).fixed(d.Rate, 8).fixed(d.Total, 2)
	}
	if f.priced {
		h.fixed(d.Tax, 2)
	}
	if f.settled {
		h.fixed(d.Settled, 2)
	}
	if f.settles {
		h.text(d.Method, d.Reference)
	}
	switch f.form {
	case "stock_adjustment":
		h.text(d.Reason)
	case "stock_transfer":
		h.text(d.To)
	}
	h.end()
	for i := range d.Lines {
		f.line(tenant, d.Number, i+1, &d.Lines[i])
	}
}

func (f *demoForm) line(tenant, number string, no int, x *demo.Line) {
	l := f.lineTable.text(tenant, number).integer(no)
	if f.settles {
		l.text(x.Source).fixed(x.Amount, 2).end()
		return
	}
	l.text(x.Product, x.ProductName, x.Unit).fixed(x.Factor, 0).fixed(x.Quantity, 3).fixed(x.Drawn, 3).maybe(x.Source)
	if x.Source == "" {
		l.null()
	} else {
		l.integer(x.SourceLine)
	}
	if f.priced {
		l.fixed(x.Base, 4).fixed(x.Discount, 0).fixed(x.UnitPrice, 4).fixed(x.Amount, 2).fixed(x.TaxRate, 2).fixed(x.Tax, 2).
			fixed(x.DrawnAmount, 2).fixed(x.DrawnTax, 2)
	}
	l.end()
}

// year writes what a tenant did, batch by batch.
func (l demoLoader) year() (documents int, err error) {
	forms := demoForms()
	ledger := rowsOf("stock_ledger", "tenant_id, product, warehouse, quantity, reason, form, document, balance, at")
	stock := rowsOf("stock", "tenant_id, product, warehouse, quantity, allocated")
	counters := rowsOf("counters", "tenant_id, counter, last")
	if l.first {
		for _, f := range forms {
			f.headers.learn, f.lineTable.learn = true, true
		}
	}
	for b := range l.t.Year() {
		for _, f := range forms {
			for _, d := range b.Documents[f.form] {
				f.add(l.tenant, d)
			}
			if err := l.write(f.headers, f.lineTable); err != nil {
				return documents, err
			}
		}
		for _, m := range b.Ledger {
			ledger.text(l.tenant, m.Product, m.Warehouse).fixed(m.Quantity, 3).text(m.Reason, m.Form, m.Document).fixed(m.Balance, 3).moment(m.At).end()
		}
		for _, s := range b.Stock {
			stock.text(l.tenant, s.Product, s.Warehouse).fixed(s.Quantity, 3).fixed(s.Allocated, 3).end()
		}
		for _, f := range demo.Documents {
			if n, ok := b.Counters[f]; ok {
				counters.text(l.tenant, f).fixed(n, 0).end()
			}
		}
		if err := l.write(ledger, stock, counters); err != nil {
			return documents, err
		}
		documents += b.Size()
		l.say(DemoProgress{Tenant: l.tenant, Documents: documents, Day: b.Day})
	}
	return documents, nil
}
