package planner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// newBills are the numbers that new records of the fake ERP get.
var newBills = map[string]string{"quotation": "QT-000009", "delivery": "DN-000009", "receivable": "AR-000009", "receipt": "RC-000009",
	"purchase_order": "PO-000009", "goods_receipt": "GR-000009", "payable": "AP-000009", "payment": "PY-000009", "stock_adjustment": "SA-000009",
	"stock_transfer": "ST-000009", "production_report": "MR-000009", "customer": "C-0099", "supplier": "S-0099"}

// reportForms are what find_forms tells of a form that is asked for by its id.
var reportForms = map[string]string{
	"ar_ageing": `{"form":"ar_ageing","kind":"report","fields":[{"name":"customer","label":"客户 / Customer","type":"link","filter":true,"link":"customer"},
		{"name":"customer_name","label":"客户名称 / Customer name","type":"text"},{"name":"customer_name_en","label":"客户英文名称 / Customer English name","type":"text"},
		{"name":"total","label":"合计 / Total","type":"money"},{"name":"link","label":"链接 / Link","type":"text"}]}`,
	"stock_ledger": `{"form":"stock_ledger","kind":"report","fields":[{"name":"at","label":"时间 / Time","type":"datetime","filter":true},
		{"name":"product","label":"产品 / Product","type":"link","filter":true},{"name":"reason","label":"原因 / Reason","type":"option","options":["sale","count"],"option_labels":["销售出库 / Sale","盘点 / Count"]},{"name":"document","label":"单据 / Document","type":"text","filter":true},{"name":"quantity","label":"数量 / Quantity","type":"decimal"}]}`,
	"order_progress":    `{"form":"order_progress","kind":"report","fields":[{"name":"number","label":"订单号 / Number","type":"text","filter":true},{"name":"delivered","label":"已发货 / Delivered","type":"decimal"}]}`,
	"sales_by_customer": `{"form":"sales_by_customer","kind":"report","fields":[{"name":"customer","label":"客户 / Customer","type":"link","filter":true},{"name":"year","label":"年 / Year","type":"integer","filter":true},{"name":"last_delivery","type":"date","label":"x / x","filter":true},{"name":"amount","label":"金额 / Amount","type":"money"}]}`,
	"sales_by_month":    `{"form":"sales_by_month","kind":"report","fields":[{"name":"month","label":"月份 / Month","type":"text","filter":true},{"name":"amount","label":"金额 / Amount","type":"money"}]}`,
	"slow_movers":       `{"form":"slow_movers","kind":"report","fields":[{"name":"product","label":"产品 / Product","type":"link"},{"name":"days","label":"天数 / Days","type":"integer"}]}`,
	"delivery": `{"form":"delivery","kind":"record","fields":[{"name":"number","label":"出库单号 / Number","type":"text","filter":true},{"name":"status","label":"状态 / Status","type":"option"},
		{"name":"lines","label":"明细 / Lines","type":"lines","lines":[{"name":"product","label":"产品 / Product","type":"link"},{"name":"quantity","label":"数量 / Quantity","type":"decimal"}]}]}`,
}

// company is a world with documents of every kind.
func company(t *testing.T) *world {
	w := newWorld(t)
	line := []any{rec{"line_no": "1", "product": "P-0001", "product_name": "龙井绿茶", "product_name_en": "Longjing Green Tea", "quantity": "10", "unit": "箱"}}
	for form, number := range map[string]string{"quotation": "QT-000001", "delivery": "DN-000001", "receivable": "AR-000001", "purchase_order": "PO-000001",
		"goods_receipt": "GR-000001", "payable": "AP-000001", "production_order": "MO-000001"} {
		w.records[form] = []rec{{"number": number, "status": "examined", "lines": line}}
	}
	w.records["quotation"] = append(w.records["quotation"], rec{"number": "QT-000002", "status": "submitted", "lines": line}, rec{"number": "QT-000003", "status": "draft"},
		rec{"number": "QT-000004", "status": "closed"}, rec{"number": "QT-000005", "status": "cancelled"}, rec{"number": "QT-000006", "status": "examined"})
	w.records["sales_order"] = append(w.records["sales_order"], rec{"number": "SO-000003", "status": "examined", "lines": line})
	w.records["supplier"] = []rec{{"code": "S-0001", "name": "杭州龙井茶厂", "name_en": "Hangzhou Longjing Tea Works", "currency": "CNY"}}
	w.records["warehouse"] = []rec{{"code": "WH-EAST", "name": "上海仓", "name_en": "Shanghai"}, {"code": "WH-SOUTH", "name": "广州仓", "name_en": "Guangzhou"}}
	w.records["ar_ageing"] = []rec{{"customer": "C-0001", "customer_name": "上海晨光贸易有限公司", "customer_name_en": "Shanghai Morning", "total": "900.00", "link": "/x"}}
	w.records["stock_ledger"] = []rec{{"at": "2026-11-01T08:30:00Z", "reason": "sale", "product": "P-0001", "document": "DN-000001", "quantity": "-5"}}
	w.records["order_progress"] = []rec{{"number": "SO-000003", "delivered": "5"}}
	w.records["sales_by_customer"] = []rec{{"customer": "C-0001", "year": "2026", "amount": "1200.00"}}
	w.records["slow_movers"] = []rec{{"product": "P-0004", "days": "120"}}
	return w
}

func generated(form, changes string) string {
	return `propose_write {"action":"generate","changes":` + changes + `,"form":"` + form + `"}`
}

func TestTheNextDocumentIsMadeOfTheOneBefore(t *testing.T) {
	t.Parallel()
	cases := []struct {
		say  []string
		call string
		want string
	}{
		{[]string{"报价单 QT-000001 转订单", "把报价单QT-000001转成销售订单", "按 QT-000001 下订单", "Make an order of quotation QT-000001", "turn quotation QT-000001 into a sales order."},
			generated("sales_order", `{"source_form":"quotation","sources":["QT-000001"]}`), "SO-2026-09999"},
		{[]string{"订单 SO-000003 发货", "给订单SO-000003发货", "请对 SO-000003 生成发货单", "Deliver order SO-000003", "make a delivery of order SO-000003", "please ship SO-000003"},
			generated("delivery", `{"source_form":"sales_order","sources":["SO-000003"]}`), "DN-000009"},
		{[]string{"订单 SO-000003 先发 5 箱", "给 SO-000003 先发5箱", "Ship 5 boxes of order SO-000003", "deliver 5 of SO-000003"},
			generated("delivery", `{"lines":[{"line_no":1,"quantity":"5","source":"SO-000003"}],"source_form":"sales_order","sources":["SO-000003"]}`), "DN-000009"},
		{[]string{"订单 SO-000002 先发 3 箱铁观音", "SO-000002 发货：3 箱 P-0002", "ship 3 boxes of Tieguanyin of order SO-000002"},
			generated("delivery", `{"lines":[{"line_no":2,"quantity":"3","source":"SO-000002"}],"source_form":"sales_order","sources":["SO-000002"]}`), "DN-000009"},
		{[]string{"订单 SO-000002、SO-000003 合并发货", "Deliver orders SO-000002 and SO-000003 together"},
			generated("delivery", `{"source_form":"sales_order","sources":["SO-000002","SO-000003"]}`), "DN-000009"},
		{[]string{"订单 SO-000002、SO-000003 分别发货", "deliver SO-000002 and SO-000003 separately"},
			generated("delivery", `{"mode":"split","source_form":"sales_order","sources":["SO-000002","SO-000003"]}`), "DN-000009"},
		{[]string{"发货单 DN-000001 转应收", "给发货单 DN-000001 开票", "Invoice delivery DN-000001", "make a receivable of DN-000001"},
			generated("receivable", `{"source_form":"delivery","sources":["DN-000001"]}`), "AR-000009"},
		{[]string{"应收单 AR-000001 收款", "收到 AR-000001 的货款", "Receive payment of AR-000001", "record a receipt for AR-000001"},
			generated("receipt", `{"source_form":"receivable","sources":["AR-000001"]}`), "RC-000009"},
		{[]string{"AR-000001 收款 500", "AR-000001 收款 500 元", "receive 500 yuan for AR-000001"},
			generated("receipt", `{"lines":[{"quantity":"500","source":"AR-000001"}],"source_form":"receivable","sources":["AR-000001"]}`), "RC-000009"},
		{[]string{"采购订单 PO-000001 收货", "PO-000001 入库", "Receive purchase order PO-000001", "goods receipt of PO-000001"},
			generated("goods_receipt", `{"source_form":"purchase_order","sources":["PO-000001"]}`), "GR-000009"},
		{[]string{"收货单 GR-000001 生成应付单", "make a payable of GR-000001"}, generated("payable", `{"source_form":"goods_receipt","sources":["GR-000001"]}`), "AP-000009"},
		{[]string{"应付单 AP-000001 付款", "pay AP-000001"}, generated("payment", `{"source_form":"payable","sources":["AP-000001"]}`), "PY-000009"},
		{[]string{"生产订单 MO-000001 完工 4 箱", "report 4 boxes of MO-000001"},
			generated("production_report", `{"lines":[{"line_no":1,"quantity":"4","source":"MO-000001"}],"source_form":"production_order","sources":["MO-000001"]}`), "MR-000009"},
	}
	for _, c := range cases {
		for _, text := range c.say {
			w := company(t)
			got := w.say(text)
			if w.heard[len(w.heard)-1] != c.call {
				t.Errorf("%s:\n%s\nwant %s", text, strings.Join(w.heard, "\n"), c.call)
			}
			if !strings.Contains(got, "["+c.want+"](/erp/form/") || strings.ContainsRune(got, '\uFFFD') {
				t.Errorf("%s: %s", text, got)
			}
		}
	}
}

func TestASourceIsExaminedFirstAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	examine := func(action, number string) string {
		return `propose_write {"action":"` + action + `","form":"quotation","target":"` + number + `"}`
	}
	for text, want := range map[string][]string{
		"报价单 QT-000002 转订单":                    {examine("examine", "QT-000002"), generated("sales_order", `{"source_form":"quotation","sources":["QT-000002"]}`)},
		"Make an order of quotation QT-000003": {examine("submit", "QT-000003"), examine("examine", "QT-000003"), generated("sales_order", `{"source_form":"quotation","sources":["QT-000003"]}`)},
	} {
		w := company(t)
		w.say(text)
		if got := w.heard[1:]; !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", text, strings.Join(got, "\n"))
		}
	}
	w := company(t)
	got := w.say("订单 SO-000003 发货并审核")
	want := `propose_write {"action":"examine","form":"delivery","target":"DN-000009"}`
	if w.heard[len(w.heard)-1] != want || !strings.Contains(got, "已生成并审核") {
		t.Errorf("%s\n%s", strings.Join(w.heard, "\n"), got)
	}
	w = company(t)
	w.propose = `{"status":"rejected","by":"李四"}`
	if got := w.say("报价单 QT-000002 转订单"); !strings.Contains(got, "被 李四 驳回") || len(w.heard) != 2 {
		t.Errorf("%s\n%s", got, strings.Join(w.heard, "\n"))
	}
}

func TestWhatCannotBeDrawnIsSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"报价单 QT-000004 转订单":         "已完结",
		"QT-000005 转订单":             "已取消，不能继续",
		"QT-000007 转订单":             "没有找到",
		"SO-000002 先发 5 箱":          "有多行，请说明是哪个产品",
		"SO-000003 先发 5 盒":          "按“箱”计，不是“盒”",
		"SO-000002 先发 5 瓶铁观音":       "按“箱”计，不是“瓶”",
		"ship 5 bags of SO-000003":  "counted by the box there",
		"SO-000003 先发 5 箱铁观音":       "没有唯一的一行“铁观音”",
		"SO-000003 先发一些":            "没有看懂",
		"QT-000001、SO-000003 转订单":   "不是同一种",
		"AR-000001 收款 很多":           "没有看懂金额",
		"deliver order SO-999999":   "Not found",
		"ship 5 boxes of SO-000002": "has several lines",
	} {
		w := company(t)
		if got := w.say(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
		for _, h := range w.heard {
			if strings.HasPrefix(h, tool.ProposeWrite) {
				t.Errorf("%s: %s", text, h)
			}
		}
	}
}

func TestQuestionsAboutDocumentsProposeNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"订单 SO-000003 发货了吗？":           "",
		"订单进度 SO-000003":               "| 订单号 | 已发货 |",
		"SO-000003 的订单进度":              "已发货",
		"Order progress SO-000003":     "| Number | Delivered |",
		"查询发货单 DN-000001":              "| 产品 | 数量 |",
		"show delivery DN-000001":      "| Product | Quantity |",
		"订单 SO-000003":                 "SO-000003",
		"was order SO-000003 shipped?": "",
		"有哪些已审核的发货单":                   "[DN-000001](/erp/form/delivery?bill=DN-000001)",
		"list the deliveries":          "DN-000001",
		"采购订单有多少":                      "采购订单共有 **1** 张",
		"how many purchase orders":     "There are **1** purchase orders",
	} {
		w := company(t)
		if got := w.say(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
		for _, h := range w.heard {
			if strings.HasPrefix(h, tool.ProposeWrite) {
				t.Errorf("%s: %s", text, h)
			}
		}
	}
}

func TestDocumentsAreActedOn(t *testing.T) {
	t.Parallel()
	on := func(form, action, target string) string {
		return `propose_write {"action":"` + action + `","form":"` + form + `","target":"` + target + `"}`
	}
	for text, want := range map[string][2]string{
		"审核 SO-000003":                    {on("sales_order", "examine", "SO-000003"), "订单 [SO-000003]("},
		"审核发货单 DN-000001":                 {on("delivery", "examine", "DN-000001"), "已审核"},
		"把收货单 GR-000001 审核一下":             {on("goods_receipt", "examine", "GR-000001"), "已审核"},
		"反审核 GR-000001":                   {on("goods_receipt", "unexamine", "GR-000001"), "已反审核"},
		"取消审核 GR-000001":                  {on("goods_receipt", "unexamine", "GR-000001"), "已反审核"},
		"提交报价单 QT-000003":                 {on("quotation", "submit", "QT-000003"), "已提交"},
		"撤回 QT-000003":                    {on("quotation", "withdraw", "QT-000003"), "已撤回"},
		"删除 QT-000003":                    {on("quotation", "delete", "QT-000003"), "已删除"},
		"关闭采购订单 PO-000001":                {on("purchase_order", "close", "PO-000001"), "已关闭"},
		"取消采购订单 PO-000001":                {on("purchase_order", "cancel", "PO-000001"), "没有发生任何退款"},
		"Examine delivery DN-000001":      {on("delivery", "examine", "DN-000001"), "Delivery [DN-000001]("},
		"unexamine goods receipt gr-0001": {on("goods_receipt", "unexamine", "GR-0001"), "no longer examined"},
		"cancel purchase order PO-000001": {on("purchase_order", "cancel", "PO-000001"), "no refund was made"},
		"Cancel order SO-000003":          {on("sales_order", "cancel", "SO-000003"), "no refund was made"},
	} {
		w := company(t)
		got := w.say(text)
		if !slices.Equal(w.heard, []string{want[0]}) || !strings.Contains(got, want[1]) || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%s: %v\n%s", text, w.heard, got)
		}
	}
}

func TestADraftIsChangedAndProposedAnew(t *testing.T) {
	t.Parallel()
	earlier := []turn.Entry{
		{Role: turn.RoleUser, Text: "给上海晨光下一张订单：10 箱 龙井绿茶，备注：急"},
		{Role: turn.RoleAssistant, Calls: []turn.RequestCall{{ProviderID: "demo_1", Tool: tool.SaveDraft,
			Arguments: `{"form":"sales_order","values":{"customer":"C-0001","remark":"急","lines":[{"product":"P-0001","quantity":"10"}]}}`}}},
		{Role: turn.RoleTool, ProviderID: "demo_1", Tool: tool.SaveDraft, Text: `{"draft_id":"d-9","revision":1}`},
		{Role: turn.RoleAssistant, Text: "…"},
	}
	want := `save_draft {"draft_id":"d-9","form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"12"}],"remark":"急"}}`
	for _, text := range []string{"把草稿改成：12 箱 龙井绿茶", "把刚才的订单草稿改为 12箱P-0001", "Change the draft to 12 boxes of Longjing Green Tea", "update the order draft: 12 P-0001"} {
		w := newWorld(t)
		got := w.say(text, earlier...)
		if n := len(w.heard); n < 2 || w.heard[n-2] != want || !strings.Contains(got, "SO-2026-09999") {
			t.Errorf("%s: %s\n%s", text, strings.Join(w.heard, "\n"), got)
		}
	}
	w := newWorld(t)
	if got := w.say("把草稿改成：12 箱 龙井绿茶"); !strings.Contains(got, "还没有草稿") || len(w.heard) > 0 {
		t.Error(got)
	}
	w = newWorld(t)
	w.propose = `{"status":"cancelled","refusal":{"code":"draft_changed","old":"1","new":"2"}}`
	if got := w.say("给上海晨光下一张订单：1 箱 铁观音"); !strings.Contains(got, "草稿已改到第 2 版，这份提议作废") {
		t.Error(got)
	}
}
