package planner

import (
	"encoding/json"
	"strings"

	"github.com/erpilot/erpilot/schema/tool"
)

// blankForms are the documents that are filled in as a form when nothing is said
// of them, by the words of both languages.
var blankForms = map[string]struct{ form, zh, en string }{
	"报价单": {"quotation", "报价单", "quotation"}, "quotation": {"quotation", "报价单", "quotation"},
	"销售订单": {"sales_order", "销售订单", "sales order"}, "订单": {"sales_order", "销售订单", "sales order"}, "sales order": {"sales_order", "销售订单", "sales order"},
	"order": {"sales_order", "销售订单", "sales order"},
	"采购订单":  {"purchase_order", "采购订单", "purchase order"}, "采购单": {"purchase_order", "采购订单", "purchase order"}, "purchase order": {"purchase_order", "采购订单", "purchase order"},
	"生产订单": {"production_order", "生产订单", "production order"}, "production order": {"production_order", "生产订单", "production order"},
	"库存调整单": {"stock_adjustment", "库存调整单", "stock adjustment"}, "stock adjustment": {"stock_adjustment", "库存调整单", "stock adjustment"},
	"调拨单": {"stock_transfer", "调拨单", "stock transfer"}, "stock transfer": {"stock_transfer", "调拨单", "stock transfer"},
	"客户": {"customer", "客户", "customer"}, "customer": {"customer", "客户", "customer"},
	"供应商": {"supplier", "供应商", "supplier"}, "supplier": {"supplier", "供应商", "supplier"},
}

// collect carries "new quotation" without a word about it: the person fills in the
// ERP's form, and that becomes the draft. m is which.
func collect(s *session, m []string) *step {
	f, ok := blankForms[strings.ToLower(strings.Join(strings.Fields(m[1]), " "))]
	if !ok {
		return nil
	}
	title := s.say("请填写%[1]s，提交后我来起草，写入前还会请您确认。", "Please fill in the %[2]s. I draft it then, and you confirm before anything is written.", f.zh, f.en)
	res, wait := s.need(call{tool.CollectForm, map[string]any{"form": f.form, "title": title}})
	if wait != nil {
		return wait
	}
	if why := res[0].failure(s.locale()); why != "" {
		return s.failed(why)
	}
	var values map[string]any
	if raw, err := json.Marshal(res[0].fields["values"]); err != nil || json.Unmarshal(raw, &values) != nil || len(values) == 0 {
		return s.answer("表单没有提交，我就停在这里。什么都没有写入。", "The form was not sent, so I stop here. Nothing was written.")
	}
	propose, wait := s.draft(f.form, "", values)
	if wait != nil {
		return wait
	}
	r, wait := s.settled(propose, s.say("%[1]s已按您填写的内容起草，请在卡片上核对并确认。", "The %[2]s is drafted as you filled it in. Please check and confirm it on the card.", f.zh, f.en))
	if wait != nil {
		return wait
	}
	return s.answer("%[1]s %[3]s 已生成。", "%[2]s %[3]s has been made.", f.zh, upperFirst(f.en), linkTo(f.form, orElse(r.fields.str("bill"), "?"), r.fields.str("link")))
}
