package webtest_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

// decisions are the bodies that the page sent.
func (x *bench) decisions(t *testing.T, verb string) []operation.Decision {
	t.Helper()
	var all []operation.Decision
	for _, r := range x.gateway.Requests("POST", "/"+verb) {
		var d operation.Decision
		if err := json.Unmarshal([]byte(r.Body), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

func phases(t *testing.T, x *bench) {
	go_ := make(chan struct{})
	x.gateway.Decide = func(c *webtest.Conversation, card operation.Card, d operation.Decision) webtest.Reply {
		<-go_
		return webtest.Resolve(c, card, d)
	}
	c, _ := x.proposal(tomorrow())
	card, _ := c.Card("op-1")
	x.See(".card", "CNY 2,140.50")
	x.See(".lines", "减 5%")
	x.See(".reason", "客户来电补货")
	x.Until("document.querySelector('.lines del').innerText.includes('120') && document.querySelector('.lines ins').innerText.includes('110')")
	browser.Eval[bool](x.Tab, "(b => (b.click(), b.click(), true))(document.querySelector('[data-verb=approve]'))")
	x.Until("document.querySelector('[data-verb=approve]').disabled && document.querySelector('[data-verb=cancel]').disabled")
	close(go_)
	x.See(".pill", "已确认，尚未写入")
	x.See(".card .result", "还没有写入")
	x.Gone("[data-verb]")
	c.Append(event.ToolExecuting, card.TurnID, event.Executing{CallID: card.CallID, OpID: card.OpID, Attempt: 1})
	x.See(".pill", "正在写入")
	x.See(".call .phase", "正在写入")
	webtest.Result(c, card, event.OpState{Status: operation.Executed, Bill: "SO-1", Link: "/erp/form/sales_order?bill=SO-1"})
	x.See(".card.st-executed .bill", "SO-1")
	x.See(".card .by", "已确认：林小红")
	x.Until("document.querySelector('a.bill').getAttribute('href').endsWith('/erp/form/sales_order?bill=SO-1')")
	sent := x.decisions(t, "confirm")
	if len(sent) != 1 {
		t.Fatalf("two clicks sent %d decisions", len(sent))
	}
	if d := sent[0]; d.PendingID != card.PendingID || d.Revision != 1 || d.Digest != card.Digest || len(d.DecisionID) != 36 {
		t.Errorf("the decision does not name what was seen: %+v", d)
	}
	if keys := browser.Eval[string](x.Tab, "location.href"); keys == "" {
		t.Error("no address")
	}
}

func lostDecision(t *testing.T, x *bench) {
	x.gateway.Decide = func(*webtest.Conversation, operation.Card, operation.Decision) webtest.Reply {
		return webtest.Reply{Status: 200}
	}
	x.proposal(tomorrow())
	x.gateway.Lose("POST", "/confirm", 1)
	x.Click("[data-verb=approve]")
	x.See(".decide [role=alert]", "服务暂时不可用")
	x.gateway.Decide = webtest.Execute
	x.Click("[data-verb=approve]")
	x.See(".card.st-executed", "SO-202611-0031")
	sent := x.decisions(t, "confirm")
	if len(sent) != 2 || sent[0].DecisionID != sent[1].DecisionID {
		t.Errorf("the decision was not repeated under its id: %+v", sent)
	}
}

func cancelled(t *testing.T, x *bench) {
	x.proposal(tomorrow())
	x.Click("[data-verb=cancel]")
	x.See(".card.st-cancelled .result", "什么都没有写入")
	if len(x.decisions(t, "cancel")) != 1 || len(x.decisions(t, "confirm")) != 0 {
		t.Error("one cancel was due")
	}
}

func phone(_ *testing.T, x *bench) {
	c, turn := x.hold("改电话")
	c.Propose(turn, webtest.UpdateCard("1", tomorrow()))
	x.See(".card .diffs del", "13800000001")
	x.See(".card .diffs ins", "13800000002")
	x.See(".card", "这项操作会影响多行数据")
}

func queued(_ *testing.T, x *bench) {
	x.gateway.Decide = func(*webtest.Conversation, operation.Card, operation.Decision) webtest.Reply {
		return webtest.Reply{Status: 202, Body: map[string]string{"status": "awaiting_approval"}}
	}
	x.proposal(tomorrow())
	x.Click("[data-verb=approve]")
	x.See(".pill", "已排队")
	x.See(".card .result", "之前得到处理才算数")
	x.Until("document.querySelector('[data-verb=approve]').disabled")
	x.keep("queued")
}

func expiry(t *testing.T, x *bench) {
	c, turn := x.proposal(time.Now().Add(1500 * time.Millisecond))
	x.Until("document.querySelector('.countdown').getAttribute('aria-live') === 'off'")
	x.See(".decide", "正在向服务器核对")
	x.Until("document.querySelector('[data-verb=approve]').disabled")
	x.Until("document.querySelector('[role=status].sr').textContent.includes('已过期')")
	if len(x.gateway.Requests("GET", "/api/op/op-1")) == 0 {
		t.Error("the server was not asked")
	}
	card, _ := c.Card("op-1")
	c.Append(event.ApprovalResolved, turn, event.Resolved{PendingID: card.PendingID, OpID: card.OpID, Decision: operation.Expired, Channel: operation.ChannelDeadline, At: time.Now()})
	x.See(".card.st-expired .result", "已过截止时间，什么都没有写入")
	x.Gone("[data-verb]")
}

func decidedElsewhere(_ *testing.T, x *bench) {
	x.gateway.Decide = func(*webtest.Conversation, operation.Card, operation.Decision) webtest.Reply {
		return webtest.Reply{Status: 409, Code: "already_decided", Params: map[string]string{"by": "陈大文", "at": "2026-11-30T08:00:00Z", "channel": "terminal", "status": "rejected"}}
	}
	x.proposal(tomorrow())
	x.Click("[data-verb=approve]")
	x.See(".card [role=alert]", "陈大文 已于")
	x.See(".card [role=alert]", "通过 终端 作出决定：被拒绝")
}

func refusedAndAgain(t *testing.T, x *bench) {
	x.gateway.Decide = func(c *webtest.Conversation, card operation.Card, d operation.Decision) webtest.Reply {
		r := webtest.Resolve(c, card, d)
		webtest.Result(c, card, event.OpState{Status: operation.Refused, Refusal: webtest.StockMoved()})
		return r
	}
	x.proposal(tomorrow())
	x.Click("[data-verb=approve]")
	x.See(".card.st-refused .result", "「明前龙井 250g」的库存已从 120 变为 84，什么都没有写入")
	x.Until("document.querySelector('.st-refused .fact del').innerText.includes('120') && document.querySelector('.st-refused .fact ins').innerText.includes('84')")
	x.keep("refused")
	x.Click(".st-refused .btn")
	x.See("#op-op-1-again .lines .hit", "84")
	x.See("#op-op-1-again .moved", "自上次提议以来已变化")
	x.See("#op-op-1.st-refused", "已重新提议")
	x.Until("!document.querySelector('#op-op-1-again [data-verb=approve]').disabled")
	x.keep("again")
	if n := browser.Eval[int](x.Tab, "document.querySelectorAll('.card').length"); n != 2 {
		t.Errorf("%d cards, the old and the fresh one were due", n)
	}
	x.gateway.Decide = webtest.Execute
	x.Click("#op-op-1-again [data-verb=approve]")
	x.See("#op-op-1-again.st-executed", "SO-202611-0031")
	x.See("#op-op-1.st-refused", "未写入")
}

func failedAndRetried(_ *testing.T, x *bench) {
	x.gateway.Decide = func(c *webtest.Conversation, card operation.Card, d operation.Decision) webtest.Reply {
		r := webtest.Resolve(c, card, d)
		webtest.Result(c, card, event.OpState{Status: operation.Failed})
		return r
	}
	x.gateway.Repropose = func(c *webtest.Conversation, card operation.Card, how string) webtest.Reply {
		if how == "retry" {
			webtest.Result(c, card, event.OpState{Status: operation.Executed, Bill: "SO-2"})
		}
		return webtest.Reply{Status: 202}
	}
	x.proposal(tomorrow())
	x.Click("[data-verb=approve]")
	x.See(".card.st-failed", "确定什么都没有写入")
	x.keep("failed-write")
	x.Click(".st-failed .btn")
	x.See(".card.st-executed .bill", "SO-2")
}

func pendingSurvives(_ *testing.T, x *bench) {
	x.proposal(tomorrow())
	x.See("[role=status]", "有一项写入需要您确认")
	x.See(".nav-link .count", "1")
	x.Gone(".entry .spin")
	x.Reload()
	x.Until("document.querySelector('.card [data-verb=approve]') && !document.querySelector('.round.stop')")
	x.See(".entry .waits", "还剩")
	x.Click("a[href='/inbox']")
	x.See(".card", "华东贸易有限公司")
	x.Until("document.querySelector('.where a').getAttribute('href').startsWith('/c/')")
	x.keep("inbox")
	x.gateway.Decide = webtest.Execute
	x.Click("[data-verb=approve]")
	x.See(".card.st-executed .bill", "SO-202611-0031")
	x.Click(".where a")
	x.See(".card.st-executed .bill", "SO-202611-0031")
	x.See(".agent", "订单已写入")
}

func twoTabs(t *testing.T, x *bench) {
	x.proposal(tomorrow())
	other := x.Beside()
	other.Go(x.url + x.Path())
	other.Until("document.querySelector('.card [data-verb=approve]')")
	x.Click("[data-verb=approve]")
	x.See(".card.st-executed", "SO-202611-0031")
	other.See(".card.st-executed .by", "林小红")
	if n := len(x.decisions(t, "confirm")); n != 1 {
		t.Errorf("%d decisions", n)
	}
	if other.Path() != x.Path() {
		t.Errorf("the tabs are at %s and %s", x.Path(), other.Path())
	}
}

func questionKeys(t *testing.T, x *bench) {
	x.login()
	x.ask("哪个华东？")
	x.See(".question .option", "华东食品")
	x.See(".call .phase", "等待回答")
	x.keep("question")
	browser.Eval[bool](x.Tab, "(document.querySelector('.transcript').focus(), true)")
	x.Press("2")
	x.Type(".question .free input", "2")
	x.Until("document.querySelector('.question .free input').value === '2'")
	if n := len(x.gateway.Requests("POST", "/answer")); n != 0 {
		t.Fatalf("%d answers without the card's focus", n)
	}
	browser.Eval[bool](x.Tab, "(document.querySelector('.question').focus(), true)")
	x.Press("2")
	x.See(".question.q-answered", "华东食品 (C-0042)")
	x.See(".agent", "继续")
}

func replyChip(t *testing.T, x *bench) {
	x.login()
	x.ask("哪个华东？")
	x.See(".chip", "正在回答：有三位客户")
	x.Click(".chip .ib")
	x.Gone(".chip")
	x.Type("#composer", "另一件事")
	x.Press("\r")
	x.See(".user", "另一件事")
	x.Until("document.querySelector('.question.q-open')")
	x.Reload()
	x.See(".chip", "正在回答")
	x.Type("#composer", "第二位")
	x.Press("\r")
	x.See(".question.q-answered", "已回答：第二位")
	x.Gone(".chip")
	x.Gone(".pending-send")
	x.Reload()
	x.See(".question.q-answered", "已回答：第二位")
	x.See(".question", "有三位客户")
	var bodies []string
	for _, r := range x.gateway.Requests("POST", "/messages")[1:] {
		bodies = append(bodies, r.Body)
	}
	if len(bodies) != 2 || bodies[0] != `{"text":"另一件事","answers":"-"}` || bodies[1] != `{"text":"第二位","answers":"q-conv-1-t1-c1"}` {
		t.Errorf("sent %q", bodies)
	}
}
