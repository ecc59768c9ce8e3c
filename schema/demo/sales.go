package demo

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// The year of sales: from, and to the last day on which an order was entered.
var (
	firstDay = time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(2026, 11, 27, 0, 0, 0, 0, time.UTC)
)

// sales plays the year through, so that stock never goes below zero at any time.
type sales struct {
	r     *rand.Rand
	t     *Tenant
	stock map[[2]string]int64
	// receipts counts goods receipts, for their document numbers.
	receipts int
}

func (s *sales) run() {
	opening := firstDay.Add(-24 * time.Hour)
	for _, p := range s.t.Products {
		for _, w := range s.t.Warehouses {
			s.move(p.Code, w.Code, "opening", "", int64(80+10*s.r.IntN(40)), opening)
		}
	}
	discount := map[[2]string]int64{}
	for _, d := range s.t.Discounts {
		discount[[2]string{d.Customer, d.Product}] = d.Percent
	}
	days := int(lastDay.Sub(firstDay).Hours()/24) + 1
	by := []string{"li", "li", "smith", "wang"}
	for i := range orders {
		day := firstDay.AddDate(0, 0, i*days/orders)
		o := Order{
			Number: fmt.Sprintf("SO-%06d", i+1), Customer: pick(s.r, s.t.Customers).Code, Warehouse: "WH-01", CreatedBy: pick(s.r, by),
			OrderDate: day, DeliveryDate: day.AddDate(0, 0, 1+s.r.IntN(14)), Status: "closed",
		}
		if s.r.IntN(4) == 0 {
			o.Warehouse = "WH-02"
		}
		if lastDay.Sub(day) < 21*24*time.Hour {
			o.Status = "submitted"
		}
		if s.r.IntN(25) == 0 {
			o.Status = "cancelled"
		}
		// Entered between nine and six in China (UTC+8).
		at := day.Add(time.Hour + time.Duration(s.r.IntN(9*60))*time.Minute)
		s.lines(&o, discount, at)
		s.t.Orders = append(s.t.Orders, o)
	}
	s.tour()
}

// lines fills an order with 1 to 5 lines of different products.
func (s *sales) lines(o *Order, discount map[[2]string]int64, at time.Time) {
	n := min(1+s.r.IntN(3), 1+s.r.IntN(5))
	seen := map[string]bool{}
	for len(o.Lines) < n {
		p := pick(s.r, s.t.Products)
		if seen[p.Code] {
			continue
		}
		seen[p.Code] = true
		percent, ok := discount[[2]string{o.Customer, p.Code}]
		if !ok {
			percent = discount[[2]string{o.Customer, ""}]
		}
		l := Line{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Quantity: int64(1 + s.r.IntN(30)), Discount: percent, Base: p.Price}
		l.UnitPrice = l.Base * (100 - percent)         // hundredths × percent = ten-thousandths
		l.Amount = (l.Quantity*l.UnitPrice + 50) / 100 // half up; all are positive
		o.Lines = append(o.Lines, l)
		o.Total += l.Amount
		if s.stock[[2]string{p.Code, o.Warehouse}] < l.Quantity+20 {
			s.receipts++
			s.move(p.Code, o.Warehouse, "receipt", fmt.Sprintf("GR-%06d", s.receipts), int64(100+10*s.r.IntN(20)), at.Add(-time.Minute))
		}
		s.move(p.Code, o.Warehouse, "sale", o.Number, -l.Quantity, at)
		if o.Status == "cancelled" {
			s.move(p.Code, o.Warehouse, "sale_cancelled", o.Number, l.Quantity, at.Add(time.Hour))
		}
	}
}

// tour brings the two products of the tour to round levels in the main warehouse.
func (s *sales) tour() {
	at := lastDay.Add(12 * time.Hour)
	s.settle("P-0001", 500, at)
	s.settle("P-0002", 320, at)
}

func (s *sales) settle(product string, level int64, at time.Time) {
	if d := level - s.stock[[2]string{product, "WH-01"}]; d != 0 {
		s.move(product, "WH-01", "adjustment", "ST-000001", d, at)
	}
}

func (s *sales) move(product, warehouse, reason, document string, quantity int64, at time.Time) {
	s.stock[[2]string{product, warehouse}] += quantity
	s.t.Ledger = append(s.t.Ledger, Move{product, warehouse, reason, document, quantity, at})
}
