package erp_test

import (
	"testing"

	"github.com/erpilot/erpilot/schema/erp"
)

func TestFiguresAreGroupedAndTelephoneNumbersAreNot(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ      erp.Type
		in, want string
	}{
		{erp.Money, "1250000", "1,250,000.00"}, {erp.Money, "5216.4", "5,216.40"}, {erp.Money, "0.1234", "0.1234"}, {erp.Money, "-1000", "-1,000.00"},
		{erp.Decimal, "1000.5", "1,000.5"}, {erp.Decimal, "500", "500"}, {erp.Integer, "12345", "12,345"}, {erp.Integer, "-100", "-100"},
		{erp.Text, "13800000001", "13800000001"}, {"", "13800000001", "13800000001"}, {erp.Date, "2026-12-01", "2026-12-01"}, {erp.Money, "", ""}, {erp.Money, "n/a", "n/a"},
	} {
		if got := erp.Show(c.typ, c.in); got != c.want {
			t.Errorf("%s %q is shown as %q, want %q", c.typ, c.in, got, c.want)
		}
	}
}

func TestATitleNamesTheFormOnceAndAsPartOfAPhrase(t *testing.T) {
	t.Parallel()
	order := erp.Preview{FormLabel: erp.Label{Zh: "销售订单", En: "Sales order"}, Action: "create", ActionLabel: erp.Label{Zh: "新建", En: "Create"}}
	cancel := order
	cancel.Action, cancel.ActionLabel = "cancel", erp.Label{Zh: "取消订单", En: "Cancel order"}
	rate := order
	rate.FormLabel = erp.Label{Zh: "税率", En: "VAT rate"}
	withdraw := order
	withdraw.Action, withdraw.ActionLabel = "withdraw", erp.Label{Zh: "撤回", En: "Withdraw"}
	for want, got := range map[string]string{"撤回销售订单": withdraw.Title("zh"), "Withdraw sales order": withdraw.Title("en"), "新建销售订单": order.Title("zh"), "Create sales order": order.Title("en"), "取消订单": cancel.Title("zh"), "Cancel order": cancel.Title("en"), "Create VAT rate": rate.Title("en")} {
		if got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

func TestWhatTheLinesSayIsNotSaidAgain(t *testing.T) {
	t.Parallel()
	p := erp.Preview{Total: "10", Currency: "CNY", Lines: []erp.Line{{Product: "P-1", StockBefore: "5", StockAfter: "4"}}}
	for _, c := range []struct {
		d    erp.Diff
		want bool
	}{
		{erp.Diff{Object: "Tea (P-1)", Before: "5", After: "4", Derived: true}, true}, {erp.Diff{Object: "Tea (P-1)", Before: "5", After: "3", Derived: true}, false},
		{erp.Diff{After: "10", Derived: true}, true}, {erp.Diff{After: "CNY", Derived: true}, true}, {erp.Diff{After: "10"}, false}, {erp.Diff{After: "SO-1", Derived: true}, false},
	} {
		if got := p.InLines(c.d); got != c.want {
			t.Errorf("%+v: %v", c.d, got)
		}
	}
}
