package planner

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/tool"
)

// report is a prebuilt question by the words that people use for it.
type report struct {
	form, zh, en string
	words        []string
}

// reportWords: the longer words of two that overlap come first.
var reportWords = []report{
	{"ar_ageing", "应收账龄", "Receivables ageing", []string{"应收账款账龄", "应收账龄", "应收帐龄", "客户账龄", "receivables ageing", "receivables aging", "ar ageing", "ar aging", "accounts receivable ageing", "accounts receivable aging"}},
	{"ap_ageing", "应付账龄", "Payables ageing", []string{"应付账款账龄", "应付账龄", "应付帐龄", "供应商账龄", "payables ageing", "payables aging", "ap ageing", "ap aging", "accounts payable ageing", "accounts payable aging"}},
	{"overdue_receivables", "逾期应收", "Overdue receivables", []string{"逾期应收账款", "逾期应收款", "逾期应收", "逾期账款", "逾期款", "overdue receivables", "overdue invoices"}},
	{"stock_ledger", "库存流水", "Stock ledger", []string{"库存台账", "库存流水", "出入库明细", "库存明细账", "stock ledger", "stock movements"}},
	{"stock_on_hand", "库存现状", "Stock on hand", []string{"库存现状", "现存量", "库存现况", "库存结存", "stock on hand"}},
	{"order_progress", "订单执行", "Order progress", []string{"销售订单进度", "订单执行进度", "订单执行情况", "订单执行", "订单进度", "order progress", "progress of the order", "progress of order"}},
	{"sales_by_customer", "客户销售", "Sales by customer", []string{"销售按客户", "按客户销售", "按客户的销售", "客户销售排行", "客户销售汇总", "客户销售", "sales by customer"}},
	{"sales_by_product", "产品销售", "Sales by product", []string{"销售按产品", "按产品销售", "按产品的销售", "产品销售排行", "产品销售汇总", "产品销售", "sales by product"}},
	{"sales_by_month", "月度销售", "Sales by month", []string{"销售按月份", "销售按月", "按月份销售", "按月销售", "按月的销售", "每月销售", "月度销售", "sales by month", "monthly sales"}},
	{"slow_movers", "呆滞库存", "Slow movers", []string{"滞销产品", "滞销商品", "滞销品", "滞销", "呆滞库存", "呆滞品", "slow movers", "slow-moving products", "slow moving products", "slow-moving stock"}},
	{"production_progress", "生产进度", "Production progress", []string{"生产订单进度", "生产进度", "production progress"}},
}

// foremost is the field whose largest values a person wants to see first.
var foremost = map[string]string{"stock_ledger": "at", "overdue_receivables": "days_overdue", "slow_movers": "days_idle"}

// reportNamed matches what names a report.
func reportNamed() *regexp.Regexp {
	var all []string
	for _, r := range reportWords {
		for _, w := range r.words {
			all = append(all, regexp.QuoteMeta(w))
		}
	}
	return is(`.*(?:` + strings.Join(all, "|") + `).*`)
}

// period is a stretch of time that a person names.
type period struct {
	zh, en     string
	words      []string
	start, end func(today time.Time) time.Time
}

func monthOf(t time.Time, add int) time.Time {
	return time.Date(t.Year(), t.Month()+time.Month(add), 1, 0, 0, 0, 0, time.UTC)
}

var periods = []period{
	{"本月", "this month", []string{"本月", "这个月", "当月", "this month"}, func(t time.Time) time.Time { return monthOf(t, 0) }, func(t time.Time) time.Time { return monthOf(t, 1).AddDate(0, 0, -1) }},
	{"上月", "last month", []string{"上个月", "上月", "last month"}, func(t time.Time) time.Time { return monthOf(t, -1) }, func(t time.Time) time.Time { return monthOf(t, 0).AddDate(0, 0, -1) }},
	{"今年", "this year", []string{"今年", "本年", "this year"}, func(t time.Time) time.Time { return time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC) }, func(t time.Time) time.Time { return time.Date(t.Year(), 12, 31, 0, 0, 0, 0, time.UTC) }},
	{"去年", "last year", []string{"去年", "上年", "last year"}, func(t time.Time) time.Time { return time.Date(t.Year()-1, 1, 1, 0, 0, 0, 0, time.UTC) }, func(t time.Time) time.Time { return time.Date(t.Year()-1, 12, 31, 0, 0, 0, 0, time.UTC) }},
}

// takeWord finds the first of the words in a text and the text without it.
func takeWord(text string, words []string) (string, bool) {
	low := strings.ToLower(text)
	if len(low) != len(text) {
		low = text
	}
	for _, w := range words {
		if i := strings.Index(low, w); i >= 0 {
			return text[:i] + " " + text[i+len(w):], true
		}
	}
	return text, false
}

// around is what stands around the name of a report and what it is about.
var around = regexp.MustCompile(`(?i)^(?:\s|[，,:：]|查询|查看|查找|查一下|查|看看|看一下|看|显示|列出|给我|给出|一下|产品|商品|客户|供应商|的|show\b|list\b|get\b|see\b|display\b|give\b|me\b|all\b|the\b|of\b|for\b|what\b|is\b|are\b|which\b|our\b|in\b|a\b|report\b)+|(?:\s|[，,:：]|报表|表|报告|情况|有哪些|有多少|是多少|如何|怎么样|的|report|of|for|in|do we have|are there)+$`)

// readReport carries "receivables ageing", "stock ledger P-0001", "sales by
// customer this month": find_forms tells what the report holds and can be
// filtered by, read_form reads it.
func readReport(s *session, _ []string) *step {
	text := tidy(s.text)
	at := -1
	rest := text
	for i, r := range reportWords {
		if without, ok := takeWord(text, r.words); ok {
			at, rest = i, without
			break
		}
	}
	if at < 0 {
		return nil
	}
	r := reportWords[at]
	var when *period
	for i, p := range periods {
		if without, ok := takeWord(rest, p.words); ok {
			when, rest = &periods[i], without
			break
		}
	}
	rest = strings.TrimSpace(around.ReplaceAllString(around.ReplaceAllString(rest, ""), ""))
	meta, wait := s.form(r.form)
	if wait != nil {
		return wait
	}
	title := s.say("%[1]s", "%[2]s", r.zh, r.en)
	var filters []map[string]any
	if rest != "" {
		f, about, wait := s.about(meta, r, rest)
		if wait != nil {
			return wait
		}
		filters = append(filters, f)
		title = s.say("%[2]s 的%[1]s", "%[1]s of %[2]s", title, plain(about))
	}
	if when != nil {
		f, covers, wait := s.within(meta, when)
		if wait != nil {
			return wait
		}
		filters = append(filters, f...)
		title = s.say("%[1]s%[2]s", "%[2]s, %[1]s", covers, title)
	}
	c := readForm(r.form, filters...)
	if first := foremost[r.form]; first != "" {
		c = c.newest(first)
	}
	return s.listed(meta, c, title)
}

// form describes a form as find_forms tells it.
func (s *session) form(id string) (row, *step) {
	res, wait := s.need(call{tool.FindForms, map[string]any{"query": id}})
	if wait != nil {
		return nil, wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return nil, s.failed(f)
	}
	for _, f := range res[0].fields.list("forms") {
		if f.str("form") == id {
			return f, nil
		}
	}
	return nil, s.answer("您看不到“%s”，或者这个系统里没有它。", "You may not see \"%s\", or this system has none.", id)
}

// about is the filter for what a report is to be about: a document, a product, or
// a partner, as far as the report can be filtered by it.
func (s *session) about(meta row, r report, text string) (map[string]any, string, *step) {
	if n := numbersIn(text); len(n) == 1 && strings.EqualFold(strings.TrimSpace(text), n[0]) {
		for _, name := range []string{"number", documentOf(n[0]).form, "document", "order", "source"} {
			if filterable(meta, name) {
				return where(name, "eq", n[0]), n[0], nil
			}
		}
		return nil, "", s.answer("“%s”不能按单据号筛选。", "\"%s\" cannot be filtered by a document.", s.say("%[1]s", "%[2]s", r.zh, r.en))
	}
	for _, e := range []entity{product, customer, supplier} {
		if filterable(meta, e.form) {
			found, wait := s.one(e, text)
			if wait != nil {
				return nil, "", wait
			}
			return where(e.form, "eq", found.str("code")), s.name(found), nil
		}
	}
	return nil, "", s.answer("“%[1]s”不能按“%[2]s”筛选。", "\"%[1]s\" cannot be filtered by \"%[2]s\".", s.say("%[1]s", "%[2]s", r.zh, r.en), plain(text))
}

// eventDates are the dates by which a report is cut, where it has no month; other
// dates tell something of a row and do not place it in time.
var eventDates = []string{"at", "order_date", "invoice_date", "due_date", "start_date"}

// within are the filters of a period, and what they cover, in words: a report that
// sums whole years up cannot tell a month, and says so.
func (s *session) within(meta row, p *period) (filters []map[string]any, covers string, wait *step) {
	today, err := time.Parse(time.DateOnly, s.today)
	if err != nil {
		return nil, "", s.answer("我不知道今天的日期，请不要用“%[1]s”。", "I do not know today's date; please do without \"%[2]s\".", p.zh, p.en)
	}
	from, to := p.start(today), p.end(today)
	covers = s.say("%[1]s", "%[2]s", p.zh, p.en)
	if filterable(meta, "month") {
		if from.Month() != to.Month() {
			return []map[string]any{where("month", "prefix", from.Format("2006-"))}, covers, nil
		}
		return []map[string]any{where("month", "eq", from.Format("2006-01"))}, covers, nil
	}
	for _, name := range eventDates {
		if filterable(meta, name) { // from midnight to midnight, also for times
			return []map[string]any{where(name, "gte", from.Format(time.DateOnly)), where(name, "lt", to.AddDate(0, 0, 1).Format(time.DateOnly))}, covers, nil
		}
	}
	if filterable(meta, "year") {
		if from.Year() == to.Year() && to.Sub(from) < 300*24*time.Hour {
			covers = s.say("%d 全年（这个报表按年汇总）的", "%d as a whole, as this report sums up years", from.Year())
		}
		return []map[string]any{where("year", "eq", from.Year())}, covers, nil
	}
	return nil, "", s.answer("这个报表不能按时间筛选，请不要用“%[1]s”。", "This report cannot be filtered by time; please do without \"%[2]s\".", p.zh, p.en)
}

func filterable(meta row, name string) bool {
	return slices.ContainsFunc(meta.list("fields"), func(f row) bool { return f.str("name") == name && f.str("filter") == "true" })
}

func has(meta row, name string) bool { return find(meta, name) != nil }

// find is a field of a form, nil when it has none of that name.
func find(meta row, name string) row {
	for _, f := range meta.list("fields") {
		if f.str("name") == name {
			return f
		}
	}
	return nil
}

// listed reads rows and shows them under the labels of the form itself.
func (s *session) listed(meta row, c call, title string) *step {
	return s.shown(c, title, func(rows []row) string { return s.grid(meta, rows) })
}

// options are the values of a field by the words of the person's language.
func (s *session) options(f row) map[string]string {
	out := map[string]string{}
	values, _ := f["options"].([]any)
	labels, _ := f["option_labels"].([]any)
	for i, v := range values[:min(len(values), len(labels))] {
		value, _ := v.(string)
		label, _ := labels[i].(string)
		out[value] = s.own(label)
	}
	return out
}

// own is the person's half of a label "中文 / English".
func (s *session) own(label string) string {
	zh, en, ok := strings.Cut(label, " / ")
	if ok && !s.zh {
		return en
	}
	return zh
}

// minute is a moment on the person's clock, without its seconds.
func (s *session) minute(v string) string {
	t, err := time.Parse(time.RFC3339, v)
	if err != nil {
		return v
	}
	return t.In(s.zone).Format("2006-01-02 15:04")
}

// grid is a table with the form's own labels. Of a name in two languages only the
// person's own is shown; links become links.
func (s *session) grid(meta row, rows []row) string {
	type col struct {
		name, label, kind string
		options           map[string]string
	}
	var cols []col
	for _, f := range meta.list("fields") {
		name := f.str("name")
		if s.zh && strings.HasSuffix(name, "_en") || !s.zh && has(meta, name+"_en") {
			continue
		}
		if name == "link" || name == "key" || name == "version" || f.str("type") == "lines" || !slices.ContainsFunc(rows, func(r row) bool { return r.str(name) != "" }) {
			continue
		}
		label := f.str("label")
		if base := find(meta, strings.TrimSuffix(name, "_en")); base != nil {
			label = base.str("label") // "Customer name", not "Customer English name"
		}
		cols = append(cols, col{name, s.own(label), f.str("type"), s.options(f)})
	}
	var b strings.Builder
	for _, c := range cols {
		b.WriteString("| " + plain(c.label) + " ")
	}
	b.WriteString("|\n" + strings.Repeat("| --- ", len(cols)) + "|\n")
	for _, r := range rows {
		for _, c := range cols {
			v := r.str(c.name)
			switch d := documentOf(v); {
			case v != "" && d != nil && numbers.FindString(v) == v:
				v = linkTo(d.form, v, "")
			case c.options[v] != "":
				v = plain(c.options[v])
			case c.kind == "datetime":
				v = plain(s.minute(v))
			default:
				v = plain(s.value(c.name, v))
			}
			b.WriteString("| " + v + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}
