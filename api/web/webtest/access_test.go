package webtest_test

import (
	"testing"
	"time"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

// accessible walks through every screen and asks axe. Motion is off, so that
// axe sees no half-faded colours.
func accessible(lang string, dark bool) func(*testing.T, *bench) {
	return func(_ *testing.T, x *bench) {
		x.Dark(dark, true)
		browser.Eval[bool](x.Tab, "(localStorage.setItem('erpilot.lang', '"+lang+"'), true)")
		x.Reload()
		look := func(name string) {
			x.keep(lang + "-" + name)
			x.Axe(name)
		}
		x.Until("document.querySelector('.demo-logins .btn')")
		look("login")
		x.Type("[name=username]", "lin")
		x.Type("[name=password]", "wrong")
		x.Click(".login-form .primary")
		x.Until("document.querySelector('[role=alert]')")
		look("login-error")
		x.login()
		look("empty")
		c, turn := x.hold2("给华东贸易下一张订单")
		c.Call(turn, "find_forms", `{"query":"客户"}`, event.ToolDone{Millis: 12})
		c.Begin(turn, "read_form", `{"form":"customer"}`)
		c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Text: webtest.Table})
		x.Until("document.querySelector('.streaming td')")
		look("streaming")
		c.Append(event.MessageStored, turn, event.Message{MessageID: "m1", Step: 1, Text: webtest.Table, Model: "demo planner"})
		c.Propose(turn, webtest.OrderCard("1", tomorrow()))
		x.Until("document.querySelector('#op-op-1 [data-verb=approve]')")
		x.Click(".guarantees summary")
		look("order")
		c.Propose(turn, webtest.UpdateCard("2", tomorrow()))
		x.Until("document.querySelector('#op-op-2 [data-verb=approve]')")
		look("update")
		for i, status := range []operation.Status{operation.Approved, operation.Executing, operation.NeedsLogin, operation.Reconciling, operation.NeedsPerson, operation.Failed, operation.Rejected, operation.Expired, operation.Executed} {
			card := webtest.UpdateCard("s"+string(rune('a'+i)), tomorrow())
			card.Status = status
			card.Decided = &operation.Outcome{Status: operation.Approved, By: "陈大文", Channel: operation.ChannelTerminal, At: time.Now()}
			if status == operation.Executed {
				card.Bill, card.Link = "C-0007", "/erp/form/customer?bill=C-0007"
			}
			c.Append(event.WriteProposal, turn, card)
		}
		refused := webtest.OrderCard("r", tomorrow())
		refused.Status, refused.Refusal = operation.Refused, webtest.StockMoved()
		c.Append(event.WriteProposal, turn, refused)
		c.Append(event.DecisionRefused, turn, event.DecisionRefusal{OpID: "op-1", Channel: operation.ChannelTemporal, Code: "stale_decision"})
		x.Until("document.querySelector('.st-refused') && document.querySelector('#op-op-1 > .note')")
		look("states")
		c.Ask(turn, "您指哪一位？", []string{"华东贸易有限公司", "华东食品"}, tomorrow())
		x.Until("document.querySelector('.question .option')")
		look("question")
		c.End(turn, "failed", "model_unavailable")
		x.Until("document.querySelector('.turn-end[role=alert]')")
		look("error")
		x.Click(".entry.current .more")
		x.Until("document.querySelector('.menu')")
		look("menu")
		x.Click(".menu button:nth-child(2)")
		x.Until("document.querySelector('dialog')")
		look("delete")
		x.Click("dialog .btn")
		x.Click("a[href='/inbox']")
		x.Until("document.querySelectorAll('.card').length === 2")
		look("inbox")
		x.Size(320, 700)
		look("narrow")
		x.Click(".top .narrow")
		x.Until("document.querySelector('.sidebar').getBoundingClientRect().left === 0")
		look("sidebar")
		x.Size(1280, 860)
		x.Go(x.url + bill)
		x.Until("document.querySelector('.fields')")
		look("record")
		x.Size(320, 700)
		look("record-narrow")
		x.Click(".crumbs a[href='/erp/form/sales_order']")
		x.Until("document.querySelector('.search')")
		look("list-narrow")
		x.Size(1280, 860)
		look("list")
		x.Go(x.url + "/erp/form/secret?bill=1")
		x.Until("document.querySelector('[role=alert]')")
		look("denied")
		x.Click("a[href='/inbox']")
		x.Until("document.querySelectorAll('.card').length === 2")
		x.Size(320, 700)
		x.Click(".top .narrow")
		x.Until("document.querySelector('.sidebar').getBoundingClientRect().left === 0")
		x.gateway.ExpireLogins()
		x.Click(".drawer .entry a")
		x.Until("document.querySelector('dialog [name=password]')")
		look("expired")
	}
}
