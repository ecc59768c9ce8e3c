package builtin

import (
	"fmt"
	"strings"
)

// invariant compares what is stored with what follows from other rows: its query
// gives a key, what is there and what should be, for everything that there is of
// tenant $1.
type invariant struct{ name, says, sql string }

// inForce are documents that have their effects.
const inForce = "status IN ('examined', 'closed')"

func invariants() []invariant {
	return []invariant{
		{"stock", "stock on hand is the sum of the ledger", `
			SELECT product || '@' || warehouse, s.quantity, l.quantity
			  FROM (SELECT product, warehouse, quantity FROM erp.stock WHERE tenant_id = $1) s
			  FULL JOIN (SELECT product, warehouse, sum(quantity) AS quantity FROM erp.stock_ledger WHERE tenant_id = $1 GROUP BY 1, 2) l USING (product, warehouse)
			 WHERE s.quantity <> 0 OR l.quantity <> 0`},
		{"ledger", "each row of the ledger tells the level after it", `
			SELECT ledger_id::text, balance, sum(quantity) OVER (PARTITION BY product, warehouse ORDER BY ledger_id)
			  FROM erp.stock_ledger WHERE tenant_id = $1`},
		{"moves", "the ledger moved what each document in force says, and nothing for others", movesSQL()},
		{"allocated", "what is promised is what open orders have not been delivered", `
			SELECT product || '@' || warehouse, coalesce(s.allocated, 0), coalesce(o.quantity, 0)
			  FROM (SELECT product, warehouse, allocated FROM erp.stock WHERE tenant_id = $1) s
			  FULL JOIN (SELECT l.product, o.warehouse, sum((l.quantity - coalesce(d.quantity, 0)) * l.factor) AS quantity
			               FROM erp.sales_order o
			               JOIN erp.sales_order_line l ON l.tenant_id = $1 AND l.number = o.number
			               LEFT JOIN (SELECT l.source, l.source_line, sum(l.quantity) AS quantity
			                            FROM erp.delivery d JOIN erp.delivery_line l ON l.tenant_id = $1 AND l.number = d.number
			                           WHERE d.tenant_id = $1 AND d.` + inForce + ` GROUP BY 1, 2) d ON d.source = l.number AND d.source_line = l.line_no
			              WHERE o.tenant_id = $1 AND o.status IN ('submitted', 'examined') GROUP BY 1, 2) o USING (product, warehouse)`},
		{"totals", "totals are the sums of the lines", totalsSQL("total", "amount", "quotation", "sales_order", "delivery", "receivable", "receipt",
			"purchase_order", "goods_receipt", "payable", "payment")},
		{"tax", "tax totals are the sums of the lines", totalsSQL("tax_total", "tax_amount", "quotation", "sales_order", "delivery", "receivable",
			"purchase_order", "goods_receipt", "payable")},
		{"drawn", "what is drawn of a line is what lines that are not cancelled draw", drawnSQL("drawn", "quantity", chainsDrawn)},
		{"drawn_amount", "amounts that are drawn are those of the lines that draw", drawnSQL("drawn_amount", "amount", chainsPriced)},
		{"drawn_tax", "tax that is drawn is that of the lines that draw", drawnSQL("drawn_tax", "tax_amount", chainsPriced)},
		{"settled", "what is paid of an invoice is what receipts and payments in force say",
			settledSQL("receivable", "receipt") + " UNION ALL " + settledSQL("payable", "payment")},
		{"customers", "deliveries − receipts = open receivables + what is delivered and not invoiced", balanceSQL("customer", "delivery", "receivable", "receipt")},
		{"suppliers", "goods received − payments = open payables + what has come and is not invoiced", balanceSQL("supplier", "goods_receipt", "payable", "payment")},
		{"numbers", "no number is above the counter of its form", numbersSQL()},
	}
}

// chains: which form draws from which.
var (
	chainsPriced = [][2]string{{"quotation", "sales_order"}, {"sales_order", "delivery"}, {"delivery", "receivable"}, {"purchase_order", "goods_receipt"},
		{"goods_receipt", "payable"}}
	chainsDrawn = append([][2]string{{"production_order", "production_report"}}, chainsPriced...)
)

func union(parts []string) string { return strings.Join(parts, " UNION ALL ") }

func totalsSQL(total, amount string, forms ...string) string {
	var parts []string
	for _, f := range forms {
		parts = append(parts, fmt.Sprintf(`
			SELECT h.number, h.%[2]s, coalesce(l.amount, 0) FROM erp.%[1]s h
			  LEFT JOIN (SELECT number, sum(%[3]s) AS amount FROM erp.%[1]s_line WHERE tenant_id = $1 GROUP BY 1) l USING (number)
			 WHERE h.tenant_id = $1`, f, total, amount))
	}
	return union(parts)
}

func drawnSQL(drawn, amount string, chains [][2]string) string {
	var parts []string
	for _, c := range chains {
		parts = append(parts, fmt.Sprintf(`
			SELECT s.number || '/' || s.line_no, s.%[3]s, coalesce(l.amount, 0) FROM erp.%[1]s_line s
			  LEFT JOIN (SELECT l.source, l.source_line, sum(l.%[4]s) AS amount
			               FROM erp.%[2]s h JOIN erp.%[2]s_line l ON l.tenant_id = $1 AND l.number = h.number
			              WHERE h.tenant_id = $1 AND h.status <> 'cancelled' AND l.source IS NOT NULL GROUP BY 1, 2) l
			    ON l.source = s.number AND l.source_line = s.line_no
			 WHERE s.tenant_id = $1`, c[0], c[1], drawn, amount))
	}
	return union(parts)
}

func settledSQL(invoice, payment string) string {
	return fmt.Sprintf(`
		SELECT i.number, i.settled, coalesce(p.amount, 0) FROM erp.%[1]s i
		  LEFT JOIN (SELECT l.source, sum(l.amount) AS amount FROM erp.%[2]s h JOIN erp.%[2]s_line l ON l.tenant_id = $1 AND l.number = h.number
		              WHERE h.tenant_id = $1 AND h.%[3]s GROUP BY 1) p ON p.source = i.number
		 WHERE i.tenant_id = $1`, invoice, payment, inForce)
}

// balanceSQL compares what a partner got and paid with what the books call open.
// An invoice that is not in force has drawn its source, but nothing is owed for it
// yet: it counts as not invoiced.
func balanceSQL(partner, goods, invoice, payment string) string {
	return fmt.Sprintf(`
		SELECT x.%[1]s || ' ' || x.currency, sum(x.have), sum(x.want) FROM (
			SELECT %[1]s, currency, total AS have, 0 AS want FROM erp.%[2]s WHERE tenant_id = $1 AND %[5]s
			UNION ALL SELECT %[1]s, currency, -total, 0 FROM erp.%[4]s WHERE tenant_id = $1 AND %[5]s
			UNION ALL SELECT %[1]s, currency, 0, open_amount FROM erp.%[3]s WHERE tenant_id = $1 AND %[5]s
			UNION ALL SELECT %[1]s, currency, 0, total FROM erp.%[3]s WHERE tenant_id = $1 AND status IN ('draft', 'submitted')
			UNION ALL SELECT h.%[1]s, h.currency, 0, l.amount - l.drawn_amount
			            FROM erp.%[2]s h JOIN erp.%[2]s_line l ON l.tenant_id = $1 AND l.number = h.number WHERE h.tenant_id = $1 AND h.%[5]s
		) x GROUP BY 1, x.%[1]s, x.currency`, partner, goods, invoice, payment, inForce)
}

// movesSQL leaves out what a production report consumed: the recipe may be another
// one by now.
func movesSQL() string {
	var parts []string
	add := func(form, warehouse, sign string) {
		parts = append(parts, fmt.Sprintf(`
			SELECT h.number, l.product, h.%[2]s AS warehouse, %[3]sl.quantity * l.factor AS quantity
			  FROM erp.%[1]s h JOIN erp.%[1]s_line l ON l.tenant_id = $1 AND l.number = h.number WHERE h.tenant_id = $1 AND h.%[4]s`, form, warehouse, sign, inForce))
	}
	add("delivery", "warehouse", "-")
	add("goods_receipt", "warehouse", "")
	add("stock_adjustment", "warehouse", "")
	add("stock_transfer", "warehouse", "-")
	add("stock_transfer", "to_warehouse", "")
	add("production_report", "warehouse", "")
	return `
		SELECT number || ' ' || product || '@' || warehouse, coalesce(l.quantity, 0), coalesce(d.quantity, 0)
		  FROM (SELECT document AS number, product, warehouse, sum(quantity) AS quantity FROM erp.stock_ledger
		         WHERE tenant_id = $1 AND form IN ('delivery', 'goods_receipt', 'stock_adjustment', 'stock_transfer', 'production_report')
		           AND reason <> 'consumption' GROUP BY 1, 2, 3) l
		  FULL JOIN (SELECT number, product, warehouse, sum(quantity) AS quantity FROM (` + union(parts) + `) x GROUP BY 1, 2, 3) d USING (number, product, warehouse)`
}

func numbersSQL() string {
	var parts []string
	for _, k := range kinds {
		parts = append(parts, fmt.Sprintf(`
			SELECT '%[1]s', coalesce((SELECT last FROM erp.counters WHERE tenant_id = $1 AND counter = '%[1]s'), 0) AS last,
			       coalesce(max(substr(number, 4)::bigint), 0) AS top FROM erp.%[1]s WHERE tenant_id = $1`, k.form))
	}
	return `SELECT * FROM (SELECT form, last, greatest(last, top) FROM (` + union(parts) + `) x(form, last, top)) x`
}
