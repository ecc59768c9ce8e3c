package webtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// Table is the answer to the first question of the tour.
const Table = `华东地区共有 **57** 位客户，按应收余额列出前几位：

| 编号 | 客户 | 城市 | 应收余额 |
|---|---|---|---|
| C-0001 | 华东贸易有限公司 | 上海 | 128,400.00 |
| C-0007 | 杭州清源茶业 | 杭州 | 56,120.50 |
| C-0013 | 苏州雅集商行 | 苏州 | 9,800.00 |

还有 54 位没有列出，可以说「下一页」或缩小条件。`

// Tour answers as the demo planner would, roughly.
func Tour(c *Conversation, turnID, text string) {
	switch {
	case strings.Contains(text, "哪个") || strings.Contains(text, "which"):
		c.Ask(turnID, "有三位客户都叫「华东」，您指哪一位？", []string{"华东贸易有限公司 (C-0001)", "华东食品 (C-0042)", "华东物流 (C-0090)"}, time.Now().Add(24*time.Hour))
	case strings.Contains(text, "订单") || strings.Contains(text, "order"):
		c.Append(event.Titled, turnID, event.Title{Title: "给华东贸易下单"})
		c.Call(turnID, "save_draft", `{"form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"10"},{"product":"P-0002","quantity":"5"}]}}`, event.ToolDone{Millis: 9})
		c.Propose(turnID, OrderCard(turnID, time.Now().Add(24*time.Hour)))
	case strings.Contains(text, "华东") || strings.Contains(text, "East"):
		c.Append(event.Titled, turnID, event.Title{Title: "华东客户"})
		c.Call(turnID, "find_forms", `{"query":"客户"}`, event.ToolDone{Millis: 12})
		c.Call(turnID, "read_form", `{"filters":[{"field":"region","op":"eq","value":"east"}],"form":"customer","limit":20,"mode":"list"}`, event.ToolDone{Rows: 20, Total: 57, Millis: 38})
		c.Say(turnID, Table)
		c.End(turnID, "answered", "")
	default:
		c.Say(turnID, "这句话演示规划器不懂。可以试试：**华东客户有哪些？**")
		c.End(turnID, "answered", "")
	}
}

// OrderCard is a sales order to be confirmed.
func OrderCard(suffix string, deadline time.Time) operation.Card {
	return operation.Card{
		OpID: "op-" + suffix, PendingID: "p-" + suffix, Revision: 1, Digest: "9f2c4e7ad01b5c3388e1", Status: operation.AwaitingApproval, Risk: "confirm", Policy: "self",
		RequesterID: "lin", RequesterName: "林小红", Reason: "客户来电补货", CreatedAt: time.Now(), Deadline: deadline,
		Capabilities: erp.Capabilities{DryRun: true, IdempotentExecute: true, Fence: true, FactsUnderLock: true},
		Preview: erp.Preview{
			Form: "sales_order", FormLabel: erp.Label{Zh: "销售订单", En: "sales order"}, Action: "create", ActionLabel: erp.Label{Zh: "新建", En: "Create"},
			Object: "华东贸易有限公司 (C-0001)", Total: "2140.5", Currency: "CNY", Provisional: true, Payload: json.RawMessage(`{}`),
			Diffs: []erp.Diff{
				{Field: "customer", Label: erp.Label{Zh: "客户", En: "Customer"}, After: "华东贸易有限公司 (C-0001)"},
				{Field: "delivery_date", Label: erp.Label{Zh: "交货日期", En: "Delivery date"}, After: "2026-12-08"},
				{Field: "receivable", Label: erp.Label{Zh: "应收余额", En: "Receivable"}, Object: "华东贸易有限公司", Before: "128400", After: "130540.5", Derived: true},
			},
			Lines: []erp.Line{
				{Product: "P-0001", ProductName: "明前龙井 250g", Unit: "箱", Quantity: "10", BasePrice: "168", Discount: "5", UnitPrice: "159.6", Amount: "1596", Warehouse: "上海仓", StockBefore: "120", StockAfter: "110"},
				{Product: "P-0002", ProductName: "碧螺春 100g", Unit: "箱", Quantity: "5", BasePrice: "108.9", Discount: "0", UnitPrice: "108.9", Amount: "544.5", Warehouse: "上海仓", StockBefore: "1040", StockAfter: "1035"},
			},
			Notes: []erp.Label{{Zh: "保存为未审核的订单，不会自动发货。", En: "It is saved unexamined; nothing is shipped by itself."}},
		},
	}
}

// UpdateCard changes a customer's fields, old to new.
func UpdateCard(suffix string, deadline time.Time) operation.Card {
	card := OrderCard(suffix, deadline)
	card.Reason = ""
	card.Capabilities = erp.Capabilities{FactsUnderLock: true}
	card.Preview = erp.Preview{
		Form: "customer", FormLabel: erp.Label{Zh: "客户", En: "customer"}, Action: "update", ActionLabel: erp.Label{Zh: "修改", En: "Update"},
		Object: "杭州清源茶业 (C-0007)", Target: "C-0007", Batch: true, Payload: json.RawMessage(`{}`),
		Diffs: []erp.Diff{
			{Field: "phone", Label: erp.Label{Zh: "电话", En: "Phone"}, Before: "13800000001", After: "13800000002"},
			{Field: "credit_limit", Label: erp.Label{Zh: "信用额度", En: "Credit limit"}, Before: "50000", After: "80000"},
			{Field: "remark", Label: erp.Label{Zh: "备注", En: "Remark"}, Before: "老客户", After: ""},
		},
	}
	return card
}

// Execute confirms: approved, executing, executed, each an event of its own.
func Execute(c *Conversation, card operation.Card, d operation.Decision) Reply {
	if r := Resolve(c, card, d); r.Code != "" || d.Decision != operation.Approve {
		return r
	}
	c.Append(event.ToolExecuting, card.TurnID, event.Executing{CallID: card.CallID, OpID: card.OpID, Attempt: 1})
	Result(c, card, event.OpState{Status: operation.Executed, Bill: "SO-202611-0031", Link: "/erp/form/sales_order?bill=SO-202611-0031"})
	c.Append(event.TurnResumed, card.TurnID, event.Run{Segment: 2})
	c.Say(card.TurnID, "订单已写入，单号 **SO-202611-0031**。")
	c.End(card.TurnID, "answered", "")
	return Reply{Status: 200, Body: map[string]any{"op_id": card.OpID, "status": "approved"}}
}

// Resolve settles the pending and nothing more.
func Resolve(c *Conversation, card operation.Card, d operation.Decision) Reply {
	now := time.Now()
	err := operation.Check(operation.View{OpID: card.OpID, Status: card.Status, PendingID: card.PendingID, Revision: card.Revision, Digest: card.Digest, Deadline: card.Deadline, Decided: card.Decided}, d, now)
	if err != nil {
		return Reply{Status: 409, Code: string(err.Code), Params: err.Params}
	}
	c.Append(event.ApprovalResolved, card.TurnID, event.Resolved{PendingID: card.PendingID, OpID: card.OpID, CallID: card.CallID, Decision: d.Decision.Effect(), By: d.Actor, ByName: d.Actor, Channel: operation.ChannelWeb, At: now})
	if d.Decision != operation.Approve {
		Result(c, card, event.OpState{Status: d.Decision.Effect()})
		c.End(card.TurnID, "answered", "")
	}
	return Reply{Status: 200, Body: map[string]any{"op_id": card.OpID, "status": string(d.Decision.Effect())}}
}

// Result ends the operation as given.
func Result(c *Conversation, card operation.Card, s event.OpState) {
	s.OpID, s.PendingID, s.CallID = card.OpID, card.PendingID, card.CallID
	c.Append(event.OperationResult, card.TurnID, s)
	c.Append(event.ToolFinished, card.TurnID, event.ToolDone{CallID: card.CallID, Tool: "propose_write", Status: string(s.Status), Millis: 41})
}

// StockMoved is a refusal that names its fact.
func StockMoved() *erp.Refusal {
	return &erp.Refusal{Code: string(fault.StockChanged), Old: "120", New: "84", Fact: &erp.Fact{Kind: erp.FactStock, Form: "stock", Key: "P-0001", Field: "quantity", Sub: "上海仓",
		Label: erp.Label{Zh: "库存", En: "Stock"}, Object: "明前龙井 250g", Value: "120"}}
}

// Again makes a fresh proposal with the stock of now.
func Again(c *Conversation, card operation.Card, how string) Reply {
	if how != "repropose" {
		return Reply{Status: 202, Body: map[string]any{}}
	}
	fresh := OrderCard(fmt.Sprintf("%s-again", strings.TrimPrefix(card.OpID, "op-")), time.Now().Add(24*time.Hour))
	fresh.Replaces = card.OpID
	fresh.Preview.Lines[0].StockBefore, fresh.Preview.Lines[0].StockAfter = "84", "74"
	c.Propose(card.TurnID, fresh)
	// An event of the old card without a status, and an answer that is older than
	// what the stream has told already.
	c.Append(event.OperationChanged, card.TurnID, map[string]any{"op_id": card.OpID, "replaced_by": fresh.OpID})
	shown, _ := c.Card(fresh.OpID)
	shown.Status = operation.Draft
	return Reply{Status: 201, Body: shown}
}
