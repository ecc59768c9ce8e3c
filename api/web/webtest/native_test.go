package webtest_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/operation"
)

const orders = "/erp/form/sales_order"

// fill puts a value into a control at once, as an input method or a date picker does.
func (x *bench) fill(selector, value string) {
	x.Until("document.querySelector(" + quoted(selector) + ")")
	browser.Eval[bool](x.Tab, `((e, v) => { const p = e.tagName === 'SELECT' ? HTMLSelectElement : e.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement
		Object.getOwnPropertyDescriptor(p.prototype, 'value').set.call(e, v)
		e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})); return true })(document.querySelector(`+quoted(selector)+`), `+quoted(value)+`)`)
}

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(raw)
}

// open logs in and opens an address of the ERP.
func (x *bench) open(path string) {
	x.login()
	x.Go(x.url + path)
}

// pick searches in a lookup and takes the first hit with Enter.
func (x *bench) pick(selector, search, hit string) {
	x.Type(selector, search)
	x.See(".lookup .choices:not([hidden]) li.at", hit)
	x.Press("\r")
	x.Until("document.querySelector(" + quoted(selector) + ").value.includes(" + quoted(hit) + ")")
}

// bodies are the requests to an address, decoded.
func (x *bench) bodies(suffix string) []map[string]any {
	var all []map[string]any
	for _, r := range x.gateway.Requests("POST", suffix) {
		var b map[string]any
		if json.Unmarshal([]byte(r.Body), &b) == nil {
			all = append(all, b)
		}
	}
	return all
}

func catalogue(_ *testing.T, x *bench) {
	x.gateway.Shop.Tell(operation.Todo{OpID: "op-1", Form: "customer", Title: erp.Label{Zh: "新建客户", En: "Create customer"}, Status: operation.HandedOff, Deadline: tomorrow(), Open: "/erp/todos"})
	x.login()
	x.See(".nav-link[href='/erp/todos'] .count", "1")
	x.Click(".nav-link[href='/erp/']")
	x.See(".domain h3", "销售")
	x.See(".domain a", "销售订单")
	x.See(".reports a", "现有库存")
	x.Click(".top .text")
	x.See(".domain h3", "Products and prices")
	x.See(".reports", "How much is in each warehouse")
	x.Click(".domain a[href='/erp/form/sales_order?new=1']")
	x.See(".sheet h2", "New: Sales order")
	x.Click(".crumbs a[href='/erp/']")
	x.Click(".reports a")
	x.See(".grid", "碧螺春 100g")
	x.Click(".grid a[href*='/product?bill=P-0001']")
	x.See(".sheet h2", "P-0001")
	x.Click(".crumbs a:first-child")
	x.Until("document.querySelector('.examples')")
}

func listOfRecords(t *testing.T, x *bench) {
	x.open(orders)
	x.See(".sheet", "共 42 条")
	x.Click(".grid [data-sort=total]")
	x.Until("document.querySelector('th[aria-sort=ascending] [data-sort=total]')")
	x.Click(".grid [data-sort=number]")
	x.See(".grid tbody tr:first-child", "SO-202611-0001")
	x.Click(".grid [data-sort=number]")
	x.See(".grid tbody tr:first-child", "SO-202611-0042")
	x.Until("document.querySelector('th[aria-sort=descending] [data-sort=number]')")
	x.Click(".between .btn:last-child")
	x.See(".grid tbody tr:first-child", "SO-202611-0022")
	// The way back finds search, order and page again.
	x.Click(".grid tbody tr:first-child th a")
	x.See(".sheet h2", "SO-202611-0022")
	browser.Eval[bool](x.Tab, "(history.back(), true)")
	x.See(".sheet .between", "第 2 / 3 页")
	x.See(".grid tbody tr:first-child", "SO-202611-0022")

	x.fill(".condition [aria-label='查找的字段']", "total")
	x.fill(".condition .op", "between")
	x.Type(".condition .what:nth-of-type(1)", "20000")
	x.Type(".condition .what:nth-of-type(2)", "30000")
	x.Click(".search .row:last-child .btn:nth-child(2)")
	x.fill(".condition:nth-child(2) [aria-label='查找的字段']", "status")
	x.fill(".condition:nth-child(2) .op", "in")
	x.Click(".condition:nth-child(2) .check:nth-child(2) input")
	x.Click(".search [type=submit]")
	x.See(".sheet", "共 42 条")
	x.fill(".condition:nth-child(1) [aria-label='查找的字段']", "customer_name")
	x.Type(".condition:nth-child(1) .what", "清源")
	x.Press("\r")
	x.See(".sheet", "共 4 条")
	x.keep("native-list")
	x.Reload()
	x.See(".sheet", "共 4 条")
	x.Until("document.querySelector('.condition .what').value === '清源'")
	x.Click("[data-export]")
	x.Until("document.querySelector('[role=status].sr').textContent.includes('已导出')")
	last := x.bodies("/export")
	if len(last) != 1 || len(last[0]["filters"].([]any)) != 2 || last[0]["cursor"] != nil {
		t.Errorf("the export asks for %v", last)
	}
	want := `[map[field:customer_name op:contains value:清源] map[field:status op:in value:[submitted]]]`
	if got := sprint(last[0]["filters"]); got != want {
		t.Errorf("filters %s, want %s", got, want)
	}
	x.Click(".search .row:last-child .btn:last-child")
	x.See(".sheet", "共 42 条")
	x.Go(x.url + "/erp/form/delivery")
	x.See(".empty", "还没有记录")
}

func keyIn(t *testing.T, x *bench) {
	x.open(orders + "?new=1")
	x.See(".sheet h2", "新建销售订单")
	x.Until("document.querySelector('#f-order_date').value.length === 10")
	x.pick("#f-customer", "清源", "杭州清源茶业")
	x.See("[data-lacks]", "明细 至少要有一行") // why there is no total yet
	row := ".edit tbody tr:nth-child(1) "
	x.pick(row+"[data-column=product] input", "龙井", "明前龙井")
	x.Type(row+"[data-column=quantity] input", "1,0")
	x.Type(row+"[data-column=quantity] input", "00")
	x.See(row+"[data-column=amount]", "15,960.00")
	x.See(row+"[data-column=unit_price]", "15.96")
	x.See(".save .total", "CNY 15,960.00")
	x.See(".effects", "144,360.00")
	x.Press("\r") // the last line: another one, with the focus in it
	x.Until("document.activeElement.closest('.edit tr:nth-child(2) [data-column=product]')")
	second := ".edit tbody tr:nth-child(2) "
	x.pick(second+"[data-column=product] input", "P-0002", "碧螺春")
	x.Type(second+"[data-column=quantity] input", "86")
	x.See(second+".bad-field", "库存只有 85")
	x.Click("[data-save=main]")
	x.See(".failure", "需要改正的地方：1 处")
	x.Until("document.activeElement.matches('.edit tr:nth-child(2) [data-column=quantity] input[aria-invalid=true]')")
	x.keep("native-problems")
	browser.Eval[bool](x.Tab, "(document.activeElement.select(), true)")
	x.Press("5")
	x.See(".save .total", "CNY 16,504.55")
	x.Gone(".edit .bad-field")
	x.keep("native-create")
	// An answer that gets lost: the same press again, under the same token.
	x.gateway.Lose("POST", "/records", 1)
	x.Click("[data-save=main]")
	x.See(".failure", "再点一次")
	x.Click("[data-save=main]")
	x.See(".sheet h2", "SO-202612-0001")
	x.See(".pill", "已提交")
	x.See(".history li", "新建")
	if n := len(x.gateway.Shop.Record("sales_order", "SO-202612-0001")); n == 0 {
		t.Error("no order was made")
	}
	if x.gateway.Shop.Record("sales_order", "SO-202612-0002") != nil {
		t.Error("two orders were made")
	}
	saves := x.bodies("/records")
	if len(saves) != 3 || saves[1]["token"] != saves[2]["token"] || saves[0]["token"] == saves[1]["token"] {
		t.Errorf("tokens of %v", saves)
	}
	got := sprint(saves[2]["payload"].(map[string]any)["lines"])
	if want := "[map[product:P-0001 quantity:1000] map[product:P-0002 quantity:5]]"; got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
}

func fieldProblems(_ *testing.T, x *bench) {
	x.open("/erp/form/customer")
	x.Click(".sheet a.primary")
	x.Click("[data-save=main]")
	x.See("[data-field=name] .bad-field", "必填")
	x.See("[data-field=region] .bad-field", "必填")
	x.Until("document.activeElement.id === 'f-name' && document.activeElement.getAttribute('aria-describedby').includes('f-name-bad')")
	x.Type("#f-name", "新客户")
	x.Gone("[data-field=name] .bad-field")
	x.fill("#f-region", "south")
	x.Type("#f-credit_limit", "很多")
	x.See("[data-field=credit_limit] .bad-field", "不是有效的金额") // where one has been, as one goes
	// What is keyed in is not lost by a stray click or key.
	x.Click(".crumbs a[href='/erp/']")
	x.See("dialog", "放弃未保存的内容")
	x.keep("native-leave")
	x.Click("dialog .btn:not(.danger)")
	browser.Eval[bool](x.Tab, "(history.back(), true)")
	x.See("dialog", "放弃未保存的内容")
	x.Click("dialog .btn:not(.danger)")
	x.Until("location.search === '?new=1' && document.querySelector('#f-name').value === '新客户'")
	browser.Eval[bool](x.Tab, "(document.querySelector('#f-credit_limit').select(), true)")
	x.Type("#f-credit_limit", "50000")
	x.Click("[role=switch]")
	x.Click("[data-save=main]")
	x.See(".sheet h2", "C-0003")
	x.See(".fields", "50,000.00")
	x.See(".fields", "停用")
	x.Click("[data-action=update]")
	x.Until("document.querySelector('[data-save=main]').disabled") // nothing has changed
	x.Type("#f-phone", "1")
	x.Click(".crumbs a[href='/erp/']")
	x.Click("dialog .danger")
	x.See(".domain h3", "客户")
}

func byKeyboard(t *testing.T, x *bench) {
	x.open("/erp/form/customer")
	x.Until("document.querySelector('.sheet a.primary')")
	browser.Eval[bool](x.Tab, "(document.querySelector('.sheet a.primary').focus(), true)")
	x.Press("\r")
	x.Until("document.activeElement.id === 'sheet-title' && document.querySelector('#f-name')")
	x.Press("\t")
	x.Until("document.activeElement.id === 'f-name'")
	x.Press("键盘客户\t\t")
	x.Until("document.activeElement.id === 'f-region'")
	x.Press("华南\t")
	x.Until("document.activeElement.id === 'f-phone'")
	browser.Eval[bool](x.Tab, "(document.querySelector('#f-active').focus(), true)")
	x.Press(" ")
	// A login that has ended is renewed over the form, and the form is as it was.
	x.gateway.ExpireLogins()
	x.Press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	x.Type("dialog [name=password]", "demo")
	x.Press("\r")
	x.Gone("dialog")
	x.Until("document.querySelector('#f-name').value === '键盘客户'")
	browser.Eval[bool](x.Tab, "(document.querySelector('#f-name').focus(), true)")
	x.Press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	x.See(".sheet h2", "C-0003")
	if r := x.gateway.Shop.Record("customer", "C-0003"); r["name"] != "键盘客户" || r["active"] != "false" || r["region"] != "south" {
		t.Errorf("the customer is %v", r)
	}
	// In a grid of lines.
	x.Go(x.url + orders + "?new=1")
	x.Until("document.querySelector('.edit') && document.activeElement.id === 'sheet-title'")
	browser.Eval[bool](x.Tab, "(document.querySelector('.edit [data-column=product] input').focus(), true)")
	x.Press(kb.ArrowDown)
	x.Until("document.querySelector('.edit .choices:not([hidden]) li')")
	x.Press(kb.ArrowDown + kb.ArrowDown)
	x.See(".edit .choices li.at", "碧螺春")
	x.Press(kb.Escape)
	x.Until("document.querySelector('.edit .choices').hidden && document.querySelector('.edit [data-column=product] input').value === ''")
	x.Press(kb.ArrowDown)
	x.Until("document.querySelector('.edit .choices:not([hidden]) li')")
	x.Press(kb.ArrowDown + "\r")
	x.Until("document.querySelector('.edit [data-column=product] input').value.startsWith('P-0001')")
	x.Press("\t4\r")
	x.Until("document.activeElement.closest('.edit tr:nth-child(2) [data-column=product]')")
	x.Press("\t5" + kb.ArrowUp)
	x.Until("document.activeElement.closest('.edit tr:nth-child(1) [data-column=quantity]')")
}

func conflict(t *testing.T, x *bench) {
	x.open("/erp/form/customer?bill=C-0001&edit=1")
	x.fill("#f-phone", "13900000009")
	x.fill("#f-remark", "下午三点后送")
	x.gateway.Shop.Edit("customer", "C-0001", erp.Row{"phone": "13700000007", "credit_limit": "900000"})
	x.Click("[data-save=main]")
	x.See(".conflict h3", "已被其他人修改")
	x.See(".conflict tr.hit", "13800000001") // when it was opened, theirs, mine
	x.See(".conflict tr.hit", "13700000007")
	x.See(".conflict tr.hit", "13900000009")
	x.See(".conflict tr", "900,000.00")
	x.See(".conflict tr", "下午三点后送")
	x.Until("document.querySelector('[data-save=main]').disabled")
	x.keep("native-conflict")
	x.Axe("conflict")
	x.Click("[data-take=mine]")
	x.Until("document.querySelector('#f-phone').value === '13900000009' && document.querySelector('#f-credit_limit').value === '900000'")
	x.Click("[data-save=main]")
	x.See(".fields", "900,000.00")
	x.See(".fields", "13900000009")
	if r := x.gateway.Shop.Record("customer", "C-0001"); r["version"] != "5" || r["remark"] != "下午三点后送" {
		t.Errorf("the record is %v", r)
	}
	saves := x.bodies("/records")
	if len(saves) != 2 || saves[0]["token"] == saves[1]["token"] || saves[0]["payload"].(map[string]any)["credit_limit"] != nil {
		t.Errorf("saves %v", saves)
	}
	// Taking theirs leaves nothing to be saved.
	x.Click("[data-action=update]")
	x.fill("#f-phone", "1")
	x.gateway.Shop.Edit("customer", "C-0001", erp.Row{"phone": "13600000006"})
	x.Click("[data-save=main]")
	x.Click("[data-take=theirs]")
	x.Until("document.querySelector('#f-phone').value === '13600000006' && document.querySelector('[data-save=main]').disabled")
}

func staleTotals(t *testing.T, x *bench) {
	x.open(orders + "?new=1")
	x.pick("#f-customer", "C-0001", "华东贸易")
	x.pick(".edit [data-column=product] input", "P-0001", "明前龙井")
	x.Until("document.querySelector('.effects').getAttribute('aria-busy') === 'false'")
	place := func() float64 {
		return browser.Eval[float64](x.Tab, "document.querySelector('[data-save=main]').getBoundingClientRect().top - document.querySelector('#sheet-title').getBoundingClientRect().top")
	}
	before := place()
	hold := make(chan struct{}, 8)
	x.gateway.Shop.HoldPreviews(hold)
	x.fill(".edit [data-column=quantity] input", "10")
	x.Until("document.querySelector('.effects').getAttribute('aria-busy') === 'true'")
	waitFor(x, func() bool { return strings.Contains(sprint(x.bodies("/preview")), "quantity:10]") })
	x.fill(".edit [data-column=quantity] input", "20")
	waitFor(x, func() bool { return strings.Contains(sprint(x.bodies("/preview")), "quantity:20]") })
	hold <- struct{}{} // one of both answers, and then the other: only the later question counts
	hold <- struct{}{}
	x.See(".save .total", "319.20")
	x.Until("document.querySelector('.effects').getAttribute('aria-busy') === 'false'")
	if after := place(); after != before {
		t.Errorf("the button to save has moved from %v to %v while the totals came", before, after)
	}
}

// waitFor polls what the gateway has seen.
func waitFor(x *bench, ok func() bool) {
	deadline := time.After(browser.Patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			x.Until("false")
			return
		}
	}
}
