package planner_test

import (
	"slices"
	"strings"
	"testing"
)

// drafts checks that a sentence drafts exactly this, proposes it and tells the bill.
func drafts(t *testing.T, text, form, values, bill string, answers map[string]string) {
	t.Helper()
	w := company(t)
	for k, v := range answers {
		w.answers[k] = v
	}
	got := w.say(text)
	want := []string{`save_draft {"form":"` + form + `","values":` + values + `}`, `propose_write {"action":"create","draft_id":"d-1","draft_revision":3,"form":"` + form + `"}`}
	if n := len(w.heard); n < 2 || !slices.Equal(w.heard[n-2:], want) {
		t.Errorf("%s:\n%s\nwant %s", text, strings.Join(w.heard, "\n"), want[0])
	}
	if !strings.Contains(got, "["+bill+"](/erp/form/"+form) {
		t.Errorf("%s: %s", text, got)
	}
}

func TestAQuotationIsDrafted(t *testing.T) {
	t.Parallel()
	const plain = `{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"10"}]}`
	for _, text := range []string{"给上海晨光报价 P-0001 10 箱", "给上海晨光报价：10 箱 龙井绿茶", "为客户上海晨光做一份报价单：10箱龙井绿茶", "向上海晨光报价，10 箱 P-0001",
		"quote Shanghai Morning: 10 boxes of Longjing Green Tea", "Create a quotation for Shanghai Morning: 10 P-0001", "quote 10 boxes of Longjing Green Tea for C-0001", "quote C-0001 10 boxes of P-0001"} {
		drafts(t, text, "quotation", plain, "QT-000009", nil)
	}
	drafts(t, "给上海晨光报价：10 箱 龙井绿茶，有效期至 2026-12-31，备注：含运费", "quotation",
		`{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"10"}],"remark":"含运费","valid_until":"2026-12-31"}`, "QT-000009", nil)
	// Another unit that the product has is taken, one that it has not is asked about.
	w := company(t)
	w.records["product_unit"] = []rec{{"product": "P-0001", "unit": "盒", "factor": "0.1"}}
	w.say("给上海晨光报价 P-0001 10 盒")
	if want := `save_draft {"form":"quotation","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"10","unit":"盒"}]}}`; !slices.Contains(w.heard, want) {
		t.Errorf("%s", strings.Join(w.heard, "\n"))
	}
	drafts(t, "给上海晨光报价 P-0001 10 盒", "quotation", plain, "QT-000009", map[string]string{"按“箱”销售，不是“盒”": "按 10 箱 下单"})
}

func TestAPurchaseIsDrafted(t *testing.T) {
	t.Parallel()
	const plain = `{"lines":[{"product":"P-0001","quantity":"20"}],"supplier":"S-0001"}`
	for _, text := range []string{"向杭州龙井茶厂采购 20 箱 龙井绿茶", "向供应商杭州龙井茶厂采购：20箱P-0001", "给 S-0001 下一张采购订单：20 箱 龙井绿茶", "向 S-0001 采购 20 箱 P-0001", "给 S-0001 下1张采购单：20 箱 P-0001",
		"Purchase 20 boxes of Longjing Green Tea from Hangzhou Longjing Tea Works", "Create a purchase order for S-0001: 20 P-0001", "place a purchase order with supplier S-0001 over 20 P-0001"} {
		drafts(t, text, "purchase_order", plain, "PO-000009", nil)
	}
	for _, text := range []string{"向 S-0001 采购 20 箱 龙井绿茶，单价 80 元，入到上海仓", "purchase 20 boxes of P-0001 at 80 yuan each from S-0001"} {
		w := company(t)
		w.say(text)
		if !slices.ContainsFunc(w.heard, func(h string) bool { return strings.Contains(h, `"quantity":"20","unit_price":"80"`) }) {
			if !strings.Contains(text, "入到") { // the warehouse is not understood there, and nothing is guessed
				t.Errorf("%s:\n%s", text, strings.Join(w.heard, "\n"))
			}
		}
	}
}

func TestStockIsAdjusted(t *testing.T) {
	t.Parallel()
	values := func(reason, warehouse, quantity string) string {
		return `{"lines":[{"product":"P-0001","quantity":"` + quantity + `"}],"reason":"` + reason + `","warehouse":"` + warehouse + `"}`
	}
	for _, text := range []string{"把 P-0001 上海仓库存减少 5,盘点", "把龙井绿茶在上海仓的库存减少 5 箱，原因：盘点", "将 WH-EAST 的 P-0001 库存减少5（盘点）",
		"Reduce the stock of P-0001 in WH-EAST by 5, count", "adjust the stock of P-0001 in WH-EAST by -5, count", "把 P-0001 库存减少 5，盘点"} {
		drafts(t, text, "stock_adjustment", values("count", "WH-EAST", "-5"), "SA-000009", nil)
	}
	drafts(t, "把 P-0001 上海仓库存增加 2.5，更正", "stock_adjustment", values("correction", "WH-EAST", "2.5"), "SA-000009", nil)
	drafts(t, "increase the stock of Longjing Green Tea in Shanghai by 3, correction", "stock_adjustment", values("correction", "WH-EAST", "3"), "SA-000009",
		map[string]string{"fits several products": "Longjing Green Tea (P-0001)"})
	drafts(t, "把 P-0001 上海仓库存盘点为 35", "stock_adjustment", values("count", "WH-EAST", "-5"), "SA-000009", map[string]string{"原因是什么": "盘点"})
	drafts(t, "把 P-0001 广州仓库存改为 3，盘点", "stock_adjustment", values("count", "WH-SOUTH", "3"), "SA-000009", nil)
	drafts(t, "把 P-0001 上海仓库存减少 5", "stock_adjustment", values("damage", "WH-EAST", "-5"), "SA-000009", map[string]string{"原因是什么": "损坏"})
	w := company(t)
	if got := w.say("把 P-0001 上海仓库存改为 40，盘点"); !strings.Contains(got, "无需调整") {
		t.Error(got)
	}
	w = company(t)
	w.records["stock"] = append(w.records["stock"], rec{"product": "P-0001", "warehouse": "WH-SOUTH", "warehouse_name": "广州仓", "quantity": "2"})
	w.answers["在哪个仓库"] = "广州仓 (WH-SOUTH)"
	w.say("把 P-0001 库存减少 1，损坏")
	if want := `save_draft {"form":"stock_adjustment","values":` + values("damage", "WH-SOUTH", "-1") + `}`; !slices.Contains(w.heard, want) {
		t.Errorf("%s", strings.Join(w.heard, "\n"))
	}
}

func TestStockIsTransferred(t *testing.T) {
	t.Parallel()
	const want = `{"lines":[{"product":"P-0001","quantity":"5"}],"to_warehouse":"WH-SOUTH","warehouse":"WH-EAST"}`
	for _, text := range []string{"从上海仓调拨 5 箱 P-0001 到广州仓", "把 5 箱 P-0001 从上海仓调到广州仓", "把5箱P-0001从WH-EAST调拨至WH-SOUTH", "Transfer 5 boxes of P-0001 from WH-EAST to WH-SOUTH"} {
		drafts(t, text, "stock_transfer", want, "ST-000009", nil)
	}
}

func TestAPartnerIsCreatedInTheNativeForm(t *testing.T) {
	t.Parallel()
	drafts(t, "新建客户 苏州明月贸易有限公司，电话 0512-1，区域 华东，联系人 李雷", "customer",
		`{"contact":"李雷","name":"苏州明月贸易有限公司","phone":"0512-1","region":"east"}`, "C-0099", nil)
	drafts(t, "新建客户 苏州明月贸易有限公司，电话 0512-1，华东。", "customer", `{"name":"苏州明月贸易有限公司","phone":"0512-1","region":"east"}`, "C-0099", nil)
	drafts(t, "Create customer Suzhou Moon Trading Co., Ltd., phone 0512-1, region East", "customer",
		`{"name":"Suzhou Moon Trading Co., Ltd.","name_en":"Suzhou Moon Trading Co., Ltd.","phone":"0512-1","region":"east"}`, "C-0099", nil)
	drafts(t, "新增客户：苏州明月，信用额度 5万", "customer", `{"credit_limit":"50000","name":"苏州明月","region":"south"}`, "C-0099", map[string]string{"属于哪个区域": "华南"})
	drafts(t, "新建供应商 安吉白茶厂，电话 0572-1，账期 45 天，编码 s-77", "supplier", `{"code":"S-77","name":"安吉白茶厂","payment_days":"45","phone":"0572-1"}`, "S-0099", nil)
	w := company(t)
	w.propose = `{"status":"abandoned"}`
	if got := w.say("新建供应商 安吉白茶厂"); !strings.Contains(got, "没有保存，什么都没有写入") {
		t.Error(got)
	}
}

func TestReportsAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"应收账龄":                        {`{"form":"ar_ageing","limit":20,"mode":"list"}`, "| 客户 | 客户名称 | 合计 |"},
		"查看上海晨光的应收账龄":                 {`{"filters":[{"field":"customer","op":"eq","value":"C-0001"}],"form":"ar_ageing"`, "900.00"},
		"Receivables ageing":          {`{"form":"ar_ageing","limit":20,"mode":"list"}`, "| Customer | Customer name | Total |"},
		"库存台账 P-0001":                 {`{"filters":[{"field":"product","op":"eq","value":"P-0001"}],"form":"stock_ledger"`, "[DN-000001](/erp/form/delivery?bill=DN-000001)"},
		"本月龙井绿茶礼盒的库存台账":               {`{"field":"at","op":"gte","value":"2026-11-01"},{"field":"at","op":"lt","value":"2026-12-01"}`, ""},
		"Stock ledger of Tieguanyin":  {`{"field":"product","op":"eq","value":"P-0002"}`, ""},
		"本月销售按客户":                     {`{"filters":[{"field":"year","op":"eq","value":2026}],"form":"sales_by_customer"`, "2026 全年（这个报表按年汇总）的客户销售"},
		"上个月按客户销售":                    {`{"field":"year","op":"eq","value":2026}`, "1200.00"},
		"Sales by customer this year": {`{"field":"year","op":"eq","value":2026}`, "Sales by customer, this year (1"},
		"滞销品有哪些？":                     {`{"form":"slow_movers","limit":20,"mode":"list","sort":[{"desc":true,"field":"days_idle"}]}`, "120"},
		"show me the slow movers":     {`{"form":"slow_movers","limit":20,"mode":"list","sort":[{"desc":true,"field":"days_idle"}]}`, "P-0004"},
		"上月每月销售":                      {`{"field":"month","op":"eq","value":"2026-10"}`, ""},
		"今年按月销售":                      {`{"field":"month","op":"prefix","value":"2026-"}`, ""},
		"本月的滞销品":                      {"", "不能按时间筛选"},
		"Slow movers of Tieguanyin":   {"", "cannot be filtered by"},
		"今年客户销售":                      {`{"field":"year","op":"eq","value":2026}`, "今年客户销售（"},
		"库存流水 P-0001":                 {"stock_ledger", "| 2026-11-01 16:30 | P-0001 | 销售出库 |"},
		"stock movements of P-0001":   {"stock_ledger", "| 2026-11-01 16:30 | P-0001 | Sale |"},
		"订单执行 SO-000003":              {`{"field":"number","op":"eq","value":"SO-000003"}`, ""},
		"库存现状":                        {"stock_on_hand", "您看不到"},
		"逾期应收":                        {"find_forms", "您看不到"},
		"progress of order SO-000003": {`{"field":"number","op":"eq","value":"SO-000003"}`, ""},
	} {
		w := company(t)
		w.records["stock_ledger"] = append(w.records["stock_ledger"], rec{"at": "2026-11-02", "product": "P-0002", "quantity": "1"})
		got := w.say(text)
		if !strings.Contains(got, want[1]) {
			t.Errorf("%s: %s\n%s", text, got, strings.Join(w.heard, "\n"))
		}
		if !slices.ContainsFunc(w.heard, func(h string) bool { return strings.Contains(h, want[0]) }) {
			t.Errorf("%s: no call with %s:\n%s", text, want[0], strings.Join(w.heard, "\n"))
		}
	}
}
