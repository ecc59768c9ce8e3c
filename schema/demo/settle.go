package demo

import (
	"fmt"
	"time"
)

// bill invoices deliveries or goods receipts, together or one by one, and lets
// them be paid.
func (y *year) bill(form string, sources []*Document) {
	var bills []*Document
	if len(sources) == 2 && !y.one(3) {
		bills = append(bills, y.invoice(form, sources...))
	} else {
		for _, s := range sources {
			bills = append(bills, y.invoice(form, s))
		}
	}
	var open []*Document
	for _, b := range bills {
		if b != nil && b.Status == "examined" {
			open = append(open, b)
		}
	}
	if len(open) == 2 && y.one(2) {
		y.pay(latest(open[0].Due, open[1].Due).AddDate(0, 0, y.x.IntN(10)-6), []int64{open[0].Total, open[1].Total}, open...)
		return
	}
	for _, b := range open {
		y.payments(b)
	}
}

// invoice draws whole documents; nil when the year is over by then.
func (y *year) invoice(form string, sources ...*Document) *Document {
	src := sources[len(sources)-1]
	when := y.working(src.ExaminedAt.AddDate(0, 0, 1+y.x.IntN(5)))
	if !happens(when) {
		return nil
	}
	b := &Document{Form: form, Status: "submitted", Partner: src.Partner, Currency: src.Currency, Rate: src.Rate, Date: dayOf(when),
		Due: dayOf(when).AddDate(0, 0, y.partners[src.Partner].days), CreatedBy: pick(y.x, entered), CreatedAt: when}
	for _, s := range sources {
		for i, l := range s.Lines {
			b.Lines = append(b.Lines, part(s, i, l.Quantity, step(b.Currency)))
		}
	}
	b.sum()
	if y.one(150) {
		y.post(mistake(b, y.x, 30*time.Minute))
	}
	y.post(b)
	if at := when.Add(y.hours(1, 4)); y.examines(when, at, 2) {
		b.examine(at)
		for _, s := range sources {
			s.close(at)
		}
	}
	return b
}

// payments of an invoice: in time, in two parts, late, or not at all.
func (y *year) payments(b *Document) {
	switch fate := y.x.IntN(100); {
	case fate < 78:
		y.pay(b.Due.AddDate(0, 0, y.x.IntN(16)-12), []int64{b.Total}, b)
	case fate < 88:
		s := step(b.Currency)
		if first := b.Total / 2 / s * s; first > 0 {
			y.pay(b.Due.AddDate(0, 0, y.x.IntN(8)-7), []int64{first}, b)
			y.pay(b.Due.AddDate(0, 0, 15+y.x.IntN(20)), []int64{b.Total - first}, b)
		}
	case fate < 95:
		y.pay(b.Due.AddDate(0, 0, 10+y.x.IntN(50)), []int64{b.Total}, b)
	}
}

// pay settles invoices of one partner with one receipt or payment.
func (y *year) pay(on time.Time, amounts []int64, bills ...*Document) {
	when := y.working(on)
	for _, b := range bills {
		when = latest(when, b.ExaminedAt.Add(time.Hour))
	}
	if !happens(when) {
		return
	}
	first := bills[0]
	p := &Document{Form: "receipt", Status: "submitted", Partner: first.Partner, Currency: first.Currency, Rate: y.t.rate(first.Currency, dayOf(when)), Date: dayOf(when),
		Method: pick(y.x, []string{"transfer", "transfer", "transfer", "transfer", "card", "bill", "cash"}), CreatedBy: pick(y.x, entered), CreatedAt: when}
	if first.Form == "payable" {
		p.Form = "payment"
	}
	if p.Method == "transfer" {
		p.Reference = fmt.Sprintf("TT%s%05d", when.Format("060102"), y.x.IntN(100_000))
	}
	for i, b := range bills {
		p.Lines = append(p.Lines, Line{Amount: amounts[i], from: b})
	}
	p.sum()
	if y.one(120) {
		y.post(mistake(p, y.x, 20*time.Minute))
	}
	y.post(p)
	if at := when.Add(y.hours(0, 2) + time.Minute); y.examines(when, at, 2) {
		p.examine(at)
		for i, b := range bills {
			if b.Settled += amounts[i]; b.Settled == b.Total {
				b.close(at)
			}
		}
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
