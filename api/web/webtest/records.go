package webtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/erpilot/erpilot/schema/erp"
)

// Forms are what the fake ERP shows to everybody: orders and customers.
var Forms = map[string]erp.Form{
	"sales_order": {Form: "sales_order", Label: erp.Label{Zh: "销售订单", En: "Sales order"}, Domain: "sales", Key: "number", Fields: []erp.Field{
		{Name: "number", Label: erp.Label{Zh: "订单号", En: "Order number"}, Type: erp.Text, ReadOnly: true, Filter: true, Sort: true},
		{Name: "customer", Label: erp.Label{Zh: "客户", En: "Customer"}, Type: erp.Link, LinkForm: "customer", Filter: true},
		{Name: "customer_name", Label: erp.Label{Zh: "客户名称", En: "Customer name"}, Type: erp.Text, ReadOnly: true, Filter: true},
		{Name: "customer_name_en", Label: erp.Label{Zh: "客户英文名称", En: "Customer English name"}, Type: erp.Text, ReadOnly: true, Filter: true},
		{Name: "order_date", Label: erp.Label{Zh: "下单日期", En: "Order date"}, Type: erp.Date, Sort: true},
		{Name: "status", Label: erp.Label{Zh: "状态", En: "Status"}, Type: erp.Option, Options: []erp.Choice{{Value: "submitted", Label: erp.Label{Zh: "已提交", En: "Submitted"}}}},
		{Name: "total", Label: erp.Label{Zh: "总金额", En: "Total"}, Type: erp.Money},
		{Name: "cancel_reason", Label: erp.Label{Zh: "取消原因", En: "Reason of cancelling"}, Type: erp.Text, ReadOnly: true},
		{Name: "created_at", Label: erp.Label{Zh: "制单时间", En: "Created at"}, Type: erp.DateTime, ReadOnly: true},
		{Name: "lines", Label: erp.Label{Zh: "明细", En: "Lines"}, Type: erp.Lines, Lines: []erp.Field{
			{Name: "product", Label: erp.Label{Zh: "产品", En: "Product"}, Type: erp.Link, LinkForm: "secret"},
			{Name: "product_name", Label: erp.Label{Zh: "产品名称", En: "Product name"}, Type: erp.Text},
			{Name: "quantity", Label: erp.Label{Zh: "数量", En: "Quantity"}, Type: erp.Decimal},
			{Name: "amount", Label: erp.Label{Zh: "金额", En: "Amount"}, Type: erp.Money},
		}},
	}},
	"customer": {Form: "customer", Label: erp.Label{Zh: "客户", En: "Customer"}, Domain: "customers", Key: "code", Fields: []erp.Field{
		{Name: "code", Label: erp.Label{Zh: "客户编码", En: "Customer code"}, Type: erp.Text, ReadOnly: true, Filter: true},
		{Name: "name", Label: erp.Label{Zh: "名称", En: "Name"}, Type: erp.Text, Filter: true},
		{Name: "name_en", Label: erp.Label{Zh: "英文名称", En: "English name"}, Type: erp.Text, Filter: true},
		{Name: "phone", Label: erp.Label{Zh: "电话", En: "Phone"}, Type: erp.Text},
		{Name: "remark", Label: erp.Label{Zh: "备注", En: "Remark"}, Type: erp.Text},
		{Name: "credit_limit", Label: erp.Label{Zh: "信用额度", En: "Credit limit"}, Type: erp.Money},
	}},
}

// listed are the columns of a list, by form.
var listed = map[string][]string{"sales_order": {"number", "customer", "customer_name", "order_date", "total"}, "customer": {"code", "name", "phone"}}

// Records are the rows of a form; the orders fill three pages.
func Records(form string) []erp.Row {
	if form == "customer" {
		return []erp.Row{{"code": "C-0001", "name": "华东贸易有限公司", "name_en": "East China Trading", "phone": "13800000001", "remark": nil, "credit_limit": "1250000"}}
	}
	var all []erp.Row
	for n := 42; n > 0; n-- {
		name := erp.Label{Zh: "华东贸易有限公司", En: "East China Trading"}
		if n%10 == 0 {
			name = erp.Label{Zh: "杭州清源茶业", En: "Qingyuan Tea"}
		}
		all = append(all, erp.Row{"number": "SO-202611-00" + strconv.Itoa(100 + n)[1:], "customer": "C-0001", "customer_name": name.Zh, "customer_name_en": name.En,
			"order_date": "2026-11-05", "status": "submitted", "total": "21405.5", "cancel_reason": nil, "created_at": "2026-11-05T18:30:00Z",
			"lines": []erp.Row{{"product": "P-0001", "product_name": "明前龙井 250g", "quantity": "1000", "amount": "15960"},
				{"product": "P-0002", "product_name": "碧螺春 100g", "quantity": "50", "amount": "5445.5"}}})
	}
	return all
}

func (g *Gateway) records(own func(pattern string, h func(w http.ResponseWriter, r *http.Request, user string))) {
	one := func(pattern string, h func(w http.ResponseWriter, r *http.Request, f erp.Form)) {
		own(pattern, func(w http.ResponseWriter, r *http.Request, _ string) {
			f, ok := Forms[r.PathValue("form")]
			if !ok {
				problem(w, 403, "permission_denied", map[string]string{"form": r.PathValue("form"), "action": "read"})
				return
			}
			h(w, r, f)
		})
	}
	one("GET /erp/api/forms/{form}/schema", func(w http.ResponseWriter, _ *http.Request, f erp.Form) { reply(w, 200, f) })
	one("POST /erp/api/forms/{form}/read", func(w http.ResponseWriter, r *http.Request, f erp.Form) {
		var q erp.Query
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			problem(w, 400, "invalid", map[string]string{"detail": "no query"})
			return
		}
		if q.Mode == erp.Record {
			for _, row := range Records(f.Form) {
				if row[f.Key] == q.ID {
					reply(w, 200, erp.Page{Form: f.Form, Record: row})
					return
				}
			}
			problem(w, 404, "not_found", nil)
			return
		}
		reply(w, 200, page(f, q))
	})
}

// page answers a list as the ERP does: filters, a cursor, the columns asked for.
func page(f erp.Form, q erp.Query) erp.Page {
	var rows []erp.Row
	for _, row := range Records(f.Form) {
		keep := true
		for _, x := range q.Filters {
			var want string
			_ = json.Unmarshal(x.Value, &want)
			have, _ := row[x.Field].(string)
			keep = keep && x.Op == erp.Contains && strings.Contains(strings.ToLower(have), strings.ToLower(want))
		}
		if keep {
			rows = append(rows, row)
		}
	}
	fields := q.Fields
	if len(fields) == 0 {
		fields = listed[f.Form]
	}
	from, _ := strconv.Atoi(q.Cursor)
	to := min(from+q.Limit, len(rows))
	out := erp.Page{Form: f.Form, Total: len(rows), Truncated: to < len(rows)}
	for _, row := range rows[from:to] {
		shown := erp.Row{}
		for _, name := range fields {
			shown[name] = row[name]
		}
		out.Rows = append(out.Rows, shown)
	}
	if out.Truncated {
		out.NextCursor = strconv.Itoa(to)
	}
	return out
}
