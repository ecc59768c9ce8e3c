package demo

import "github.com/erpilot/erpilot/schema/identity"

// Forms of the built-in ERP, by what a person does with them. This is the one
// list of their names; a grant counts where its form is installed.
var (
	// Masters are edited field by field.
	Masters = []string{"customer", "supplier", "supplier_price", "product", "product_unit", "customer_price", "customer_discount", "tax", "currency",
		"exchange_rate", "warehouse", "stock", "bill_of_material"}
	// Documents have a status, lines and effects.
	Documents = []string{"quotation", "sales_order", "delivery", "receivable", "receipt", "purchase_order", "goods_receipt", "payable", "payment",
		"stock_adjustment", "stock_transfer", "production_order", "production_report"}
	// Reports answer a question and are only read.
	Reports = []string{"ar_ageing", "ap_ageing", "stock_on_hand", "stock_ledger", "order_progress", "sales_by_customer", "sales_by_product",
		"sales_by_month", "overdue_receivables", "slow_movers", "production_progress"}
)

// documentActions are named one by one, not as "*", so that a single one of them
// can be taken from a person.
var documentActions = []string{"create", "update", "submit", "withdraw", "examine", "unexamine", "close", "cancel", "delete", "generate"}

// People are the users of a tenant, the same four in each. Clerks read all and do
// the daily business: documents, customers and suppliers, but no prices; wang may
// do everything; a guest only reads customers.
func People() []User {
	var clerk, all []identity.Grant
	grant := func(form string, actions ...string) {
		for _, a := range actions {
			clerk = append(clerk, identity.Grant{Form: form, Action: a})
		}
	}
	for _, list := range [][]string{Masters, Documents, Reports} {
		for _, form := range list {
			grant(form, "read")
			all = append(all, identity.Grant{Form: form, Action: "*"})
		}
	}
	for _, form := range []string{"customer", "supplier"} {
		grant(form, "create", "update")
	}
	for _, form := range Documents {
		grant(form, documentActions...)
	}
	return []User{
		{"li", "李娜", "Li Na", []string{"clerk"}, identity.Chinese, clerk},
		{"wang", "王强", "Wang Qiang", []string{"approver"}, identity.Chinese, all},
		{"smith", "史密斯", "John Smith", []string{"clerk"}, identity.English, clerk},
		{"guest", "访客", "Guest", nil, identity.Chinese, []identity.Grant{{Form: "customer", Action: "read"}}},
	}
}
