package webtest

import "github.com/erpilot/erpilot/schema/erp"

func named(zh, en string) erp.Label { return erp.Label{Zh: zh, En: en} }

func option(value, zh, en string) erp.Choice { return erp.Choice{Value: value, Label: named(zh, en)} }

var scale = int32(3)

// documentStates are those of every document.
var documentStates = []erp.Choice{option("draft", "草稿", "Draft"), option("submitted", "已提交", "Submitted"), option("examined", "已审核", "Examined"),
	option("closed", "已完结", "Closed"), option("cancelled", "已取消", "Cancelled")}

// examining are the actions of every document besides making it.
var examining = []erp.Action{
	{Action: "submit", Label: named("提交", "Submit"), Write: true, States: []string{"draft"}},
	{Action: "withdraw", Label: named("撤回", "Withdraw"), Write: true, States: []string{"submitted"}},
	{Action: "examine", Label: named("审核", "Examine"), Write: true, States: []string{"submitted"}},
	{Action: "unexamine", Label: named("反审核", "Unexamine"), Write: true, States: []string{"examined"}},
	{Action: "cancel", Label: named("取消", "Cancel"), Write: true, Danger: true, States: []string{"draft", "submitted"}, Args: []erp.Field{
		{Name: "reason", Label: named("取消原因", "Reason"), Type: erp.Text, Control: erp.ControlTextArea, MaxLength: 200, Required: true}}},
	{Action: "delete", Label: named("删除", "Delete"), Write: true, Danger: true, States: []string{"draft"}},
}

// Forms are what the fake ERP shows to everybody: masters, two documents of the
// chain and a report.
var Forms = map[string]erp.Form{
	"sales_order": {Form: "sales_order", Label: named("销售订单", "Sales order"), Help: named("客户要什么，何时要", "What a customer wants, and when"), Domain: "sales", Kind: erp.KindRecord, Key: "number", Fields: []erp.Field{
		{Name: "number", Label: named("订单号", "Order number"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "customer", Label: named("客户", "Customer"), Type: erp.Link, LinkForm: "customer", Control: erp.ControlLookup, Required: true, Listed: true, Filter: true},
		{Name: "customer_name", Label: named("客户名称", "Customer name"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true},
		{Name: "customer_name_en", Label: named("客户英文名称", "Customer English name"), Type: erp.Text, ReadOnly: true, Filter: true},
		{Name: "order_date", Label: named("下单日期", "Order date"), Type: erp.Date, Control: erp.ControlDate, Default: "today", Required: true, Listed: true, Filter: true, Sort: true},
		{Name: "status", Label: named("状态", "Status"), Type: erp.Option, ReadOnly: true, Filter: true, Options: documentStates},
		{Name: "total", Label: named("总金额", "Total"), Type: erp.Money, ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "remark", Label: named("备注", "Remark"), Type: erp.Text, Control: erp.ControlTextArea, MaxLength: 500, Ungoverned: true, Help: named("给仓库看的话", "A word to the warehouse")},
		{Name: "cancel_reason", Label: named("取消原因", "Reason of cancelling"), Type: erp.Text, ReadOnly: true},
		{Name: "created_at", Label: named("制单时间", "Created at"), Type: erp.DateTime, ReadOnly: true, Filter: true},
		{Name: "version", Label: named("版本", "Version"), Type: erp.Integer, ReadOnly: true, Hidden: true},
		{Name: "lines", Label: named("明细", "Lines"), Type: erp.Lines, Control: erp.ControlGrid, Required: true, Lines: []erp.Field{
			{Name: "line_no", Label: named("行号", "Line"), Type: erp.Integer, ReadOnly: true},
			{Name: "product", Label: named("产品", "Product"), Type: erp.Link, LinkForm: "product", Control: erp.ControlLookup, Required: true},
			{Name: "product_name", Label: named("产品名称", "Product name"), Type: erp.Text, ReadOnly: true},
			{Name: "quantity", Label: named("数量", "Quantity"), Type: erp.Decimal, Control: erp.ControlNumber, Required: true, Min: "0", Scale: &scale},
			{Name: "unit_price", Label: named("单价", "Unit price"), Type: erp.Money, ReadOnly: true},
			{Name: "amount", Label: named("金额", "Amount"), Type: erp.Money, ReadOnly: true},
			{Name: "drawn", Label: named("已发", "Delivered"), Type: erp.Decimal, ReadOnly: true},
			{Name: "warehouse", Label: named("仓库", "Warehouse"), Type: erp.Link, LinkForm: "secret", ReadOnly: true},
		}},
	}, Actions: append([]erp.Action{
		{Action: "create", Label: named("新建", "Create"), Write: true},
		{Action: "update", Label: named("修改", "Change"), Write: true, States: []string{"draft"}},
		{Action: "export", Label: named("导出", "Export")}}, examining...)},
	"delivery": {Form: "delivery", Label: named("发货单", "Delivery"), Domain: "delivery", Kind: erp.KindRecord, Key: "number", Fields: []erp.Field{
		{Name: "number", Label: named("发货单号", "Delivery number"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "customer", Label: named("客户", "Customer"), Type: erp.Link, LinkForm: "customer", ReadOnly: true, Listed: true},
		{Name: "customer_name", Label: named("客户名称", "Customer name"), Type: erp.Text, ReadOnly: true, Listed: true},
		{Name: "status", Label: named("状态", "Status"), Type: erp.Option, ReadOnly: true, Listed: true, Options: documentStates},
		{Name: "total", Label: named("总金额", "Total"), Type: erp.Money, ReadOnly: true, Listed: true},
		{Name: "delivery_date", Label: named("发货日期", "Delivery date"), Type: erp.Date},
		{Name: "version", Label: named("版本", "Version"), Type: erp.Integer, ReadOnly: true, Hidden: true},
		{Name: "lines", Label: named("明细", "Lines"), Type: erp.Lines, ReadOnly: true, Lines: []erp.Field{
			{Name: "product", Label: named("产品", "Product"), Type: erp.Link, LinkForm: "product", ReadOnly: true},
			{Name: "product_name", Label: named("产品名称", "Product name"), Type: erp.Text, ReadOnly: true},
			{Name: "quantity", Label: named("数量", "Quantity"), Type: erp.Decimal, ReadOnly: true},
			{Name: "amount", Label: named("金额", "Amount"), Type: erp.Money, ReadOnly: true},
			{Name: "source", Label: named("来源", "Source"), Type: erp.Text, ReadOnly: true},
		}},
	}, Actions: append([]erp.Action{{Action: "generate", Label: named("生成", "Generate"), Write: true, Args: []erp.Field{
		{Name: "source_form", Label: named("来源", "Source"), Type: erp.Option, Required: true, Options: []erp.Choice{option("sales_order", "销售订单", "Sales order")}},
		{Name: "delivery_date", Label: named("发货日期", "Delivery date"), Type: erp.Date, Control: erp.ControlDate, Default: "today"}}}}, examining...)},
	"customer": {Form: "customer", Label: named("客户", "Customer"), Domain: "customers", Kind: erp.KindRecord, Key: "code", Fields: []erp.Field{
		{Name: "code", Label: named("客户编码", "Customer code"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "name", Label: named("名称", "Name"), Type: erp.Text, Required: true, Listed: true, Filter: true, Sort: true, MaxLength: 200},
		{Name: "name_en", Label: named("英文名称", "English name"), Type: erp.Text, Filter: true, MaxLength: 200},
		{Name: "region", Label: named("区域", "Region"), Type: erp.Option, Required: true, Filter: true, Options: []erp.Choice{option("east", "华东", "East China"), option("south", "华南", "South China"), option("north", "华北", "North China")}},
		{Name: "phone", Label: named("电话", "Phone"), Type: erp.Text, Listed: true, MaxLength: 40},
		{Name: "remark", Label: named("备注", "Remark"), Type: erp.Text, Control: erp.ControlTextArea, Ungoverned: true},
		{Name: "credit_limit", Label: named("信用额度", "Credit limit"), Type: erp.Money, Control: erp.ControlNumber, Filter: true, Sort: true},
		{Name: "active", Label: named("启用", "Active"), Type: erp.Option, Control: erp.ControlSwitch, Default: "true", Options: []erp.Choice{option("true", "启用", "Active"), option("false", "停用", "Inactive")}},
		{Name: "version", Label: named("版本", "Version"), Type: erp.Integer, ReadOnly: true, Hidden: true},
	}, Actions: []erp.Action{{Action: "create", Label: named("新建", "Create"), Write: true, Manual: true}, {Action: "update", Label: named("修改", "Change"), Write: true}}},
	"product": {Form: "product", Label: named("产品", "Product"), Domain: "products", Kind: erp.KindRecord, Key: "code", Fields: []erp.Field{
		{Name: "code", Label: named("产品编码", "Product code"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "name", Label: named("名称", "Name"), Type: erp.Text, Listed: true, Filter: true},
		{Name: "base_price", Label: named("基础价", "Base price"), Type: erp.Money, Listed: true, Filter: true, Sort: true},
	}},
	"stock_on_hand": {Form: "stock_on_hand", Label: named("现有库存", "Stock on hand"), Help: named("每个仓库里有多少", "How much is in each warehouse"), Domain: "inventory", Kind: erp.KindReport, Key: "product", Fields: []erp.Field{
		{Name: "product", Label: named("产品", "Product"), Type: erp.Link, LinkForm: "product", ReadOnly: true, Listed: true, Filter: true, Sort: true},
		{Name: "product_name", Label: named("产品名称", "Product name"), Type: erp.Text, ReadOnly: true, Listed: true, Filter: true},
		{Name: "quantity", Label: named("现有量", "On hand"), Type: erp.Decimal, ReadOnly: true, Listed: true, Filter: true, Sort: true},
	}},
}

// order is that of the catalogue.
var order = []string{"customer", "product", "sales_order", "delivery", "stock_on_hand"}
