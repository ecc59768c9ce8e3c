package demo

import "time"

// produce plans a production order of q base units and its reports; in a hurry
// it is done at once.
func (y *year) produce(product, warehouse int, q int64, when time.Time, hurry bool) {
	p := &y.t.Products[product]
	o := &Document{Form: "production_order", Status: "submitted", Warehouse: y.t.Warehouses[warehouse].Code, Date: dayOf(when), Due: dayOf(when).AddDate(0, 0, 5),
		CreatedBy: pick(y.x, entered), CreatedAt: when, Lines: []Line{{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Factor: 1, Quantity: q * 1000}}}
	if hurry {
		o.examine(when)
		o.close(when)
		y.emit(o)
		m := y.report(o, when, q*1000)
		m.examine(when)
		y.emit(m)
		y.made(m, true)
		return
	}
	y.post(o)
	switch examined := when.Add(30 * time.Minute); {
	case recent(when, 10) && y.one(4):
		o.Status = "draft"
		return
	case recent(when, 4), !happens(examined):
		return
	default:
		o.examine(examined)
	}
	at, parts := y.working(o.Date.AddDate(0, 0, 2+y.x.IntN(4))), int64(1)
	if y.one(4) {
		parts = 2
	}
	for k := range parts {
		if k > 0 {
			at = y.working(at.AddDate(0, 0, 1+y.x.IntN(3)))
		}
		done := at.Add(10 * time.Minute)
		if !happens(done) {
			return
		}
		quantity := q * 1000
		if parts == 2 {
			quantity = q / 2 * 1000
			if k == 1 {
				quantity = (q - q/2) * 1000
			}
		}
		m := y.report(o, at, quantity)
		m.examine(done)
		if o.drawn() {
			o.close(done)
		}
		y.post(m)
		y.at(done, func() { y.made(m, false) })
	}
}

func (y *year) report(o *Document, when time.Time, q int64) *Document {
	return &Document{Form: "production_report", Status: "submitted", Warehouse: o.Warehouse, Date: dayOf(when), CreatedBy: pick(y.x, entered), CreatedAt: when,
		Lines: []Line{part(o, 0, q, 1)}}
}

// made brings a product in and takes its materials.
func (y *year) made(m *Document, hurry bool) {
	w := y.warehouse(m.Warehouse)
	for _, l := range m.Lines {
		i := y.index[l.Product]
		if !hurry {
			y.cells[y.cell(i, w)].coming -= l.Quantity
		}
		for _, x := range y.recipes[i] {
			k, need := y.index[x.Material], divide(l.Quantity*x.Quantity, 1_000_000)
			y.ensure(k, w, need)
			y.move(k, w, -need, "consumption", m.Form, m.Number)
			y.reorder(k, w)
		}
		y.move(i, w, l.Quantity, "production", m.Form, m.Number)
	}
}

// keep plans the counts and transfers of a day, and what is bought and made for
// the season.
func (y *year) keep(d time.Time) {
	n := 1 + int(y.scale)/10
	if d.Weekday() == time.Monday {
		for range n {
			y.at(y.working(d), y.count)
		}
	}
	if d.Weekday() == time.Tuesday || d.Weekday() == time.Friday {
		for range n {
			y.at(y.working(d), y.transfer)
		}
	}
	for range n {
		y.at(y.working(d), y.season)
	}
}

// season orders more of a product, whatever there is of it.
func (y *year) season() {
	i, w := y.x.IntN(len(y.t.Products)), y.x.IntN(len(y.t.Warehouses))
	if y.t.Products[i].Status == "on_sale" {
		y.more(i, w)
	}
}

// plain is a line without money.
func (y *year) plain(product int, q int64) Line {
	p := &y.t.Products[product]
	return Line{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Factor: 1, Quantity: q}
}

// immediate is a document that is examined as it is entered.
func (y *year) immediate(form, warehouse string) *Document {
	d := &Document{Form: form, Warehouse: warehouse, Date: dayOf(y.now), CreatedBy: pick(y.x, entered), CreatedAt: y.now}
	d.examine(y.now)
	d.ExaminedBy = d.CreatedBy
	return d
}

// count finds a little more or less than the books say.
func (y *year) count() {
	w := y.x.IntN(len(y.t.Warehouses))
	d := y.immediate("stock_adjustment", y.t.Warehouses[w].Code)
	d.Reason = pick(y.x, []string{"count", "count", "damage", "sample", "correction"})
	for i, n := y.x.IntN(len(y.t.Products)), 1+y.x.IntN(4); len(d.Lines) < n; i = (i + 53) % len(y.t.Products) {
		q := int64(y.x.IntN(14)-5) * 1000
		if d.Reason == "damage" || d.Reason == "sample" {
			q = -int64(1+y.x.IntN(3)) * 1000
		}
		if c := y.cells[y.cell(i, w)]; q == 0 || c.onHand-c.promised+q < 0 {
			q = 2000
		}
		d.Lines = append(d.Lines, y.plain(i, q))
	}
	y.adjust(d, w)
}

func (y *year) adjust(d *Document, w int) {
	y.emit(d)
	for _, l := range d.Lines {
		y.move(y.index[l.Product], w, l.Quantity, "adjustment", d.Form, d.Number)
	}
}

// transfer moves goods from the first warehouse into the second.
func (y *year) transfer() {
	d := y.immediate("stock_transfer", y.t.Warehouses[0].Code)
	d.To = y.t.Warehouses[1].Code
	for i, n := y.x.IntN(len(y.t.Products)), 1+y.x.IntN(3); n > 0; i, n = (i+53)%len(y.t.Products), n-1 {
		q := int64(5+5*y.x.IntN(6)) * 1000
		if c := y.cells[y.cell(i, 0)]; c.onHand-c.promised > q+low*y.scale {
			d.Lines = append(d.Lines, y.plain(i, q))
		}
	}
	if len(d.Lines) == 0 {
		return
	}
	y.emit(d)
	for _, l := range d.Lines {
		i := y.index[l.Product]
		y.move(i, 0, -l.Quantity, "transfer", d.Form, d.Number)
		y.move(i, 1, l.Quantity, "transfer", d.Form, d.Number)
	}
}

// tour brings what may be promised of the two products of the tour to round levels.
func (y *year) tour() {
	d := y.immediate("stock_adjustment", y.t.Warehouses[0].Code)
	d.Reason = "count"
	for i, level := range []int64{500_000, 320_000} {
		c := y.cells[y.cell(i, 0)]
		if q := level - (c.onHand - c.promised); q != 0 {
			d.Lines = append(d.Lines, y.plain(i, q))
		}
	}
	if len(d.Lines) > 0 {
		y.adjust(d, 0)
	}
}
