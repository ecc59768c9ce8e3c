package builtin_test

import (
	"context"
	"testing"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/erp/erptest"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// caseMaker makes ready what the cases of the conformance suite change.
type caseMaker struct {
	c  *builtin.Connector
	id erp.Identity
}

// do writes what comes before a case, and returns its number.
func (k caseMaker) do(t *testing.T, form, action, target string, payload m) string {
	t.Helper()
	ctx := context.Background()
	c := changing(form, action, target, payload)
	p, err := k.c.Preview(ctx, k.id, c)
	if err != nil {
		t.Fatalf("%s %s: %v", form, action, err)
	}
	got, err := k.c.Execute(ctx, k.id, confirmed(c, p))
	if err != nil || got.Status != nouns.CommitExecuted {
		t.Fatalf("%s %s: %+v %v", form, action, got, err)
	}
	return got.Bill
}

func (k caseMaker) order(t *testing.T, status string) string {
	t.Helper()
	lines := []m{line("P-0001", "2"), line("P-0002", "1")}
	if status == "draft" {
		return k.do(t, "sales_order", "create", "", m{"customer": "C-0001", "status": "draft", "lines": lines})
	}
	so := k.do(t, "sales_order", "create", "", m{"customer": "C-0001", "lines": lines})
	if status == "examined" {
		k.do(t, "sales_order", "examine", so, m{})
	}
	return so
}

// chain makes a document of the form, through all that come before it, examined or not.
func (k caseMaker) chain(t *testing.T, form string, examined bool) string {
	t.Helper()
	number, forms := "", []string{"sales_order", "delivery", "receivable", "receipt"}
	if form == "purchase_order" || form == "goods_receipt" || form == "payable" {
		forms = []string{"purchase_order", "goods_receipt", "payable"}
	}
	for i, f := range forms {
		switch f {
		case "sales_order":
			number = k.order(t, "submitted")
		case "purchase_order":
			number = k.do(t, f, "create", "", m{"supplier": "S-0001", "lines": []m{{"product": "P-0001", "quantity": "3", "unit_price": "1.25"}}})
		default:
			number = k.do(t, f, "generate", "", from(forms[i-1], number))
		}
		if f != form || examined {
			k.do(t, f, "examine", number, m{})
		}
		if f == form {
			break
		}
	}
	return number
}

// cases are one for each kind of write; the engine behind them is the same for all
// documents, and TestEveryActionDoesWhatItsPreviewShowed tries every action.
func (k caseMaker) cases() []erptest.Case {
	fixed := func(form, action, target string, payload m) erptest.Case {
		return erptest.Case{Name: form + " " + action, Change: func(*testing.T) nouns.Change { return changing(form, action, target, payload) }}
	}
	on := func(form, action string, payload m, target func(t *testing.T) string) erptest.Case {
		return erptest.Case{Name: form + " " + action, Change: func(t *testing.T) nouns.Change { return changing(form, action, target(t), payload) }}
	}
	generate := func(source, form string, payload m) erptest.Case {
		return erptest.Case{Name: form + " generate", Change: func(t *testing.T) nouns.Change {
			p := from(source, k.chain(t, source, true))
			for key, v := range payload {
				p[key] = v
			}
			return changing(form, "generate", "", p)
		}}
	}
	order := func(status string) func(t *testing.T) string {
		return func(t *testing.T) string { return k.order(t, status) }
	}
	after := func(form string, examined bool) func(t *testing.T) string {
		return func(t *testing.T) string { return k.chain(t, form, examined) }
	}
	return []erptest.Case{
		fixed("customer", "create", "", m{"name": "新客户 é", "region": "east", "currency": "CNY", "credit_limit": "1000000.01"}),
		fixed("customer", "update", "C-0001", m{"contact": "张", "credit_limit": "7.50", "region": "south"}),
		on("customer", "delete", m{}, func(t *testing.T) string {
			return k.do(t, "customer", "create", "", m{"name": "过客", "region": "east", "currency": "CNY"})
		}),
		fixed("product", "update", "P-0001", m{"base_price": "12.3456"}),
		fixed("stock_adjustment", "create", "", m{"reason": "count", "lines": []m{line("P-0001", "-3"), line("P-0002", "4")}}),
		fixed("stock_transfer", "create", "", m{"to_warehouse": "WH-02", "lines": []m{line("P-0001", "3")}}),
		fixed("sales_order", "create", "", m{"customer": "C-0001", "remark": "急", "lines": []m{line("P-0001", "3"), line("P-0002", "7")}}),
		on("sales_order", "update", m{"remark": "改", "lines": []m{line("P-0002", "5")}}, order("draft")),
		on("sales_order", "submit", m{}, order("draft")),
		on("sales_order", "delete", m{}, order("draft")),
		on("sales_order", "withdraw", m{}, order("submitted")),
		on("sales_order", "examine", m{}, order("submitted")),
		on("sales_order", "cancel", m{"reason": "改主意"}, order("submitted")),
		on("sales_order", "unexamine", m{}, order("examined")),
		on("sales_order", "close", m{}, order("examined")),
		generate("sales_order", "delivery", m{"remark": "部分", "delivery_date": "2026-12-31"}),
		on("delivery", "examine", m{}, after("delivery", false)),
		on("delivery", "unexamine", m{}, after("delivery", true)),
		generate("delivery", "receivable", nil),
		on("receivable", "examine", m{}, after("receivable", false)),
		generate("receivable", "receipt", m{"method": "cash"}),
		generate("purchase_order", "goods_receipt", nil),
		on("goods_receipt", "examine", m{}, after("goods_receipt", false)),
		generate("goods_receipt", "payable", nil),
	}
}
