package erptest

import (
	"context"
	"errors"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// exact: nothing is rounded, shifted or half done on its way.
var exact = map[string]func(*testing.T, *suite){
	"0.1 and 0.2 are 0.3": func(t *testing.T, s *suite) {
		c := s.order("1", "1")
		c.Payload = raw(map[string]any{"customer": s.Customer, "warehouse": s.Warehouse, "lines": []any{
			map[string]any{"product": s.Loose, "quantity": 0.1}, map[string]any{"product": s.Loose, "quantity": "0.2"}}})
		level := s.stock(t, s.Loose)
		p, x := s.preview(t, c)
		if len(p.Lines) != 1 || p.Lines[0].Quantity != "0.3" || p.Lines[0].StockBefore != level {
			t.Fatalf("%+v", p.Lines)
		}
		lines, _ := s.record(t, "sales_order", s.executed(t, x).Bill)["lines"].([]nouns.Row)
		if len(lines) != 1 || lines[0]["quantity"] != "0.3" || s.stock(t, s.Loose) != p.Lines[0].StockAfter {
			t.Errorf("lines %v, stock %s, previewed %+v", lines, s.stock(t, s.Loose), p.Lines[0])
		}
	},
	"18 digits stay 18 digits": func(t *testing.T, s *suite) {
		const price = "12345678901234.5678"
		must(t, s.Disturb.Price(context.Background(), s.Products[0], price))
		if got := s.record(t, "product", s.Products[0])["base_price"]; got != price {
			t.Errorf("the price %s is read as %v", price, got)
		}
		count, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: "product", Mode: nouns.Count,
			Filters: []nouns.Filter{{Field: "base_price", Op: nouns.Eq, Value: raw(price)}}})
		must(t, err)
		if count.Total != 1 {
			t.Errorf("%d products have the price", count.Total)
		}
		p, x := s.preview(t, s.order("1", "1"))
		for _, f := range p.Facts {
			if f.Kind == nouns.FactPrice && f.Key == s.Products[0] && f.Field == "base_price" && f.Value != price {
				t.Errorf("the fact says %s", f.Value)
			}
		}
		if p.Lines[0].BasePrice != price {
			t.Errorf("the line says %s", p.Lines[0].BasePrice)
		}
		if got := s.record(t, "sales_order", s.executed(t, x).Bill)["total"]; got != p.Total {
			t.Errorf("the total is %v, previewed %s", got, p.Total)
		}
	},
	"dates are days, wherever one is": func(t *testing.T, s *suite) {
		for _, day := range []string{"2028-02-29", "2026-03-29", "2026-12-31", "2027-01-01"} {
			c := s.order("1", "1")
			c.Payload = raw(map[string]any{"customer": s.Customer, "order_date": day, "delivery_date": day, "lines": []any{map[string]any{"product": s.Products[0], "quantity": 1}}})
			_, x := s.preview(t, c)
			if r := s.record(t, "sales_order", s.executed(t, x).Bill); r["order_date"] != day || r["delivery_date"] != day {
				t.Errorf("%s became %v and %v", day, r["order_date"], r["delivery_date"])
			}
		}
	},
	"everything that is wrong is told at once, field by field": func(t *testing.T, s *suite) {
		c := s.order("1", "1")
		c.Payload = raw(map[string]any{"customer": s.Customer, "order_date": "2026-02-30", "bUpdate": 1, "lines": []any{
			map[string]any{"product": s.Products[0], "quantity": "1e5"}, map[string]any{"product": s.Products[1], "quantity": "-1"}}})
		_, err := s.Connector.Preview(context.Background(), s.clerk, c)
		wantCode(t, err, fault.ValidationFailed)
		told := map[string]bool{}
		for _, p := range fault.ProblemsOf(err) {
			told[p.Field] = p.Detail != ""
		}
		for _, field := range []string{"order_date", "bUpdate", "lines[1].quantity", "lines[2].quantity"} {
			if !told[field] {
				t.Errorf("%s is not told: %v", field, told)
			}
		}
	},
}

// given: whoever asked has gone away.
var given = map[string]func(*testing.T, *suite){
	"what nobody waits for any more is not begun": func(t *testing.T, s *suite) {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		orders := s.count(t, "sales_order")
		c := s.order("1", "1")
		_, x := s.preview(t, c)
		if _, err := s.Connector.Preview(gone, s.clerk, c); err == nil {
			t.Error("a preview was made")
		}
		if _, err := s.Connector.Read(gone, s.clerk, nouns.Query{Form: "customer"}); err == nil {
			t.Error("a page was read")
		}
		if _, err := s.Connector.Execute(gone, s.clerk, x); err == nil || fault.CodeOf(err) == fault.OutcomeUnknown {
			t.Errorf("an execution that cannot have begun says %v", err)
		}
		if got := s.count(t, "sales_order"); got != orders {
			t.Errorf("%d new orders", got-orders)
		}
		x.Attempt = 2
		s.executed(t, x)
	},
	"a write that is given up while it waits writes nothing": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		held := s.Hold(t, s.Products[0])
		gone, cancel := context.WithCancel(context.Background())
		wrote := make(chan written, 1)
		go func() {
			c, err := s.Connector.Execute(gone, s.clerk, x)
			wrote <- written{c, err}
		}()
		s.waiting(t, held, 1)
		cancel()
		if w := <-wrote; w.err == nil || fault.CodeOf(w.err) == fault.OutcomeUnknown || fault.CodeOf(w.err) == fault.Internal {
			t.Errorf("given up: %+v %v (%v)", w.commit, w.err, errors.Is(w.err, context.Canceled))
		}
		held.Release()
		if got := s.count(t, "sales_order"); got != orders {
			t.Fatalf("%d new orders", got-orders)
		}
		x.Attempt = 2
		s.executed(t, x)
	},
}
