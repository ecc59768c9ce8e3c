package planner_test

import (
	"strings"
	"testing"
)

func TestAFormIsFilledInWhereNothingIsSaidOfTheDocument(t *testing.T) {
	t.Parallel()
	const values = `{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"3"}]}`
	for text, want := range map[string][2]string{"新建报价单": {"quotation", "QT-000009"}, "开一张采购订单": {"purchase_order", "PO-000009"},
		"填写客户表单": {"customer", "C-0099"}, "New sales order": {"sales_order", "SO-"}, "Create a supplier": {"supplier", "S-0099"}} {
		w := company(t)
		w.answers[want[0]] = `{"status":"filled_in","values":` + values + `}`
		got := w.say(text)
		heard := strings.Join(w.heard, "\n")
		if !strings.Contains(heard, `collect_form {"form":"`+want[0]+`"`) || !strings.Contains(heard, `save_draft {"form":"`+want[0]+`","values":`+values+`}`) || !strings.Contains(got, "["+want[1]) {
			t.Errorf("%s:\n%s\n%s", text, heard, got)
		}
	}
}

func TestAFormThatIsNotSentLeadsToNothing(t *testing.T) {
	t.Parallel()
	w := company(t)
	got := w.say("新建报价单")
	if heard := strings.Join(w.heard, "\n"); strings.Contains(heard, "save_draft") || !strings.Contains(got, "什么都没有写入") {
		t.Errorf("%s\n%s", heard, got)
	}
}
