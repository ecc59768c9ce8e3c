package demo

import "time"

// entered are who keys documents in.
var entered = []string{"li", "li", "smith", "wang"}

// orders makes the orders of a day; quotations of them may lie before it.
func (y *year) orders(d time.Time) {
	if d.Before(firstDay) || d.After(lastDay) {
		return
	}
	days := int(lastDay.Sub(firstDay).Hours()/24) + 1
	for ; y.ordered < y.t.orders && firstDay.AddDate(0, 0, y.ordered*days/y.t.orders).Equal(d); y.ordered++ {
		c := y.t.Customers[y.r.IntN(len(y.t.Customers))]
		o := &Document{Form: "sales_order", Status: "submitted", Partner: c.Code, Warehouse: "WH-01", CreatedBy: pick(y.r, entered), Currency: c.Currency,
			Rate: y.t.rate(c.Currency, d), Date: d, Due: d.AddDate(0, 0, 1+y.r.IntN(14))}
		if y.r.IntN(4) == 0 {
			o.Warehouse = "WH-02"
		}
		cancelled := y.r.IntN(25) == 0
		// Entered between nine and six in China (UTC+8).
		o.CreatedAt = d.Add(time.Hour + time.Duration(y.r.IntN(9*60))*time.Minute)
		y.orderLines(o, cancelled)
		o.sum()
		y.sell(o, cancelled)
	}
}

// orderLines fills an order with 1 to 5 lines of different products. The shadow
// of the stock only steers the random stream: it is what the orders of the first
// tour were drawn with.
func (y *year) orderLines(o *Document, cancelled bool) {
	n := min(1+y.r.IntN(3), 1+y.r.IntN(5))
	var seen [5]int
	for len(o.Lines) < n {
		i := y.r.IntN(len(y.t.Products))
		if taken(seen[:len(o.Lines)], i) {
			continue
		}
		seen[len(o.Lines)] = i
		q := int64(1 + y.r.IntN(30))
		o.Lines = append(o.Lines, y.priced(o, i, q, q%12 == 0 && y.one(3)))
		k := y.cell(i, y.warehouse(o.Warehouse))
		if y.shadow[k] < q+20 {
			y.shadow[k] += int64(100 + 10*y.r.IntN(20))
		}
		if !cancelled {
			y.shadow[k] -= q
		}
	}
}

func taken(list []int, i int) bool {
	for _, x := range list {
		if x == i {
			return true
		}
	}
	return false
}

// sell plans what becomes of an order.
func (y *year) sell(o *Document, cancelled bool) {
	if draft := recent(o.CreatedAt, 14) && y.one(12); draft {
		o.Status = "draft"
		y.post(o)
		return
	}
	y.at(o.CreatedAt, func() { y.emit(o); y.promise(o) })
	var quote *Document
	if y.one(6) && o.Date.After(firstDay.AddDate(0, 0, ahead)) {
		quote = y.quoteOf(o, !cancelled)
	}
	examined := y.working(o.CreatedAt.Add(day))
	switch {
	case cancelled:
		o.Status, o.CancelledAt, o.CancelReason = "cancelled", o.CreatedAt.Add(day), pick(y.x, reasons)
		y.at(o.CancelledAt, func() { y.release(o, nil) })
		return
	case recent(o.CreatedAt, 4), recent(o.CreatedAt, 12) && y.one(3), !happens(examined):
		return
	}
	o.examine(examined)
	if quote != nil {
		quote.close(examined)
	}
	y.deliver(o)
}

// promise allocates what an order asks for, and sees to it that there is enough.
func (y *year) promise(o *Document) {
	w := y.warehouse(o.Warehouse)
	for _, l := range o.Lines {
		i, q := y.index[l.Product], l.Quantity*l.Factor
		y.ensure(i, w, q)
		y.cells[y.cell(i, w)].promised += q
		y.reorder(i, w)
	}
}

// release takes promises back: all of them, or what left tells of each line.
func (y *year) release(o *Document, left []int64) {
	w := y.warehouse(o.Warehouse)
	for k, l := range o.Lines {
		q := l.Quantity
		if left != nil {
			q = left[k]
		}
		y.cells[y.cell(y.index[l.Product], w)].promised -= q * l.Factor
	}
}

// deliver plans deliveries of an order, and what follows from them.
func (y *year) deliver(o *Document) {
	when := y.working(o.Due.AddDate(0, 0, y.x.IntN(3)))
	if !when.After(o.ExaminedAt) {
		when = o.ExaminedAt.Add(time.Hour)
	}
	parts, fate := 1, y.x.IntN(100)
	if fate < 14 && halves(o) {
		parts = 2
	}
	var done []*Document
	for k := range parts {
		if k > 0 {
			when = y.working(when.AddDate(0, 0, 3+y.x.IntN(8)))
		}
		if k > 0 && fate < 2 { // the rest never comes
			break
		}
		d := y.delivery(o, when, k+1 < parts)
		if d == nil {
			break
		}
		if d.Status == "submitted" {
			done = nil
			break
		}
		done = append(done, d)
		if o.drawn() {
			o.close(d.ExaminedAt)
		}
	}
	if at := when.AddDate(0, 0, 15); fate == 0 && parts == 2 && happens(at) && len(done) > 0 {
		o.close(at)
		left := make([]int64, len(o.Lines))
		for i, l := range o.Lines {
			left[i] = l.Quantity - l.Drawn
		}
		y.at(at, func() { y.release(o, left) })
	}
	y.bill("receivable", done)
}

// halves tells that some line can be split.
func halves(o *Document) bool {
	for _, l := range o.Lines {
		if l.Quantity >= 2000 {
			return true
		}
	}
	return false
}

// delivery draws an order, whole or by half; nil when the year is over by then.
func (y *year) delivery(o *Document, when time.Time, half bool) *Document {
	if !happens(when) {
		return nil
	}
	d := y.drawn("delivery", o, when, half)
	if y.one(100) && when.Sub(o.ExaminedAt) > 2*time.Hour {
		y.post(mistake(d, y.x, time.Hour))
	}
	y.post(d)
	if at := when.Add(y.hours(0, 3) + time.Minute); y.examines(when, at, 3) {
		d.examine(at)
		y.at(at, func() {
			w := y.warehouse(d.Warehouse)
			for _, l := range d.Lines {
				i, q := y.index[l.Product], l.Quantity*l.Factor
				y.cells[y.cell(i, w)].promised -= q
				y.move(i, w, -q, "sale", "delivery", d.Number)
			}
		})
	}
	return d
}

// quoteOf is the quotation that an order came from.
func (y *year) quoteOf(o *Document, drawn bool) *Document {
	q := y.quotation(o.Partner, y.working(o.Date.AddDate(0, 0, -1-y.x.IntN(ahead-1))))
	q.Currency, q.Rate = o.Currency, o.Rate
	for i := range o.Lines {
		l := o.Lines[i]
		if drawn {
			l.Drawn, l.DrawnAmount, l.DrawnTax = l.Quantity, l.Amount, l.Tax
		}
		q.Lines = append(q.Lines, l)
		o.Lines[i].from, o.Lines[i].SourceLine = q, i+1
	}
	q.sum()
	q.examine(q.CreatedAt.Add(time.Hour))
	y.post(q)
	return q
}

func (y *year) quotation(customer string, at time.Time) *Document {
	t := y.partners[customer]
	return &Document{Form: "quotation", Status: "submitted", Partner: customer, Currency: t.currency, Rate: y.t.rate(t.currency, dayOf(at)), Date: dayOf(at),
		Due: dayOf(at).AddDate(0, 0, 30), CreatedBy: pick(y.x, entered), CreatedAt: at}
}

// quotes of a day that come to nothing, or have not yet.
func (y *year) quotes(d time.Time) {
	days, n := int(lastDay.Sub(firstDay).Hours()/24)+1, int(d.Sub(firstDay).Hours()/24)
	total := y.t.orders / 14
	for range (n+1)*total/days - n*total/days {
		q := y.quotation(y.t.Customers[y.x.IntN(len(y.t.Customers))].Code, y.working(d))
		for first := y.x.IntN(len(y.t.Products)); len(q.Lines) < 1+y.x.IntN(4); first = (first + 37) % len(y.t.Products) {
			q.Lines = append(q.Lines, y.priced(q, first, int64(1+y.x.IntN(60)), false))
		}
		q.sum()
		switch {
		case recent(d, 30) && y.one(6):
			q.Status = "draft"
		case y.one(12):
			q.Status, q.CancelledAt, q.CancelReason = "cancelled", q.CreatedAt.Add(time.Hour), pick(y.x, reasons)
		case !recent(d, 4):
			q.examine(q.CreatedAt.Add(time.Hour))
		}
		y.post(q)
	}
}

// drawn is a document of the goods that remain of an order, or of half of them.
func (y *year) drawn(form string, o *Document, when time.Time, half bool) *Document {
	d := &Document{Form: form, Status: "submitted", Partner: o.Partner, Warehouse: o.Warehouse, Currency: o.Currency, Rate: o.Rate, Date: dayOf(when),
		CreatedBy: pick(y.x, entered), CreatedAt: when}
	for i, l := range o.Lines {
		q := l.Quantity - l.Drawn
		if half {
			q = l.Quantity / 2000 * 1000
		}
		if q > 0 {
			d.Lines = append(d.Lines, part(o, i, q, step(o.Currency)))
		}
	}
	d.sum()
	return d
}
