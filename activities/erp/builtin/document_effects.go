package builtin

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"
)

// plan is what a change does besides writing its own document.
type plan struct {
	// allocate changes what is promised; moves are rows of the ledger, reversal says
	// that they take earlier ones back.
	allocate map[place]decimal.Decimal
	moves    []move
	reversal bool
	// sources are the documents behind that change with it.
	sources []sourceChange
	// balance is added to what the partner owes, or is owed.
	balance decimal.Decimal
}

// move is a row of the stock ledger; negative takes away.
type move struct {
	Product   string          `json:"product"`
	Warehouse string          `json:"warehouse"`
	Quantity  decimal.Decimal `json:"quantity"`
	Reason    string          `json:"reason"`
}

// sourceChange is what becomes of a document from which was drawn.
type sourceChange struct {
	doc *document
	// drawn is added to its lines, by line number; settled to what was paid of it.
	drawn   map[int]draw
	settled decimal.Decimal
	// status is the one that it gets; the old one when it stays.
	status string
}

// lineMoves moves each line's goods: sign −1 takes them away.
func lineMoves(sign int64, reason string) func(*document, *masters) []move {
	return func(d *document, _ *masters) []move {
		var out []move
		for _, l := range d.lines {
			out = append(out, move{l.Product, d.head["warehouse"], l.base().Mul(decimal.NewFromInt(sign)), reason})
		}
		return out
	}
}

// transferMoves takes goods out of one warehouse and puts them into another.
func transferMoves(d *document, _ *masters) []move {
	var out []move
	for _, l := range d.lines {
		out = append(out, move{l.Product, d.head["warehouse"], l.base().Neg(), "transfer"}, move{l.Product, d.head["to_warehouse"], l.base(), "transfer"})
	}
	return out
}

// netted adds up moves of one place and reason and puts them in lock order.
func netted(all []move) []move {
	type key struct {
		place
		reason string
	}
	sum := map[key]decimal.Decimal{}
	for _, x := range all {
		k := key{place{x.Product, x.Warehouse}, x.Reason}
		sum[k] = sum[k].Add(x.Quantity)
	}
	var out []move
	for k, q := range sum {
		if !q.IsZero() {
			out = append(out, move{k.product, k.warehouse, q, k.reason})
		}
	}
	slices.SortFunc(out, func(a, b move) int {
		return cmp.Or(place{a.Product, a.Warehouse}.compare(place{b.Product, b.Warehouse}), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// promised is what an order in the status holds allocated.
func promised(d *document, status string, delivered map[int]decimal.Decimal) map[place]decimal.Decimal {
	out := map[place]decimal.Decimal{}
	if !d.kind.promises || (status != "submitted" && status != "examined") {
		return out
	}
	for _, l := range d.lines {
		at := place{l.Product, d.head["warehouse"]}
		out[at] = out[at].Add(l.Quantity.Sub(delivered[l.LineNo]).Mul(l.Factor))
	}
	return out
}

// promise changes the allocation from what an order held to what it holds.
func (p *plan) promise(was, is map[place]decimal.Decimal) {
	if p.allocate == nil {
		p.allocate = map[place]decimal.Decimal{}
	}
	for at, q := range is {
		p.allocate[at] = p.allocate[at].Add(q)
	}
	for at, q := range was {
		p.allocate[at] = p.allocate[at].Sub(q)
	}
	for at, q := range p.allocate {
		if q.IsZero() {
			delete(p.allocate, at)
		}
	}
}

// after are the levels to which the plan leads.
func (p *plan) after(stock map[place]level) map[place]level {
	out := map[place]level{}
	for at, q := range p.allocate {
		out[at] = level{stock[at].quantity, stock[at].allocated.Add(q)}
	}
	for _, x := range p.moves {
		at := place{x.Product, x.Warehouse}
		l, ok := out[at]
		if !ok {
			l = stock[at]
		}
		l.quantity = l.quantity.Add(x.Quantity)
		out[at] = l
	}
	return out
}

// checkStock refuses what would leave less in a place than is promised there.
func (s *docStep) checkStock(p *problems) {
	after := s.plan.after(s.m.stock)
	var short []place
	for at, l := range after {
		if l.available().IsNegative() && l.available().LessThan(s.m.stock[at].available()) {
			short = append(short, at)
		}
	}
	slices.SortFunc(short, place.compare)
	for _, at := range short {
		zh, en, unit, unitEn := s.m.productName("zh", at.product), s.m.productName("en", at.product), "", ""
		if x := s.m.products[at.product]; x != nil {
			zh, unit, unitEn = x.Name, x.Unit, cmp.Or(x.UnitEn, x.Unit)
		}
		have := s.m.stock[at].available()
		p.add(s.pathOf(at), fmt.Sprintf("库存不足：%s 在 %s 只有 %s %s 可用", zh, s.m.warehouseName("zh", at.warehouse), have, unit),
			fmt.Sprintf("not enough stock: %s has %s %s available in %s", en, have, unitEn, at.warehouse))
	}
}

// pathOf is the last line of a new document that is about the product there.
func (s *docStep) pathOf(at place) string {
	path := ""
	for _, d := range s.docs {
		for i, l := range d.lines {
			if l.Product == at.product && d.head["warehouse"] == at.warehouse {
				path = "lines[" + strconv.Itoa(i+1) + "].quantity"
			}
		}
	}
	return path
}

// drawing plans that the draws are taken from their sources (sign 1) or given
// back (−1); what is given back reopens a source that was closed.
func (s *docStep) drawing(sign int64) {
	for _, d := range s.sources {
		c := sourceChange{doc: d, drawn: map[int]draw{}, status: d.status}
		for _, x := range s.draws {
			if x.source != d || x.from == nil {
				continue
			}
			t, n := c.drawn[x.from.LineNo], decimal.NewFromInt(sign)
			t.quantity, t.amount, t.tax = t.quantity.Add(x.quantity.Mul(n)), t.amount.Add(x.amount.Mul(n)), t.tax.Add(x.tax.Mul(n))
			c.drawn[x.from.LineNo] = t
		}
		if sign < 0 && d.status == "closed" {
			c.status = "examined"
		}
		if len(c.drawn) > 0 || c.status != d.status {
			s.plan.sources = append(s.plan.sources, c)
		}
	}
}
