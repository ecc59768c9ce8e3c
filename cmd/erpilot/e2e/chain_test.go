package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// talk is one conversation of a world, with how far it has come.
type talk struct {
	w *world
	c string
	// proposals and turns count what has been confirmed and answered.
	proposals, turns int
}

// brisk lets the demo planner write without its pause between words.
func brisk(t *testing.T) option {
	t.Helper()
	m, err := model.New(model.Config{Provider: model.ProviderDemo, Pace: -time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	return withModel(m)
}

func (w *world) talk() *talk { return &talk{w: w, c: w.conversation()} }

// next waits for the next proposal of the conversation.
func (k *talk) next() pgdb.Operation {
	k.w.t.Helper()
	k.proposals++
	var a event.Approval
	if err := json.Unmarshal(k.w.event(k.c, event.ApprovalPending, k.proposals).Data, &a); err != nil {
		k.w.t.Fatal(err)
	}
	return k.w.status(a.OpID, operation.AwaitingApproval)
}

// confirm approves the next proposal, which must be this change, and returns it executed.
func (k *talk) confirm(form, action string) pgdb.Operation {
	k.w.t.Helper()
	row := k.next()
	if row.TargetForm != form || row.Action != action {
		k.w.t.Fatalf("%s %s is proposed, want %s %s", row.Action, row.TargetForm, action, form)
	}
	if _, err := k.w.decide(k.w.decision(row, operation.Approve)); err != nil {
		k.w.t.Fatal(err)
	}
	return k.w.status(row.OpID, operation.Executed)
}

// answer waits for the end of the next turn and returns its last text.
func (k *talk) answer() string {
	k.w.t.Helper()
	k.turns++
	ended := k.w.event(k.c, event.TurnEnded, k.turns)
	text := ""
	for _, e := range k.w.journal(k.c) {
		if e.Type != event.MessageStored || e.Seq > ended.Seq {
			continue
		}
		var m event.Message
		if err := json.Unmarshal(e.Data, &m); err != nil {
			k.w.t.Fatal(err)
		}
		text = m.Text
	}
	return text
}

// do says something whose proposals are all confirmed ("form/action"), and returns
// the numbers of the documents that were written and the answer.
func (k *talk) do(text string, changes ...string) (bills []string, answer string) {
	k.w.t.Helper()
	k.w.say(k.c, text)
	for _, x := range changes {
		form, action, _ := strings.Cut(x, "/")
		bills = append(bills, k.confirm(form, action).ResultBill)
	}
	answer = k.answer()
	for _, b := range bills {
		if b == "" {
			k.w.t.Fatalf("%s: bills %v, answer %q", text, bills, answer)
		}
	}
	return bills, answer
}

// value reads one value of the tenant as text.
func (w *world) value(sql string, args ...any) (v string) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&v)
	})
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	return v
}

// stock is what is on hand of a product in the main warehouse.
func (w *world) stock(product string) decimal.Decimal {
	w.t.Helper()
	return decimal.RequireFromString(w.value("SELECT quantity::text FROM erp.stock WHERE product = $1 AND warehouse = 'WH-01'", product))
}

func (w *world) documentStatus(form, number string) string {
	w.t.Helper()
	return w.value(fmt.Sprintf("SELECT status FROM erp.%s WHERE number = $1", pgx.Identifier{form}.Sanitize()), number)
}

// invariants are what must hold whatever was confirmed; each counts its violations.
var invariants = map[string]string{
	"stock is the sum of its ledger": `SELECT count(*) FROM erp.stock s WHERE quantity <> (SELECT coalesce(sum(l.quantity), 0) FROM erp.stock_ledger l
		WHERE l.tenant_id = s.tenant_id AND l.product = s.product AND l.warehouse = s.warehouse)`,
	"allocated is what open orders have not delivered": `SELECT count(*) FROM erp.stock s WHERE allocated <> (SELECT coalesce(sum(l.quantity * l.factor), 0)
			- coalesce((SELECT sum(d.quantity * d.factor) FROM erp.delivery_line d JOIN erp.delivery n ON n.tenant_id = d.tenant_id AND n.number = d.number
				JOIN erp.sales_order o ON o.tenant_id = d.tenant_id AND o.number = d.source
				WHERE d.tenant_id = s.tenant_id AND d.product = s.product AND o.warehouse = s.warehouse AND o.status IN ('submitted','examined')
				AND n.status IN ('examined','closed')), 0)
		FROM erp.sales_order_line l JOIN erp.sales_order o ON o.tenant_id = l.tenant_id AND o.number = l.number
		WHERE l.tenant_id = s.tenant_id AND l.product = s.product AND o.warehouse = s.warehouse AND o.status IN ('submitted','examined'))`,
	"totals are the sums of lines": `SELECT count(*) FROM erp.sales_order o WHERE total <> (SELECT sum(amount) FROM erp.sales_order_line l
		WHERE l.tenant_id = o.tenant_id AND l.number = o.number)`,
	"what was drawn of orders is what deliveries hold": `SELECT count(*) FROM erp.sales_order_line l WHERE EXISTS (SELECT FROM erp.delivery_line d
			WHERE d.tenant_id = l.tenant_id AND d.source = l.number)
		AND drawn <> (SELECT coalesce(sum(d.quantity), 0) FROM erp.delivery_line d JOIN erp.delivery n ON n.tenant_id = d.tenant_id AND n.number = d.number
		WHERE d.tenant_id = l.tenant_id AND d.source = l.number AND d.source_line = l.line_no AND n.status <> 'cancelled')`,
	"settled is what examined receipts paid": `SELECT count(*) FROM erp.receivable r WHERE settled <> (SELECT coalesce(sum(l.amount), 0) FROM erp.receipt_line l
		JOIN erp.receipt p ON p.tenant_id = l.tenant_id AND p.number = l.number
		WHERE l.tenant_id = r.tenant_id AND l.source = r.number AND p.status IN ('examined','closed'))`,
}

func (w *world) holds() {
	w.t.Helper()
	for what, sql := range invariants {
		if n := w.count(sql); n != 0 {
			w.t.Errorf("%s: %d violations", what, n)
		}
	}
}

func TestTheChainOfASaleIsWalkedByChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	before := w.stock("P-0001")
	bills, answer := k.do("给上海晨光贸易有限公司报价：10 箱龙井绿茶", "quotation/create")
	quotation := bills[0]
	if !strings.Contains(answer, quotation) || w.documentStatus("quotation", quotation) != "submitted" {
		t.Fatalf("%s: %s", quotation, answer)
	}
	// The source is examined first, and the turn goes on by itself.
	bills, answer = k.do("报价单 "+quotation+" 转订单", "quotation/examine", "sales_order/generate")
	order := bills[1]
	if !strings.Contains(answer, order) || w.value("SELECT source FROM erp.sales_order_line WHERE number = $1", order) != quotation {
		t.Fatalf("%s: %s", order, answer)
	}
	if ref := w.value("SELECT source_ref::text FROM operations WHERE result_bill = $1 AND op_type = 'generate'", order); !strings.Contains(ref, quotation) {
		t.Errorf("source_ref %s", ref)
	}
	// A part first, then the rest.
	bills, _ = k.do("订单 "+order+" 先发 4 箱", "sales_order/examine", "delivery/generate")
	first := bills[1]
	if got := w.stock("P-0001"); !got.Equal(before) {
		t.Errorf("a delivery that is not examined moved stock from %s to %s", before, got)
	}
	k.do("审核出库单 "+first, "delivery/examine")
	if got := w.stock("P-0001"); !got.Equal(before.Sub(decimal.NewFromInt(4))) {
		t.Errorf("stock went from %s to %s", before, got)
	}
	bills, _ = k.do("订单 "+order+" 发货并审核", "delivery/generate", "delivery/examine")
	second := bills[0]
	if got := w.stock("P-0001"); !got.Equal(before.Sub(decimal.NewFromInt(10))) || w.documentStatus("sales_order", order) != "closed" {
		t.Errorf("stock went from %s to %s, the order is %s", before, got, w.documentStatus("sales_order", order))
	}
	// One receivable of both, and the receipt that settles it.
	bills, _ = k.do("出库单 "+first+"、"+second+" 合并转应收", "receivable/generate")
	receivable := bills[0]
	bills, answer = k.do("应收单 "+receivable+" 收款并审核", "receivable/examine", "receipt/generate", "receipt/examine")
	if !strings.Contains(answer, bills[1]) || w.documentStatus("receivable", receivable) != "closed" ||
		w.value("SELECT open_amount::text FROM erp.receivable WHERE number = $1", receivable) != "0.00" {
		t.Errorf("receivable %s: %s", receivable, answer)
	}
	if total := w.value("SELECT total::text FROM erp.receivable WHERE number = $1", receivable); total != w.value("SELECT total::text FROM erp.sales_order WHERE number = $1", order) {
		t.Errorf("%s was billed for order %s", total, order)
	}
	w.holds()
}

func TestTheChainIsWalkedInEnglish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	w.login("smith")
	k := w.talk()
	bills, _ := k.do("Quote C-0001: 3 P-0001", "quotation/create")
	bills, _ = k.do("Make an order of quotation "+bills[0], "quotation/examine", "sales_order/generate")
	bills, _ = k.do("Deliver order "+bills[1]+" and examine it", "sales_order/examine", "delivery/generate", "delivery/examine")
	bills, answer := k.do("Invoice delivery "+bills[1], "receivable/generate")
	if !strings.Contains(answer, "Receivable ["+bills[0]+"](") {
		t.Errorf("%q", answer)
	}
	w.holds()
}

func TestAPurchaseRaisesStock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	before := w.stock("P-0001")
	supplier := w.value("SELECT name FROM erp.supplier ORDER BY code LIMIT 1")
	bills, _ := k.do("向"+supplier+"采购：20 箱龙井绿茶，单价 50 元", "purchase_order/create")
	order := bills[0]
	if p := w.value("SELECT unit_price::text FROM erp.purchase_order_line WHERE number = $1", order); !strings.HasPrefix(p, "50") {
		t.Errorf("unit price %s", p)
	}
	bills, answer := k.do("采购订单 "+order+" 收货并审核", "purchase_order/examine", "goods_receipt/generate", "goods_receipt/examine")
	if got := w.stock("P-0001"); !got.Equal(before.Add(decimal.NewFromInt(20))) || !strings.Contains(answer, bills[1]) {
		t.Errorf("stock went from %s to %s: %s", before, got, answer)
	}
	// Taken back, and again.
	k.do("反审核入库单 "+bills[1], "goods_receipt/unexamine")
	if got := w.stock("P-0001"); !got.Equal(before) {
		t.Errorf("stock went from %s to %s", before, got)
	}
	w.holds()
}

func TestAStockAdjustmentShowsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	before := w.stock("P-0001")
	after := before.Sub(decimal.NewFromInt(5))
	w.say(k.c, "把 P-0001 主仓库存减少 5,盘点")
	row := k.next()
	var p erp.Preview
	if err := json.Unmarshal(row.Preview, &p); err != nil {
		t.Fatal(err)
	}
	same := func(a string, b decimal.Decimal) bool {
		d, err := decimal.NewFromString(a)
		return err == nil && d.Equal(b)
	}
	shown := len(p.Lines) == 1 && same(p.Lines[0].StockBefore, before) && same(p.Lines[0].StockAfter, after)
	for _, d := range p.Diffs {
		shown = shown || same(d.Before, before) && same(d.After, after)
	}
	if !shown {
		t.Errorf("the card does not show %s → %s: %s", before, after, row.Preview)
	}
	if got := w.stock("P-0001"); !got.Equal(before) {
		t.Errorf("stock moved to %s before the confirmation", got)
	}
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(row.OpID, operation.Executed)
	if got := w.stock("P-0001"); !got.Equal(after) {
		t.Errorf("stock is %s, want %s", got, after)
	}
	if answer := k.answer(); !strings.Contains(answer, "库存调整单 [SA-") {
		t.Errorf("%q", answer)
	}
	k.do("从主仓调拨 5 箱 P-0001 到二号仓", "stock_transfer/create")
	if got := w.stock("P-0001"); !got.Equal(after.Sub(decimal.NewFromInt(5))) {
		t.Errorf("stock is %s after the transfer", got)
	}
	w.holds()
}

func TestCancellingAnOrderSaysThatNothingIsRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	allocated := func() string {
		return w.value("SELECT allocated::text FROM erp.stock WHERE product = 'P-0001' AND warehouse = 'WH-01'")
	}
	before := allocated()
	bills, _ := k.do("给上海晨光贸易有限公司下一张订单：2 箱龙井绿茶", "sales_order/create")
	if allocated() == before {
		t.Error("the order promises nothing")
	}
	w.say(k.c, "取消订单 "+bills[0]+"，原因：客户改主意")
	row := k.next()
	if !strings.Contains(string(row.Preview), "不会退款") || !strings.Contains(string(row.Preview), "refunds nothing") {
		t.Errorf("the card does not say that nothing is refunded: %s", row.Preview)
	}
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	if answer := k.answer(); !strings.Contains(answer, "没有发生任何退款") {
		t.Errorf("%q", answer)
	}
	if w.documentStatus("sales_order", bills[0]) != "cancelled" || allocated() != before ||
		w.value("SELECT cancel_reason FROM erp.sales_order WHERE number = $1", bills[0]) != "客户改主意" {
		t.Errorf("the order is %s, allocated %s", w.documentStatus("sales_order", bills[0]), allocated())
	}
	w.holds()
}

func TestADraftThatIsChangedWhileItsApprovalWaitsSupersedesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	before := w.orders()
	w.say(k.c, "给上海晨光贸易有限公司下一张订单：10 箱龙井绿茶")
	old := k.next()
	w.say(k.c, "把草稿改成：12 箱龙井绿茶")
	row := w.status(old.OpID, operation.Cancelled)
	r := refusal(t, row)
	if r.Code != string(fault.DraftChanged) || r.Old != "1" || r.New != "2" || r.Fact == nil || r.Fact.Kind != erp.FactDraft {
		t.Errorf("superseded with %+v", r)
	}
	// The decision on the old card comes too late, and writes nothing.
	if _, err := w.decide(w.decision(old, operation.Approve)); err == nil {
		t.Error("a superseded proposal was approved")
	}
	// The first turn goes on and says why; the new card stands in its place.
	fresh := k.next()
	w.eventually("the link to the new proposal", func() bool {
		is := w.op(old.OpID).ReplacedBy
		return is != nil && *is == fresh.OpID
	})
	if answer := k.answer(); !strings.Contains(answer, "草稿已改到第 2 版") {
		t.Errorf("%q", answer)
	}
	if w.orders() != before {
		t.Fatal("something was written")
	}
	if *fresh.DraftID != *old.DraftID || *fresh.DraftRevision != 2 {
		t.Errorf("the new proposal is of draft %s revision %d", *fresh.DraftID, *fresh.DraftRevision)
	}
	if _, err := w.decide(w.decision(fresh, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.status(fresh.OpID, operation.Executed)
	if w.orders() != before+1 {
		t.Errorf("%d orders more", w.orders()-before)
	}
	// Both revisions stay, each with the quote of its moment.
	if n := w.count("SELECT count(*) FROM draft_revisions WHERE draft_id = $1 AND quote->'lines'->0 ? 'base_price' AND quote->'lines'->0 ? 'stock_before'", *old.DraftID); n != 2 {
		t.Errorf("%d revisions with a quote", n)
	}
	w.holds()
}

func TestAProposalOfAnOlderRevisionIsNeverPutBeforePeople(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	w.say(k.c, "给上海晨光贸易有限公司下一张订单：1 箱龙井绿茶")
	row := k.next()
	// As if the draft had been saved again before the proposal was opened.
	w.exec(`UPDATE operations SET status = 'draft' WHERE op_id = $1`, row.OpID)
	w.exec(`UPDATE drafts SET revision = revision + 1 WHERE draft_id = $1`, *row.DraftID)
	closed, err := w.parts.Operations().OpenOperation(t.Context(), contract.OpInput{Tenant: w.tenant.String(), OpID: row.OpID})
	if err != nil || closed.Status != operation.Cancelled {
		t.Fatalf("opened as %+v, %v", closed, err)
	}
	if r := refusal(t, w.op(row.OpID)); r.Code != string(fault.DraftChanged) {
		t.Errorf("%+v", r)
	}
}

func TestACustomerIsCreatedInTheNativeFormAndTheTurnSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	w.relay()
	li := w.site().as("yunfan", "shanghai", "li")
	k := w.talk()
	w.say(k.c, "新建客户 苏州明月贸易有限公司，电话 0512-1，区域 华东")
	row := k.next()
	if row.AutoExecute {
		t.Fatal("a customer is created without the native form")
	}
	card := li.card(row.OpID)
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, uuid.NewString()), nil)
	w.status(row.OpID, operation.HandedOff)
	var payload map[string]any
	if err := json.Unmarshal(row.Requested, &payload); err != nil {
		t.Fatal(err)
	}
	var saved operation.NativeSaved
	li.ok("POST", customerRecords, map[string]any{"action": tool.ActionCreate, "payload": payload, "token": uuid.NewString(), "staging": row.OpID}, &saved)
	w.status(row.OpID, operation.Completed)
	if answer := k.answer(); !strings.Contains(answer, "苏州明月贸易有限公司 已创建") || !strings.Contains(answer, saved.Bill) {
		t.Errorf("%q, saved as %q", answer, saved.Bill)
	}
}

func TestReportsAreReadByChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	k := w.talk()
	bills, _ := k.do("给上海晨光贸易有限公司下一张订单：2 箱龙井绿茶", "sales_order/create")
	for text, want := range map[string]string{"应收账龄": "应收账龄", "逾期应收": "逾期应收", "滞销品": "呆滞库存", "本月销售按客户": "客户销售", "库存台账 P-0001": "龙井绿茶",
		"订单进度 " + bills[0]: bills[0], "生产进度": "生产进度", "应付账龄": "应付账龄", "现存量": "库存现状", "今年按月销售": "月度销售", "本月库存流水": "库存流水", "有哪些采购订单": "采购订单"} {
		if _, answer := k.do(text); !strings.Contains(answer, want) || strings.Contains(answer, "没有成功") {
			t.Errorf("%s: %s", text, answer)
		}
	}
}
