package webtest_test

import (
	"testing"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
)

// choose picks an option as a person does.
func (x *bench) choose(selector, value string) {
	browser.Eval[bool](x.Tab, "(s => (s.value = '"+value+"', s.dispatchEvent(new Event('change', {bubbles: true}))))(document.querySelector('"+selector+"'))")
}

// earlierRevisions opens what the draft of a proposal was before, in Chinese and,
// over the same conversation, in English.
func earlierRevisions(t *testing.T, x *bench) {
	x.Dark(false, true)
	c, turn := x.hold("给华东贸易下一张订单")
	c.Propose(turn, webtest.DraftCard("1", tomorrow()))
	c.Propose(turn, webtest.OrderCard("2", tomorrow()))
	x.See("#op-op-1 .earlier summary", "草稿的历史版本")
	x.Until("document.querySelector('#op-op-2 [data-verb=approve]') && !document.querySelector('#op-op-2 .earlier')")
	if n := len(x.gateway.Requests("GET", "/revisions")); n != 0 {
		t.Errorf("%d requests before anybody asked", n)
	}
	x.gateway.Lose("GET", "/revisions", 1)
	x.Click("#op-op-1 .earlier summary")
	x.See(".earlier [role=alert]", "服务暂时不可用")
	x.Click(".earlier .failure .btn")
	x.See(".earlier .same", "这两个版本没有差别")
	x.See(".earlier .quiet", "版本 3：林小红 保存于")
	x.Until("[...document.querySelectorAll('.earlier [name=to] option')].map((o) => o.value).join() === '3,2'")
	x.Axe("revisions that do not differ")

	x.gateway.Lose("GET", "/diff", 1)
	x.choose(".earlier [name=to]", "2")
	x.See(".earlier [role=alert]", "服务暂时不可用")
	x.Click(".earlier .failure .btn")
	x.See(".earlier caption", "版本 1 到版本 2 的改动")
	x.See(".earlier .diffs", "第 1 行 P-0001")
	x.Until("[...document.querySelectorAll('.earlier tr')].some((r) => /数量/.test(r.innerText) && /8.*→.*10/s.test(r.innerText))")
	x.See(".earlier .diffs", "5 P-0002")
	x.Axe("revisions that differ")
	x.keep("zh-revisions")

	browser.Eval[bool](x.Tab, "(localStorage.setItem('erpilot.lang', 'en'), true)")
	x.Reload()
	x.See("#op-op-1 .earlier summary", "Earlier revisions of the draft")
	x.Click("#op-op-1 .earlier summary")
	x.See(".earlier .same", "These two revisions do not differ.")
	x.choose(".earlier [name=from]", "1")
	x.See(".earlier caption", "Changes from revision 1 to revision 3")
	x.See(".earlier .diffs", "Line 1 P-0001")
	x.Size(320, 700)
	x.Until("document.documentElement.scrollWidth <= 320")
	x.Axe("revisions, narrow")
	x.keep("en-revisions")
}
