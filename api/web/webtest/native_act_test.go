package webtest_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

// sprint writes decoded JSON with its keys in order.
func sprint(v any) string { return fmt.Sprint(v) }

func examine(t *testing.T, x *bench) {
	x.open(bill)
	x.Click("[data-action=examine]")
	x.See("dialog h2", "审核：SO-202611-0031")
	x.See("dialog .derived", "1,200")
	x.Until("!document.querySelector('dialog [data-do=examine]').disabled")
	x.keep("native-examine")
	x.Axe("examine")
	if got := x.gateway.Shop.Record("sales_order", "SO-202611-0031")["status"]; got != "submitted" {
		t.Errorf("the picture alone made it %v", got)
	}
	x.Click("dialog [data-do=examine]")
	x.See(".pill", "已审核")
	x.See(".history li:first-child", "审核")
	x.Until("document.querySelector('[data-generate=delivery]') && document.querySelector('[data-action=unexamine]') && !document.querySelector('[data-action=cancel]')")
	// Another order that somebody else has touched since it was shown.
	x.Go(x.url + "/erp/form/sales_order?bill=SO-202611-0030")
	x.Click("[data-action=cancel]")
	x.See("dialog .note", "不能再撤销")
	x.Type("dialog textarea", "客户不要了")
	x.See("dialog .notes", "不会退款")
	x.gateway.Shop.Edit("sales_order", "SO-202611-0030", erp.Row{"remark": "加急"})
	x.Until("!document.querySelector('dialog [data-do=cancel]').disabled")
	x.Click("dialog [data-do=cancel]")
	x.See("dialog .failure", "被其他人修改过")
	x.Click("dialog .failure .btn")
	x.See(".fields", "加急")
	x.Type("dialog textarea", "客户不要了")
	x.See("dialog .notes", "不会退款")
	x.Click("dialog [data-do=cancel]")
	x.See(".pill", "已取消")
	x.See(".fields", "客户不要了")
	x.Gone("dialog")
}

func draftAndDelete(t *testing.T, x *bench) {
	x.open(orders + "?new=1")
	x.pick("#f-customer", "C-0001", "华东贸易")
	x.pick(".edit [data-column=product] input", "P-0001", "明前龙井")
	x.Type(".edit [data-column=quantity] input", "3")
	x.See(".save .total", "47.88")
	x.Click("[data-save=draft]")
	x.See(".pill", "草稿")
	x.Click("[data-action=update]")
	x.See(".sheet .kicker", "修改销售订单")
	x.Click("[data-add=lines]")
	x.pick(".edit tbody tr:nth-child(2) [data-column=product] input", "P-0002", "碧螺春")
	x.Type(".edit tbody tr:nth-child(2) [data-column=quantity] input", "1")
	x.See(".save .total", "156.79")
	x.Click(".edit tbody tr:nth-child(1) .tools button")
	x.Until("document.querySelectorAll('.edit tbody tr').length === 1 && document.activeElement.closest('.edit')")
	x.See(".save .total", "108.91")
	x.Press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)) // saves
	x.See(".grid", "碧螺春")
	if got := sprint(x.bodies("/records")[1]["payload"]); got != "map[lines:[map[product:P-0002 quantity:1]]]" {
		t.Errorf("the change sends %s", got)
	}
	x.Click("[data-action=delete]")
	x.Until("!document.querySelector('dialog [data-do=delete]').disabled")
	x.Click("dialog [data-do=delete]")
	x.See(".sheet", "共 42 条")
}

func generateParts(t *testing.T, x *bench) {
	for _, key := range []string{"SO-202611-0031", "SO-202611-0032"} {
		x.gateway.Shop.Edit("sales_order", key, erp.Row{"status": "examined"})
	}
	x.open(bill)
	x.Click("[data-generate=delivery]")
	x.See(".sheet h2", "生成发货单")
	x.See(".take tr[data-part='1']", "1,000")
	x.See(".effects", "21,405.50")
	x.fill(".take tr[data-part='1'] input.num", "1001")
	x.Click("[data-save=main]")
	x.See(".take tr[data-part='1'] .bad-field", "最多 1000")
	x.fill(".take tr[data-part='1'] input.num", "400")
	x.Click(".take tr[data-part='2'] input[type=checkbox]")
	x.See(".save .total", "6,384.00")
	x.keep("native-generate")
	x.Axe("generate")
	x.Click("[data-save=main]")
	x.See(".sheet h2", "DN-000001")
	x.See(".grid", "400")
	x.Click(".grid a[href*='sales_order?bill=SO-202611-0031']")
	x.See(".grid tbody tr:first-child", "400")
	// The rest of it and another order, one delivery for each.
	x.Click("[data-generate=delivery]")
	x.See(".take tr[data-part='1']", "600")
	x.Type("#more-source", "0032")
	x.See(".lookup .choices:not([hidden]) li.at", "SO-202611-0032")
	x.Press("\r")
	x.See("[data-source='SO-202611-0032']", "1,000")
	x.Click(".modes [value=split]")
	x.See(".save .total", "36,427.00")
	x.Click("[data-save=main]")
	x.See(".result.good", "DN-000003")
	saves := x.bodies("/records")
	if got, want := sprint(saves[1]["payload"].(map[string]any)["lines"]), "[map[line_no:1 quantity:400 source:SO-202611-0031]]"; got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
	if got := saves[2]["payload"].(map[string]any); got["lines"] != nil || got["mode"] != "split" {
		t.Errorf("the second generate sends %v", got)
	}
}

// staged is a customer that the agent has prepared.
func staged(op, policy string) operation.Staging {
	return operation.Staging{OpID: op, Form: "customer", Action: "create", OpType: erp.OpCreate, Payload: json.RawMessage(`{"name":"杭州新茶行","region":"south","credit_limit":"20000"}`),
		Status: operation.HandedOff, Policy: policy, Revision: 1, Deadline: tomorrow(), Reason: "客户来电开户", Title: erp.Label{Zh: "新建客户", En: "Create customer"}, Object: "杭州新茶行"}
}

func staging(t *testing.T, x *bench) {
	c, turn := x.hold("给新茶行开户")
	card := webtest.UpdateCard("7", tomorrow())
	card.Status, card.Preview.Action = operation.HandedOff, "create"
	c.Propose(turn, card)
	s := staged("op-7", "self")
	s.ConversationID = c.ID
	x.gateway.Shop.Stage(s)
	x.See(".card.st-handed_off .result", "请在表单中保存")
	x.Click(".card [data-finish]")
	x.See(".sheet h2", "新建客户")
	x.See(".sheet .note", "助手已按您确认的内容填好")
	x.Until("document.querySelector('#f-name').value === '杭州新茶行' && document.querySelectorAll('.input.filled').length === 3")
	x.fill("#f-credit_limit", "30000")
	x.See("[data-field=credit_limit]", "您已改动")
	x.See("[data-field=name]", "助手填写")
	x.keep("native-staging")
	x.Click("[data-save=main]")
	x.See(".result.good", "C-0003")
	x.Click(".where a")
	x.See(".card", "提议")
	webtest.Result(c, card, event.OpState{Status: operation.Completed, Bill: "C-0003", Link: "/erp/form/customer?bill=C-0003"})
	x.See(".card.st-completed", "已在原生表单中保存")
	x.Click(".card .bill")
	x.See(".fields", "30,000.00")
	x.Go(x.url + "/erp/form/customer?staging=op-7")
	x.See(".result.good", "不会再写入第二次")
	if got := x.bodies("/records"); len(got) != 1 || got[0]["staging"] != "op-7" {
		t.Errorf("saves %v", got)
	}
}

func stagingEnds(_ *testing.T, x *bench) {
	x.gateway.Shop.Stage(staged("op-8", "role:approver"))
	x.open("/erp/form/customer?staging=op-8")
	x.See(".note", "需要重新审批")
	x.fill("#f-credit_limit", "999999")
	x.Click("[data-save=main]")
	x.See(".result", "重新提交审批")
	for op, c := range map[string]struct {
		status operation.Status
		words  string
	}{"op-a": {operation.Abandoned, "表单没有保存"}, "op-b": {operation.Cancelled, "提议已取消"}, "op-c": {operation.Expired, "提议已过期"}, "op-d": {operation.Completed, "不会再写入第二次"}, "op-e": {operation.AwaitingApproval, "还在等待确认"}} {
		s := staged(op, "self")
		s.Status = c.status
		x.gateway.Shop.Stage(s)
		x.Go(x.url + "/erp/form/customer?staging=" + op)
		x.See(".result", c.words)
	}
	// It ends while the form is open: the save is refused, and the page says why.
	x.gateway.Shop.Stage(staged("op-f", "self"))
	x.Go(x.url + "/erp/form/customer?staging=op-f")
	x.See(".note", "助手已按您确认的内容填好")
	x.gateway.Shop.Settle("op-f", operation.Cancelled)
	x.Click("[data-save=main]")
	x.See(".result", "提议已取消")
	x.Go(x.url + "/erp/form/customer?staging=nobody")
	x.See("[role=alert]", "没有找到")
}

func toDos(t *testing.T, x *bench) {
	x.open("/erp/todos")
	x.See(".empty", "没有待办")
	x.gateway.Shop.Stage(staged("op-9", "self"))
	x.gateway.Shop.Tell(operation.Todo{OpID: "op-p", Form: "sales_order", Title: erp.Label{Zh: "新建销售订单", En: "Create sales order"}, Status: operation.Executing, CreatedAt: time.Now()})
	x.gateway.Shop.Tell(operation.Todo{OpID: "op-d", Form: "sales_order", Title: erp.Label{Zh: "新建销售订单", En: "Create sales order"}, Status: operation.Executed, Bill: "SO-202611-0031", Link: bill, CreatedAt: time.Now()})
	x.gateway.Shop.Tell(operation.Todo{OpID: "op-s1", Form: "customer", Title: erp.Label{Zh: "修改客户", En: "Change customer"}, Status: operation.Failed, Retry: true, ConversationID: "conv-1", CreatedAt: time.Now()})
	x.See("[data-state=todo]", "新建客户") // by itself
	x.See("[data-state=processing]", "正在写入")
	x.See("[data-state=done] .bill", "SO-202611-0031")
	x.keep("native-todos")
	x.Axe("todos")
	c := x.gateway.Start("修改客户")
	turn := c.Turn("改电话", "")
	card := webtest.UpdateCard("s1", tomorrow())
	card.Status = operation.Failed
	c.Propose(turn, card)
	x.gateway.Repropose = func(_ *webtest.Conversation, _ operation.Card, how string) webtest.Reply {
		if how == "retry" {
			x.gateway.Shop.Tell(operation.Todo{OpID: "op-s1", Form: "customer", Title: erp.Label{Zh: "修改客户", En: "Change customer"}, Status: operation.Executed, Bill: "C-0001", CreatedAt: time.Now()})
		}
		return webtest.Reply{Status: 202, Body: map[string]any{}}
	}
	x.Click("[data-op=op-s1] [data-retry]")
	x.See("[data-state=done]", "C-0001")
	if n := len(x.gateway.Requests("POST", "/retry")); n != 1 {
		t.Errorf("%d retries were sent", n)
	}
	x.Click(".top .text")
	x.See("[data-state=todo] [data-open]", "Open the form")
	x.Click("[data-state=todo] [data-open]")
	x.See(".note", "The assistant filled this in")
	x.See("[data-field=name]", "filled in by the assistant")
}

// nativeAccess walks through the native pages and asks axe.
func nativeAccess(lang string, dark bool) func(*testing.T, *bench) {
	return func(_ *testing.T, x *bench) {
		x.Dark(dark, true)
		browser.Eval[bool](x.Tab, "(localStorage.setItem('erpilot.lang', '"+lang+"'), true)")
		x.Reload()
		x.gateway.Shop.Stage(staged("op-1", "self"))
		x.gateway.Shop.Edit("sales_order", "SO-202611-0031", erp.Row{"status": "examined"})
		x.login()
		look := func(name string) {
			x.keep(lang + "-native-" + name)
			x.Axe(name)
		}
		both := func(path, ready, name string) {
			x.Size(1280, 860)
			x.Go(x.url + path)
			x.Until(ready)
			look(name)
			x.Size(320, 700)
			look(name + "-narrow")
			x.Until("document.querySelector('#content').scrollWidth <= document.querySelector('#content').clientWidth + 1")
		}
		both("/erp/", "document.querySelector('.reports')", "home")
		both(orders, "document.querySelector('.grid')", "list")
		both(bill, "document.querySelector('.history li') && document.querySelector('[data-generate]')", "record")
		both(orders+"?new=1", "document.querySelector('.edit')", "create")
		x.Size(1280, 860)
		x.Click("[data-save=main]")
		x.Until("document.querySelector('.failure')")
		x.Type("#f-customer", "C")
		x.Until("document.querySelector('.choices li.at')")
		look("problems")
		both("/erp/form/customer?bill=C-0001&edit=1", "document.querySelector('#f-name')", "edit")
		both("/erp/form/delivery?generate=sales_order%3ASO-202611-0031", "document.querySelector('.take') && document.querySelector('[data-looked=true]')", "generate")
		both("/erp/form/customer?staging=op-1", "document.querySelector('.input.filled')", "staging")
		both("/erp/todos", "document.querySelector('.todo')", "todos")
		both("/erp/form/stock_on_hand", "document.querySelector('.grid')", "report")
		x.Size(1280, 860)
	}
}
