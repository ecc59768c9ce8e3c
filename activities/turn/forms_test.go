package turn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/erp"
)

func field(name, zh string) erp.Field {
	return erp.Field{Name: name, Label: erp.Label{Zh: zh, En: name}, Type: erp.Text}
}

func someForms() []erp.Form {
	return []erp.Form{
		{Form: "customer", Label: erp.Label{Zh: "客户", En: "Customer"}, Domain: "customers", Key: "code", Fields: []erp.Field{field("code", "客户编码")}},
		{Form: "sales_order", Label: erp.Label{Zh: "销售订单", En: "Sales order"}, Domain: "sales", Key: "number", Fields: []erp.Field{field("customer", "客户")},
			Actions: []erp.Action{{Action: "create", Write: true}, {Action: "cancel", Write: true, Args: []erp.Field{field("reason", "原因")}}, {Action: "export"}}},
		{Form: "order_progress", Label: erp.Label{Zh: "订单进度", En: "Order progress"}, Domain: "sales", Kind: erp.KindReport, Help: erp.Label{Zh: "订单发货到哪一步", En: "How far orders are"}},
	}
}

func names(forms []erp.Form) (out []string) {
	for _, f := range forms {
		out = append(out, f.Form)
	}
	return out
}

func TestTheBestMatchComesFirst(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"客户":             {"customer", "sales_order"},
		"sales_order":    {"sales_order"},
		"订单":             {"sales_order", "order_progress"},
		"Order Progress": {"order_progress"},
		"到哪一步":           {"order_progress"},
		"火星":             nil,
		"":               {"customer", "sales_order", "order_progress"},
	} {
		if diff := cmp.Diff(want, names(ranked(someForms(), query, ""))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	if diff := cmp.Diff([]string{"customer"}, names(ranked(someForms(), "", "customers"))); diff != "" {
		t.Error(diff)
	}
}

func TestAFormIsToldWithKindActionsAndWhatReads(t *testing.T) {
	t.Parallel()
	got, cut := describe(someForms()[1:], 2, "zh")
	if cut || len(got) != 2 {
		t.Fatalf("%+v %v", got, cut)
	}
	order, report := got[0], got[1]
	if order.Kind != erp.KindRecord || order.Key != "number" || len(order.Actions) != 2 || order.Actions[1].Args[0] != "reason" ||
		!cmp.Equal(order.ReadActions, []string{"export"}) || len(order.Fields) != 1 {
		t.Errorf("%+v", order)
	}
	if report.Kind != erp.KindReport || report.Help != "订单发货到哪一步" || report.Domain != "sales" {
		t.Errorf("%+v", report)
	}
}

func TestManyFormsStaySmallAndSaySo(t *testing.T) {
	t.Parallel()
	var forms []erp.Form
	for i := range 60 {
		f := erp.Form{Form: fmt.Sprintf("form_%02d", i), Label: erp.Label{Zh: "表单", En: "Form"}, Domain: "sales"}
		for k := range 80 {
			f.Fields = append(f.Fields, field(fmt.Sprintf("field_%02d", k), strings.Repeat("字", 20)))
		}
		forms = append(forms, f)
	}
	got, cut := describe(forms, maxDetailed, "zh")
	if n := len(mustJSON(got)); n > maxResult || !cut || len(got) != 60 {
		t.Errorf("%d bytes, cut %v, %d forms", n, cut, len(got))
	}
	if got[0].Fields == nil || got[59].Fields != nil {
		t.Error("fields are told of the wrong forms")
	}
}

func TestTheDomainMapHasOneLineADomain(t *testing.T) {
	t.Parallel()
	forms := append(someForms(), erp.Form{Form: "x", Label: erp.Label{Zh: "某", En: "X"}, Domain: "elsewhere"})
	want := "- customers (客户 / Customers): `customer` 客户 / Customer\n" +
		"- sales (销售 / Sales): `sales_order` 销售订单 / Sales order; `order_progress` (report) 订单进度 / Order progress\n" +
		"- elsewhere: `x` 某 / X\n"
	if diff := cmp.Diff(want, domainMap(forms)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
