package planner

import (
	"regexp"
	"strings"
)

// document is a kind of business document: how its numbers begin, what people call
// it, and what is made of it. Verbs are how people say that the next one be made.
type document struct {
	form, prefix, zh, en string
	// next is the form that is generated from this one; "" for none.
	next string
	// verbsZh and verbsEn ask for next, the longer ones first.
	verbsZh, verbsEn []string
}

var documents = []document{
	{"quotation", "QT", "报价单", "quotation", "sales_order", []string{"销售订单", "订单", "下单"}, []string{"sales order", "order"}},
	{"sales_order", "SO", "订单", "order", "delivery", []string{"出库单", "发货单", "送货单", "发货", "出货", "送货", "出库", "先发", "再发", "发"}, []string{"delivery", "deliver", "shipment", "ship"}},
	{"delivery", "DN", "出库单", "delivery", "receivable", []string{"应收单", "应收款", "应收", "发票", "开票"}, []string{"receivable", "invoice"}},
	{"receivable", "AR", "应收单", "receivable", "receipt", []string{"收款单", "收款", "回款", "到账", "收到", "收"}, []string{"receipt", "payment", "receive", "collect"}},
	{"receipt", "RC", "收款单", "receipt", "", nil, nil},
	{"purchase_order", "PO", "采购订单", "purchase order", "goods_receipt", []string{"收货单", "入库单", "收货", "入库", "到货"}, []string{"goods receipt", "receipt", "receive"}},
	{"goods_receipt", "GR", "入库单", "goods receipt", "payable", []string{"应付单", "应付款", "应付", "收票"}, []string{"payable", "invoice"}},
	{"payable", "AP", "应付单", "payable", "payment", []string{"付款单", "付款", "支付", "付"}, []string{"payment", "pay"}},
	{"payment", "PY", "付款单", "payment", "", nil, nil},
	{"stock_adjustment", "SA", "库存调整单", "stock adjustment", "", nil, nil},
	{"stock_transfer", "ST", "调拨单", "stock transfer", "", nil, nil},
	{"production_order", "MO", "生产订单", "production order", "production_report", []string{"完工报告", "报工单", "报工", "完工"}, []string{"production report", "report", "complete", "finish"}},
	{"production_report", "MR", "完工报告", "production report", "", nil, nil},
}

const (
	// docNumber is a document's number: its prefix says its kind.
	docNumber = `((?:QT|SO|DN|AR|RC|PO|GR|AP|PY|SA|ST|MO|MR)-[A-Za-z0-9-]*[0-9])`
	docZh     = `(?:报价单|报价|销售订单|采购订单|生产订单|订单|发货单|送货单|出库单|应收单|应收账款|应收款|应收|收款单|采购单|收货单|入库单|应付单|应付款|应付|付款单|库存调整单|调整单|调拨单|生产单|完工报告|报工单|单据|单)?`
	docEn     = `(?:the\s+)?(?:(?:quotation|quote|sales\s+order|purchase\s+order|production\s+order|order|delivery|receivable|invoice|goods\s+receipt|receipt|payable|payment|stock\s+adjustment|adjustment|stock\s+transfer|transfer|production\s+report|document)\s+)?(?:no\.?\s*|number\s*|#\s*)?`
)

var numbers = regexp.MustCompile(`(?i)` + docNumber)

// documentOf is the kind of a number; nil for one of another making.
func documentOf(number string) *document {
	prefix, _, _ := strings.Cut(strings.ToUpper(number), "-")
	for i, d := range documents {
		if d.prefix == prefix {
			return &documents[i]
		}
	}
	return nil
}

// documentBy is the kind of a form; nil when it is no document.
func documentBy(form string) *document {
	for i, d := range documents {
		if d.form == form {
			return &documents[i]
		}
	}
	return nil
}

// titled names one document, as a link.
func (d *document) titled(s *session, number, to string) string {
	return s.say("%[1]s %[3]s", "%[2]s %[3]s", d.zh, d.en, linkTo(d.form, number, to))
}

// numbersIn are the documents that a text names, each once, in capitals.
func numbersIn(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range numbers.FindAllString(text, -1) {
		if n = strings.ToUpper(n); !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// asks tells a question from an order: a question never proposes anything.
var asks = regexp.MustCompile(`(?i)[?？]\s*$|^(?:查询|查看|查|看|显示|列出)|进度|情况|状态|明细|详情|哪些|多少|什么|有没有|是否|吗\s*$|^(?:show|list|find|get|see|display|look|what|which|how|when|why|did|does|do|has|have|is|are|was|were|status|progress)\b`)
