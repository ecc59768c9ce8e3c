package text

// Details are what an operator reads of an operation in the Temporal UI.
var Details = map[string]Text{
	"summary":  {"{who}：{what}，{object}", "{who}: {what}, {object}"},
	"headline": {"**{who}** 请求：**{what}** — {object}", "**{who}** asks: **{what}** — {object}"},
	"lines":    {"| 产品 | 数量 |", "| Product | Quantity |"},
	// Columns that only documents with prices, or with stock, have.
	"lines.priced":  {" 单价 | 折扣 | 金额 |", " Unit price | Discount | Amount |"},
	"lines.stocked": {" 库存 |", " Stock |"},
	"total":         {"合计：**{total}**", "Total: **{total}**"},
	"changes":       {"| 字段 | 原值 | 新值 |", "| Field | Old | New |"},
	"reason":        {"助手给出的理由：{reason}", "Reason given by the agent: {reason}"},
	"manual":        {"确认后不会直接写入：由 {who} 在 ERP 表单中保存 → {open}", "Nothing is written when it is approved: {who} saves it in the ERP's form → {open}"},
	"deadline":      {"截止时间：**{deadline}**", "Deadline: **{deadline}**"},
}
