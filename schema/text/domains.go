package text

// Domains name the areas of a company's work by the id that forms carry. A
// foreign ERP may have others; those are shown by their id.
var Domains = map[string]Text{
	"customers":     {"客户", "Customers"},
	"products":      {"产品与价格", "Products and prices"},
	"quotation":     {"报价", "Quotation"},
	"sales":         {"销售", "Sales"},
	"delivery":      {"发货", "Delivery"},
	"receivables":   {"应收", "Receivables"},
	"purchasing":    {"采购", "Purchasing"},
	"goods_receipt": {"收货", "Goods receipt"},
	"payables":      {"应付", "Payables"},
	"inventory":     {"库存", "Inventory"},
	"production":    {"生产", "Production"},
}
