package planner

import (
	"strings"
	"unicode"
)

// word is a value of the ERP with its names in both languages.
type word struct{ code, zh, en string }

var regions = []word{
	{"southwest", "西南", "Southwest China"}, {"northwest", "西北", "Northwest China"},
	{"east", "华东", "East China"}, {"south", "华南", "South China"},
	{"north", "华北", "North China"}, {"central", "华中", "Central China"},
}

var statuses = []word{
	{"submitted", "已提交", "Submitted"}, {"closed", "已完结", "Closed"}, {"cancelled", "已取消", "Cancelled"},
	{"examined", "已审核", "Examined"}, {"draft", "草稿", "Draft"},
}

var sale = []word{{"on_sale", "在售", "On sale"}, {"discontinued", "停售", "Discontinued"}}

// findRegion finds a region by its Chinese name or the first word of its English one.
func findRegion(text string) *word {
	low := strings.ToLower(text)
	for i, r := range regions {
		if strings.Contains(text, r.zh) {
			return &regions[i]
		}
		for _, w := range strings.FieldsFunc(low, func(c rune) bool { return !unicode.IsLetter(c) }) {
			if w == r.code {
				return &regions[i]
			}
		}
	}
	return nil
}

func findStatus(text string) *word {
	low := strings.ToLower(text)
	for i, x := range statuses {
		if strings.Contains(text, x.zh) || strings.Contains(low, x.code) {
			return &statuses[i]
		}
	}
	return nil
}

// formWord is a form by the words that people use for it.
type formWord struct{ form, zh, en, measure string }

var formWords = words([]formWord{
	{"customer", "客户", "customers", "家"}, {"product", "产品", "products", "种"}, {"supplier", "供应商", "suppliers", "家"},
	{"quotation", "报价单", "quotations", "张"}, {"sales_order", "销售订单", "sales orders", "张"}, {"delivery", "出库单", "deliveries", "张"},
	{"receivable", "应收单", "receivables", "张"}, {"receipt", "收款单", "receipts", "张"}, {"purchase_order", "采购订单", "purchase orders", "张"},
	{"goods_receipt", "入库单", "goods receipts", "张"}, {"payable", "应付单", "payables", "张"}, {"payment", "付款单", "payments", "张"},
	{"stock_adjustment", "库存调整单", "stock adjustments", "张"}, {"stock_transfer", "调拨单", "stock transfers", "张"},
	{"production_order", "生产订单", "production orders", "张"}, {"warehouse", "仓库", "warehouses", "个"}, {"stock", "库存", "stock", "条"},
}, map[string]string{"商品": "product", "订单": "sales_order", "order": "sales_order", "orders": "sales_order", "存货": "stock", "stock level": "stock", "stock levels": "stock",
	"采购单": "purchase_order", "收货单": "goods_receipt", "发货单": "delivery", "调整单": "stock_adjustment", "送货单": "delivery", "quote": "quotation", "quotes": "quotation"})

// words indexes forms by all that people call them.
func words(forms []formWord, others map[string]string) map[string]*formWord {
	out := map[string]*formWord{}
	for i, f := range forms {
		one := f.en
		switch {
		case strings.HasSuffix(one, "ies"):
			one = strings.TrimSuffix(one, "ies") + "y"
		case one != "stock":
			one = strings.TrimSuffix(one, "s")
		}
		for _, w := range []string{f.zh, f.en, one} {
			out[w] = &forms[i]
		}
		for w, form := range others {
			if form == f.form {
				out[w] = &forms[i]
			}
		}
	}
	return out
}

func formOf(text string) *formWord {
	return formWords[strings.Join(strings.Fields(strings.ToLower(text)), " ")]
}

// fieldWord is a field that people can name.
type fieldWord struct {
	form, name, zh, en string
	words              []string
}

var fieldWords = []fieldWord{
	{"customer", "phone", "电话", "Phone", []string{"电话", "电话号码", "联系电话", "手机", "手机号", "phone", "phone number", "telephone"}},
	{"customer", "contact", "联系人", "Contact", []string{"联系人", "contact", "contact person"}},
	{"customer", "email", "邮箱", "E-mail", []string{"邮箱", "电子邮箱", "邮件", "email", "e-mail", "email address"}},
	{"customer", "credit_limit", "信用额度", "Credit limit", []string{"信用额度", "额度", "credit limit", "credit"}},
	{"customer", "region", "区域", "Region", []string{"区域", "地区", "大区", "region"}},
	{"customer", "name", "名称", "Name", []string{"名称", "名字"}},
	{"customer", "name_en", "英文名称", "English name", []string{"英文名称", "英文名", "english name", "name"}},
	{"product", "base_price", "基础价", "Base price", []string{"基础价", "价格", "单价", "售价", "base price", "price"}},
}

func findField(text string) *fieldWord {
	text = strings.ToLower(strings.TrimSpace(text))
	for i, f := range fieldWords {
		for _, w := range f.words {
			if w == text {
				return &fieldWords[i]
			}
		}
	}
	return nil
}

// units are measures that mean the same in both languages; the first is the
// ERP's usual spelling.
var units = [][]string{
	{"箱", "box", "boxes", "case", "cases", "carton", "cartons", "ctn"},
	{"盒", "pack box", "gift box", "gift boxes"},
	{"瓶", "bottle", "bottles"},
	{"袋", "bag", "bags"},
	{"包", "pack", "packs", "packet", "packets", "package", "packages"},
	{"罐", "听", "can", "cans", "tin", "tins", "jar", "jars"},
	{"桶", "barrel", "barrels", "bucket", "buckets", "drum", "drums"},
	{"件", "个", "只", "piece", "pieces", "pc", "pcs", "unit", "units", "item", "items"},
	{"套", "set", "sets"},
	{"公斤", "千克", "kg", "kgs", "kilo", "kilos", "kilogram", "kilograms"},
	{"吨", "ton", "tons", "tonne", "tonnes"},
	{"支", "条", "stick", "sticks"},
}

// unitGroup is the row of units that a word belongs to, -1 when it is unknown.
func unitGroup(u string) int {
	u = strings.ToLower(strings.TrimSpace(u))
	for i, g := range units {
		for _, w := range g {
			if w == u {
				return i
			}
		}
	}
	return -1
}

// unit names a measure in the person's language.
func (s *session) unit(u string) string {
	if g := unitGroup(u); g >= 0 && !s.zh {
		for _, w := range units[g] {
			if w[0] < 0x80 {
				return w
			}
		}
	}
	return u
}

// value shows a stored value by its label.
func (s *session) value(field, v string) string {
	for _, list := range [][]word{regions, statuses, sale} {
		for _, w := range list {
			if w.code == v && (field == "region" || field == "status") {
				return s.say("%[1]s", "%[2]s", w.zh, w.en)
			}
		}
	}
	if field == "active" {
		if v == "true" {
			return s.say("启用", "Active")
		}
		return s.say("停用", "Inactive")
	}
	if field == "unit" {
		return s.unit(v)
	}
	return v
}

func upperFirst(s string) string {
	if s == "" || s[0] >= 0x80 {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
