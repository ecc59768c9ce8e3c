package planner_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

type rec = map[string]any

// world is a small ERP in memory that answers the planner's calls.
type world struct {
	t       *testing.T
	records map[string][]rec
	// answers to questions: the first whose key is part of the question.
	answers map[string]string
	// propose is the result of propose_write; empty means executed.
	propose string
	// results replaces what a tool says.
	results map[string]string
	// heard are all calls, "tool {arguments}".
	heard []string
	// steps counts the model calls of the last turn.
	steps int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, answers: map[string]string{}, results: map[string]string{}, records: map[string][]rec{
		"customer": {
			{"code": "C-0001", "name": "上海晨光贸易有限公司", "name_en": "Shanghai Morning Trading Co., Ltd.", "region": "east", "contact": "王芳", "phone": "021-1", "credit_limit": "100000.00", "currency": "CNY", "active": "true"},
			{"code": "C-0002", "name": "杭州晨光食品有限公司", "name_en": "Hangzhou Morning Foods Ltd.", "region": "east", "phone": "0571-1", "credit_limit": "5", "currency": "CNY", "active": "true"},
			{"code": "C-0003", "name": "广州南风|百货", "name_en": "Guangzhou South Wind", "region": "south", "phone": "020-1", "credit_limit": "5", "currency": "CNY", "active": "true"},
		},
		"product": {
			{"code": "P-0001", "name": "龙井绿茶", "name_en": "Longjing Green Tea", "unit": "箱", "status": "on_sale", "base_price": "120.0000", "currency": "CNY"},
			{"code": "P-0002", "name": "铁观音", "name_en": "Tieguanyin", "unit": "箱", "status": "on_sale", "base_price": "88.5", "currency": "CNY"},
			{"code": "P-0003", "name": "龙井绿茶礼盒", "name_en": "Longjing Gift and Tea Set", "unit": "盒", "status": "on_sale", "base_price": "300", "currency": "CNY"},
			{"code": "P-0004", "name": "拿铁咖啡 A", "name_en": "Latte A", "unit": "箱", "status": "on_sale", "base_price": "9", "currency": "CNY"},
		},
		"sales_order": {
			{"number": "SO-000002", "customer": "C-0001", "customer_name": "上海晨光贸易有限公司", "status": "examined", "region": "x", "lines": []any{
				rec{"line_no": "1", "product": "P-0001", "product_name": "龙井绿茶", "product_name_en": "Longjing Green Tea", "quantity": "10", "unit": "箱"},
				rec{"line_no": "2", "product": "P-0002", "product_name": "铁观音", "product_name_en": "Tieguanyin", "quantity": "5", "unit": "箱"}}},
			{"number": "SO-2026-00001", "customer": "C-0001", "customer_name": "上海晨光贸易有限公司", "customer_name_en": "Shanghai Morning Trading Co., Ltd.", "status": "submitted", "order_date": "2026-01-02", "total": "1200.00", "currency": "CNY", "region": "east",
				"lines": []any{rec{"product": "P-0001", "product_name": "龙井绿茶", "quantity": "10", "unit": "箱", "unit_price": "120", "amount": "1200.00"}}},
		},
		"stock": {
			{"product": "P-0001", "product_name": "龙井绿茶", "product_name_en": "Longjing Green Tea", "warehouse": "WH-EAST", "warehouse_name": "上海仓", "warehouse_name_en": "Shanghai", "quantity": "40", "unit": "箱"},
			{"product": "P-0002", "product_name": "铁观音", "product_name_en": "Tieguanyin", "warehouse": "WH-SOUTH", "warehouse_name": "广州仓", "warehouse_name_en": "Guangzhou", "quantity": "7", "unit": "箱"},
		},
	}}
}

// say runs one turn and returns the answer. Each call is checked as in production.
func (w *world) say(text string, earlier ...turn.Entry) string {
	w.t.Helper()
	m, err := model.New(model.Config{Provider: model.ProviderDemo, Pace: -time.Nanosecond})
	if err != nil {
		w.t.Fatal(err)
	}
	entries := append([]turn.Entry{}, earlier...)
	entries = append(entries, turn.Entry{Role: turn.RoleUser, Text: text})
	for w.steps = 1; w.steps <= 12; w.steps++ {
		var s collect
		reply, err := m.Generate(w.t.Context(), turn.Request{System: model.Prompt{Today: "2026-11-30", Zone: "Asia/Shanghai"}.System(), Entries: entries, Tools: tool.Builtin()}, &s)
		if err != nil {
			w.t.Fatal(err)
		}
		if s.String() != reply.Text || strings.Contains(reply.Text, "%!") {
			w.t.Errorf("text %q, streamed %q", reply.Text, s.String())
		}
		if reply.Finish == turn.FinishStop {
			return reply.Text
		}
		entry := turn.Entry{Role: turn.RoleAssistant, Text: reply.Text, Calls: reply.Calls}
		var results []turn.Entry
		for i, c := range reply.Calls {
			canonical, _, ferr := model.Validate(tool.Builtin(), c)
			if ferr != nil {
				w.t.Fatalf("%s %s: %v", c.Tool, c.Arguments, ferr)
			}
			w.heard = append(w.heard, c.Tool+" "+string(canonical))
			// The host may store either spelling.
			if w.steps%2 == 0 {
				entry.Calls[i].Arguments = string(canonical)
			}
			results = append(results, turn.Entry{Role: turn.RoleTool, ProviderID: c.ProviderID, Tool: c.Tool, Text: model.Envelope(w.run(c.Tool, canonical))})
		}
		entries = append(append(entries, entry), results...)
	}
	w.t.Fatalf("no answer after 12 steps; calls:\n%s", strings.Join(w.heard, "\n"))
	return ""
}

type collect struct{ strings.Builder }

func (c *collect) Text(s string)    { c.WriteString(s) }
func (c *collect) Reasoning(string) {}

func (w *world) run(name string, args []byte) string {
	if r, ok := w.results[name]; ok {
		return r
	}
	switch name {
	case tool.FindForms:
		var a tool.FindFormsArgs
		w.decode(args, &a)
		if meta, ok := reportForms[a.Query]; ok {
			return `{"forms":[` + meta + `],"truncated":false}`
		}
		return `{"forms":[{"form":"customer","label_zh":"客户","label_en":"Customer","domain":"customers"},{"form":"sales_order","label":{"zh":"销售订单","en":"Sales order"},"domain":"sales"}]}`
	case tool.ReadForm:
		return w.read(args)
	case tool.AskUser:
		var a tool.AskUserArgs
		w.decode(args, &a)
		for k, v := range w.answers {
			if strings.Contains(a.Question, k) {
				return encode(rec{"answer": v})
			}
		}
		w.t.Fatalf("unexpected question %s", args)
	case tool.CollectForm:
		var a tool.CollectFormArgs
		w.decode(args, &a)
		if filled, ok := w.answers[a.Form]; ok {
			return filled
		}
		return `{"status":"expired","note":"The person did not answer in time."}`
	case tool.SaveDraft:
		return `{"draft_id":"d-1","revision":3,"summary":{}}`
	case tool.ProposeWrite:
		if w.propose != "" {
			return w.propose
		}
		var a tool.ProposeWriteArgs
		w.decode(args, &a)
		if bill := newBills[a.Form]; bill != "" && (a.Action == tool.ActionCreate || a.Action == tool.ActionGenerate) {
			status := "executed"
			if a.Form == "customer" || a.Form == "supplier" {
				status = "completed"
			}
			return encode(rec{"status": status, "op_id": "o-1", "bill": bill, "link": "/erp/form/" + a.Form + "?bill=" + bill})
		}
		return `{"status":"executed","op_id":"o-1","bill":"SO-2026-09999","link":"/erp/form/sales_order?bill=SO-2026-09999","note":"done"}`
	}
	w.t.Fatalf("unexpected call %s %s", name, args)
	return ""
}

func (w *world) read(args []byte) string {
	var q erp.Query
	w.decode(args, &q)
	var rows []rec
	for _, r := range w.records[q.Form] {
		if fits(r, q.Filters) {
			rows = append(rows, r)
		}
	}
	switch q.Mode {
	case erp.Count:
		return encode(rec{"form": q.Form, "total": len(rows), "truncated": false})
	case erp.Record:
		for _, r := range w.records[q.Form] {
			if r["code"] == q.ID || r["number"] == q.ID {
				return encode(rec{"form": q.Form, "record": r, "total": 1, "truncated": false})
			}
		}
		return `{"error":{"code":"not_found","detail":"no such record"}}`
	default:
		return encode(rec{"form": q.Form, "rows": rows, "total": len(rows), "truncated": false, "next_cursor": ""})
	}
}

func fits(r rec, filters []erp.Filter) bool {
	for _, f := range filters {
		var v string
		if json.Unmarshal(f.Value, &v) != nil {
			v = string(f.Value)
		}
		have := fmt.Sprint(r[f.Field])
		switch f.Op {
		case erp.Eq:
			if have != v {
				return false
			}
		case erp.Contains:
			if !strings.Contains(strings.ToLower(have), strings.ToLower(v)) {
				return false
			}
		case erp.Gte, erp.Lt, erp.Prefix: // the fake has nothing to leave out
		default:
			return false
		}
	}
	return true
}

func (w *world) decode(b []byte, v any) {
	w.t.Helper()
	if err := json.Unmarshal(b, v); err != nil {
		w.t.Fatal(err)
	}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
