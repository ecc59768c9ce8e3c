package planner

import (
	"regexp"
	"strings"
)

// createQuotation carries "quote …: 10 boxes of A". m is customer and lines.
func createQuotation(s *session, m []string) *step {
	return s.trade("quotation", customer, m)
}

// createPurchase carries "purchase order for …: 10 boxes of A". m is supplier and lines.
func createPurchase(s *session, m []string) *step {
	return s.trade("purchase_order", supplier, m)
}

var (
	// pricePart is what a supplier asks for; only a purchase takes it.
	pricePart = regexp.MustCompile(`(?i)\s*[，,]?\s*(?:单价|进价|每[箱盒瓶袋包罐件个套]|@|at\s+(?:a\s+price\s+of\s+)?|price)\s*[:：]?\s*(?:¥|￥)?\s*([0-9]+(?:\.[0-9]+)?)\s*(?:元|块|yuan|CNY|RMB)?(?:\s*(?:each|/\s*\S+))?`)
	// validPart is until when a quotation holds.
	validPart = regexp.MustCompile(`(?i)[，,；;]?\s*(?:有效期|有效)(?:至|到|为|[:：])?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})|[,;]?\s*valid\s+(?:until|till|to)\s*:?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})`)
)

// trade looks a partner and products up, asks where needed, saves a draft of a
// document and proposes it.
func (s *session) trade(form string, partner entity, m []string) *step {
	if asks.MatchString(strings.TrimSpace(s.text)) {
		return nil
	}
	text, price, valid := m[2], "", ""
	if form == "purchase_order" {
		if p := pricePart.FindStringSubmatch(text); p != nil {
			price, text = p[1], pricePart.ReplaceAllString(text, "")
		}
	}
	if p := validPart.FindStringSubmatch(text); form == "quotation" && p != nil {
		valid, text = p[1]+p[2], validPart.ReplaceAllString(text, "")
	}
	o := parseOrder(text)
	if o.unclear != "" || len(o.lines) == 0 {
		return s.unclearLines(o, m[2])
	}
	if price != "" && len(o.lines) != 1 {
		return s.answer("有多行时请逐行建单并给出单价。什么都没有写入。", "With several lines please give each its own order and price. Nothing was written.")
	}
	c, lines, wait := s.lookUp(partner, m[1], o)
	if wait != nil {
		return wait
	}
	if price != "" {
		lines[0]["unit_price"] = price
	}
	values, wait := s.documentValues(form, partner, c, lines, o)
	if wait != nil {
		return wait
	}
	if valid != "" {
		values["valid_until"] = valid
	}
	d := documentBy(form)
	propose, wait := s.draft(form, "", values)
	if wait != nil {
		return wait
	}
	intro := s.say("已为 %[3]s 准备好%[1]s草稿，请在卡片上核对并确认。", "The %[2]s for %[3]s is drafted. Please check and confirm it on the card.", d.zh, d.en, plain(s.name(c)))
	r, wait := s.settled(propose, intro)
	if wait != nil {
		return wait
	}
	return s.made(d, r, false)
}

func (s *session) unclearLines(o order, text string) *step {
	return s.answer("我没有看懂明细“%s”。请写成：10 箱 <产品>、5 箱 <产品>。", "I did not understand the line \"%s\". Please write: 10 boxes of <product>, 5 boxes of <product>.", plain(orElse(o.unclear, text)))
}

// lookUp finds partner and products, both reads together, and the lines by their codes.
func (s *session) lookUp(partner entity, name string, o order) (row, []map[string]any, *step) {
	all := partner.searches(strings.TrimSpace(name))
	for _, l := range o.lines {
		all = append(all, product.searches(l.product)...)
	}
	if wait := s.prefetch(all...); wait != nil {
		return nil, nil, wait
	}
	c, wait := s.one(partner, name)
	if wait != nil {
		return nil, nil, wait
	}
	lines, wait := s.codes(o)
	return c, lines, wait
}

// codes names the products of the lines by their codes, in a unit that they have.
func (s *session) codes(o order) ([]map[string]any, *step) {
	var lines []map[string]any
	for _, l := range o.lines {
		p, wait := s.one(product, l.product)
		if wait != nil {
			return nil, wait
		}
		line := map[string]any{"product": p.str("code"), "quantity": l.quantity}
		other, wait := s.unitOf(l, p)
		if wait != nil {
			return nil, wait
		}
		if other != "" {
			line["unit"] = other
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// documentValues are the values of a document as its form names them.
func (s *session) documentValues(form string, partner entity, c row, lines []map[string]any, o order) (map[string]any, *step) {
	values := map[string]any{partner.form: c.str("code"), "lines": lines}
	return values, s.headerValues(form, values, o)
}

// headerValues adds what a person said besides the lines.
func (s *session) headerValues(form string, values map[string]any, o order) *step {
	if o.warehouse != "" && form != "quotation" {
		w, wait := s.warehouse(o.warehouse)
		if wait != nil {
			return wait
		}
		values["warehouse"] = w
	}
	if o.delivery != "" {
		switch form {
		case "sales_order":
			values["delivery_date"] = o.delivery
		case "purchase_order":
			values["expected_date"] = o.delivery
		}
	}
	if o.remark != "" {
		values["remark"] = o.remark
	}
	return nil
}

// unitOf is another unit of the product when the person names one that it has;
// "" is the product's own. A unit that it has not is asked about.
func (s *session) unitOf(l line, p row) (string, *step) {
	said, sold := unitGroup(l.unit), unitGroup(p.str("unit"))
	if l.unit == "" || said < 0 || sold < 0 || said == sold {
		return "", nil
	}
	res, wait := s.need(readForm("product_unit", where("product", "eq", p.str("code"))))
	if wait != nil {
		return "", wait
	}
	for _, u := range res[0].rows() { // a refusal has no rows: then it is asked
		if unitGroup(u.str("unit")) == said {
			return u.str("unit"), nil
		}
	}
	return "", s.sameUnit(l, p)
}
