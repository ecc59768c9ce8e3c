package webtest_test

import (
	"strings"
	"testing"

	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/event"
)

func tour(t *testing.T, x *bench) {
	x.See(".badge.demo", "演示规划器")
	x.login()
	x.See(".examples", "华东客户有哪些？")
	x.ask("华东客户有哪些？")
	x.See(".agent td", "C-0001")
	x.See(".call .about", "客户") // by its label, once the forms are known
	x.See(".entry.current", "华东客户")
	x.Until("getComputedStyle([...document.querySelectorAll('.agent td')].find(e => e.innerText === '128,400.00')).textAlign === 'end'")
	x.Until("document.querySelector('[role=status].sr').textContent.includes('回复完成')")
	x.Click(".call:nth-child(2) summary")
	x.See(".args", "华东")
	for _, r := range x.Requests() {
		if strings.Contains(r, "token") {
			t.Errorf("a token is in an address: %s", r)
		}
	}
}

func wrongPassword(_ *testing.T, x *bench) {
	x.Type("[name=username]", "lin")
	x.Type("[name=password]", "wrong")
	x.Click(".login-form .primary")
	x.See("[role=alert]", "用户名或密码不对")
	x.Until("document.querySelector('[name=username]').value === 'lin' && document.querySelector('[name=password]').value === ''")
}

func streaming(_ *testing.T, x *bench) {
	c, turn := x.hold("讲讲龙井")
	write := func(attempt, offset int, text string) {
		c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: attempt, Offset: offset, Text: text})
	}
	write(1, 0, "第一次尝试")
	x.See(".agent.streaming", "第一次尝试")
	c.Append(event.MessageReset, turn, event.Reset{MessageID: "m1", Attempt: 2})
	write(2, 0, "龙井")
	write(1, 15, "迟到的旧文字")
	write(2, 6, "茶 🍵 产")
	write(2, 18, "于杭州")
	x.Until("document.querySelector('.agent.streaming')?.innerText.trim() === '龙井茶 🍵 产于杭州'")
	x.Until("document.querySelector('.round.stop')")
	c.Append(event.MessageStored, turn, event.Message{MessageID: "m1", Step: 1, Text: "龙井茶产于**杭州**。", Model: "demo planner"})
	write(2, 27, "不该出现")
	c.End(turn, "answered", "")
	x.Until("document.querySelectorAll('.agent').length === 1 && document.querySelector('.agent .md').innerText.trim() === '龙井茶产于杭州。'")
	x.Gone(".streaming")
	x.Gone(".round.stop")
}

func reloadMidStream(_ *testing.T, x *bench) {
	c, turn := x.hold("慢慢说")
	c.Call(turn, "read_form", `{"form":"customer"}`, event.ToolDone{})
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Text: "一半的"})
	x.See(".agent.streaming", "一半的")
	x.Type("#composer", "写了一半")
	x.Reload()
	x.See(".agent.streaming", "一半的")
	x.Until("document.querySelector('#composer').value === '写了一半'")
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Offset: len("一半的"), Text: "回答"})
	x.Until("document.querySelector('.agent.streaming')?.innerText.trim() === '一半的回答'")
	x.Click(".round.stop")
	x.See(".turn-end", "已停止。此前完成的调用：1 次")
	x.Gone(".round.stop")
}

func reconnect(t *testing.T, x *bench) {
	c, turn := x.hold("会断的问题")
	c.Call(turn, "find_forms", `{"query":"客户"}`, event.ToolDone{})
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Text: "前半"})
	x.See(".agent.streaming", "前半")
	x.gateway.CutStreams(2)
	c.Call(turn, "read_form", `{"form":"customer"}`, event.ToolDone{})
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Offset: len("前半"), Text: "后半"})
	x.See(".banner", "正在重连")
	x.keep("reconnecting")
	x.Until("document.querySelector('.agent.streaming')?.innerText.trim() === '前半后半'")
	x.Gone(".banner")
	c.Append(event.MessageStored, turn, event.Message{MessageID: "m1", Step: 1, Text: "前半后半"})
	x.gateway.CutStreams(0)
	c.Call(turn, "read_form", `{"form":"product"}`, event.ToolDone{})
	c.End(turn, "answered", "")
	x.Until("document.querySelector('.turn[data-status=answered]')")
	x.Until("document.querySelectorAll('.call').length === 3 && document.querySelectorAll('.agent').length === 1 && document.querySelectorAll('.user').length === 1")
	if n := browser.Eval[int](x.Tab, "document.querySelectorAll('.call.done').length"); n != 3 {
		t.Errorf("%d of 3 calls are done", n)
	}
	resumed := 0
	for _, r := range x.gateway.Requests("GET", "/events") {
		if r.LastEventID != "" {
			resumed++
		}
	}
	if resumed < 3 {
		t.Errorf("%d connections resumed by Last-Event-ID, at least 3 were due", resumed)
	}
}

func resume(_ *testing.T, x *bench) {
	c, turn := x.hold("会失败")
	c.End(turn, "failed", "model_unavailable")
	x.See(".turn-end[role=alert]", "模型服务没有响应")
	x.keep("failed")
	x.Click(".turn-end .btn")
	x.See(".agent", "继续完成了")
	x.Gone(".turn-end")
}

func scrolling(_ *testing.T, x *bench) {
	c, turn := x.hold("很长的回答")
	text := strings.Repeat("又一段话。\n\n", 60)
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Text: text})
	atEnd := "(e => e.scrollHeight > e.clientHeight && e.scrollHeight - e.scrollTop - e.clientHeight < 3)(document.querySelector('.transcript'))"
	x.Until(atEnd)
	browser.Eval[bool](x.Tab, "(document.querySelector('.transcript').scrollTop = 100, true)")
	x.See(".jump", "回到最新")
	c.Write(event.Delta{TurnID: turn, MessageID: "m1", Attempt: 1, Offset: len(text), Text: "末尾的话"})
	x.Until("document.querySelector('.streaming').innerText.includes('末尾的话')")
	x.Until("document.querySelector('.transcript').scrollTop === 100")
	x.Click(".jump")
	x.Until(atEnd)
	x.Gone(".jump")
}

func hostile(t *testing.T, x *bench) {
	c, turn := x.hold("给我看看")
	c.Say(turn, strings.Join([]string{
		"<img src=https://evil.example/a.png onerror=alert(1)> <script>window.hacked = 1</script>",
		"![图](https://evil.example/b.png?q=secret)", "[点我](javascript:window.hacked=1) [数据](data:text/html,x) [好的](https://example.com/ok)",
		"<iframe src='https://evil.example/c'></iframe>", "[x][ref]\n\n[ref]: JaVaScRiPt:alert(1)", "<https://evil.example/d> <javascript:alert(1)>", "`<b>code</b>` &lt;i&gt; &amp;",
		"| a | b |\n|---|---|\n| <style>*{display:none}</style> | 1 |",
	}, "\n\n"))
	c.End(turn, "answered", "")
	x.See(".agent", "<script>window.hacked = 1</script>")
	x.See(".agent", "图片（未加载）：图")
	x.See(".agent code", "<b>code</b>")
	x.keep("hostile")
	if bad := browser.Eval[int](x.Tab, "document.querySelectorAll('.md img, .md script, .md iframe, .md style, .md b, .md [onerror]').length"); bad != 0 {
		t.Errorf("%d elements came from the model's markup", bad)
	}
	links := browser.Eval[string](x.Tab, "[...document.querySelectorAll('.md a')].map(a => a.href + ' ' + a.rel).join('\\n')")
	for _, link := range strings.Split(links, "\n") {
		if !strings.HasPrefix(link, "https://") || !strings.Contains(link, "noopener") {
			t.Errorf("an unsafe link: %s", link)
		}
	}
	for _, r := range x.Requests() {
		if !strings.HasPrefix(r, x.url) && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asked another host: %s", r)
		}
	}
	if browser.Eval[bool](x.Tab, "'hacked' in window") {
		t.Error("a script of the model ran")
	}
}
