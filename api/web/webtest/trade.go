package webtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/schema/erp"
)

// write is one change that the page asks for.
type write struct {
	Action  string          `json:"action"`
	Target  string          `json:"target"`
	Payload erp.Row         `json:"payload"`
	Version json.RawMessage `json:"version"`
	Token   string          `json:"token"`
	Staging string          `json:"staging"`
}

// plan works out what a change does: its picture, and how to do it. s.mu is held.
func (s *Shop) plan(form string, x write, w *wrong) (erp.Preview, func(op string) []string) {
	f := Forms[form]
	p := erp.Preview{Form: form, FormLabel: f.Label, Action: x.Action, Target: x.Target, Object: x.Target}
	for _, a := range f.Actions {
		if a.Action == x.Action {
			p.ActionLabel = a.Label
		}
	}
	switch {
	case form == "sales_order" && (x.Action == "create" || x.Action == "update"):
		return s.planOrder(p, x, w)
	case form == "delivery" && x.Action == "generate":
		return s.planDelivery(p, x, w)
	case form == "customer" && (x.Action == "create" || x.Action == "update"):
		return s.planCustomer(p, x, w)
	}
	return s.planState(form, p, x, w)
}

// diff is a row of the picture for each value that is given.
func diffs(f erp.Form, before, given erp.Row) []erp.Diff {
	var all []erp.Diff
	for _, x := range f.Fields {
		if v, ok := given[x.Name]; ok && x.Type != erp.Lines {
			all = append(all, erp.Diff{Field: x.Name, Label: x.Label, Type: x.Type, Before: str(before[x.Name]), After: str(v)})
		}
	}
	return all
}

func (s *Shop) planCustomer(p erp.Preview, x write, w *wrong) (erp.Preview, func(string) []string) {
	f := Forms["customer"]
	if x.Action == "create" {
		for _, name := range []string{"name", "region"} {
			if str(x.Payload[name]) == "" {
				w.add(name, "必填", "is required")
			}
		}
	} else if v, ok := x.Payload["name"]; ok && str(v) == "" {
		w.add("name", "必填", "is required")
	}
	if v, ok := x.Payload["credit_limit"]; ok && str(v) != "" {
		if d, good := dec(v); !good || d.IsNegative() {
			w.add("credit_limit", "“"+str(v)+"”不是有效的金额", fmt.Sprintf("%q is not a valid amount", str(v)))
		}
	}
	p.Diffs = diffs(f, s.find("customer", x.Target), x.Payload)
	return p, func(op string) []string {
		if x.Action == "update" {
			maps.Copy(s.find("customer", x.Target), x.Payload)
			s.raise("customer", x.Target, "update", op, p.Diffs)
			return []string{x.Target}
		}
		key := "C-" + strconv.Itoa(10003 + s.made)[1:]
		s.made++
		s.rows["customer"] = append(s.rows["customer"], merged(x.Payload, erp.Row{"code": key, "version": "1"}))
		s.note("customer", key, "create", "native", op, nil)
		return []string{key}
	}
}

func merged(a, b erp.Row) erp.Row {
	c := maps.Clone(a)
	maps.Copy(c, b)
	return c
}

func linesOf(v any) []erp.Row {
	var rows []erp.Row
	raw, _ := json.Marshal(v)
	_ = json.Unmarshal(raw, &rows)
	return rows
}

func (s *Shop) planOrder(p erp.Preview, x write, w *wrong) (erp.Preview, func(string) []string) {
	before := s.find("sales_order", x.Target)
	all := merged(erp.Row{}, x.Payload)
	if before != nil {
		all = merged(before, x.Payload)
	}
	customer := s.find("customer", str(all["customer"]))
	if customer == nil {
		w.add("customer", "没有这个客户", "is not a customer")
	}
	lines := linesOf(all["lines"])
	if len(lines) == 0 {
		w.add("lines", "至少要有一行", "needs at least one line")
	}
	total := decimal.Zero
	for i, l := range lines {
		at := fmt.Sprintf("lines[%d].", i+1)
		product := s.find("product", str(l["product"]))
		if product == nil {
			w.add(at+"product", "没有这个产品", "is not a product")
		}
		q, ok := dec(l["quantity"])
		if !ok || !q.IsPositive() {
			w.add(at+"quantity", "数量必须大于 0", "must be more than 0")
		}
		if product == nil || !ok {
			continue
		}
		price, _ := dec(product["base_price"])
		amount := price.Mul(q).Round(2)
		stock := decimal.Zero
		if r := s.find("stock_on_hand", str(l["product"])); r != nil {
			stock, _ = dec(r["quantity"])
		}
		if q.GreaterThan(stock) {
			w.add(at+"quantity", "库存只有 "+stock.String(), "only "+stock.String()+" in stock")
		}
		total = total.Add(amount)
		maps.Copy(l, erp.Row{"line_no": i + 1, "product_name": product["name"], "unit_price": price.String(), "amount": amount.String(), "drawn": "0", "warehouse": "W-1"})
		p.Lines = append(p.Lines, erp.Line{Product: str(l["product"]), ProductName: str(product["name"]), Unit: "盒", Quantity: q.String(), BasePrice: price.String(), Discount: "0", UnitPrice: price.String(), Amount: amount.String(),
			Warehouse: "W-1", StockBefore: stock.String(), StockAfter: stock.Sub(q).String()})
	}
	p.Total, p.Currency, p.Provisional = total.String(), "CNY", before == nil
	p.Diffs = append(diffs(Forms["sales_order"], before, x.Payload), erp.Diff{Field: "receivable", Label: named("应收余额", "Receivable"), Type: erp.Money, Object: str(all["customer"]), Before: "128400", After: total.Add(decimal.NewFromInt(128400)).String(), Derived: true})
	if customer != nil {
		maps.Copy(all, erp.Row{"lines": lines, "total": total.String(), "customer_name": customer["name"], "customer_name_en": customer["name_en"]})
	}
	return p, func(op string) []string {
		if before != nil {
			maps.Copy(before, all)
			s.raise("sales_order", x.Target, "update", op, p.Diffs)
			return []string{x.Target}
		}
		key := fmt.Sprintf("SO-202612-%04d", s.made+1)
		s.made++
		if str(all["status"]) == "" {
			all["status"] = "submitted"
		}
		s.rows["sales_order"] = append([]erp.Row{merged(all, erp.Row{"number": key, "version": "1", "created_at": "2026-12-01T01:00:00Z"})}, s.rows["sales_order"]...)
		s.note("sales_order", key, "create", "native", op, nil)
		return []string{key}
	}
}

func (s *Shop) planDelivery(p erp.Preview, x write, w *wrong) (erp.Preview, func(string) []string) {
	var g erp.Generate
	raw, _ := json.Marshal(x.Payload)
	_ = json.Unmarshal(raw, &g)
	p.Provisional = true
	var takes [][]erp.Row // by document
	total := decimal.Zero
	for _, number := range g.Sources {
		o := s.find("sales_order", number)
		if o == nil || o["status"] != "examined" {
			w.add("sources", number+" 不是已审核的订单", number+" is not an examined order")
			continue
		}
		var rows []erp.Row
		for _, l := range linesOf(o["lines"]) {
			quantity, _ := dec(l["quantity"])
			drawn, _ := dec(l["drawn"])
			price, _ := dec(l["unit_price"])
			take := quantity.Sub(drawn)
			if len(g.Lines) > 0 {
				i := slices.IndexFunc(g.Lines, func(y erp.SourceLine) bool { return y.Source == number && strconv.Itoa(y.LineNo) == str(l["line_no"]) })
				if i < 0 {
					continue
				}
				if q := g.Lines[i].Quantity; q != "" {
					d, ok := dec(q)
					if !ok || !d.IsPositive() || d.GreaterThan(take) {
						w.add(fmt.Sprintf("lines[%d].quantity", i+1), "最多 "+take.String(), "at most "+take.String())
					}
					take = d
				}
			}
			if !take.IsPositive() {
				continue
			}
			amount := price.Mul(take).Round(2)
			total = total.Add(amount)
			rows = append(rows, erp.Row{"product": l["product"], "product_name": l["product_name"], "quantity": take.String(), "amount": amount.String(), "source": number, "source_line": l["line_no"]})
			p.Lines = append(p.Lines, erp.Line{Product: str(l["product"]), ProductName: str(l["product_name"]), Unit: "盒", Quantity: take.String(), BasePrice: price.String(), Discount: "0", UnitPrice: price.String(), Amount: amount.String(), Warehouse: "W-1", StockBefore: "1200", StockAfter: "1200"})
		}
		takes = append(takes, rows)
	}
	if g.Mode != erp.GenerateSplit {
		takes = [][]erp.Row{slices.Concat(takes...)}
	}
	p.Total, p.Currency = total.String(), "CNY"
	p.Diffs = []erp.Diff{{Field: "number", Label: named("发货单号", "Delivery number"), After: "DN-000001", Derived: true}}
	return p, func(op string) []string {
		var made []string
		for _, rows := range takes {
			key := fmt.Sprintf("DN-%06d", len(s.rows["delivery"])+1)
			s.rows["delivery"] = append(s.rows["delivery"], erp.Row{"number": key, "customer": "C-0001", "customer_name": "华东贸易有限公司", "status": "submitted", "total": total.String(), "version": "1", "delivery_date": x.Payload["delivery_date"], "lines": rows})
			s.note("delivery", key, "generate", "native", op, nil)
			for _, r := range rows {
				o := s.find("sales_order", str(r["source"]))
				lines := linesOf(o["lines"])
				for _, l := range lines {
					if str(l["line_no"]) == str(r["source_line"]) {
						have, _ := dec(l["drawn"])
						more, _ := dec(r["quantity"])
						l["drawn"] = have.Add(more).String()
					}
				}
				o["lines"] = lines
			}
			made = append(made, key)
		}
		return made
	}
}

// planState moves a document through its states.
func (s *Shop) planState(form string, p erp.Preview, x write, w *wrong) (erp.Preview, func(string) []string) {
	to := map[string]string{"submit": "submitted", "withdraw": "draft", "examine": "examined", "unexamine": "submitted", "cancel": "cancelled", "delete": ""}[x.Action]
	r := s.find(form, x.Target)
	if x.Action == "cancel" && str(x.Payload["reason"]) == "" {
		w.add("reason", "必填", "is required")
	}
	p.Diffs = []erp.Diff{{Field: "status", Label: named("状态", "Status"), Type: erp.Option, Before: str(r["status"]), After: to}}
	if x.Action == "examine" {
		p.Diffs = append(p.Diffs, erp.Diff{Field: "quantity", Label: named("现有库存", "On hand"), Type: erp.Decimal, Object: "明前龙井 250g", Before: "1200", After: "200", Derived: true})
	}
	if x.Action == "cancel" {
		p.Notes = []erp.Label{named("取消订单不会退款。", "Cancelling an order refunds nothing.")}
	}
	return p, func(op string) []string {
		if x.Action == "delete" {
			s.rows[form] = slices.DeleteFunc(s.rows[form], func(y erp.Row) bool { return y[Forms[form].Key] == x.Target })
			return []string{x.Target}
		}
		r["status"] = to
		if x.Action == "cancel" {
			r["cancel_reason"] = x.Payload["reason"]
		}
		s.raise(form, x.Target, x.Action, op, p.Diffs)
		return []string{x.Target}
	}
}
