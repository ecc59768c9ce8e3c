package demo

import (
	"math/rand/v2"
	"time"
)

// Document is a business document in its final state: the year is over when it is
// written, and what became of it is known. Money is in hundredths of Currency,
// Rate in hundred-millionths; zero times and empty texts are what a form has not.
type Document struct {
	Form, Number, Status string
	// Partner is a customer or a supplier; To the warehouse that a transfer goes to.
	Partner, Warehouse, To, Currency string
	Rate                             int64
	// Date is the day of the document; Due when it is to be paid, delivered or done.
	Date, Due           time.Time
	Total, Tax, Settled int64
	// Reason is why stock is adjusted, Method and Reference how money went.
	Reason, Method, Reference, CancelReason      string
	CreatedBy, ExaminedBy                        string
	CreatedAt, ExaminedAt, ClosedAt, CancelledAt time.Time
	Lines                                        []Line
}

// Line of a document. Quantity and Drawn are in thousandths of Unit, which is
// Factor base units; Base and UnitPrice in ten-thousandths, amounts in hundredths,
// TaxRate in hundredths of a percent, Discount in percent. Lines of receipts and
// payments have an Amount and the Source that it settles.
type Line struct {
	Product, ProductName, Unit   string
	Factor, Quantity             int64
	Base, Discount, UnitPrice    int64
	Amount, TaxRate, Tax         int64
	Drawn, DrawnAmount, DrawnTax int64
	Source                       string
	SourceLine                   int
	// from is the source until both have their numbers.
	from *Document
}

// Move is one row of the stock ledger in thousandths of the base unit; negative
// takes away. Balance is the level after it.
type Move struct {
	Product, Warehouse, Reason, Form, Document string
	Quantity, Balance                          int64
	At                                         time.Time
}

// Stock of a product in a warehouse in thousandths; Allocated is promised to open orders.
type Stock struct {
	Product, Warehouse  string
	Quantity, Allocated int64
}

// Batch is a piece of the year. A document comes in the same batch as the ones it
// draws from, or in a later one. Ledger is in the order of time.
type Batch struct {
	// Day is the last day that the batch tells of.
	Day time.Time
	// Documents by form.
	Documents map[string][]*Document
	Ledger    []Move
	// Stock and Counters (last numbers by form) are in the last batch only.
	Stock    []Stock
	Counters map[string]int64
}

// Size counts the documents.
func (b *Batch) Size() int {
	n := 0
	for _, list := range b.Documents {
		n += len(list)
	}
	return n
}

// part takes q thousandths of a line into a line of the next document. The last
// part takes the rest of amount and tax.
func part(src *Document, i int, q, step int64) Line {
	l := &src.Lines[i]
	p := *l
	p.Quantity, p.Drawn, p.DrawnAmount, p.DrawnTax = q, 0, 0, 0
	p.from, p.Source, p.SourceLine = src, "", i+1
	if l.Drawn+q == l.Quantity {
		p.Amount, p.Tax = l.Amount-l.DrawnAmount, l.Tax-l.DrawnTax
	} else {
		p.Amount = amount(q, l.UnitPrice, step)
		p.Tax = taxIn(p.Amount, l.TaxRate, step)
	}
	l.Drawn += q
	l.DrawnAmount += p.Amount
	l.DrawnTax += p.Tax
	return p
}

// mistake is a copy of a document that was cancelled a little later: it draws nothing.
func mistake(d *Document, r *rand.Rand, before time.Duration) *Document {
	c := *d
	c.Status, c.ExaminedBy, c.ExaminedAt, c.ClosedAt, c.Settled = "cancelled", "", time.Time{}, time.Time{}, 0
	c.CreatedAt = d.CreatedAt.Add(-before)
	c.Date = dayOf(c.CreatedAt)
	c.CancelledAt = c.CreatedAt.Add(time.Duration(1+r.IntN(15)) * time.Minute)
	c.CancelReason = pick(r, reasons)
	c.Lines = append([]Line(nil), d.Lines...)
	for i := range c.Lines {
		l := &c.Lines[i]
		l.Drawn, l.DrawnAmount, l.DrawnTax = 0, 0, 0
	}
	return &c
}

var reasons = []string{"录入有误", "客户改期", "重复录入", "价格未谈妥", "数量有变"}

// sum adds the lines up.
func (d *Document) sum() {
	d.Total, d.Tax = 0, 0
	for _, l := range d.Lines {
		d.Total += l.Amount
		d.Tax += l.Tax
	}
}

// drawn tells that nothing is left to draw.
func (d *Document) drawn() bool {
	for _, l := range d.Lines {
		if l.Drawn < l.Quantity {
			return false
		}
	}
	return true
}

func (d *Document) examine(at time.Time) {
	d.Status, d.ExaminedAt, d.ExaminedBy = "examined", at, "wang"
}

func (d *Document) close(at time.Time) { d.Status, d.ClosedAt = "closed", at }

func dayOf(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// amount is quantity × price, rounded to the currency's step (1 is a hundredth).
func amount(quantity, price, step int64) int64 { return divide(quantity*price, 100_000*step) * step }

// taxIn is the tax that an amount contains.
func taxIn(amount, rate, step int64) int64 { return divide(amount*rate, (10_000+rate)*step) * step }

// divide rounds half up; both are positive.
func divide(a, b int64) int64 { return (a + b/2) / b }
