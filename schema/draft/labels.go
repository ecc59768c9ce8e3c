package draft

import "github.com/erpilot/erpilot/schema/erp"

// lineLabels name the columns that the lines of all documents share.
var lineLabels = map[string]erp.Diff{
	"product":      {Label: erp.Label{Zh: "产品", En: "Product"}, Type: erp.Link},
	"product_name": {Label: erp.Label{Zh: "产品名称", En: "Product name"}, Type: erp.Text},
	"quantity":     {Label: erp.Label{Zh: "数量", En: "Quantity"}, Type: erp.Decimal},
	"unit":         {Label: erp.Label{Zh: "单位", En: "Unit"}, Type: erp.Text},
	"base_price":   {Label: erp.Label{Zh: "基础价", En: "Base price"}, Type: erp.Money},
	"discount":     {Label: erp.Label{Zh: "折扣（减 %）", En: "Discount (% off)"}, Type: erp.Decimal},
	"unit_price":   {Label: erp.Label{Zh: "单价", En: "Unit price"}, Type: erp.Money},
	"amount":       {Label: erp.Label{Zh: "金额", En: "Amount"}, Type: erp.Money},
	"warehouse":    {Label: erp.Label{Zh: "仓库", En: "Warehouse"}, Type: erp.Text},
	"status":       {Label: erp.Label{Zh: "销售状态", En: "Sales status"}, Type: erp.Option},
	"stock_before": {Label: erp.Label{Zh: "保存时库存", En: "Stock when saved"}, Type: erp.Decimal},
	"source":       {Label: erp.Label{Zh: "来源单据", En: "Source"}, Type: erp.Text},
}

var totalLabels = map[string]erp.Diff{
	"total":    {Label: erp.Label{Zh: "总金额", En: "Total"}, Type: erp.Money},
	"currency": {Label: erp.Label{Zh: "币种", En: "Currency"}, Type: erp.Text},
}

// labelsOf are the labels by which the previews themselves name their fields.
func labelsOf(previews ...erp.Preview) map[string]erp.Diff {
	out := map[string]erp.Diff{}
	for _, p := range previews {
		for _, d := range p.Diffs {
			if d.Object == "" {
				out[d.Field] = d
			}
		}
	}
	return out
}
