package webtest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// Shop is the fake ERP of one gateway: rows that change, their history, what is
// staged. Its methods may be called while the page works.
type Shop struct {
	mu      sync.Mutex
	hold    chan struct{} // previews wait for it unless nil
	rows    map[string][]erp.Row
	history map[string][]erp.HistoryEntry
	saved   map[string]erp.Commit // by token
	staged  []*operation.Staging
	told    []operation.Todo // to-dos besides those of staged
	made    int
}

func newShop() *Shop {
	s := &Shop{rows: map[string][]erp.Row{"delivery": nil}, history: map[string][]erp.HistoryEntry{}, saved: map[string]erp.Commit{}}
	s.rows["customer"] = []erp.Row{
		{"code": "C-0001", "name": "华东贸易有限公司", "name_en": "East China Trading", "region": "east", "phone": "13800000001", "remark": nil, "credit_limit": "1250000", "active": true, "version": "3"},
		{"code": "C-0002", "name": "杭州清源茶业", "name_en": "Qingyuan Tea", "region": "south", "phone": "13800000002", "remark": nil, "credit_limit": "80000", "active": true, "version": "1"}}
	s.rows["product"] = []erp.Row{{"code": "P-0001", "name": "明前龙井 250g", "base_price": "15.96"}, {"code": "P-0002", "name": "碧螺春 100g", "base_price": "108.91"}, {"code": "P-0003", "name": "正山小种 200g", "base_price": "88"}}
	s.rows["stock_on_hand"] = []erp.Row{{"product": "P-0001", "product_name": "明前龙井 250g", "quantity": "1200"}, {"product": "P-0002", "product_name": "碧螺春 100g", "quantity": "85"}}
	for n := 42; n > 0; n-- {
		c := s.rows["customer"][0]
		if n%10 == 0 {
			c = s.rows["customer"][1]
		}
		s.rows["sales_order"] = append(s.rows["sales_order"], erp.Row{"number": "SO-202611-00" + strconv.Itoa(100 + n)[1:], "customer": "C-0001", "customer_name": c["name"], "customer_name_en": c["name_en"],
			"order_date": "2026-11-05", "status": "submitted", "total": "21405.5", "remark": nil, "cancel_reason": nil, "created_at": "2026-11-05T18:30:00Z", "version": "2",
			"lines": []erp.Row{{"line_no": 1, "product": "P-0001", "product_name": "明前龙井 250g", "quantity": "1000", "unit_price": "15.96", "amount": "15960", "drawn": "0", "warehouse": "W-1"},
				{"line_no": 2, "product": "P-0002", "product_name": "碧螺春 100g", "quantity": "50", "unit_price": "108.91", "amount": "5445.5", "drawn": "0", "warehouse": "W-1"}}})
	}
	s.note("sales_order", "SO-202611-0031", "create", "chat", "op-31", nil)
	return s
}

// find returns the row itself; s.mu is held.
func (s *Shop) find(form, key string) erp.Row {
	f := Forms[form]
	for _, r := range s.rows[form] {
		if r[f.Key] == key {
			return r
		}
	}
	return nil
}

// Record is a copy of a record, nil when there is none.
func (s *Shop) Record(form, key string) erp.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.find(form, key))
}

// Edit changes a record as somebody else would.
func (s *Shop) Edit(form, key string, values erp.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.find(form, key)
	maps.Copy(r, values)
	s.raise(form, key, "update", "", nil)
}

// HoldPreviews keeps the answer to each preview back until something is received.
func (s *Shop) HoldPreviews(until chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = until
}

// raise makes the version of a record the next one and notes why; s.mu is held.
func (s *Shop) raise(form, key, action, op string, diffs []erp.Diff) {
	r := s.find(form, key)
	n, _ := strconv.Atoi(str(r["version"]))
	r["version"] = strconv.Itoa(n + 1)
	s.note(form, key, action, "native", op, diffs)
}

func (s *Shop) note(form, key, action, channel, op string, diffs []erp.Diff) {
	id := form + "|" + key
	label := erp.Label{}
	for _, a := range Forms[form].Actions {
		if a.Action == action {
			label = a.Label
		}
	}
	e := erp.HistoryEntry{Version: int64(len(s.history[id]) + 1), At: time.Now(), Actor: "lin", ActorName: "林小红", Channel: channel, Action: action, ActionLabel: label, OpID: op, Diffs: diffs}
	s.history[id] = append([]erp.HistoryEntry{e}, s.history[id]...)
}

// Stage hands an operation over to its native form.
func (s *Shop) Stage(x operation.Staging) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.State, x.Editable, x.Open = x.Status.Todo(), x.Status == operation.HandedOff, operation.OpenURL(x.Form, x.OpID)
	s.staged = append(s.staged, &x)
}

// Settle gives a staged operation another state.
func (s *Shop) Settle(op string, status operation.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.staged {
		if x.OpID == op {
			x.Status, x.State, x.Editable = status, status.Todo(), status == operation.HandedOff
		}
	}
}

// Tell puts a line on the list of to-dos.
func (s *Shop) Tell(t operation.Todo) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.State = t.Status.Todo()
	s.told = slices.DeleteFunc(s.told, func(x operation.Todo) bool { return x.OpID == t.OpID })
	s.told = append(s.told, t)
}

func (s *Shop) staging(op string) *operation.Staging {
	for _, x := range s.staged {
		if x.OpID == op {
			return x
		}
	}
	return nil
}

// todos lists everything, newest first.
func (s *Shop) todos() []operation.Todo {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.told)
	for _, x := range s.staged {
		t := operation.Todo{OpID: x.OpID, Form: x.Form, Action: x.Action, Title: x.Title, Object: x.Object, State: x.State, Status: x.Status, Deadline: x.Deadline,
			CreatedAt: time.Now(), Bill: x.Bill, Link: x.Link, Open: x.Open, ConversationID: x.ConversationID}
		all = append(all, t)
	}
	slices.Reverse(all)
	return all
}

func str(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// dec reads a decimal; what is none is zero and false.
func dec(v any) (decimal.Decimal, bool) {
	n, err := erp.NormalizeDecimal(str(v))
	if err != nil {
		return decimal.Zero, false
	}
	d, err := decimal.NewFromString(n)
	return d, err == nil
}

// wrong are problems of an input, in the language of the request.
type wrong struct {
	en   bool
	list []fault.Problem
}

func (w *wrong) add(field, zh, en string) {
	if w.en {
		zh = en
	}
	w.list = append(w.list, fault.Problem{Field: field, Detail: zh})
}
