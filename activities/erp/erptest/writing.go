package erptest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

var writing = map[string]func(*testing.T, *suite){
	"an order becomes what its preview showed": func(t *testing.T, s *suite) {
		p, x := s.preview(t, s.order("10", "5"))
		orders := s.count(t, "sales_order")
		c := s.executed(t, x)
		if got := s.count(t, "sales_order"); got != orders+1 {
			t.Fatalf("%d orders, want %d", got, orders+1)
		}
		r := s.record(t, "sales_order", c.Bill)
		if r["total"] != p.Total || r["currency"] != p.Currency || r["customer"] != s.Customer || r["status"] != "submitted" {
			t.Errorf("the order is %v, the preview showed %s %s", r, p.Total, p.Currency)
		}
		var got []nouns.Line
		for _, l := range r["lines"].([]nouns.Row) {
			got = append(got, nouns.Line{Product: l["product"].(string), Quantity: l["quantity"].(string), BasePrice: l["base_price"].(string),
				Discount: l["discount"].(string), UnitPrice: l["unit_price"].(string), Amount: l["amount"].(string), StockAfter: s.stock(t, l["product"].(string))})
		}
		var want []nouns.Line
		for _, l := range p.Lines {
			want = append(want, nouns.Line{Product: l.Product, Quantity: l.Quantity, BasePrice: l.BasePrice, Discount: l.Discount,
				UnitPrice: l.UnitPrice, Amount: l.Amount, StockAfter: l.StockAfter})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the order differs from its preview (-preview +order):\n%s", d)
		}
	},
	"a preview writes nothing and says the same twice": func(t *testing.T, s *suite) {
		orders, level := s.count(t, "sales_order"), s.stock(t, s.Products[0])
		a, _ := s.preview(t, s.order("10", "5"))
		b, _ := s.preview(t, s.order("10", "5"))
		if d := cmp.Diff(a, b); d != "" {
			t.Errorf("two previews differ:\n%s", d)
		}
		if s.count(t, "sales_order") != orders || s.stock(t, s.Products[0]) != level {
			t.Error("a preview changed orders or stock")
		}
		// The normalised payload is a fixed point.
		c := s.order("10", "5")
		c.Payload = a.Payload
		again, _ := s.preview(t, c)
		if d := cmp.Diff(a, again); d != "" {
			t.Errorf("the normalised payload previews differently:\n%s", d)
		}
	},
	"a preview shows prices, discounts, stock and every fact": func(t *testing.T, s *suite) {
		p, _ := s.preview(t, s.order("10", "5"))
		sum := decimal.Zero
		for _, l := range p.Lines {
			price := decimal.RequireFromString(l.BasePrice).Mul(decimal.NewFromInt(100).Sub(decimal.RequireFromString(l.Discount))).Div(decimal.NewFromInt(100)).Round(4)
			if price.String() != l.UnitPrice {
				t.Errorf("%s: unit price %s, want %s", l.Product, l.UnitPrice, price)
			}
			amount := price.Mul(decimal.RequireFromString(l.Quantity)).Round(2)
			if amount.String() != l.Amount {
				t.Errorf("%s: amount %s, want %s", l.Product, l.Amount, amount)
			}
			if left := decimal.RequireFromString(l.StockBefore).Sub(decimal.RequireFromString(l.Quantity)).String(); left != l.StockAfter {
				t.Errorf("%s: stock %s to %s with %s taken", l.Product, l.StockBefore, l.StockAfter, l.Quantity)
			}
			sum = sum.Add(amount)
		}
		if sum.String() != p.Total || p.Currency == "" {
			t.Errorf("total %s %s, want %s", p.Total, p.Currency, sum)
		}
		kinds := map[nouns.FactKind]int{}
		for _, f := range p.Facts {
			kinds[f.Kind]++
			if f.Label.Zh == "" || f.Label.En == "" || f.Form == "" || f.Key == "" || f.Field == "" {
				t.Errorf("the fact %+v does not say what it is", f)
			}
		}
		for _, k := range []nouns.FactKind{nouns.FactPrice, nouns.FactName, nouns.FactProductStatus, nouns.FactStock} {
			if kinds[k] < 2 {
				t.Errorf("%d facts of kind %s, want one a product", kinds[k], k)
			}
		}
		if !p.Provisional {
			t.Error("the number of the order is not marked as provisional")
		}
	},
	"lines of one product become one, and a note says so": func(t *testing.T, s *suite) {
		c := s.order("3", "5")
		c.Payload = raw(map[string]any{"customer": s.Customer, "lines": []any{
			map[string]any{"product": s.Products[0], "quantity": 3}, map[string]any{"product": s.Products[0], "quantity": "4"}}})
		p, x := s.preview(t, c)
		if len(p.Lines) != 1 || p.Lines[0].Quantity != "7" || len(p.Notes) == 0 {
			t.Errorf("lines %+v, notes %+v", p.Lines, p.Notes)
		}
		s.executed(t, x)
	},
	"what breaks a rule is refused, field by field": refuseBadOrders,
	"a customer's fields change, and nothing else": func(t *testing.T, s *suite) {
		before := s.record(t, "customer", s.Customer)
		c := nouns.Change{Form: "customer", Action: "update", OpType: nouns.OpUpdate, Target: s.Customer,
			Payload: raw(map[string]any{"credit_limit": "123456.70", "contact": "新联系人"})}
		p, x := s.preview(t, c)
		if len(p.Diffs) != 2 {
			t.Errorf("diffs %+v, want two", p.Diffs)
		}
		s.executed(t, x)
		want := nouns.Row{}
		for k, v := range before {
			want[k] = v
		}
		want["credit_limit"], want["contact"] = "123456.7", "新联系人"
		got := s.record(t, "customer", s.Customer)
		want["version"] = got["version"]
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("the customer (-want +got):\n%s", d)
		}
		if got["version"] == before["version"] {
			t.Error("the version of the record did not move")
		}
	},
	"a change that breaks a field's rule is refused": func(t *testing.T, s *suite) {
		for name, payload := range map[string]any{
			"unknown field":   map[string]any{"rating": "A"},
			"read-only field": map[string]any{"code": "C-0002"},
			"version":         map[string]any{"version": 9},
			"empty required":  map[string]any{"name": " "},
			"too long":        map[string]any{"contact": strings.Repeat("长", 101)},
			"wrong pattern":   map[string]any{"phone": "call me"},
			"negative":        map[string]any{"credit_limit": "-1"},
			"scale":           map[string]any{"credit_limit": "1.005"},
			"absurd":          map[string]any{"credit_limit": "99999999999999999999"},
			"option":          map[string]any{"region": "Mars"},
			"control":         map[string]any{"contact": "a\u0007b"},
			"null":            map[string]any{"contact": nil},
			"a list":          map[string]any{"contact": []string{"x"}},
			"nothing":         map[string]any{},
		} {
			_, err := s.Connector.Preview(context.Background(), s.clerk, nouns.Change{Form: "customer", Action: "update", Target: s.Customer, Payload: raw(payload)})
			if fault.CodeOf(err) != fault.ValidationFailed || fault.ParamsOf(err)["detail"] == "" {
				t.Errorf("%s: %v", name, err)
			}
		}
		_, err := s.Connector.Preview(context.Background(), s.clerk, nouns.Change{Form: "customer", Action: "update", Target: "C-9999", Payload: raw(map[string]any{"contact": "x"})})
		wantCode(t, err, fault.NotFound)
	},
	"cancelling puts stock back and says that nothing is refunded": func(t *testing.T, s *suite) {
		level := s.stock(t, s.Products[0])
		_, x := s.preview(t, s.order("10", "5"))
		bill := s.executed(t, x).Bill
		p, y := s.preview(t, nouns.Change{Form: "sales_order", Action: "cancel", OpType: nouns.OpAction, Target: bill, Payload: raw(map[string]any{"reason": "客户改主意"})})
		if len(p.Notes) == 0 || !strings.Contains(p.Notes[0].Zh, "不会退款") || !strings.Contains(p.Notes[0].En, "refunds nothing") {
			t.Errorf("notes %+v", p.Notes)
		}
		s.executed(t, y)
		if got := s.record(t, "sales_order", bill)["status"]; got != "cancelled" {
			t.Errorf("status %v", got)
		}
		if got := s.stock(t, s.Products[0]); got != level {
			t.Errorf("stock %s, want %s again", got, level)
		}
		for _, number := range []string{bill, s.Closed} {
			_, err := s.Connector.Preview(context.Background(), s.clerk, nouns.Change{Form: "sales_order", Action: "cancel", Target: number, Payload: raw(map[string]any{})})
			wantCode(t, err, fault.ValidationFailed)
		}
	},
	"a write after its deadline is refused": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		x.Deadline = time.Now().Add(-time.Second)
		s.refused(t, x, fault.Expired)
	},
	"pages stay stable under writes": func(t *testing.T, s *suite) {
		ctx := context.Background()
		q := nouns.Query{Form: "sales_order", Sort: []nouns.Sort{{Field: "number", Desc: true}}, Limit: 10}
		p, err := s.Connector.Read(ctx, s.clerk, q)
		must(t, err)
		_, x := s.preview(t, s.order("1", "1"))
		s.executed(t, x)
		q.Cursor = p.NextCursor
		next, err := s.Connector.Read(ctx, s.clerk, q)
		must(t, err)
		if a, b := p.Rows[9]["number"].(string), next.Rows[0]["number"].(string); a <= b {
			t.Errorf("the page after %s begins with %s", a, b)
		}
	},
}

func refuseBadOrders(t *testing.T, s *suite) {
	line := func(product string, quantity any) map[string]any {
		return map[string]any{"product": product, "quantity": quantity}
	}
	order := func(kv ...any) map[string]any {
		m := map[string]any{"customer": s.Customer, "lines": []any{line(s.Products[0], "1")}}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i].(string)] = kv[i+1]
		}
		return m
	}
	lines := func(n int) []any {
		out := make([]any, n)
		for i := range out {
			out[i] = line(s.Products[0], 1)
		}
		return out
	}
	for name, c := range map[string]struct {
		payload any
		field   string
	}{
		"unknown customer":    {order("customer", "C-9999"), "customer"},
		"inactive customer":   {order("customer", s.Idle), "customer"},
		"no customer":         {order("customer", ""), "customer"},
		"null customer":       {order("customer", nil), "customer"},
		"unknown field":       {order("bUpdate", "1"), "bUpdate"},
		"read-only field":     {order("total", "1"), "total"},
		"read-only in a line": {order("lines", []any{map[string]any{"product": s.Products[0], "quantity": 1, "unit_price": "0.01"}}), "lines[1].unit_price"},
		"unknown in a line":   {order("lines", []any{map[string]any{"product": s.Products[0], "quantity": 1, "x": "1"}}), "lines[1].x"},
		"no lines":            {order("lines", []any{}), "lines"},
		"null lines":          {order("lines", nil), "lines"},
		"lines are no list":   {order("lines", "x"), "lines"},
		"101 lines":           {order("lines", lines(101)), "lines"},
		"10,000 lines":        {order("lines", lines(10000)), "lines"},
		"unknown product":     {order("lines", []any{line("P-9999", 1)}), "lines[1].product"},
		"retired product":     {order("lines", []any{line(s.Retired, 1)}), "lines[1].product"},
		"zero":                {order("lines", []any{line(s.Products[0], 0)}), "lines[1].quantity"},
		"negative":            {order("lines", []any{line(s.Products[0], "-1")}), "lines[1].quantity"},
		"not a number":        {order("lines", []any{line(s.Products[0], "ten")}), "lines[1].quantity"},
		"an exponent":         {order("lines", []any{line(s.Products[0], "1e1")}), "lines[1].quantity"},
		"part of a box":       {order("lines", []any{line(s.Products[0], "1.5")}), "lines[1].quantity"},
		"too many decimals":   {order("lines", []any{line(s.Products[0], "1.00001")}), "lines[1].quantity"},
		"absurd quantity":     {order("lines", []any{line(s.Products[0], "1000000000000")}), "lines[1].quantity"},
		"more than there is":  {order("lines", []any{line(s.Products[0], "900000")}), "lines[1].quantity"},
		"no such day":         {order("order_date", "2026-02-30"), "order_date"},
		"delivered before":    {order("order_date", "2026-05-02", "delivery_date", "2026-05-01"), "delivery_date"},
		"unknown warehouse":   {order("warehouse", "WH-99"), "warehouse"},
		"long remark":         {order("remark", strings.Repeat("备", 501)), "remark"},
		"not an object":       {[]any{1}, ""},
	} {
		_, err := s.Connector.Preview(context.Background(), s.clerk, nouns.Change{Form: "sales_order", Action: "create", Payload: raw(c.payload)})
		if fault.CodeOf(err) != fault.ValidationFailed || fault.ParamsOf(err)["field"] != c.field || fault.ParamsOf(err)["detail"] == "" {
			t.Errorf("%s: %v (params %v), want validation_failed of %q", name, err, fault.ParamsOf(err), c.field)
		}
	}
	for name, payload := range map[string]string{"twice the same key": `{"customer":"a","customer":"b"}`, "truncated": `{"customer":`, "empty": ``} {
		_, err := s.Connector.Preview(context.Background(), s.clerk, nouns.Change{Form: "sales_order", Action: "create", Payload: json.RawMessage(payload)})
		if fault.CodeOf(err) != fault.ValidationFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
}
