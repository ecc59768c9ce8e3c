package demo

import (
	"maps"
	"slices"
	"time"
)

// want is what is to be bought, in base units.
type want struct {
	product  int
	quantity int64
	price    int64
}

// low is the level, in thousandths at scale 1, below which more is ordered.
const low = 100_000

// reorder orders more of a product of which there is little.
func (y *year) reorder(product, warehouse int) {
	if c := y.cells[y.cell(product, warehouse)]; c.onHand-c.promised+c.coming < low*y.scale {
		y.more(product, warehouse)
	}
}

// more puts a product on the list of its supplier, or has it made.
func (y *year) more(product, warehouse int) {
	q := int64(80+40*y.x.IntN(4)) * y.scale
	y.cells[y.cell(product, warehouse)].coming += q * 1000
	if y.t.Products[product].Made {
		y.produce(product, warehouse, q, y.now.Add(time.Hour), false)
		return
	}
	offer := y.offer(product)
	key := [2]string{offer.Supplier, y.t.Warehouses[warehouse].Code}
	y.baskets[key] = append(y.baskets[key], want{product, q, offer.Price})
}

func (y *year) offer(product int) SupplierPrice {
	if offers := y.offers[product]; y.one(5) {
		return offers[1]
	}
	return y.offers[product][0]
}

// ensure brings at least q thousandths that nobody was promised into a warehouse,
// in a hurry where there is too little.
func (y *year) ensure(product, warehouse int, q int64) {
	c := &y.cells[y.cell(product, warehouse)]
	missing := q - (c.onHand - c.promised)
	if missing <= 0 {
		return
	}
	more := (missing+999)/1000 + 40*y.scale
	if y.t.Products[product].Made {
		y.produce(product, warehouse, more, y.now, true)
		return
	}
	offer := y.offer(product)
	y.buy(offer.Supplier, y.t.Warehouses[warehouse].Code, []want{{product, more, offer.Price}}, y.now, true)
}

// buyBaskets orders what was put on the lists.
func (y *year) buyBaskets() {
	keys := slices.SortedFunc(maps.Keys(y.baskets), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		for list := range slices.Chunk(y.baskets[k], 12) {
			y.buy(k[0], k[1], list, y.working(y.now), false)
		}
	}
	clear(y.baskets)
}

// buy plans a purchase and what becomes of it; in a hurry the goods come at once.
func (y *year) buy(supplier, warehouse string, list []want, when time.Time, hurry bool) {
	t := y.partners[supplier]
	o := &Document{Form: "purchase_order", Status: "submitted", Partner: supplier, Warehouse: warehouse, Currency: t.currency, Rate: y.t.rate(t.currency, dayOf(when)),
		Date: dayOf(when), Due: dayOf(when).AddDate(0, 0, 7), CreatedBy: pick(y.x, entered), CreatedAt: when}
	for _, x := range list {
		o.Lines = append(o.Lines, y.offered(o, x.product, x.quantity, x.price, y.one(4)))
	}
	o.sum()
	if hurry {
		o.Due = o.Date
		o.examine(when)
		y.emit(o)
		y.bill("payable", []*Document{y.arrive(o, when, false, true)})
		return
	}
	y.at(o.CreatedAt, func() { y.emit(o) })
	examined := when.Add(y.hours(0, 4) + time.Minute)
	switch {
	case recent(when, 8) && y.one(4):
		o.Status = "draft"
		return
	case recent(when, 3), !happens(examined):
		return
	}
	if y.one(25) {
		y.post(mistake(o, y.x, 20*time.Minute))
	}
	o.examine(examined)
	arrival, parts := y.working(examined.AddDate(0, 0, 3+y.x.IntN(7))), 1
	if y.one(7) {
		parts = 2
	}
	var done []*Document
	for k := range parts {
		if k > 0 {
			arrival = y.working(arrival.AddDate(0, 0, 2+y.x.IntN(6)))
		}
		g := y.arrive(o, arrival, k+1 < parts, false)
		if g == nil {
			break
		}
		if g.Status == "submitted" {
			done = nil
			break
		}
		done = append(done, g)
	}
	y.bill("payable", done)
}

// arrive is a goods receipt of a purchase order, whole or by half; nil when the
// year is over by then.
func (y *year) arrive(o *Document, when time.Time, half, hurry bool) *Document {
	if !happens(when) {
		return nil
	}
	g := y.drawn("goods_receipt", o, when, half)
	receive := func() {
		w := y.warehouse(g.Warehouse)
		for _, l := range g.Lines {
			i, q := y.index[l.Product], l.Quantity*l.Factor
			if !hurry {
				y.cells[y.cell(i, w)].coming -= q
			}
			y.move(i, w, q, "receipt", "goods_receipt", g.Number)
		}
	}
	if hurry {
		g.examine(when)
		o.close(when)
		y.emit(g)
		receive()
		return g
	}
	y.post(g)
	if at := when.Add(y.hours(0, 2) + time.Minute); y.examines(when, at, 2) {
		g.examine(at)
		if o.drawn() {
			o.close(at)
		}
		y.at(at, receive)
	}
	return g
}
