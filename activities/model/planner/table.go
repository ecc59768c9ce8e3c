package planner

import "strings"

// column is a field with its heading.
type column struct{ field, zh, en string }

// columns are the fields that a table of a form shows, where the rows have them.
var columns = map[string][]column{
	"customer": {
		{"code", "编码", "Code"}, {"name", "名称", "Name"}, {"region", "区域", "Region"}, {"contact", "联系人", "Contact"},
		{"phone", "电话", "Phone"}, {"email", "邮箱", "E-mail"}, {"credit_limit", "信用额度", "Credit limit"}, {"currency", "币种", "Currency"}, {"active", "状态", "Status"},
	},
	"product": {
		{"code", "编码", "Code"}, {"name", "名称", "Name"}, {"unit", "单位", "Unit"}, {"status", "销售状态", "Sales status"},
		{"base_price", "基础价", "Base price"}, {"currency", "币种", "Currency"},
	},
	"sales_order": {
		{"number", "订单号", "Number"}, {"customer_name", "客户", "Customer"}, {"order_date", "下单日期", "Order date"},
		{"delivery_date", "交货日期", "Delivery date"}, {"warehouse", "仓库", "Warehouse"}, {"status", "状态", "Status"},
		{"total", "总金额", "Total"}, {"currency", "币种", "Currency"}, {"remark", "备注", "Remark"},
	},
	"stock": {
		{"warehouse", "仓库", "Warehouse"}, {"warehouse_name", "仓库名称", "Warehouse name"}, {"product_name", "产品", "Product"},
		{"quantity", "库存数量", "On hand"}, {"available", "可用", "Available"}, {"unit", "单位", "Unit"},
	},
	"lines": {
		{"product", "产品编码", "Product"}, {"product_name", "产品", "Name"}, {"quantity", "数量", "Quantity"}, {"unit", "单位", "Unit"},
		{"base_price", "基础价", "Base price"}, {"discount", "折扣 %", "Discount %"}, {"discount_percent", "折扣 %", "Discount %"},
		{"unit_price", "单价", "Unit price"}, {"amount", "金额", "Amount"},
	},
}

// table shows rows as Markdown.
func (s *session) table(form string, rows []row) string {
	var shown []column
	for _, c := range columns[form] {
		for _, r := range rows {
			if s.cell(form, c.field, r) != "" {
				shown = append(shown, c)
				break
			}
		}
	}
	var b strings.Builder
	for _, c := range shown {
		b.WriteString("| " + s.heading(c) + " ")
	}
	b.WriteString("|\n" + strings.Repeat("| --- ", len(shown)) + "|\n")
	for _, r := range rows {
		for _, c := range shown {
			b.WriteString("| " + s.cell(form, c.field, r) + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// record shows one record as a table of two columns.
func (s *session) record(form string, r row) string {
	var b strings.Builder
	b.WriteString(s.say("| 字段 | 值 |\n", "| Field | Value |\n") + "| --- | --- |\n")
	for _, c := range columns[form] {
		if v := s.cell(form, c.field, r); v != "" {
			b.WriteString("| " + s.heading(c) + " | " + v + " |\n")
		}
	}
	return b.String()
}

func (s *session) heading(c column) string {
	if s.zh {
		return c.zh
	}
	return c.en
}

// cell is a value in the person's language; an order number is a link.
func (s *session) cell(form, field string, r row) string {
	v := r.str(field)
	if !s.zh && strings.HasSuffix(field, "name") {
		v = orElse(r.str(field+"_en"), v)
	}
	if form == "sales_order" && field == "number" && v != "" {
		return link(v, "")
	}
	return plain(s.value(field, v))
}

// link opens a sales order; to is the ERP's own link where it gave one.
func link(number, to string) string { return linkTo("sales_order", number, to) }

// linkTo opens a record of a form; to is the ERP's own link where it gave one.
func linkTo(form, number, to string) string {
	if to == "" {
		to = "/erp/form/" + form + "?bill=" + number
	}
	if strings.ContainsAny(to, "()<> \n") || strings.ContainsAny(number, "()<> \n") {
		return plain(number)
	}
	return "[" + plain(number) + "](" + to + ")"
}
