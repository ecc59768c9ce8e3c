package planner

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/erpilot/erpilot/schema/tool"
)

// generate carries "deliver order SO-…", "ship 5 boxes of SO-…", "make an order of
// quotation QT-…": it opens the sources, has them examined where they are not,
// and proposes the next document of the chain.
func generate(s *session, _ []string) *step {
	if asks.MatchString(strings.TrimSpace(s.text)) {
		return nil
	}
	text, remark := tidy(s.text), ""
	if m := remarkPart.FindStringSubmatch(text); m != nil {
		remark, text = strings.TrimSpace(m[1]), remarkPart.ReplaceAllString(text, "")
	}
	sources := numbersIn(text)
	if len(sources) == 0 {
		return nil
	}
	d := documentOf(sources[0])
	if d == nil || d.next == "" {
		return nil
	}
	andExamine := thenExamine.MatchString(text)
	text = thenExamine.ReplaceAllString(text, "")
	split := splitPart.MatchString(text)
	part, meant := d.part(numbers.ReplaceAllString(splitPart.ReplaceAllString(text, ""), " "))
	if !meant {
		return nil
	}
	for _, n := range sources {
		if documentOf(n) != d {
			return s.answer("这些单据不是同一种，我一次只能从一种单据生成。", "These documents are not of one kind; I can draw from one kind at a time.")
		}
	}
	records, wait := s.records(d, sources)
	if wait != nil {
		return wait
	}
	changes := map[string]any{"source_form": d.form, "sources": sources}
	if part != "" {
		lines, wait := s.partOf(d, sources, records, part)
		if wait != nil {
			return wait
		}
		changes["lines"] = lines
	}
	if split && len(sources) > 1 {
		changes["mode"] = "split"
	}
	if remark != "" {
		changes["remark"] = remark
	}
	for i, n := range sources {
		if wait := s.ready(d, n, records[i]); wait != nil {
			return wait
		}
	}
	next := documentBy(d.next)
	intro := s.say("已根据%[1]s %[3]s 准备好%[2]s，请在卡片上核对并确认。", "The %[5]s of %[4]s %[3]s is prepared. Please check and confirm it on the card.",
		d.zh, next.zh, plain(strings.Join(sources, "、")), d.en, next.en)
	r, wait := s.settled(call{tool.ProposeWrite, map[string]any{"form": next.form, "action": tool.ActionGenerate, "changes": changes}}, intro)
	if wait != nil {
		return wait
	}
	return s.made(next, r, andExamine)
}

// made reports a new document and, where that was asked, has it examined.
func (s *session) made(d *document, r result, andExamine bool) *step {
	number := r.fields.str("bill")
	title := upperFirst(d.titled(s, orElse(number, "?"), r.fields.str("link")))
	if !andExamine || number == "" || strings.Contains(number, ",") {
		hint := s.say("要审核请说：审核 %s。", "To have it examined say: examine %s.", plain(number))
		if number == "" || d.form == "stock_adjustment" || d.form == "stock_transfer" {
			hint = ""
		}
		return s.answer("%[1]s 已生成。%[2]s", "%[1]s has been made. %[2]s", title, hint)
	}
	intro := s.say("%s 已生成。请在卡片上确认审核。", "%s has been made. Please confirm on the card that it be examined.", title)
	if _, wait := s.settled(take(d.form, tool.ActionExamine, number, ""), intro); wait != nil {
		return wait
	}
	return s.answer("%s 已生成并审核。", "%s has been made and examined.", title)
}

// records opens the documents.
func (s *session) records(d *document, of []string) ([]row, *step) {
	calls := make([]call, 0, len(of))
	for _, n := range of {
		calls = append(calls, call{tool.ReadForm, map[string]any{"form": d.form, "mode": "record", "id": n}})
	}
	res, wait := s.need(calls...)
	if wait != nil {
		return nil, wait
	}
	out := make([]row, 0, len(of))
	for i, n := range of {
		if f := res[i].failure(s.locale()); f != "" {
			return nil, s.failed(n + s.say("：", ": ") + f)
		}
		out = append(out, res[i].fields.sub("record"))
	}
	return out, nil
}

var (
	// splitPart asks for one new document for each source.
	splitPart = regexp.MustCompile(`(?i)分别|各自|每张|separately|each\s+(?:on\s+its\s+own|separately)|one\s+each`)
	// bare is a quantity or an amount without a product.
	bare = regexp.MustCompile(`(?i)^(?:¥|￥|CNY|RMB)?\s*` + num + `\s*(?:元|块|yuan|CNY|RMB|` + unitZh + `|` + unitEn + `)?$`)
	// edgesZh and edgesEn are words around the part that is to be drawn.
	edgesZh = []string{"请", "给", "把", "将", "对", "为", "从", "按照", "按", "根据", "用", "由", "里的", "中的", "的", "里", "先", "再", "只", "全部", "剩余", "剩下", "部分", "分批", "和", "与", "及", "合并", "一起", "一并",
		"转成", "转为", "转", "生成", "下推", "做成", "做", "开成", "开", "建", "下", "成", "为", "出", "一张", "一份", "张", "了", "货款", "货", "款", "钱", "账", "金额"}
	edgesEn = []string{"please", "make", "create", "generate", "prepare", "record", "draw", "turn", "convert", "an", "a", "the", "of", "for", "from", "into", "to", "out", "with", "on", "only", "just", "first", "all",
		"rest", "together", "partial", "part", "some", "goods", "amount", "money", "new", "by", "and", "&"}
	kindsZh = []string{"报价单", "报价", "销售订单", "采购订单", "生产订单", "订单", "采购单", "单据", "发货单", "送货单", "收货单"}
	kindsEn = []string{"quotation", "quote", "sales order", "sales order", "purchase order", "production order", "goods receipt", "order", "delivery", "receivable", "payable", "invoice", "document",
		"quotations", "quotes", "sales orders", "purchase orders", "production orders", "orders", "deliveries", "receivables", "payables", "goods receipts", "invoices", "documents"}
)

// part takes off the text what only asks for the next document; the rest is what
// of the source is wanted, "" for all. meant is false when nothing asks for it.
func (d *document) part(text string) (rest string, meant bool) {
	rest = strings.TrimSpace(text)
	edges := slices.Concat(d.verbsZh, edgesZh, kindsZh, []string{d.zh}, d.verbsEn, edgesEn, kindsEn, []string{d.en})
	slices.SortStableFunc(edges, func(a, b string) int { return len(b) - len(a) })
	asked := func(w string) {
		meant = meant || slices.Contains(d.verbsZh, w) || slices.Contains(d.verbsEn, w)
	}
	for again := true; again; {
		again = false
		rest = strings.Trim(rest, " \t\n,，;；。.:：、")
		low := strings.ToLower(rest)
		if len(low) != len(rest) { // a letter whose small form is longer; nobody orders so
			return rest, meant
		}
		for _, w := range edges {
			if cut, ok := cutWord(rest, low, w); ok {
				rest, again = cut, true
				asked(w)
				break
			}
		}
	}
	return rest, meant
}

// cutWord takes a word off the begin or the end of a text, low being the text in
// small letters; a word in letters ends where the letters do.
func cutWord(text, low, w string) (string, bool) {
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' }
	whole := letter(w[0])
	at := len(low) - len(w)
	switch {
	case at < 0:
		return text, false
	case strings.HasPrefix(low, w) && (!whole || at == 0 || !letter(low[len(w)])):
		return text[len(w):], true
	case strings.HasSuffix(low, w) && (!whole || at == 0 || !letter(low[at-1])):
		return text[:at], true
	}
	return text, false
}

// partOf turns "5 boxes of tea" into lines of the sources.
func (s *session) partOf(d *document, sources []string, records []row, part string) ([]map[string]any, *step) {
	if d.form == "receivable" || d.form == "payable" {
		m := bare.FindStringSubmatch(part)
		if m == nil || len(sources) != 1 {
			return nil, s.answer("我没有看懂金额“%s”。请写成：%s 收款 1000。什么都没有写入。", "I did not understand the amount \"%s\". Please write: receive 1000 for %s. Nothing was written.", plain(part), sources[0])
		}
		amount, _ := number(m[1])
		return []map[string]any{{"source": sources[0], "quantity": amount}}, nil
	}
	type place struct {
		source string
		n      int
		line   row
	}
	var all []place
	for i, r := range records {
		for k, l := range r.list("lines") {
			n, err := strconv.Atoi(l.str("line_no"))
			if err != nil {
				n = k + 1
			}
			all = append(all, place{sources[i], n, l})
		}
	}
	draw := func(p place, quantity string) map[string]any {
		return map[string]any{"source": p.source, "line_no": p.n, "quantity": quantity}
	}
	if m := bare.FindStringSubmatch(part); m != nil {
		quantity, _ := number(m[1])
		if len(all) == 1 {
			if wait := s.countedBy(all[0].line, m[2]+m[3]); wait != nil {
				return nil, wait
			}
		}
		if len(all) != 1 {
			return nil, s.answer("%s 有多行，请说明是哪个产品，例如：先发 5 箱 <产品>。什么都没有写入。", "%s has several lines; please name the product, for example: ship 5 boxes of <product>. Nothing was written.", plain(sources[0]))
		}
		return []map[string]any{draw(all[0], quantity)}, nil
	}
	o := parseOrder(part)
	if o.unclear != "" || len(o.lines) == 0 {
		return nil, s.answer("我没有看懂“%s”。请写成：%s 先发 5 箱 <产品>。什么都没有写入。", "I did not understand \"%s\". Please write: ship 5 boxes of <product> of %s. Nothing was written.", plain(orElse(o.unclear, part)), sources[0])
	}
	var lines []map[string]any
	for _, want := range o.lines {
		var fit []place
		for _, p := range all {
			for _, f := range []string{"product", "product_name", "product_name_en"} {
				if v := p.line.str(f); v != "" && (strings.EqualFold(v, want.product) || f != "product" && strings.Contains(strings.ToLower(v), strings.ToLower(want.product))) {
					fit = append(fit, p)
					break
				}
			}
		}
		if len(fit) != 1 {
			return nil, s.answer("%[1]s 里没有唯一的一行“%[2]s”。什么都没有写入。", "%[1]s has no single line \"%[2]s\". Nothing was written.", plain(strings.Join(sources, "、")), plain(want.product))
		}
		if wait := s.countedBy(fit[0].line, want.unit); wait != nil {
			return nil, wait
		}
		lines = append(lines, draw(fit[0], want.quantity))
	}
	return lines, nil
}

// countedBy stops when a person names another measure than the line's own.
func (s *session) countedBy(line row, said string) *step {
	a, b := unitGroup(said), unitGroup(line.str("unit"))
	if said == "" || a < 0 || b < 0 || a == b {
		return nil
	}
	return s.answer("单据里的%[1]s按“%[3]s”计，不是“%[2]s”。请用“%[3]s”说明数量。什么都没有写入。", "%[1]s is counted by the %[3]s there, not by the %[2]s. Please give the quantity so. Nothing was written.",
		plain(orElse(s.named(line), line.str("product"))), plain(said), plain(s.unit(line.str("unit"))))
}

// named is what the product of a line is called.
func (s *session) named(line row) string {
	if s.zh {
		return orElse(line.str("product_name"), line.str("product_name_en"))
	}
	return orElse(line.str("product_name_en"), line.str("product_name"))
}
