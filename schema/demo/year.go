package demo

import (
	"container/heap"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"
)

// The year: orders are entered from firstDay to lastDay, and the history ends at
// horizon; nothing that would happen later has happened.
var (
	firstDay = time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
	horizon  = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
)

const (
	// batchSize bounds the documents that are held at once. The first batch is
	// small: a database learns from it what the tables will look like.
	batchSize, firstBatch = 20_000, 500
	// ahead is how many days before its own an order is known, for its quotation.
	ahead = 7
	day   = 24 * time.Hour
)

// Year plays the year of a tenant through, in the order of time, and gives it
// away in pieces. A batch is the receiver's until the next one.
func (t Tenant) Year() iter.Seq[*Batch] {
	return func(yield func(*Batch) bool) {
		y := newYear(t)
		y.open()
		size := firstBatch
		for d := firstDay.AddDate(0, 0, -ahead); !d.After(dayOf(horizon)); d = d.Add(day) {
			y.morning(d)
			for len(y.events) > 0 && y.events[0].at.Before(d.Add(day)) {
				e := heap.Pop(&y.events).(event)
				y.now = e.at
				e.do()
			}
			if y.batch.Day = d; y.batch.Size() >= size {
				if !yield(y.batch) {
					return
				}
				size = batchSize
				y.batch = &Batch{Documents: map[string][]*Document{}}
			}
		}
		y.finish()
		yield(y.batch)
	}
}

// year is what the simulation knows while it runs.
type year struct {
	t     Tenant
	scale int64
	// r is the stream of orders, x decides all else.
	r, x *rand.Rand

	batch  *Batch
	last   map[string]int64
	now    time.Time
	events events
	seq    int

	index    map[string]int
	cells    []cell
	shadow   []int64
	prices   [][]ListPrice
	discount map[[2]string]int64
	units    []Unit
	offers   [][]SupplierPrice
	recipes  [][]Material
	tax      []int64
	partners map[string]terms
	baskets  map[[2]string][]want
	ordered  int
}

// cell is a product in a warehouse, in thousandths.
type cell struct{ onHand, promised, coming int64 }

// terms are how a customer or supplier deals.
type terms struct {
	currency string
	days     int
	exempt   bool
}

func newYear(t Tenant) *year {
	stream := t.stream
	y := &year{t: t, scale: int64(t.scale), r: rand.New(&stream), x: rand.New(rand.NewPCG(t.seed, 20260101)), batch: &Batch{Documents: map[string][]*Document{}},
		last: map[string]int64{}, index: map[string]int{}, discount: map[[2]string]int64{}, partners: map[string]terms{}, baskets: map[[2]string][]want{}}
	n := len(t.Products)
	y.cells, y.shadow = make([]cell, n*len(t.Warehouses)), make([]int64, n*len(t.Warehouses))
	y.prices, y.units, y.offers, y.recipes, y.tax = make([][]ListPrice, n), make([]Unit, n), make([][]SupplierPrice, n), make([][]Material, n), make([]int64, n)
	rates := map[string]int64{}
	for _, x := range t.Taxes {
		rates[x.Code] = x.Rate
	}
	for i, p := range t.Products {
		y.index[p.Code], y.tax[i] = i, rates[p.Tax]
	}
	for _, d := range t.Discounts {
		y.discount[[2]string{d.Customer, d.Product}] = d.Percent
	}
	for _, p := range t.Prices {
		y.prices[y.index[p.Product]] = append(y.prices[y.index[p.Product]], p)
	}
	for _, u := range t.Units {
		if y.units[y.index[u.Product]].Unit == "" {
			y.units[y.index[u.Product]] = u
		}
	}
	for _, o := range t.SupplierPrices {
		if len(y.offers[y.index[o.Product]]) == 2 {
			continue // of the tour alone
		}
		y.offers[y.index[o.Product]] = append(y.offers[y.index[o.Product]], o)
	}
	for _, m := range t.Materials {
		y.recipes[y.index[m.Product]] = append(y.recipes[y.index[m.Product]], m)
	}
	for _, c := range t.Customers {
		y.partners[c.Code] = terms{c.Currency, c.PaymentDays, c.TaxExempt}
	}
	for _, s := range t.Suppliers {
		y.partners[s.Code] = terms{s.Currency, s.PaymentDays, s.Currency != t.Currency}
	}
	return y
}

// morning plans what begins on a day.
func (y *year) morning(d time.Time) {
	y.orders(d.AddDate(0, 0, ahead))
	if d.Before(firstDay) {
		return
	}
	y.at(d.Add(30*time.Minute), y.buyBaskets)
	y.quotes(d)
	y.keep(d)
}

// open lays the opening stock.
func (y *year) open() {
	y.now = firstDay.Add(-day)
	for i := range y.t.Products {
		for w := range y.t.Warehouses {
			level := int64(80 + 10*y.r.IntN(40))
			y.shadow[y.cell(i, w)] = level
			y.move(i, w, level*1000*y.scale, "opening", "", "")
		}
	}
}

// finish brings what the tour uses to round levels and tells how all ended.
func (y *year) finish() {
	y.now = horizon
	y.tour()
	for i, p := range y.t.Products {
		for w, warehouse := range y.t.Warehouses {
			c := y.cells[y.cell(i, w)]
			y.batch.Stock = append(y.batch.Stock, Stock{p.Code, warehouse.Code, c.onHand, c.promised})
		}
	}
	y.batch.Counters = y.last
}

var prefixes = map[string]string{"quotation": "QT", "sales_order": "SO", "delivery": "DN", "receivable": "AR", "receipt": "RC", "purchase_order": "PO",
	"goods_receipt": "GR", "payable": "AP", "payment": "PY", "stock_adjustment": "SA", "stock_transfer": "ST", "production_order": "MO", "production_report": "MR"}

// emit gives a document its number and hands it out. It does not change any more.
func (y *year) emit(d *Document) {
	y.last[d.Form]++
	d.Number = fmt.Sprintf("%s-%06d", prefixes[d.Form], y.last[d.Form])
	for i := range d.Lines {
		if l := &d.Lines[i]; l.from != nil {
			l.Source, l.from = l.from.Number, nil
		}
	}
	y.batch.Documents[d.Form] = append(y.batch.Documents[d.Form], d)
}

// post emits a document at the time of its creation.
func (y *year) post(d *Document) { y.at(d.CreatedAt, func() { y.emit(d) }) }

// happens tells that a moment is within the year.
func happens(t time.Time) bool { return !t.After(horizon) }

// recent tells that a moment is among the last n days.
func recent(t time.Time, n int) bool { return horizon.Sub(t) < time.Duration(n)*day }

// examines tells whether a document of when is examined at a moment: of the last
// days one in n still waits.
func (y *year) examines(when, at time.Time, n int) bool {
	return happens(at) && (!recent(when, 4) || !y.one(n))
}

func (y *year) cell(product, warehouse int) int { return product*len(y.t.Warehouses) + warehouse }

func (y *year) warehouse(code string) int {
	return slices.IndexFunc(y.t.Warehouses, func(w Warehouse) bool { return w.Code == code })
}

// move changes the stock on hand and tells why.
func (y *year) move(product, warehouse int, q int64, reason, form, document string) {
	c := &y.cells[y.cell(product, warehouse)]
	c.onHand += q
	y.batch.Ledger = append(y.batch.Ledger, Move{y.t.Products[product].Code, y.t.Warehouses[warehouse].Code, reason, form, document, q, c.onHand, y.now})
}

// hours is a random time between two numbers of hours.
func (y *year) hours(from, to int) time.Duration {
	return time.Duration(from)*time.Hour + time.Duration(y.x.IntN((to-from)*60))*time.Minute
}

// working moves a moment into the working hours of its day (1 to 10 UTC are 9 to 6 in China).
func (y *year) working(t time.Time) time.Time {
	return dayOf(t).Add(time.Hour + time.Duration(y.x.IntN(8*60))*time.Minute)
}

// one in n.
func (y *year) one(n int) bool { return y.x.IntN(n) == 0 }

type event struct {
	at  time.Time
	seq int
	do  func()
}

// at lets something happen, unless the year is over by then.
func (y *year) at(when time.Time, do func()) {
	if happens(when) {
		y.seq++
		heap.Push(&y.events, event{when, y.seq, do})
	}
}

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	return e[i].at.Before(e[j].at) || e[i].at.Equal(e[j].at) && e[i].seq < e[j].seq
}
func (e *events) Push(x any) { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	old[len(old)-1] = event{} // what it holds may go
	*e = old[:len(old)-1]
	return x
}
