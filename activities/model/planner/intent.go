package planner

import (
	"regexp"
	"strings"
)

// intent is a way to say something and the handler that carries it out. A handler
// may return nil: the message means something else after all.
type intent struct {
	pattern *regexp.Regexp
	handle  func(*session, []string) *step
}

const (
	bill   = `([A-Za-z]{1,6}-?[A-Za-z0-9-]*[0-9])`
	fields = `(电话号码|联系电话|电话|手机号|手机|联系人|电子邮箱|邮箱|邮件|信用额度|额度|区域|地区|大区|英文名称|英文名|名称|名字|基础价|价格|单价|售价)`
	fieldE = `(phone number|phone|telephone|contact person|contact|e-?mail(?: address)?|credit limit|credit|region|english name|name|base price|price)`
	create = `(?:create|place|make|draft|enter|prepare|add)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:sales\s+)?order\s+for\s+(?:customer\s+)?`
	area   = `(?:华东|华南|华北|华中|西南|西北)(?:地区|区域|大区|区)?`
	areaE  = `(?:the\s+)?(?:east|south|north|central|southwest|northwest)(?:ern)?(?:\s+(?:china|region))?`
	lookZh = `(?:查询|查看|查找|查一下|查一查|查|看看|看一下|看|显示|列出|给出)?(?:一下)?`
	// formsZh and formsEn are forms whose records are listed and counted by name;
	// the longer words come first.
	formsZh = `(客户|产品|商品|供应商|采购订单|采购单|生产订单|销售订单|订单|报价单|出库单|发货单|送货单|应收单|收款单|收货单|入库单|应付单|付款单|库存调整单|调整单|调拨单|仓库)`
	formsEn = `(customers?|products?|suppliers?|quotations?|quotes?|purchase\s+orders?|production\s+orders?|sales\s+orders?|orders?|deliveries|delivery|receivables?|goods\s+receipts?|receipts?|payables?|payments?|stock\s+adjustments?|stock\s+transfers?|warehouses?)`
	states  = `(?:草稿|已提交|已审核|已完结|已取消)?(?:的)?`
	statesE = `(?:draft\s+|submitted\s+|examined\s+|closed\s+|cancelled\s+)?`
	lookEn  = `(?:show|list|find|get|see|display|look up|what are|which are|give me|open)?\s*(?:me\s+)?(?:all\s+)?(?:the\s+)?`
)

func is(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?is)^` + pattern + `$`) }

// intents are tried in order; what changes something comes first.
var intents = []intent{
	{is(verbsZh + `(?:一下)?\s*` + docZh + `\s*[:：]?\s*` + docNumber + becauseZh), actOn},
	{is(`(?:把|将)?\s*` + docZh + `\s*` + docNumber + `\s*` + verbsZh + `(?:了|掉|一下)?` + becauseZh), swap(actOn)},
	{is(verbsEn + `\s+` + docEn + docNumber + becauseEn), actOn},
	{is(`.*` + docNumber + `.*`), generate},
	{is(`(?:把|将)?(?:刚才的?|上面的?|这张|那张|这份|那份|上一张)?(?:订单|报价单|报价|采购订单|采购)?草稿\s*(?:改成|改为|修改为|修改成|更新为|更新成|换成)\s*[:：]?\s*(.+)`), reviseDraft},
	{is(`(?:change|update|revise)\s+(?:the|this|that|my)\s+(?:order\s+|quotation\s+|purchase\s+)?draft\s*(?:to|:|into)\s*:?\s*(.+)`), reviseDraft},

	{is(`(?:新建|创建|新增|添加|填写|填|开|录入?|登记|建)\s*(?:一|1)?\s*(?:张|个|份|家|位)?\s*(?:新的?)?(报价单|销售订单|采购订单|生产订单|库存调整单|调拨单|采购单|订单|客户|供应商)(?:表单|的表单)?`), collect},
	{is(`(?:create|add|enter|make|new|fill\s+in|open)\s+(?:an?\s+|the\s+)?(?:new\s+)?(quotation|sales\s+order|purchase\s+order|production\s+order|stock\s+adjustment|stock\s+transfer|order|customer|supplier)(?:\s+form)?`), collect},

	{is(`(?:新建|创建|新增|添加|录入|登记|建)(?:一|1)?(?:个|家|位)?(?:新的?)?(客户|供应商)\s*[:：]?\s*(.+)`), createPartner},
	{is(`(?:create|add|enter|register|make)\s+(?:an?\s+|the\s+)?(?:new\s+)?(customer|supplier)\s*:?\s+(?:called\s+|named\s+)?(.+)`), createPartner},

	{is(`(?:给|为|向|帮|对)\s*(?:客户)?\s*([^：:，,]+?)\s*(?:做|出|开|建|创建|新建|发)?\s*(?:(?:一|1)\s*(?:张|个|份)|一)?\s*(?:报价单|报个价|报价)\s*[:：，,]?\s*(.+)`), createQuotation},
	{is(`(?:quote|make\s+a\s+quotation\s+for|(?:create|make|prepare|draft)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:quotation|quote)\s+for)\s+(?:customer\s+)?(.+?)\s*[:：]\s*(.+)`), createQuotation},
	{is(`(?:create|make|prepare|draft)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:quotation|quote)\s+for\s+(?:customer\s+)?(.+?)\s+(?:with|of)\s+(.+)`), createQuotation},
	{is(`quote\s+([0-9].*?)\s+(?:for|to)\s+(?:customer\s+)?(.+)`), swap(createQuotation)},
	{is(`quote\s+(?:customer\s+)?(.+?)\s*[,-]?\s+([0-9].*)`), createQuotation},

	{is(`(?:给|向|跟|从|找)\s*(?:供应商)?\s*([^：:，,]+?)\s*(?:下|开|建|创建|新建|做)?\s*(?:(?:一|1)\s*(?:张|个|份|笔)|一)?\s*(?:采购订单|采购单|采购|订购|进货)\s*[:：，,]?\s*(.+)`), createPurchase},
	{is(`(?:create|place|make|draft|enter|prepare|add)\s+(?:an?\s+|the\s+)?(?:new\s+)?purchase\s+order\s+(?:for|to|with|from|at)\s+(?:supplier\s+)?(.+?)\s*(?:[:：]|\s+(?:with|of|over)\s)\s*(.+)`), createPurchase},
	{is(`(?:purchase|buy)\s+(.+?)\s+from\s+(?:supplier\s+)?(.+)`), swap(createPurchase)},

	{is(`(?:把|将)?\s*(.+?)\s*从\s*([^：:，,]+?)\s*(?:调拨|调|转移|移)\s*(?:到|至|去)\s*(.+)`), transfer},
	{is(`从\s*(.+?)\s*(?:调拨|调|转移|移)\s*(.+?)\s*(?:到|至|去|给)\s*(.+)`), fromFirst},
	{is(`(?:transfer|move)\s+(.+?)\s+from\s+(.+?)\s+to\s+(.+)`), transfer},
	{is(`(?:把|将)?\s*(.+?)\s*(?:的)?(?:库存|存货)(?:数量|量)?\s*` + lessZh + `(?:了|掉)?\s*` + num + `\s*` + unit + reasonZh), zhAdjust(adjustLess)},
	{is(`(?:把|将)?\s*(.+?)\s*(?:的)?(?:库存|存货)(?:数量|量)?\s*` + moreZh + `(?:了)?\s*` + num + `\s*` + unit + reasonZh), zhAdjust(adjustMore)},
	{is(`(?:把|将)?\s*(.+?)\s*(?:的)?(?:库存|存货)(?:数量|量)?\s*` + setToZh + `\s*` + num + `\s*` + unit + reasonZh), zhAdjust(adjustTo)},
	{is(`(?:reduce|decrease|lower)\s+(?:the\s+)?stock\s+of\s+(.+?)\s+by\s+` + num + `\s*` + unit + reasonEn), adjustLess},
	{is(`(?:increase|raise)\s+(?:the\s+)?stock\s+of\s+(.+?)\s+by\s+` + num + `\s*` + unit + reasonEn), adjustMore},
	{is(`adjust\s+(?:the\s+)?stock\s+of\s+(.+?)\s+by\s+[-−]\s*` + num + `\s*` + unit + reasonEn), adjustLess},
	{is(`adjust\s+(?:the\s+)?stock\s+of\s+(.+?)\s+by\s+\+?\s*` + num + `\s*` + unit + reasonEn), adjustMore},
	{is(`(?:set|adjust|correct)\s+(?:the\s+)?stock\s+of\s+(.+?)\s+to\s+` + num + `\s*` + unit + reasonEn), adjustTo},

	{is(`(?:取消|作废|撤销)(?:销售)?(?:订单|单据|单)?\s*[:：]?\s*` + bill + `\s*(?:[，,]?\s*(?:原因|理由|因为)\s*(?:是|为|[:：])?\s*(.+))?`), cancelOrder},
	{is(`(?:cancel|void)\s+(?:the\s+)?(?:sales\s+)?(?:order\s+)?(?:no\.?\s*|number\s*|#\s*)?` + bill + `\s*(?:[,;]?\s*(?:because|reason:?|since)\s+(.+))?`), cancelOrder},
	{is(`(?:取消|作废|撤销)(?:这张|那张|一张)?(?:销售)?订单`), cancelWhich},
	{is(`cancel\s+(?:the|an|my|this)?\s*(?:sales\s+)?order`), cancelWhich},

	{is(`(?:把|将)\s*(?:客户|产品)?\s*(.+?)\s*的\s*` + fields + `\s*(?:改成|改为|修改为|修改成|更新为|更新成|设为|设置为|调整为|调整到|调到|换成|变更为)\s*[:：]?\s*(.+)`), change},
	{is(`(?:修改|更新|调整|变更|更改)\s*(?:客户|产品)?\s*(.+?)\s*的\s*` + fields + `\s*(?:成|为|到|至)\s*[:：]?\s*(.+)`), change},
	{is(`(?:change|update|set)\s+(?:the\s+)?` + fieldE + `\s+(?:of|for)\s+(?:customer\s+|product\s+)?(.+?)\s+to\s+(.+)`), swap(change)},
	{is(`(?:change|update|set)\s+(?:customer\s+|product\s+)?(.+?)(?:'s|’s)\s+` + fieldE + `\s+to\s+(.+)`), change},

	{is(`(?:给|为|帮|替)\s*(?:客户)?\s*(.+?)\s*(?:下|开|建|创建|新建|做|录)\s*(?:(?:一|1)\s*(?:张|个|份|笔)|一)?\s*(?:销售)?(?:订单|单子|单)\s*[:：，,]?\s*(.+)`), createOrder},
	{is(`(?:新建|创建|下|开)\s*(?:(?:一|1)\s*(?:张|个|份|笔)|一)?\s*(.+?)\s*的\s*(?:销售)?订单\s*[:：，,]\s*(.+)`), createOrder},
	{is(create + `(.+?)\s*[:：]\s*(.+)`), createOrder},
	{is(create + `(.+?)\s+with\s+(.+)`), createOrder},
	{is(create + `(.+?)\s*[,-]\s*([0-9].*)`), createOrder},
	{is(`order\s+(.+?)\s+for\s+(?:customer\s+)?(.+)`), swap(createOrder)},

	{reportNamed(), readReport},

	{is(`(?:你)?(?:有哪些|哪些|什么|列出)(?:可查的|可用的)?(?:表单|单据)(?:可以查|可查)?|(?:我|你)?(?:可以|能|能够)(?:查询|查|看)(?:什么|哪些|些什么)(?:表单|单据|数据)?`), forms},
	{is(`(?:what|which)\s+(?:forms?|records?|data)\s*.*|what\s+can\s+(?:i|you)\s+(?:look\s*up|query|read|see|find)|(?:list|show)\s+(?:me\s+)?(?:the\s+)?(?:all\s+)?forms`), forms},

	{is(`.*?(?:有)?(?:多少|几)(?:个|家|张|种|款|笔|份)?\s*` + states + formsZh + `.*`), countOf},
	{is(`.*?` + formsZh + `(?:总共|一共|共)?(?:有)?(?:多少|几)(?:个|家|张|种|款|笔|份)?`), countOf},
	{is(`how\s+many\s+` + statesE + formsEn + `\b.*`), countOf},
	{is(`(?:count|number of)\s+(?:the\s+)?` + statesE + formsEn + `\b.*`), countOf},

	{is(lookZh + `(?:在)?` + area + `(?:有)?(?:的)?(?:哪些|所有|全部|什么)?(?:的)?客户(?:都)?(?:有哪些|是哪些|有谁|列表|名单|清单)?`), customersIn},
	{is(`(?:哪些|所有|什么)客户(?:是)?(?:在|来自|属于)` + area + `(?:的)?`), customersIn},
	{is(lookEn + `(?:which\s+|what\s+)?customers\s+(?:are\s+|do\s+we\s+have\s+|we\s+have\s+)?(?:there\s+)?(?:located\s+|based\s+)?(?:in|from|of)\s+` + areaE), customersIn},
	{is(lookEn + `(?:which\s+|what\s+)?` + areaE + `\s+customers(?:\s+(?:are\s+there|do\s+we\s+have))?`), customersIn},

	{is(lookZh + docZh + `\s*[:：]?\s*` + docNumber + `(?:的)?(?:详情|明细|情况|内容|状态)?`), documentByNumber},
	{is(lookEn + docEn + docNumber), documentByNumber},
	{is(lookZh + `(?:销售)?订单\s*[:：]?\s*` + bill + `(?:的)?(?:详情|明细|情况|内容)?`), orderBy},
	{is(lookEn + `(?:sales\s+)?order\s+(?:no\.?\s*|number\s*|#\s*)?` + bill), orderBy},

	{is(lookZh + `(?:客户)?\s*(.+?)\s*(?:的|最近的)(?:最近的|最近|所有|全部|历史)?(?:销售)?订单(?:有哪些|列表|情况|记录)?`), ordersOf},
	{is(lookZh + `(?:客户)?\s*(.+?)有(?:哪些|什么)(?:销售)?订单`), ordersOf},
	{is(lookEn + `(?:recent\s+|latest\s+|last\s+)?(?:sales\s+)?orders\s+(?:of|for|from|by)\s+(?:customer\s+)?(.+)`), ordersOf},
	{is(lookEn + `(.+?)(?:'s|’s)\s+(?:recent\s+|latest\s+)?(?:sales\s+)?orders`), ordersOf},
	{is(`(?:what|which)\s+orders\s+(?:does|did|has)\s+(.+?)\s+(?:have|place|placed)`), ordersOf},

	{is(lookZh + `(?:所有|全部)?(库存|存货)(?:列表|情况|清单)?`), listAll},
	{is(lookEn + `(stock|stock\s+levels?)`), listAll},
	{is(lookZh + `(?:产品|商品)?\s*(.+?)\s*(?:的)?(?:还有|有|还剩)?(?:多少|剩余|现有)?(?:库存|存货)(?:量|数量)?(?:还有|有|是|还剩)?(?:多少|情况|几)?`), stockOf},
	{is(`(?:what\s+is\s+|what's\s+)?` + lookEn + `(?:current\s+)?stock\s+(?:level\s+)?(?:of|for)\s+(?:product\s+)?(.+)`), stockOf},
	{is(`how\s+(?:much|many)\s+(?:stock\s+of\s+)?(.+?)\s+(?:is|are|do\s+we\s+have)\s*(?:there\s+)?(?:in\s+stock|left|on\s+hand)`), stockOf},

	{is(lookZh + `(?:客户)?\s*(.+?)\s*的\s*(电话号码|联系电话|电话|手机号|手机|联系人|电子邮箱|邮箱|邮件|信用额度|额度|区域|地区|大区)(?:是多少|是什么|是谁|是|多少)?`), customerBy},
	{is(`(?:what\s+is\s+|what's\s+|who\s+is\s+)?` + lookEn + `(phone number|phone|telephone|contact person|contact|e-?mail(?: address)?|credit limit|region)\s+(?:of|for)\s+(?:customer\s+)?(.+)`), swap(customerBy)},

	{is(lookZh + `(?:产品|商品)?\s*(.+?)\s*(?:的)?(?:价格|单价|售价|基础价)(?:是多少|是|多少)?`), priceOf},
	{is(lookZh + `(?:产品|商品)?\s*(.+?)\s*(?:是)?多少钱`), priceOf},
	{is(`(?:what\s+is\s+|what's\s+)?` + lookEn + `(?:base\s+)?price\s+(?:of|for)\s+(?:product\s+)?(.+)`), priceOf},
	{is(`how\s+much\s+(?:is|are|does|do)\s+(.+?)(?:\s+cost)?`), priceOf},

	{is(lookZh + `(?:所有|全部|最近的)?` + states + formsZh + `(?:列表|有哪些|清单)?`), listAll},
	{is(`有(?:哪些|什么)` + states + formsZh), listAll},
	{is(lookEn + `(?:recent\s+|latest\s+)?` + statesE + formsEn + `(?:\s+(?:do\s+we\s+have|are\s+there))?`), listAll},

	{is(`(?:查询|查看|查找|查一下|查|看看|显示)?(?:一下)?客户\s*[:：]?\s*(.+?)(?:的(?:资料|信息|详情))?`), customerBy},
	{is(lookZh + `(?:产品|商品)\s*[:：]?\s*(.+?)(?:的(?:资料|信息|详情))?`), productBy},
	{is(lookEn + `(?:details\s+of\s+)?product\s+(.+)`), productBy},
	{is(lookZh + `(.+?)的(?:客户)?(?:资料|信息|详情)`), customerBy},
	{is(lookEn + `(?:details\s+of\s+)?customer\s+(.+)`), customerBy},
}

// swap hands the first two groups over in the other order.
func swap(h func(*session, []string) *step) func(*session, []string) *step {
	return func(s *session, m []string) *step {
		m[1], m[2] = m[2], m[1]
		return h(s, m)
	}
}

var (
	politeZh = regexp.MustCompile(`^(?:请问|请|麻烦你|麻烦|帮我|帮忙|我想|我要|能不能|可以)+\s*`)
	politeEn = regexp.MustCompile(`(?i)^(?:please|could you|can you|would you|i want to|i would like to|i'd like to|hi|hello)[,\s]+(?:please\s+)?`)
)

// maxText bounds what is matched, in bytes; a tour sentence is far below it.
const maxText = 4000

// tidy takes off politeness and the end of the sentence.
func tidy(text string) string {
	text = strings.TrimSpace(text)
	text = politeZh.ReplaceAllString(text, "")
	text = politeEn.ReplaceAllString(text, "")
	return strings.TrimRight(text, "？?。.!！ \n\t")
}

// plan runs the handler of the message from its begin.
func (s *session) plan() step {
	if len(s.text) <= maxText {
		text := tidy(s.text)
		for _, in := range intents {
			m := in.pattern.FindStringSubmatch(text)
			if m == nil {
				continue
			}
			if st := in.handle(s, append([]string{}, m...)); st != nil {
				return *st
			}
		}
	}
	return *s.help()
}

// help says what this is and what it can do.
func (s *session) help() *step {
	return s.answer(`我是演示规划器（demo planner），不是语言模型：我只认得固定的几种说法，这一句我没有看懂。我可以：

- 查客户：`+"`华东客户有哪些？`"+`、`+"`有多少客户`"+`
- 查单据：`+"`查询<客户>的订单`"+`、`+"`查询订单 <订单号>`"+`、`+"`有哪些采购订单`"+`
- 查库存和价格：`+"`<产品>的库存`"+`、`+"`<产品>的价格`"+`
- 看报表：`+"`应收账龄`"+`、`+"`逾期应收`"+`、`+"`库存流水 <产品>`"+`、`+"`今年客户销售`"+`、`+"`订单执行 <订单号>`"+`、`+"`呆滞库存`"+`
- 报价和下单：`+"`给<客户>报价：10 箱 <产品>`"+`、`+"`给<客户>下一张订单：10 箱 <产品>、5 箱 <产品>`"+`、`+"`把草稿改成：12 箱 <产品>`"+`
- 填表：`+"`新建报价单`"+`、`+"`新建采购订单`"+`、`+"`新建客户`"+`
- 做下一张单据：`+"`报价单 <号> 转订单`"+`、`+"`订单 <号> 发货`"+`、`+"`订单 <号> 先发 5 箱`"+`、`+"`出库单 <号> 生成应收`"+`、`+"`应收单 <号> 收款`"+`
- 采购：`+"`向<供应商>采购：10 箱 <产品>`"+`、`+"`采购订单 <号> 入库`"+`
- 审核和取消：`+"`审核 <单号>`"+`、`+"`反审核 <单号>`"+`、`+"`取消订单 <订单号>`"+`
- 库存：`+"`把 <产品> 主仓库存减少 5，盘点`"+`、`+"`从主仓调拨 5 箱 <产品> 到二号仓`"+`
- 客户和供应商：`+"`新建客户 <名称>，电话 <号码>，区域 华东`"+`、`+"`把<客户>的电话改成 <号码>`"+`
- 看有哪些表单：`+"`有哪些表单`", `I am the demo planner and not a language model: I know a few fixed phrases, and I did not understand this one. I can:

- find customers: `+"`Which customers are in East China?`"+`, `+"`How many customers?`"+`
- find documents: `+"`Show the orders of <customer>`"+`, `+"`Show order <number>`"+`, `+"`List the purchase orders`"+`
- tell stock and prices: `+"`Stock of <product>`"+`, `+"`Price of <product>`"+`
- show reports: `+"`Receivables ageing`"+`, `+"`Overdue receivables`"+`, `+"`Stock ledger <product>`"+`, `+"`Sales by customer this year`"+`, `+"`Order progress <number>`"+`, `+"`Slow movers`"+`
- quote and order: `+"`Quote <customer>: 10 boxes of <product>`"+`, `+"`Create an order for <customer>: 10 boxes of <product>, 5 boxes of <product>`"+`, `+"`Change the draft to 12 boxes of <product>`"+`
- fill in a form: `+"`New quotation`"+`, `+"`New purchase order`"+`, `+"`New customer`"+`
- make the next document: `+"`Make an order of quotation <number>`"+`, `+"`Deliver order <number>`"+`, `+"`Ship 5 boxes of order <number>`"+`, `+"`Invoice delivery <number>`"+`, `+"`Receive payment of <number>`"+`
- purchase: `+"`Purchase 10 boxes of <product> from <supplier>`"+`, `+"`Receive purchase order <number>`"+`
- examine and cancel: `+"`Examine <number>`"+`, `+"`Unexamine <number>`"+`, `+"`Cancel order <number>`"+`
- stock: `+"`Reduce the stock of <product> in WH-01 by 5, count`"+`, `+"`Transfer 5 boxes of <product> from WH-01 to WH-02`"+`
- customers and suppliers: `+"`Create customer <name>, phone <number>, region East`"+`, `+"`Change the phone of <customer> to <number>`"+`
- list the forms: `+"`What can I look up?`")
}
