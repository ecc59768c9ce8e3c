package webtest_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

func inputMethod(t *testing.T, x *bench) {
	x.login()
	x.Click("#composer")
	x.Compose("hua'dong")
	x.Press("\r")
	x.Commit("华东客户有哪些？")
	x.Until("document.querySelector('#composer').value.includes('华东客户有哪些？')")
	if n := len(x.gateway.Requests("POST", "/messages")); n != 0 {
		t.Fatalf("%d messages were sent while composing", n)
	}
	x.Press("\r")
	x.See(".agent td", "C-0001")
}

func lostMessage(t *testing.T, x *bench) {
	x.login()
	x.ask("你好")
	x.See(".agent", "演示规划器不懂")
	x.gateway.Lose("POST", "/messages", 1)
	x.ask("再问一次")
	x.See(".composer [role=alert]", "服务暂时不可用")
	x.Until("document.querySelector('#composer').value === '再问一次'")
	x.Click(".composer .failure .btn")
	x.Until("document.querySelector('#composer').value === ''")
	x.Until("document.querySelectorAll('.user').length === 2")
	sent := x.gateway.Requests("POST", "/messages")
	if len(sent) != 3 || sent[1].Key == "" || sent[1].Key != sent[2].Key || sent[0].Key == sent[1].Key {
		t.Errorf("keys of the messages: %+v", sent)
	}
}

func loginAgain(t *testing.T, x *bench) {
	x.login()
	x.ask("你好")
	x.See(".agent", "演示规划器不懂")
	x.Type("#composer", "写了一半的话")
	x.gateway.ExpireLogins()
	x.gateway.CutStreams(0)
	x.See("dialog", "登录已过期")
	x.keep("login-again")
	before := len(x.gateway.Requests("GET", "/events"))
	x.Type("dialog [name=password]", "demo")
	x.Click("dialog .primary")
	x.Gone("dialog")
	x.Until("document.querySelector('#composer').value === '写了一半的话'")
	x.Click(".round.send")
	x.Until("document.querySelectorAll('.user:not(.pending-send)').length === 2")
	if after := len(x.gateway.Requests("GET", "/events")); after <= before || after > before+3 {
		t.Errorf("%d streams were opened after the login", after-before)
	}
}

func needsLogin(_ *testing.T, x *bench) {
	x.gateway.Decide = func(c *webtest.Conversation, card operation.Card, d operation.Decision) webtest.Reply {
		r := webtest.Resolve(c, card, d)
		c.Append(event.OperationChanged, card.TurnID, event.OpState{OpID: card.OpID, PendingID: card.PendingID, Status: operation.NeedsLogin})
		return r
	}
	c, _ := x.proposal(tomorrow())
	x.Click("[data-verb=approve]")
	x.See(".card.st-needs_login", "无需再次确认")
	x.keep("needs-login")
	x.Click(".st-needs_login .btn")
	x.Type("dialog [name=password]", "demo")
	x.Click("dialog .primary")
	x.Gone("dialog")
	card, _ := c.Card("op-1")
	webtest.Result(c, card, event.OpState{Status: operation.Executed, Bill: "SO-3"})
	x.See(".card.st-executed .bill", "SO-3")
}

func manage(_ *testing.T, x *bench) {
	x.proposal(tomorrow())
	x.See(".entry.current .count", "1") // the entry has grown to its size: nothing moves under the pointer
	x.Click(".entry.current .more")
	x.Click(".menu button:nth-child(1)")
	x.Until("document.activeElement?.classList.contains('rename')")
	x.Press("周一的订单\r")
	x.See(".entry .title", "周一的订单")
	x.See(".top h1", "周一的订单")
	x.Click(".entry.current .more")
	x.Click(".menu button:nth-child(2)")
	x.Click("dialog .danger")
	x.See("dialog [role=alert]", "还有 1 项待处理")
	x.keep("delete")
	x.See("dialog .danger", "取消待处理项并删除")
	x.Click("dialog .danger")
	x.Gone("dialog")
	x.Until("location.pathname === '/'")
	x.See(".conversations", "还没有对话")
}

func narrow(t *testing.T, x *bench) {
	x.Size(320, 640)
	x.login()
	c, turn := x.hold2("给华东贸易下一张订单")
	c.Propose(turn, webtest.OrderCard("1", tomorrow()))
	x.Until("document.querySelector('.card [data-verb=approve]')")
	x.keep("narrow")
	if wide := browser.Eval[bool](x.Tab, "document.documentElement.scrollWidth > 320 || document.querySelector('.transcript').scrollWidth > 320"); wide {
		t.Error("the page scrolls sideways at 320 px")
	}
	x.Click(".top .narrow")
	x.See(".drawer .sidebar .entry", "未命名的对话")
	x.Until("document.querySelector('.sidebar').getBoundingClientRect().left === 0")
	x.keep("narrow-sidebar")
	x.Click(".drawer a[href='/inbox']")
	x.Until("location.pathname === '/inbox' && !document.querySelector('.drawer')")
}

// hold2 is hold for somebody who is logged in.
func (x *bench) hold2(text string) (*webtest.Conversation, string) {
	x.gateway.Say = func(_ *webtest.Conversation, id, _ string) { x.turns <- id }
	x.ask(text)
	id := <-x.turns
	return x.gateway.Conversations()[0], id
}

func keys(_ *testing.T, x *bench) {
	x.login()
	browser.Eval[bool](x.Tab, "(document.activeElement.blur(), true)")
	x.Press("?")
	x.See("dialog", "只能由您亲手点击")
	x.keep("help")
	x.Click("dialog .check:nth-of-type(2) input")
	x.Press(kb.Escape)
	x.Gone("dialog")
	browser.Eval[bool](x.Tab, "(document.activeElement.blur(), true)")
	x.Press("?")
	x.Press("/")
	x.Until("!document.querySelector('dialog') && document.activeElement === document.body")
	x.Press(kb.Escape)
	x.Until("document.activeElement.id === 'composer'")
	x.ask("你好")
	x.See(".agent", "演示规划器不懂")
	x.Press("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	x.Until("location.pathname === '/' && document.activeElement.id === 'composer'")
	x.Click(".top [aria-label='Switch to English']")
	x.Until("document.documentElement.lang === 'en'")
	x.See(".examples", "Which customers are in East China?")
}
