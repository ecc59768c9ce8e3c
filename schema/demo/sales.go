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
	r *rand.Rand
	t *Tenant
	// free is what may still be promised, onHand what lies there.
	free, onHand map[[2]string]int64
	// receipts counts goods receipts, for their document numbers.
	receipts int
}

func (s *sales) run() {
	opening := firstDay.Add(-24 * time.Hour)
	for _, p := range s.t.Products {
		for _, w := range s.t.Warehouses {
			s.move(p.Code, w.Code, "opening", "", "", int64(80+10*s.r.IntN(40)), opening)
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
		customer := pick(s.r, s.t.Customers)
		o := Order{
			Currency: customer.Currency, Rate: s.t.rate(customer.Currency, day),
			Number: fmt.Sprintf("SO-%06d", i+1), Customer: customer.Code, Warehouse: "WH-01", CreatedBy: pick(s.r, by),
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
		l := Line{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Quantity: int64(1 + s.r.IntN(30)), Discount: percent}
		s.price(o, &l, p)
		o.Lines = append(o.Lines, l)
		o.Total += l.Amount
		o.Tax += l.Tax
		key := [2]string{p.Code, o.Warehouse}
		if s.free[key] < l.Quantity+20 {
			s.receipts++
			s.move(p.Code, o.Warehouse, "receipt", "goods_receipt", fmt.Sprintf("GR-%06d", s.receipts), int64(100+10*s.r.IntN(20)), at.Add(-time.Minute))
		}
		switch o.Status {
		case "submitted":
			s.free[key] -= l.Quantity
		case "closed":
			s.move(p.Code, o.Warehouse, "sale", "sales_order", o.Number, -l.Quantity, at)
		}
	}
}

// tour brings the two products of the tour to round levels in the main warehouse.
func (s *sales) tour() {
	at := lastDay.Add(12 * time.Hour)
	s.settle("P-0001", 500, at)
	s.settle("P-0002", 320, at)
	for _, p := range s.t.Products {
		for _, w := range s.t.Warehouses {
			key := [2]string{p.Code, w.Code}
			s.t.Stock = append(s.t.Stock, Stock{p.Code, w.Code, s.onHand[key], s.onHand[key] - s.free[key]})
		}
	}
}

// price fills in what a line costs, as the ERP prices it.
func (s *sales) price(o *Order, l *Line, p Product) {
	base := p.Price * 100
	var best ListPrice
	for _, x := range s.t.Prices {
		if x.Product != p.Code || x.Customer != "" && x.Customer != o.Customer || x.MinQuantity > l.Quantity || x.From.After(o.OrderDate) ||
			!x.Until.IsZero() && x.Until.Before(o.OrderDate) {
			continue
		}
		if best.Code == "" || x.Customer > best.Customer || x.Customer == best.Customer && x.MinQuantity >= best.MinQuantity {
			best, base = x, x.Price
		}
	}
	digits := int64(1)
	if o.Currency != s.t.Currency {
		base = divide(base*100_000_000, o.Rate)
		if o.Currency == "JPY" {
			digits = 100
		}
	}
	l.Base = base
	l.UnitPrice = divide(base*(100-l.Discount), 100)
	l.Amount = divide(l.Quantity*l.UnitPrice, 100*digits) * digits
	for _, c := range s.t.Customers {
		if c.Code == o.Customer && c.TaxExempt {
			return
		}
	}
	for _, x := range s.t.Taxes {
		if x.Code == p.Tax {
			l.TaxRate = x.Rate
		}
	}
	l.Tax = divide(l.Amount*l.TaxRate, (10_000+l.TaxRate)*digits) * digits
}

func (s *sales) settle(product string, level int64, at time.Time) {
	if d := level - s.free[[2]string{product, "WH-01"}]; d != 0 {
		s.move(product, "WH-01", "adjustment", "stock_adjustment", "SA-000001", d, at)
	}
}

func (s *sales) move(product, warehouse, reason, form, document string, quantity int64, at time.Time) {
	key := [2]string{product, warehouse}
	s.free[key] += quantity
	s.onHand[key] += quantity
	s.t.Ledger = append(s.t.Ledger, Move{product, warehouse, reason, form, document, quantity, s.onHand[key], at})
}
