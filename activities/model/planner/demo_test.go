package planner

import (
	"fmt"
	"testing"

	"github.com/erpilot/erpilot/schema/demo"
)

// Every name of a demo tenant comes through the sentences of the tour unharmed.
// One tenant will do: all are made of the same words.
func TestTheTourKnowsEveryDemoName(t *testing.T) {
	t.Parallel()
	for _, company := range demo.Companies(1)[:1] {
		for i, c := range company.Customers {
			a, b := company.Products[i%len(company.Products)], company.Products[(i*7+3)%len(company.Products)]
			zh := fmt.Sprintf("给%s下一张订单：10 %s %s、5 %s %s", c.Name, a.Unit, a.Name, b.Unit, b.Name)
			en := fmt.Sprintf("Create an order for %s: 10 %ss of %s, 5 %ss of %s", c.NameEn, a.UnitEn, a.NameEn, b.UnitEn, b.NameEn)
			if a.UnitEn == "box" || a.UnitEn == "kg" || b.UnitEn == "box" || b.UnitEn == "kg" {
				en = fmt.Sprintf("Create an order for %s: 10 %s of %s, 5 %s of %s", c.NameEn, a.UnitEn, a.NameEn, b.UnitEn, b.NameEn)
			}
			orders(t, zh, c.Name, a.Name, b.Name)
			orders(t, en, c.NameEn, a.NameEn, b.NameEn)
			matches(t, "查询"+c.Name+"的订单", c.Name)
			matches(t, "Show the orders of "+c.NameEn, tidy(c.NameEn))
			matches(t, "把"+c.Name+"的电话改成 021-1", c.Name)
			matches(t, "Change the phone of "+c.NameEn+" to 021-1", c.NameEn)
			matches(t, a.Name+"的库存", a.Name)
			matches(t, "Stock of "+a.NameEn, a.NameEn)
			matches(t, a.Name+"的价格是多少？", a.Name)
			matches(t, "Price of "+a.NameEn, a.NameEn)
		}
	}
}

// matches checks that some group of the first intent that fits is the name.
func matches(t *testing.T, text, name string) []string {
	t.Helper()
	for _, in := range intents {
		if m := in.pattern.FindStringSubmatch(tidy(text)); m != nil {
			for _, g := range m[1:] {
				if g == name {
					return m
				}
			}
			t.Errorf("%s: %q, not %q", text, m[1:], name)
			return nil
		}
	}
	t.Errorf("%s: not understood", text)
	return nil
}

func orders(t *testing.T, text, customer, a, b string) {
	t.Helper()
	m := matches(t, text, customer)
	if len(m) != 3 {
		return
	}
	o := parseOrder(m[2])
	if len(o.lines) != 2 || o.lines[0].product != a || o.lines[1].product != b || o.lines[0].quantity != "10" || o.lines[1].quantity != "5" {
		t.Errorf("%s: %+v", text, o)
	}
}
