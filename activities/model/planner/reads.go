package planner

import (
	"strings"

	"github.com/erpilot/erpilot/schema/tool"
)

// pageSize is how many rows an answer shows at most.
const pageSize = 20

func where(field, op string, value any) map[string]any {
	return map[string]any{"field": field, "op": op, "value": value}
}

func readForm(form string, filters ...map[string]any) call {
	args := map[string]any{"form": form, "mode": "list", "limit": pageSize}
	if len(filters) > 0 {
		args["filters"] = filters
	}
	return call{tool.ReadForm, args}
}

func (c call) newest(field string) call {
	c.args["sort"] = []map[string]any{{"field": field, "desc": true}}
	return c
}

// list reads rows and answers with a table under a title.
func (s *session) list(c call, title string) *step {
	form, _ := c.args["form"].(string)
	return s.shown(c, title, func(rows []row) string { return s.table(form, rows) })
}

// shown reads rows and shows them as they are drawn, with how many there are.
func (s *session) shown(c call, title string, draw func([]row) string) *step {
	res, wait := s.need(c)
	if wait != nil {
		return wait
	}
	r := res[0]
	if f := r.failure(s.locale()); f != "" {
		return s.failed(f)
	}
	rows := r.rows()
	if len(rows) == 0 {
		return s.answer("%s：没有符合条件的记录。", "%s: no records match.", title)
	}
	text := title + s.say("（共 %s 条）：", " (%s in all):", r.count()) + "\n\n" + draw(rows)
	if r.fields.str("truncated") == "true" {
		text += s.say("\n只显示前 %d 条。", "\nOnly the first %d are shown.", len(rows))
	}
	return &step{text: text}
}

// customersIn answers "which customers are in East China?".
func customersIn(s *session, m []string) *step {
	r := findRegion(s.text)
	if r == nil {
		return nil
	}
	title := s.say("%[1]s客户", "Customers in %[2]s", r.zh, r.en)
	return s.list(readForm("customer", where("region", "eq", r.code)), title)
}

// countOf answers "how many customers?", within a region or a status if named.
func countOf(s *session, m []string) *step {
	form := formOf(m[1])
	if form == nil {
		return nil
	}
	args := map[string]any{"form": form.form, "mode": "count"}
	var filters []map[string]any
	name := s.say("%[1]s", "%[2]s", form.zh, form.en)
	if r := findRegion(s.text); r != nil && (form.form == "customer" || form.form == "sales_order") {
		filters = append(filters, where("region", "eq", r.code))
		name = s.say("%[1]s%[2]s", "%[4]s in %[3]s", r.zh, form.zh, r.en, form.en)
	}
	if st := findStatus(s.text); st != nil && documentBy(form.form) != nil {
		filters = append(filters, where("status", "eq", st.code))
		name = s.say("%[1]s的%[2]s", "%[3]s %[4]s", st.zh, name, strings.ToLower(st.en), name)
	}
	if filters != nil {
		args["filters"] = filters
	}
	res, wait := s.need(call{tool.ReadForm, args})
	if wait != nil {
		return wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return s.failed(f)
	}
	return s.answer("%[1]s共有 **%[2]s** %[3]s。", "There are **%[2]s** %[1]s.", name, res[0].count(), form.measure)
}

// ordersOf answers "show the orders of …".
func ordersOf(s *session, m []string) *step {
	c, wait := s.one(customer, m[1])
	if wait != nil {
		return wait
	}
	title := s.say("%s 的订单", "Orders of %s", plain(s.name(c)))
	return s.list(readForm("sales_order", where("customer", "eq", c.str("code"))).newest("order_date"), title)
}

// documentByNumber answers "show delivery DN-…".
func documentByNumber(s *session, m []string) *step {
	number := strings.ToUpper(m[1])
	d := documentOf(number)
	if d == nil || d.form == "sales_order" {
		return orderBy(s, m)
	}
	records, wait := s.records(d, []string{number})
	if wait != nil {
		return wait
	}
	meta, wait := s.form(d.form)
	if wait != nil {
		return wait
	}
	text := s.say("%s：", "%s:", upperFirst(d.titled(s, number, ""))) + "\n\n" + s.grid(meta, records)
	lines := records[0].list("lines")
	for _, f := range meta.list("fields") {
		if columns := f.list("lines"); f.str("name") == "lines" && len(lines) > 0 && len(columns) > 0 {
			return &step{text: text + "\n" + s.grid(row{"fields": f["lines"]}, lines)}
		}
	}
	if len(lines) > 0 {
		text += "\n" + s.table("lines", lines)
	}
	return &step{text: text}
}

// orderBy answers "show order SO-…".
func orderBy(s *session, m []string) *step {
	number := strings.ToUpper(m[1])
	res, wait := s.need(call{tool.ReadForm, map[string]any{"form": "sales_order", "mode": "record", "id": number}})
	if wait != nil {
		return wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return s.failed(f)
	}
	r := res[0].fields.sub("record")
	text := s.say("订单 %s：", "Order %s:", link(number, "")) + "\n\n" + s.record("sales_order", r)
	if lines := r.list("lines"); lines != nil {
		text += "\n" + s.table("lines", lines)
	}
	return &step{text: text}
}

// stockOf answers "stock of …".
func stockOf(s *session, m []string) *step {
	p, wait := s.one(product, m[1])
	if wait != nil {
		return wait
	}
	return s.list(readForm("stock", where("product", "eq", p.str("code"))), s.say("%s 的库存", "Stock of %s", plain(s.name(p))))
}

// priceOf answers "price of …".
func priceOf(s *session, m []string) *step {
	p, wait := s.one(product, m[1])
	if wait != nil {
		return wait
	}
	return s.answer("%[1]s（%[2]s）的基础价是 **%[3]s %[4]s** / %[5]s。", "The base price of %[1]s (%[2]s) is **%[3]s %[4]s** per %[5]s.",
		plain(s.name(p)), plain(p.str("code")), plain(p.str("base_price")), plain(p.str("currency")), plain(s.unit(p.str("unit"))))
}

// customerBy answers "show customer …" and "what is the phone of …?".
func customerBy(s *session, m []string) *step {
	c, wait := s.one(customer, m[1])
	if wait != nil {
		return wait
	}
	if len(m) > 2 {
		if f := findField(m[2]); f != nil && f.form == "customer" {
			if v := c.str(f.name); v != "" {
				return s.answer("%[1]s 的%[2]s：**%[4]s**", "%[3]s of %[1]s: **%[4]s**", plain(s.name(c)), f.zh, f.en, plain(s.value(f.name, v)))
			}
		}
	}
	return s.open(customer, c)
}

// productBy answers "show product …".
func productBy(s *session, m []string) *step {
	p, wait := s.one(product, m[1])
	if wait != nil {
		return wait
	}
	return s.open(product, p)
}

// open shows the whole record of a row.
func (s *session) open(e entity, r row) *step {
	res, wait := s.need(call{tool.ReadForm, map[string]any{"form": e.form, "mode": "record", "id": r.str("code")}})
	if wait != nil {
		return wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return s.failed(f)
	}
	title := s.say("%[1]s %[3]s：", "%[2]s %[3]s:", e.zh, upperFirst(e.en), plain(s.name(r)))
	return &step{text: title + "\n\n" + s.record(e.form, res[0].fields.sub("record"))}
}

// listAll answers "list the products".
func listAll(s *session, m []string) *step {
	f := formOf(m[1])
	if f == nil {
		return nil
	}
	c := readForm(f.form)
	if documentBy(f.form) != nil {
		if st := findStatus(s.text); st != nil {
			c = readForm(f.form, where("status", "eq", st.code))
		}
		if f.form == "sales_order" {
			c = c.newest("order_date")
		} else {
			c = c.newest("number")
		}
	}
	title := s.say("%[1]s", "%[2]s", f.zh, upperFirst(f.en))
	if columns[f.form] != nil {
		return s.list(c, title)
	}
	meta, wait := s.form(f.form)
	if wait != nil {
		return wait
	}
	return s.listed(meta, c, title)
}

// forms answers "what can I look up?".
func forms(s *session, m []string) *step {
	res, wait := s.need(call{tool.FindForms, map[string]any{"query": ""}})
	if wait != nil {
		return wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return s.failed(f)
	}
	var b strings.Builder
	b.WriteString(s.say("您可以查询这些表单：\n\n", "You can look up these forms:\n\n"))
	for _, f := range res[0].fields.list("forms") {
		name := f.str("label_en")
		if s.zh {
			name = f.str("label_zh")
		}
		if name == "" {
			l := f.sub("label")
			if name = l.str("en"); s.zh {
				name = l.str("zh")
			}
		}
		b.WriteString("- " + plain(orElse(name, f.str("form"))) + " (`" + plain(f.str("form")) + "`)\n")
	}
	return &step{text: b.String()}
}
