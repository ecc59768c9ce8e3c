package planner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/planner"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

func TestQuestionsAreAnsweredFromTheERP(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		say   []string
		calls []string // part of some call
		want  []string // part of the answer
		not   []string
		steps int
	}{
		"customers of a region": {
			say:   []string{"华东客户有哪些？", "请列出华东的客户", "华东有哪些客户", "哪些客户在华东？", "华东地区的客户"},
			calls: []string{`read_form {"filters":[{"field":"region","op":"eq","value":"east"}]`},
			want:  []string{"| 编码 | 名称 | 区域 |", "| C-0001 | 上海晨光贸易有限公司 | 华东 |", "共 2 条"}, not: []string{"C-0003"}, steps: 2,
		},
		"customers of a region, English": {
			say:   []string{"Which customers are in East China?", "Show me the customers in east china", "list all East China customers", "What customers do we have in the East?"},
			calls: []string{`"field":"region","op":"eq","value":"east"`},
			want:  []string{"| Code | Name | Region |", "| C-0001 | Shanghai Morning Trading Co., Ltd. | East China |", "2 in all"}, steps: 2,
		},
		"orders of a customer": {
			say:   []string{"查询上海晨光的订单", "上海晨光贸易有限公司的订单有哪些？", "看看客户上海晨光的最近订单", "查一下C-0001的订单", "“上海晨光”有哪些订单"},
			calls: []string{`read_form {"filters":[{"field":"customer","op":"eq","value":"C-0001"}]`},
			want:  []string{"[SO-2026-00001](/erp/form/sales_order?bill=SO-2026-00001)", "已提交", "1200.00"}, steps: 3,
		},
		"orders of a customer, English": {
			say:  []string{"Show the orders of Shanghai Morning", "show me recent orders for Shanghai Morning Trading Co., Ltd.", "Shanghai Morning's orders", "Which orders does Shanghai Morning have?"},
			want: []string{"[SO-2026-00001](", "Submitted", "1200.00"}, steps: 3,
		},
		"one order": {
			say:  []string{"查询订单 SO-2026-00001", "订单SO-2026-00001的明细", "show order so-2026-00001"},
			want: []string{"SO-2026-00001", "1200.00", "P-0001"}, steps: 2,
		},
		"an unknown order":         {say: []string{"show order SO-1"}, want: []string{"did not work: Not found."}},
		"no orders":                {say: []string{"查询广州南风的订单"}, want: []string{"没有符合条件的记录", "广州南风\\|百货"}},
		"stock":                    {say: []string{"铁观音的库存", "铁观音还有多少库存？", "查一下铁观音库存", "P-0002的库存"}, want: []string{"WH-SOUTH", "| 7 |"}, not: []string{"WH-EAST"}, steps: 3},
		"stock, English":           {say: []string{"Stock of Tieguanyin", "what is the stock of Tieguanyin?", "How much Tieguanyin do we have in stock?"}, want: []string{"WH-SOUTH", "| 7 |"}, steps: 3},
		"price":                    {say: []string{"铁观音的价格是多少？", "铁观音多少钱"}, want: []string{"88.5 CNY", "/ 箱"}, steps: 2},
		"price, English":           {say: []string{"Price of Tieguanyin", "How much is Tieguanyin?", "what is the price of tieguanyin"}, want: []string{"88.5 CNY", "per box"}, steps: 2},
		"forms":                    {say: []string{"有哪些表单", "我可以查什么？", "能查哪些数据"}, calls: []string{"find_forms"}, want: []string{"客户 (`customer`)", "销售订单 (`sales_order`)"}, steps: 2},
		"forms, English":           {say: []string{"What can I look up?", "which forms are there", "list forms"}, want: []string{"Customer (`customer`)", "Sales order"}, steps: 2},
		"count":                    {say: []string{"有多少客户？", "客户有多少家", "一共有几个客户"}, calls: []string{`{"form":"customer","mode":"count"}`}, want: []string{"**3** 家"}, steps: 2},
		"count, English":           {say: []string{"How many customers?", "how many customers do we have", "number of customers"}, want: []string{"There are **3** customers"}, steps: 2},
		"count in a region":        {say: []string{"华东有多少客户"}, want: []string{"华东客户共有 **2** 家"}},
		"count with a status":      {say: []string{"how many submitted orders are there?"}, calls: []string{`"field":"status"`}, want: []string{"There are **1** submitted sales orders"}},
		"list":                     {say: []string{"有哪些产品", "列出产品", "list the products"}, want: []string{"P-0001", "P-0004"}},
		"a field of a customer":    {say: []string{"上海晨光的电话是多少？", "what is the phone of Shanghai Morning?"}, want: []string{"**021-1**"}, steps: 2},
		"a customer":               {say: []string{"查询客户上海晨光", "show customer C-0001"}, want: []string{"021-1", "100000.00"}},
		"a name that is nowhere":   {say: []string{"查询火星公司的订单"}, want: []string{"没有找到客户“火星公司”"}},
		"a name that is nowhere 2": {say: []string{"Stock of unobtainium"}, want: []string{`no product called "unobtainium"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range c.say {
				w := newWorld(t)
				got := w.say(text)
				for _, p := range c.want {
					if !strings.Contains(got, p) {
						t.Errorf("%s: answer lacks %q:\n%s\n%s", text, p, got, strings.Join(w.heard, "\n"))
					}
				}
				for _, p := range c.not {
					if strings.Contains(got, p) {
						t.Errorf("%s: answer has %q:\n%s", text, p, got)
					}
				}
				for _, p := range c.calls {
					if !slices.ContainsFunc(w.heard, func(h string) bool { return strings.Contains(h, p) }) {
						t.Errorf("%s: no call with %s:\n%s", text, p, strings.Join(w.heard, "\n"))
					}
				}
				if c.steps != 0 && w.steps != c.steps {
					t.Errorf("%s: %d model calls, want %d", text, w.steps, c.steps)
				}
				if slices.ContainsFunc(w.heard, func(h string) bool { return strings.HasPrefix(h, tool.ProposeWrite) }) {
					t.Errorf("%s: a question proposes a write", text)
				}
			}
		})
	}
}

const draftAB = `save_draft {"form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"10"},{"product":"P-0002","quantity":"5"}]}}`

func TestAnOrderIsDraftedAndProposed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"给上海晨光下一张订单：10 箱 龙井绿茶、5 箱 铁观音",
		"给上海晨光下一张订单:10箱龙井绿茶,5箱铁观音。",
		"请帮客户上海晨光贸易有限公司建一张销售订单：龙井绿茶 10 箱；铁观音5箱",
		"给C-0001下单 P-0001 x 10、P-0002 ×5",
		"为上海晨光开单：十箱龙井绿茶和五箱铁观音",
		"给上海晨光下一张订单：\n10 箱 龙井绿茶\n5 箱 铁观音",
		"Create an order for Shanghai Morning: 10 boxes of Longjing Green Tea, 5 boxes of Tieguanyin",
		"please place a new sales order for Shanghai Morning Trading Co., Ltd.: 10 cases Longjing Green Tea and 5 x Tieguanyin.",
		"Create an order for C-0001 with 10 P-0001 and 5 P-0002",
		"order 10 boxes of Longjing Green Tea, 5 boxes of Tieguanyin for Shanghai Morning",
	} {
		w := newWorld(t)
		w.answers["no question"] = ""
		got := w.say(text)
		want := []string{draftAB, `propose_write {"action":"create","draft_id":"d-1","draft_revision":3,"form":"sales_order"}`}
		if n := len(w.heard); n < 2 || !slices.Equal(w.heard[n-2:], want) {
			t.Errorf("%s:\n%s", text, strings.Join(w.heard, "\n"))
		}
		if !strings.Contains(got, "[SO-2026-09999](/erp/form/sales_order?bill=SO-2026-09999)") || w.steps != 4 {
			t.Errorf("%s: after %d steps: %s", text, w.steps, got)
		}
	}
}

func TestAnOrderTakesWarehouseDateAndRemark(t *testing.T) {
	t.Parallel()
	want := `save_draft {"form":"sales_order","values":{"customer":"C-0001","delivery_date":"2026-05-06","lines":[{"product":"P-0002","quantity":"2.5"}],"remark":"急","warehouse":"WH-SOUTH"}}`
	for _, text := range []string{
		"给上海晨光下一张订单：2.5 箱 铁观音，从广州仓发货，交货日期 2026-05-06，备注：急",
		"给上海晨光下一张订单：2.5 箱 铁观音，仓库 WH-SOUTH，2026-05-06 交货，备注：急",
		"Create an order for C-0001: 2.5 boxes of Tieguanyin, from warehouse WH-SOUTH, delivery on 2026-05-06, remark: 急",
	} {
		w := newWorld(t)
		w.say(text)
		if !slices.Contains(w.heard, want) {
			t.Errorf("%s:\n%s", text, strings.Join(w.heard, "\n"))
		}
	}
}

func TestWhatFitsSeveralIsAsked(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"上海晨光贸易有限公司 (C-0001)", "C-0001", "上海晨光贸易有限公司", "上海"} {
		w := newWorld(t)
		w.answers["“晨光”对应多个客户"] = answer
		w.answers["“龙井”对应多个产品"] = "龙井绿茶 (P-0001)"
		w.say("给晨光下一张订单：10 箱 龙井、5 箱 铁观音")
		if !slices.Contains(w.heard, draftAB) {
			t.Errorf("%s:\n%s", answer, strings.Join(w.heard, "\n"))
		}
	}
	w := newWorld(t)
	w.answers["fits several customers"] = "Hangzhou Morning Foods Ltd. (C-0002)"
	if got := w.say("Show the orders of Morning"); !strings.Contains(got, "Orders of Hangzhou Morning Foods Ltd.") {
		t.Error(got)
	}
}

func TestTheQuestionNamesEachOption(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers["晨光"] = "C-0001"
	w.say("查询晨光的订单")
	want := `ask_user {"allow_free_text":true,"options":["上海晨光贸易有限公司 (C-0001)","杭州晨光食品有限公司 (C-0002)"],"question":"“晨光”对应多个客户，您指哪一个？"}`
	if !slices.Contains(w.heard, want) {
		t.Errorf("%s", strings.Join(w.heard, "\n"))
	}
}

func TestAnUnansweredQuestionStopsTheTurn(t *testing.T) {
	t.Parallel()
	for _, r := range []string{`{"status":"expired"}`, `{"error":{"code":"expired"}}`, "expired"} {
		w := newWorld(t)
		w.results[tool.AskUser] = r
		if got := w.say("给晨光下一张订单：1 箱 铁观音"); !strings.Contains(got, "什么都没有写入") {
			t.Error(got)
		}
	}
}

func TestAnotherUnitIsAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answers["按“盒”销售，不是“箱”"] = "不下单"
	if got := w.say("给上海晨光下一张订单：2 箱 龙井绿茶礼盒"); !strings.Contains(got, "没有下单") {
		t.Error(got)
	}
	w = newWorld(t)
	w.answers["按“盒”销售，不是“箱”"] = "按 2 盒 下单"
	if got := w.say("给上海晨光下一张订单：2 箱 龙井绿茶礼盒"); !strings.Contains(got, "已创建") {
		t.Error(got)
	}
}

func TestASeparatorInsideANameStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.say("Create an order for C-0001: 10 Longjing Gift and Tea Set, 5 boxes of Tieguanyin")
	want := `save_draft {"form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0003","quantity":"10"},{"product":"P-0002","quantity":"5"}]}}`
	if !slices.Contains(w.heard, want) {
		t.Errorf("%s", strings.Join(w.heard, "\n"))
	}
}

func TestNothingIsGuessed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"给上海晨光下一张订单：一些龙井":                                    "没有看懂订单明细",
		"给火星公司下一张订单：10 箱 铁观音":                                "没有找到客户“火星公司”",
		"Create an order for C-0001: 10 boxes of phlogiston": `no product called "phlogiston"`,
		"取消订单": "请给出要取消的订单号",
		"把上海晨光的信用额度改成很多":            "不是金额",
		"把上海晨光的区域改成火星":              "没有区域",
		"把上海晨光的电话改成021-1":           "无需修改",
		"给上海晨光下一张订单：1 箱 铁观音，从火星仓发货": "没有找到唯一的仓库",
	} {
		w := newWorld(t)
		if got := w.say(text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
		for _, h := range w.heard {
			if strings.HasPrefix(h, tool.ProposeWrite) || strings.HasPrefix(h, tool.SaveDraft) {
				t.Errorf("%s: %s", text, h)
			}
		}
	}
}

func TestACustomerIsChanged(t *testing.T) {
	t.Parallel()
	update := func(changes string) string {
		return `propose_write {"action":"update","changes":` + changes + `,"form":"customer","target":"C-0001"}`
	}
	for text, want := range map[string]string{
		"把上海晨光的电话改成 021-5555":                              update(`{"phone":"021-5555"}`),
		"请将客户上海晨光的联系电话修改为021-5555":                         update(`{"phone":"021-5555"}`),
		"修改上海晨光的联系人为李雷":                                    update(`{"contact":"李雷"}`),
		"把C-0001的信用额度改成 20万元":                              update(`{"credit_limit":"200000"}`),
		"把上海晨光的区域改为华南":                                     update(`{"region":"south"}`),
		"Change the phone of Shanghai Morning to 021-5555": update(`{"phone":"021-5555"}`),
		"set Shanghai Morning's credit limit to 1,250.50":  update(`{"credit_limit":"1250.5"}`),
		"update the email of C-0001 to a@b.cn":             update(`{"email":"a@b.cn"}`),
	} {
		w := newWorld(t)
		got := w.say(text)
		if w.heard[len(w.heard)-1] != want {
			t.Errorf("%s:\n%s\nwant %s", text, strings.Join(w.heard, "\n"), want)
		}
		if !strings.Contains(got, "已改为") && !strings.Contains(got, "is now") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestAnOrderIsCancelled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"取消订单 SO-2026-00001":                                 `propose_write {"action":"cancel","form":"sales_order","target":"SO-2026-00001"}`,
		"请取消订单SO-2026-00001，原因：客户改主意":                        `propose_write {"action":"cancel","form":"sales_order","reason":"客户改主意","target":"SO-2026-00001"}`,
		"Cancel order so-2026-00001":                         `propose_write {"action":"cancel","form":"sales_order","target":"SO-2026-00001"}`,
		"cancel the order SO-2026-00001 because it is late.": `propose_write {"action":"cancel","form":"sales_order","reason":"it is late","target":"SO-2026-00001"}`,
	} {
		w := newWorld(t)
		got := w.say(text)
		if !slices.Equal(w.heard, []string{want}) {
			t.Errorf("%s: %v", text, w.heard)
		}
		if !strings.Contains(got, "已取消") && !strings.Contains(got, "has been cancelled") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestTheOutcomeIsToldAsItIs(t *testing.T) {
	t.Parallel()
	for result, want := range map[string][2]string{
		`{"status":"rejected","by":"李四"}`: {"被 李四 驳回，什么都没有写入", "rejected by 李四. Nothing was written"},
		`{"status":"cancelled"}`:          {"已取消，什么都没有写入", "cancelled. Nothing was written"},
		`{"status":"expired"}`:            {"已过期", "expired before anybody confirmed it. Nothing was written"},
		`{"status":"failed"}`:             {"什么都没有写入", "nothing was written"},
		`{"status":"needs_person"}`:       {"尚不确定", "not known yet"},
		`{"status":"awaiting_approval"}`:  {"尚未执行", "has not been executed"},
		`{"status":"refused","refusal":{"code":"quote_changed","fact":{"kind":"price","key":"P-0001","field":"base_price","object":"龙井绿茶","label":{"zh":"基础价","en":"Base price"}},"old":"120","new":"130"}}`: {
			"「龙井绿茶」的基础价已从 120 变为 130，什么都没有写入。需要的话", "Base price of 龙井绿茶 changed from 120 to 130; nothing was written. If"},
		`{"status":"refused","refusal":{"code":"stock_changed","fact":"龙井绿茶 @ WH","old":"40","new":"3"}}`: {"「龙井绿茶 @ WH」的库存已从 40 变为 3，什么都没有写入", "Stock of 龙井绿茶 @ WH changed from 40 to 3; nothing was written"},
		`{"status":"refused","refusal":{"code":"validation_failed","detail":"credit exceeded"}}`:          {"ERP 不接受这些内容：credit exceeded。什么都没有写入", "does not accept this: credit exceeded. Nothing was written"},
		`{"error":{"code":"permission_denied","params":{"form":"sales_order","action":"create"}}}`:        {"您没有「sales_order」的「create」权限。什么都没有写入。", "You have no right to create in sales_order. Nothing was written."},
		`{"error":{"code":"never_heard","message":"boom"}}`:                                               {"没有成功：boom。什么都没有写入。", "That did not work: boom. Nothing was written."},
		`awaiting approval until tomorrow`:                                                                {"awaiting approval", "awaiting approval"},
		`{"status":"executed","bill":"SO-7","link":"javascript:alert(1)"}`:                                {"订单 SO-7 已创建", "Order SO-7 has been created"},
	} {
		for i, text := range []string{"给上海晨光下一张订单：1 箱 铁观音", "Create an order for C-0001: 1 Tieguanyin"} {
			w := newWorld(t)
			w.propose = result
			if got := w.say(text); !strings.Contains(got, want[i]) {
				t.Errorf("%s: %s\nwant %s", result, got, want[i])
			}
		}
	}
}

func TestWhatItDoesNotUnderstandItSays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"写一首关于秋天的诗":                "我是演示规划器（demo planner），不是语言模型",
		"Tell me a joke":           "I am the demo planner and not a language model",
		"":                         "I am the demo planner",
		strings.Repeat("订单", 9999): "我是演示规划器",
	} {
		w := newWorld(t)
		if got := w.say(text + " "); !strings.Contains(got, want) || len(w.heard) > 0 {
			t.Errorf("%.40s: %s %v", text, got, w.heard)
		}
	}
}

func TestOnlyTheLastMessageCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	earlier := []turn.Entry{
		{Role: turn.RoleUser, Text: "有多少客户"},
		{Role: turn.RoleAssistant, Calls: []turn.RequestCall{{ProviderID: "demo_1", Tool: tool.ReadForm, Arguments: `{"form":"customer","mode":"count"}`}}},
		{Role: turn.RoleTool, ProviderID: "demo_1", Tool: tool.ReadForm, Text: `{"total":99}`},
		{Role: turn.RoleAssistant, Text: "99"},
	}
	if got := w.say("有多少客户", earlier...); !strings.Contains(got, "**3**") {
		t.Errorf("answers from an earlier turn: %s", got)
	}
}

func TestTextOfTheERPCannotFormatItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.records["customer"][0]["name"] = "x [click](javascript:1) <b>|\n# y"
	got := w.say("华东客户有哪些")
	for _, bad := range []string{"[click]", "<b>", "\n# y"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q in %s", bad, got)
		}
	}
}

func TestItNamesItselfAndStreamsAtItsPace(t *testing.T) {
	t.Parallel()
	m, err := model.New(model.Config{Provider: model.ProviderDemo})
	if err != nil {
		t.Fatal(err)
	}
	if !m.Demo() || m.Name() != planner.Name {
		t.Errorf("%s %v", m.Name(), m.Demo())
	}
	hello := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "你好")}
	ctx, stop := context.WithCancel(t.Context())
	pieces := 0
	_, err = planner.New(time.Hour).GenerateContent(ctx, hello, llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
		if pieces++; strings.ToValidUTF8(string(b), "") != string(b) {
			t.Errorf("half a rune in %q", b)
		}
		stop()
		return nil
	}))
	if !errors.Is(err, context.Canceled) || pieces != 1 {
		t.Errorf("%v after %d pieces", err, pieces)
	}
	text, err := planner.New(0).Call(t.Context(), "你好")
	if err != nil || !strings.Contains(text, "演示规划器") {
		t.Errorf("%q %v", text, err)
	}
}
