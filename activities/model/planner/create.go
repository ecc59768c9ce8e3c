package planner

import (
	"regexp"
	"strings"
)

// createOrder carries "create an order for …: 10 boxes of A, 5 boxes of B": look
// up, ask where needed, save a draft, propose.
func createOrder(s *session, m []string) *step {
	o := parseOrder(m[2])
	if o.unclear != "" || len(o.lines) == 0 {
		return s.answer("我没有看懂订单明细“%s”。请写成：10 箱 <产品>、5 箱 <产品>。", "I did not understand the line \"%s\". Please write: 10 boxes of <product>, 5 boxes of <product>.", plain(orElse(o.unclear, m[2])))
	}
	c, lines, wait := s.lookUp(customer, m[1], o)
	if wait != nil {
		return wait
	}
	values, wait := s.documentValues("sales_order", customer, c, lines, o)
	if wait != nil {
		return wait
	}
	propose, wait := s.draft("sales_order", "", values)
	if wait != nil {
		return wait
	}
	intro := s.say("已为 %s 准备好订单草稿，请在卡片上核对并确认。", "The order for %s is drafted. Please check and confirm it on the card.", plain(s.name(c)))
	return s.propose(propose, intro, func(r result) *step {
		return s.answer("订单 %s 已创建。", "Order %s has been created.", link(orElse(r.fields.str("bill"), "?"), r.fields.str("link")))
	})
}

// sameUnit asks when a person names another measure than the product is sold by.
func (s *session) sameUnit(l line, p row) *step {
	said, sold := unitGroup(l.unit), unitGroup(p.str("unit"))
	if l.unit == "" || said < 0 || sold < 0 || said == sold {
		return nil
	}
	yes := s.say("按 %[1]s %[2]s 下单", "Order %[1]s %[2]s", l.quantity, s.unit(p.str("unit")))
	no := s.say("不下单", "Do not order")
	question := s.say("%[1]s 按“%[3]s”销售，不是“%[2]s”。怎么办？", "%[1]s is sold by the %[3]s, not by the %[2]s. What shall I do?", s.name(p), l.unit, s.unit(p.str("unit")))
	answer, wait := s.ask(question, []string{yes, no}, false)
	if wait != nil {
		return wait
	}
	if answer != yes {
		return s.answer("好的，没有下单。什么都没有写入。", "All right, no order was made. Nothing was written.")
	}
	return nil
}

// warehouseCode is what the key of a warehouse looks like, such as WH-EAST.
var warehouseCode = regexp.MustCompile(`^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+$`)

// warehouse turns what a person calls a warehouse into its code.
func (s *session) warehouse(text string) (string, *step) {
	field, op := "warehouse_name", "contains"
	value := strings.TrimSuffix(strings.TrimSuffix(text, "库"), "仓")
	if warehouseCode.MatchString(text) {
		field, op, value = "warehouse", "eq", strings.ToUpper(text)
	} else if !s.zh {
		field = "warehouse_name_en"
	}
	c := readForm("stock", where(field, op, value))
	c.args["fields"] = []string{"warehouse", "warehouse_name"}
	res, wait := s.need(c)
	if wait != nil {
		return "", wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return "", s.failed(f)
	}
	names := map[string]bool{}
	found := ""
	for _, r := range res[0].rows() {
		found = r.str("warehouse")
		names[found] = true
	}
	if len(names) != 1 {
		return "", s.answer("没有找到唯一的仓库“%s”。什么都没有写入。", "I found no single warehouse called \"%s\". Nothing was written.", plain(text))
	}
	return found, nil
}
