package builtin

import (
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

var (
	materialLabel = nouns.Label{Zh: "单位用量", En: "Quantity for one"}
	reasonLabels  = map[string]nouns.Label{
		"receipt": {Zh: "采购入库", En: "receipt"}, "sale": {Zh: "销售出库", En: "sale"}, "adjustment": {Zh: "库存调整", En: "adjustment"},
		"transfer": {Zh: "调拨", En: "transfer"}, "production": {Zh: "完工入库", En: "production"}, "consumption": {Zh: "生产领料", En: "consumption"},
	}
)

// preview tells what was written: the document, then what follows from it.
func (s *docStep) preview(j *job, numbers []string, after map[place]level) (nouns.Preview, error) {
	payload, err := s.rawPayload()
	if err != nil {
		return nouns.Preview{}, err
	}
	p := nouns.Preview{Object: s.object(j), Payload: payload, Notes: s.notes}
	shown := s.docs
	if s.own != nil && s.docs == nil {
		shown = []*document{s.own}
		p.Diffs = append(p.Diffs, s.moveDiffs(j)...)
	}
	total := decimal.Zero
	for i, d := range shown {
		total = total.Add(d.dec("total"))
		p.Currency = d.head["currency"]
		if s.docs != nil && (i == 0 || s.own != nil) {
			p.Diffs = append(p.Diffs, s.headDiffs(j, d, s.own)...)
		}
		p.Lines = append(p.Lines, s.previewLines(j, d, after)...)
	}
	if s.k.partner != "" {
		p.Total = total.String()
	}
	if s.own == nil {
		s.derivedHead(j, &p, numbers)
		p.Provisional = true
	}
	for _, c := range s.plan.sources {
		p.Diffs = append(p.Diffs, sourceDiffs(j, c, true)...)
	}
	p.Diffs = append(p.Diffs, s.stockDiffs(j, after)...)
	if !s.plan.balance.IsZero() {
		p.Diffs = append(p.Diffs, s.balanceDiff(j))
	}
	p.Notes = append(p.Notes, s.actionNotes(j)...)
	return p, nil
}

// object names the change: the partner of what is made, else the document.
func (s *docStep) object(j *job) string {
	switch {
	case s.own != nil && s.m.partner != nil:
		return s.own.number + " " + s.partnerName(j)
	case s.own != nil:
		return s.own.number
	case s.m.partner != nil:
		return s.partnerName(j)
	}
	return s.m.warehouseName(j.locale(), s.docs[0].head["warehouse"])
}

func (s *docStep) actionNotes(j *job) []nouns.Label {
	switch {
	case s.own == nil:
		note := nouns.Label{Zh: "单号在写入时确定，可能与这里显示的不同。", En: "The number is given out at writing and may differ from the one shown."}
		if s.k.promises && s.docs[0].status == "submitted" {
			note.Zh += "提交后为订单预留库存，审核出库单时才出库。"
			note.En += " The order has stock promised to it; goods leave when a delivery is examined."
		}
		return []nouns.Label{note}
	case j.change.Action == "cancel":
		return cancelNotes(s.k)
	case j.change.Action == "unexamine":
		return unexamineNotes(s.k)
	case j.change.Action == "close" && s.k.promises:
		return []nouns.Label{{Zh: "完结后不再交货，未交数量的预留会释放。", En: "Nothing more will be delivered: what was promised and not delivered is given free."}}
	case j.change.Action == "delete":
		return []nouns.Label{{Zh: "删除不能撤销，单号不会再次使用。", En: "Deleting cannot be undone, and the number is never used again."}}
	}
	return nil
}

// headDiffs are the values of a header: those that were keyed in, against the
// document as it was (nil for a new one).
func (s *docStep) headDiffs(j *job, d, was *document) []nouns.Diff {
	diffs := []nouns.Diff{}
	show := func(f field, v string) string {
		switch {
		case v == "":
			return ""
		case f.Name == s.k.partner:
			if s.m.partner != nil && s.m.partner.Code == v {
				return s.partnerName(j)
			}
		case f.Name == "warehouse" || f.Name == "to_warehouse":
			return s.m.warehouseName(j.locale(), v)
		}
		return f.show(v, j.locale())
	}
	for _, f := range j.form.fields {
		if derivedColumns[f.Name] || f.Type == nouns.Lines {
			continue
		}
		before, after := "", d.head[f.Name]
		if was != nil {
			before = was.head[f.Name]
		}
		if before == after {
			continue
		}
		diffs = append(diffs, nouns.Diff{Field: f.Name, Label: f.Label, Type: f.Type, Before: show(f, before), After: show(f, after)})
	}
	if was == nil {
		if d.status != "submitted" {
			diffs = append(diffs, s.statusDiff(j, "", d.status))
		}
		return diffs
	}
	for _, c := range []string{"total", "tax_total"} {
		if f, ok := j.form.find(c); ok && was.head[c] != d.head[c] {
			diffs = append(diffs, nouns.Diff{Field: c, Label: f.Label, Type: f.Type, Before: was.head[c], After: d.head[c], Derived: true})
		}
	}
	return append(diffs, lineDiffs(j, was, d)...)
}

// lineDiffs are the lines that differ between two versions of a document.
func lineDiffs(j *job, was, is *document) []nouns.Diff {
	var diffs []nouns.Diff
	f, _ := j.form.find("lines")
	text := func(l *docLine) string {
		if l == nil {
			return ""
		}
		return fmt.Sprintf("%s × %s %s @ %s", l.Product, l.Quantity, l.Unit, l.UnitPrice)
	}
	for no := 1; no <= max(len(was.lines), len(is.lines)); no++ {
		if a, b := text(was.line(no)), text(is.line(no)); a != b {
			diffs = append(diffs, nouns.Diff{Field: "lines", Label: f.Label, Object: fmt.Sprintf("#%d", no), Before: a, After: b})
		}
	}
	return diffs
}

func (s *docStep) statusDiff(j *job, before, after string) nouns.Diff {
	f, _ := j.form.find("status")
	return nouns.Diff{Field: "status", Label: f.Label, Type: f.Type, Before: f.show(before, j.locale()), After: f.show(after, j.locale())}
}

// moveDiffs are what a transition changes in the document itself.
func (s *docStep) moveDiffs(j *job) []nouns.Diff {
	diffs := []nouns.Diff{s.statusDiff(j, s.own.status, transitions[j.change.Action].to)}
	if reason, _ := s.payload["reason"].(string); reason != "" && j.change.Action == "cancel" {
		f, _ := j.form.find("cancel_reason")
		diffs = append(diffs, nouns.Diff{Field: "cancel_reason", Label: f.Label, Type: f.Type, After: reason})
	}
	return diffs
}

// derivedHead tells what new documents got: number, total, tax, currency.
func (s *docStep) derivedHead(j *job, p *nouns.Preview, numbers []string) {
	add := func(name, object, after string) {
		if f, ok := j.form.find(name); ok && after != "" {
			p.Diffs = append(p.Diffs, nouns.Diff{Field: name, Label: f.Label, Type: f.Type, Object: object, After: after, Derived: true})
		}
	}
	for i, d := range s.docs {
		object := ""
		if len(s.docs) > 1 {
			object = numbers[i]
		}
		add("number", object, numbers[i])
		add("total", object, d.head["total"])
		add("tax_total", object, d.head["tax_total"])
		if i == 0 {
			add("currency", "", d.head["currency"])
			if d.head["currency"] != s.m.home {
				add("exchange_rate", "", d.head["exchange_rate"])
			}
		}
		if s.k.pays {
			for _, l := range d.lines {
				f, _ := j.form.find("lines")
				p.Diffs = append(p.Diffs, nouns.Diff{Field: "lines", Label: f.Label, Type: nouns.Money, Object: *l.Source, After: l.Amount.String()})
			}
		}
	}
}

// previewLines are the lines of goods with the stock before and after.
func (s *docStep) previewLines(j *job, d *document, after map[place]level) []nouns.Line {
	if s.k.pays {
		return nil
	}
	var out []nouns.Line
	for _, l := range d.lines {
		x := nouns.Line{Product: l.Product, ProductName: l.ProductName, Unit: l.Unit, Quantity: l.Quantity.String(), Warehouse: d.head["warehouse"]}
		if p := s.m.products[l.Product]; p != nil {
			x.ProductName = nouns.Label{Zh: p.Name, En: p.NameEn}.In(j.locale())
			if u, ok := s.m.findUnit(p, l.Unit); ok {
				x.Unit = nouns.Label{Zh: u.Unit, En: u.UnitEn}.In(j.locale())
			}
		}
		if s.k.priced {
			x.BasePrice, x.Discount, x.UnitPrice, x.Amount = l.BasePrice.String(), l.Discount.String(), l.UnitPrice.String(), l.Amount.String()
		}
		at := place{l.Product, d.head["warehouse"]}
		if is, ok := after[at]; ok {
			was := s.m.stock[at]
			x.StockBefore, x.StockAfter = was.quantity.String(), is.quantity.String()
			if s.k.promises {
				x.StockBefore, x.StockAfter = was.available().String(), is.available().String()
			}
		}
		out = append(out, x)
	}
	return out
}

// stockDiffs are the levels that change, in lock order, and the ledger's new rows.
func (s *docStep) stockDiffs(j *job, after map[place]level) []nouns.Diff {
	var diffs []nouns.Diff
	loc := j.locale()
	places := slices.SortedFunc(maps.Keys(after), place.compare)
	several := false
	for _, at := range places {
		several = several || at.warehouse != places[0].warehouse
	}
	name := func(at place) string {
		if several {
			return s.m.productName(loc, at.product) + " · " + s.m.warehouseName(loc, at.warehouse)
		}
		return s.m.productName(loc, at.product)
	}
	for _, at := range places {
		was, is := s.m.stock[at], after[at]
		before, now, label := was.quantity, is.quantity, nouns.Label{Zh: "库存", En: "Stock"}
		if s.k.promises {
			before, now, label = was.available(), is.available(), nouns.Label{Zh: "可用库存", En: "Available stock"}
		}
		if !before.Equal(now) {
			diffs = append(diffs, nouns.Diff{Field: "stock", Label: label, Type: nouns.Decimal, Object: name(at), Before: before.String(), After: now.String(), Derived: true})
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.plan.allocate), place.compare) {
		if q := s.plan.allocate[at]; s.k.delivers {
			diffs = append(diffs, nouns.Diff{Field: "allocated", Label: nouns.Label{Zh: "订单预留", En: "Promised to orders"}, Type: nouns.Decimal, Object: name(at), After: signed(q), Derived: true})
		}
	}
	for _, x := range s.plan.moves {
		diffs = append(diffs, nouns.Diff{Field: "ledger", Label: nouns.Label{Zh: "库存流水", En: "Stock ledger"}, Type: nouns.Decimal,
			Object: name(place{x.Product, x.Warehouse}) + " · " + reasonLabels[x.Reason].In(loc), After: signed(x.Quantity), Derived: true})
	}
	return diffs
}

func signed(q decimal.Decimal) string {
	if q.IsPositive() {
		return "+" + q.String()
	}
	return q.String()
}

func (s *docStep) balanceDiff(j *job) nouns.Diff {
	label := nouns.Label{Zh: "应收余额", En: "Receivable balance"}
	if s.k.partner == "supplier" {
		label = nouns.Label{Zh: "应付余额", En: "Payable balance"}
	}
	return nouns.Diff{Field: "balance", Label: label, Type: nouns.Money, Object: s.partnerName(j), Before: s.m.balance.String(),
		After: s.m.balance.Add(s.plan.balance).String(), Derived: true}
}

// consequences are what the history of a source calls what was done to it by
// another document; they are no actions of its form.
var consequences = map[string]nouns.Label{
	"draw": {Zh: "被下推", En: "Drawn from"}, "give_back": {Zh: "下推退回", En: "Given back"}, "settle": {Zh: "核销", En: "Settled"},
	"unsettle": {Zh: "撤销核销", En: "Settlement taken back"}, "reopen": {Zh: "重新打开", En: "Opened again"}, "close": {Zh: "自动完结", En: "Closed"},
}

// sourceAction is what the history of a source calls the change.
func sourceAction(c sourceChange) string {
	switch {
	case c.settled.IsPositive():
		return "settle"
	case c.settled.IsNegative():
		return "unsettle"
	case len(c.drawn) == 0 && c.status == "closed":
		return "close"
	case len(c.drawn) == 0:
		return "reopen"
	}
	for _, x := range c.drawn {
		if x.quantity.IsPositive() {
			return "draw"
		}
	}
	return "give_back"
}

// sourceDiffs are what becomes of a document behind: what remains of its lines,
// what is open of it, its status.
func sourceDiffs(j *job, c sourceChange, object bool) []nouns.Diff {
	diffs := []nouns.Diff{}
	name := func(s string) string {
		if object {
			return s
		}
		return ""
	}
	for _, no := range slices.Sorted(maps.Keys(c.drawn)) {
		l := c.doc.line(no)
		diffs = append(diffs, nouns.Diff{Field: "remaining", Label: nouns.Label{Zh: "剩余数量", En: "Remaining quantity"}, Type: nouns.Decimal, Object: lineObject(c.doc, l),
			Before: l.remaining().String(), After: l.remaining().Sub(c.drawn[no].quantity).String(), Derived: true})
	}
	if !c.settled.IsZero() {
		diffs = append(diffs, nouns.Diff{Field: "open_amount", Label: nouns.Label{Zh: "未结金额", En: "Open amount"}, Type: nouns.Money, Object: name(c.doc.number),
			Before: c.doc.open().String(), After: c.doc.open().Sub(c.settled).String(), Derived: true})
	}
	if c.status != c.doc.status {
		f, _ := j.form.find("status") // all documents have the same statuses
		diffs = append(diffs, nouns.Diff{Field: "status", Label: f.Label, Type: f.Type, Object: name(c.doc.number),
			Before: f.show(c.doc.status, j.locale()), After: f.show(c.status, j.locale()), Derived: true})
	}
	return diffs
}
