package planner

import (
	"strings"

	"github.com/erpilot/erpilot/schema/tool"
)

// change carries "change the phone of … to …". m is name, field, new value.
func change(s *session, m []string) *step {
	name, field, value := m[1], findField(m[2]), strings.Trim(strings.TrimSpace(m[3]), `"'“”「」`)
	if field == nil {
		return s.answer("我不会修改“%s”。可以修改：电话、联系人、邮箱、信用额度、区域、名称。", "I cannot change \"%s\". I can change: phone, contact, email, credit limit, region, name.", plain(m[2]))
	}
	switch field.name {
	case "credit_limit", "base_price":
		n, ok := number(strings.Trim(value, "¥￥$元RMBCNYUSD 圆块"))
		if !ok {
			return s.answer("“%s”不是金额。", "\"%s\" is not an amount.", plain(value))
		}
		value = n
	case "region":
		r := findRegion(value)
		if r == nil {
			return s.answer("没有区域“%s”。", "There is no region \"%s\".", plain(value))
		}
		value = r.code
	}
	e := customer
	if field.form == "product" {
		e = product
	}
	for _, w := range []string{"供应商", "supplier "} {
		if rest, ok := strings.CutPrefix(name, w); ok && e == customer {
			e, name = supplier, rest
		}
	}
	target, wait := s.one(e, name)
	if wait != nil {
		return wait
	}
	if now := target.str(field.name); now == value && now != "" {
		return s.answer("%[1]s 的%[2]s已经是 %[4]s，无需修改。", "%[3]s of %[1]s is %[4]s already; there is nothing to change.", plain(s.name(target)), field.zh, field.en, plain(s.value(field.name, value)))
	}
	propose := call{tool.ProposeWrite, map[string]any{
		"form": e.form, "action": tool.ActionUpdate, "target": target.str("code"), "changes": map[string]any{field.name: value},
	}}
	intro := s.say("请在卡片上确认对 %s 的修改。", "Please confirm the change of %s on the card.", plain(s.name(target)))
	return s.propose(propose, intro, func(result) *step {
		return s.answer("%[1]s 的%[2]s已改为 **%[4]s**。", "%[3]s of %[1]s is now **%[4]s**.", plain(s.name(target)), field.zh, field.en, plain(s.value(field.name, value)))
	})
}

// cancelOrder carries "cancel order SO-…". m is number, reason.
func cancelOrder(s *session, m []string) *step {
	number := strings.ToUpper(m[1])
	d := documentOf(number)
	if d == nil {
		d = documentBy("sales_order")
	}
	return s.cancel(d, number, strings.TrimSpace(m[2]))
}

// cancelWhich asks for the number that is missing.
func cancelWhich(s *session, m []string) *step {
	return s.answer("请给出要取消的订单号，例如：取消订单 SO-000001。", "Please give the number of the order, for example: Cancel order SO-000001.")
}
