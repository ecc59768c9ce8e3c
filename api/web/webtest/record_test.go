package webtest_test

import (
	"strings"
	"testing"

	"github.com/erpilot/erpilot/api/web/webtest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
)

const bill = "/erp/form/sales_order?bill=SO-202611-0031"

func linkOpensTheRecord(t *testing.T, x *bench) {
	x.proposal(tomorrow())
	x.gateway.Decide = webtest.Execute
	x.Click("[data-verb=approve]")
	x.See(".card.st-executed .bill", "SO-202611-0031")
	chat := x.Path()
	x.Type("#composer", "写了一半")
	x.Click(".card .bill")
	x.See(".sheet h2", "SO-202611-0031")
	x.See(".top h1", "销售订单 SO-202611-0031")
	x.See(".fields", "已提交")
	x.See(".fields", "2026年11月5日")
	x.See(".fields", "11月6日 02:30") // the person's zone, not UTC
	x.See(".fields .num", "21,405.50")
	x.See(".grid tbody tr:first-child", "15,960.00")
	x.See(".grid tbody tr:first-child", "1,000")
	x.Until("getComputedStyle(document.querySelector('.grid td.num')).textAlign === 'end'")
	if text := browser.Eval[string](x.Tab, "document.querySelector('.fields').innerText"); strings.Contains(text, "取消原因") || strings.Contains(text, "submitted") {
		t.Errorf("the fields show what nobody needs: %s", text)
	}
	x.keep("record")
	x.Reload()
	x.See(".sheet h2", "SO-202611-0031")
	x.Click(".crumbs a:first-child")
	x.See(".card.st-executed .bill", "SO-202611-0031")
	x.Until("document.querySelector('#composer').value === '写了一半' && location.pathname === '" + chat + "'")
	c := x.gateway.Conversations()[0]
	turn := c.Turn("还有呢？", "")
	c.Say(turn, "还有这些。")
	c.End(turn, "answered", "")
	x.See(".agent", "还有这些")
	x.Until("[...document.querySelectorAll('.user')].filter(e => e.innerText.includes('还有呢')).length === 1")
}

func linkedRecords(_ *testing.T, x *bench) {
	x.login()
	x.Go(x.url + bill)
	x.Click(".fields a[href*='/customer?']")
	x.See(".sheet h2", "C-0001")
	x.See(".object", "华东贸易有限公司")
	x.See(".fields", "13800000001")
	x.See(".fields .num", "1,250,000.00")
	browser.Eval[bool](x.Tab, "(history.back(), true)")
	x.See(".sheet h2", "SO-202611-0031")
	x.Click(".top .text")
	x.See(".fields", "Submitted")
	x.See(".fields a", "East China Trading")
	x.See(".fields", "5 Nov 2026")
	x.Click(".grid a[href*='/secret?']")
	x.See("[role=alert]", "no right to read")
	x.keep("record-denied")
}

func recordAfterLogin(_ *testing.T, x *bench) {
	x.Go(x.url + bill)
	x.Click(".demo-logins .btn:nth-of-type(1)")
	x.See(".sheet h2", "SO-202611-0031")
	x.See(".badge.demo", "演示规划器")
	x.See(".history li", "林小红") // all that the record asks for has come
	x.gateway.ExpireLogins()
	x.Click(".fields a[href*='/customer?']")
	x.Type("dialog [name=password]", "demo")
	x.Click("dialog .primary")
	x.See(".sheet h2", "C-0001")
	x.Go(x.url + "/erp/form/sales_order?bill=SO-0")
	x.See("[role=alert]", "没有找到「SO-0」")
	x.keep("record-missing")
	x.gateway.Lose("POST", "/read", 1)
	x.Go(x.url + bill)
	x.Click(".failure .btn")
	x.See(".sheet h2", "SO-202611-0031")
}

func recordList(t *testing.T, x *bench) {
	x.login()
	x.Go(x.url + bill)
	x.Click(".crumbs a[href='/erp/form/sales_order']")
	x.See(".sheet", "共 42 条")
	x.See(".sheet .between", "第 1 / 3 页")
	x.See(".grid tbody tr:first-child", "SO-202611-0042")
	x.keep("record-list")
	x.Click(".between .btn:last-child")
	x.See(".grid tbody tr:first-child", "SO-202611-0022")
	x.Click(".between .btn:first-child")
	x.See(".grid tbody tr:first-child", "SO-202611-0042")
	x.Type(".search input", "清源")
	x.Press("\r")
	x.See(".sheet", "共 4 条")
	x.Click(".grid tbody tr:first-child th a")
	x.See(".sheet h2", "SO-202611-0040")
	x.Go(x.url + "/erp/form/sales_order")
	x.Click(".top .text")
	x.See(".grid tbody tr:first-child", "East China Trading")
	x.Type(".search input", "qingyuan")
	x.Press("\r")
	x.See(".sheet", "Found: 4")
	x.Type(".search input", "zzz")
	x.Press("\r")
	x.See(".empty", "Nothing found")
	for _, r := range x.gateway.Requests("POST", "/read") {
		if strings.Contains(r.Body, `"mode":"list"`) && !strings.Contains(r.Body, `"sort":[{"field":"order_date","desc":true}`) {
			t.Errorf("not the newest first: %s", r.Body)
		}
	}
}
