package planner

import (
	"strings"

	"github.com/shopspring/decimal"
)

// reasons of an adjustment, with the words for them.
var reasons = []struct {
	word
	words []string
}{
	{word{"count", "盘点", "Count"}, []string{"盘点", "盘盈", "盘亏", "盘", "count", "stocktake", "stock count"}},
	{word{"damage", "损坏", "Damage"}, []string{"损坏", "报损", "破损", "报废", "damage", "damaged", "broken"}},
	{word{"sample", "样品", "Sample"}, []string{"样品", "送样", "sample"}},
	{word{"correction", "更正", "Correction"}, []string{"更正", "纠正", "差错", "correction", "error"}},
}

const (
	lessZh   = `(减少|扣减|调减|减)`
	moreZh   = `(增加|调增|加)`
	setToZh  = `(调整为|调整到|调整成|盘点为|盘点成|改为|改成|调为|设为)`
	reasonZh = `(?:\s*[，,（(；;]?\s*(?:原因|理由|因为)?\s*(?:是|为|[:：])?\s*([^\s，,（()）0-9]{1,10})\s*[)）]?)?`
	reasonEn = `(?:\s*[,;(]?\s*(?:reason:?|because of|due to|for|as)?\s*(?:an?\s+)?(count|stocktake|stock count|damage|damaged|broken|sample|correction|error)\s*\)?)?`
)

// adjustLess, adjustMore and adjustTo carry "reduce the stock of … by 5". m is
// where and what, quantity, units and the reason.
func adjustLess(s *session, m []string) *step { return s.adjust(m, decimal.NewFromInt(-1), false) }
func adjustMore(s *session, m []string) *step { return s.adjust(m, decimal.NewFromInt(1), false) }
func adjustTo(s *session, m []string) *step   { return s.adjust(m, decimal.NewFromInt(1), true) }

// zhAdjust drops the verb of a Chinese sentence, which the intent has told already.
func zhAdjust(h func(*session, []string) *step) func(*session, []string) *step {
	return func(s *session, m []string) *step { return h(s, append([]string{m[0], m[1]}, m[3:]...)) }
}

// adjust proposes to change what is on hand. to says that the quantity is what
// there is to be, and not how much more.
func (s *session) adjust(m []string, sign decimal.Decimal, to bool) *step {
	if asks.MatchString(strings.TrimSpace(s.text)) {
		return nil
	}
	text, ok := number(m[2])
	if !ok {
		return nil
	}
	quantity, err := decimal.NewFromString(text)
	if err != nil {
		return nil
	}
	at, what, wait := s.place(m[1])
	if wait != nil {
		return wait
	}
	p, wait := s.one(product, what)
	if wait != nil {
		return wait
	}
	levels, wait := s.levels(p)
	if wait != nil {
		return wait
	}
	level, wait := s.level(p, at, levels)
	if wait != nil {
		return wait
	}
	if to {
		now, err := decimal.NewFromString(level.str("quantity"))
		if err != nil {
			now = decimal.Zero
		}
		if quantity = quantity.Sub(now); quantity.IsZero() {
			return s.answer("%s 的库存已经是 %s，无需调整。", "Stock of %s is %s already; there is nothing to adjust.", plain(s.name(p)), plain(level.str("quantity")))
		}
	}
	quantity = quantity.Mul(sign)
	reason, wait := s.reason(m[len(m)-1])
	if wait != nil {
		return wait
	}
	values := map[string]any{"warehouse": level.str("warehouse"), "reason": reason,
		"lines": []map[string]any{{"product": p.str("code"), "quantity": quantity.String()}}}
	propose, wait := s.draft("stock_adjustment", "", values)
	if wait != nil {
		return wait
	}
	intro := s.say("请在卡片上核对 %s 调整前后的库存并确认。", "Please check the stock of %s before and after on the card, and confirm.", plain(s.name(p)))
	r, wait := s.settled(propose, intro)
	if wait != nil {
		return wait
	}
	return s.made(documentBy("stock_adjustment"), r, false)
}

// place tells a warehouse in "P-0001 in WH-01" from the product; "" when none is named.
func (s *session) place(text string) (code, rest string, wait *step) {
	text = strings.TrimSpace(text)
	res, wait := s.need(readForm("warehouse"))
	if wait != nil {
		return "", "", wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return "", "", s.failed(f)
	}
	low := strings.ToLower(text)
	best := ""
	for _, w := range res[0].rows() {
		for _, name := range []string{w.str("code"), w.str("name"), w.str("name_en")} {
			if n := strings.ToLower(name); n != "" && len(n) > len(best) && strings.Contains(low, n) {
				best, code = n, w.str("code")
			}
		}
	}
	if best == "" || len(low) != len(text) {
		return "", text, nil
	}
	i := strings.Index(low, best)
	before, after := text[:i], text[i+len(best):]
	for _, w := range []string{"在", "的", " in the", " in", " at", " of"} {
		before = strings.TrimSuffix(strings.TrimRight(before, " ,，"), w)
	}
	for _, w := range []string{"里", "库", "的", "中"} {
		after = strings.TrimPrefix(strings.TrimLeft(after, " ,，"), w)
	}
	return code, strings.TrimSpace(before + " " + after), nil
}

// levels are the product's stock, warehouse by warehouse.
func (s *session) levels(p row) ([]row, *step) {
	res, wait := s.need(readForm("stock", where("product", "eq", p.str("code"))))
	if wait != nil {
		return nil, wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return nil, s.failed(f)
	}
	return res[0].rows(), nil
}

// level is the stock in one warehouse: the one that was named, the only one, or
// the one that the person chooses.
func (s *session) level(p row, at string, levels []row) (row, *step) {
	if at != "" {
		for _, l := range levels {
			if l.str("warehouse") == at {
				return l, nil
			}
		}
		return row{"warehouse": at, "quantity": "0"}, nil
	}
	switch len(levels) {
	case 0:
		return nil, s.answer("%s 没有库存记录，请说明仓库。什么都没有写入。", "There is no stock of %s; please name the warehouse. Nothing was written.", plain(s.name(p)))
	case 1:
		return levels[0], nil
	}
	var options []string
	for _, l := range levels[:min(len(levels), maxOptions)] {
		options = append(options, s.say("%[1]s (%[3]s)", "%[2]s (%[3]s)", l.str("warehouse_name"), orElse(l.str("warehouse_name_en"), l.str("warehouse_name")), l.str("warehouse")))
	}
	answer, wait := s.ask(s.say("%s 在哪个仓库？", "%s in which warehouse?", s.name(p)), options, false)
	if wait != nil {
		return nil, wait
	}
	for _, l := range levels {
		if strings.HasSuffix(answer, "("+l.str("warehouse")+")") {
			return l, nil
		}
	}
	return nil, s.answer("没有仓库“%s”。什么都没有写入。", "There is no warehouse \"%s\". Nothing was written.", plain(answer))
}

// reason is the code of a reason that was given, or asked for.
func (s *session) reason(text string) (string, *step) {
	find := func(text string) string {
		text = strings.ToLower(strings.TrimSpace(text))
		for _, r := range reasons {
			for _, w := range append([]string{r.zh, strings.ToLower(r.en)}, r.words...) {
				if text == w {
					return r.code
				}
			}
		}
		return ""
	}
	if code := find(text); code != "" {
		return code, nil
	}
	var options []string
	for _, r := range reasons {
		options = append(options, s.say("%[1]s", "%[2]s", r.zh, r.en))
	}
	answer, wait := s.ask(s.say("调整库存的原因是什么？", "Why is the stock adjusted?"), options, false)
	if wait != nil {
		return "", wait
	}
	if code := find(answer); code != "" {
		return code, nil
	}
	return "", s.answer("没有这个原因。什么都没有写入。", "There is no such reason. Nothing was written.")
}

// transfer carries "transfer 5 boxes of A from … to …". m is lines, from, to.
func transfer(s *session, m []string) *step {
	if asks.MatchString(strings.TrimSpace(s.text)) {
		return nil
	}
	o := parseOrder(m[1])
	if o.unclear != "" || len(o.lines) == 0 {
		return s.unclearLines(o, m[1])
	}
	from, wait := s.warehouse(strings.TrimSpace(m[2]))
	if wait != nil {
		return wait
	}
	to, wait := s.warehouse(strings.TrimSpace(m[3]))
	if wait != nil {
		return wait
	}
	lines, wait := s.codes(o)
	if wait != nil {
		return wait
	}
	propose, wait := s.draft("stock_transfer", "", map[string]any{"warehouse": from, "to_warehouse": to, "lines": lines})
	if wait != nil {
		return wait
	}
	r, wait := s.settled(propose, s.say("请在卡片上核对两个仓库调拨前后的库存并确认。", "Please check the stock of both warehouses before and after on the card, and confirm."))
	if wait != nil {
		return wait
	}
	return s.made(documentBy("stock_transfer"), r, false)
}

// fromFirst is transfer for "from … move 5 boxes of A to …".
func fromFirst(s *session, m []string) *step {
	return transfer(s, []string{m[0], m[2], m[1], m[3]})
}
