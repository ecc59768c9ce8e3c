package builtin_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
)

// chain is a kind of document and what it draws from, "" for none; partner is ""
// for goods that stay in the house.
type chain struct {
	form, source, partner string
	priced, pays          bool
}

var chains = []chain{
	{"quotation", "", "customer", true, false},
	{"sales_order", "quotation", "customer", true, false},
	{"delivery", "sales_order", "customer", true, false},
	{"receivable", "delivery", "customer", true, false},
	{"receipt", "receivable", "customer", false, true},
	{"purchase_order", "", "supplier", true, false},
	{"goods_receipt", "purchase_order", "supplier", true, false},
	{"payable", "goods_receipt", "supplier", true, false},
	{"payment", "payable", "supplier", false, true},
	{"stock_adjustment", "", "", false, false},
	{"stock_transfer", "", "", false, false},
	{"production_order", "", "", false, false},
	{"production_report", "production_order", "", false, false},
}

func next(form string) (chain, bool) {
	for _, c := range chains {
		if c.source == form {
			return c, true
		}
	}
	return chain{}, false
}

// laws are what holds beside the invariants of Check, each as a query of what
// breaks it; $1 is the tenant. Check looks at sums; these look at how documents
// hang together.
func laws() map[string]string {
	out := map[string]string{
		"the history ends with the version that there is": `SELECT x.form || ' ' || x.number || ' is at ' || x.version || ', its history at ' || coalesce(max(h.version), 0) FROM (` +
			strings.TrimPrefix(unionOf(func(c chain) string {
				return fmt.Sprintf("SELECT '%s' AS form, number, version FROM erp.%s WHERE tenant_id = $1", c.form, c.form)
			}), " UNION ALL ") + `) x LEFT JOIN erp.record_history h ON h.tenant_id = $1 AND h.form = x.form AND h.key = x.number GROUP BY x.form, x.number, x.version
			HAVING x.version IS DISTINCT FROM max(h.version)`,
		"materials are consumed while a report is examined, and only then": `SELECT d.number || ' ' || coalesce(sum(m.quantity), 0) FROM erp.production_report d
			LEFT JOIN erp.stock_ledger m ON m.tenant_id = d.tenant_id AND m.form = 'production_report' AND m.document = d.number AND m.reason = 'consumption'
			WHERE d.tenant_id = $1 GROUP BY d.number, d.status HAVING (coalesce(sum(m.quantity), 0) < 0) <> (d.status IN ('examined', 'closed'))`,
	}
	for _, c := range chains {
		switch {
		case c.source == "":
		case c.pays:
			out["a "+c.source+" is closed when it is paid, and only one in effect is paid"] = fmt.Sprintf(`SELECT number || ' ' || status || ' ' || settled || ' of ' || total FROM erp.%s
				WHERE tenant_id = $1 AND ((status = 'closed') <> (settled = total AND settled > 0) OR settled > 0 AND status NOT IN ('examined', 'closed'))`, c.source)
			out["the money of a "+c.form+" is one partner's, in one currency"] = fmt.Sprintf(`SELECT h.number FROM erp.%[1]s h JOIN erp.%[1]s_line l USING (tenant_id, number) JOIN erp.%[2]s s ON s.tenant_id = h.tenant_id AND s.number = l.source
				WHERE h.tenant_id = $1 AND (s.%[3]s, s.currency) <> (h.%[3]s, h.currency)`, c.form, c.source, c.partner)
		default:
			if c.priced {
				out["the last part of a "+c.source+" took the rest"] = fmt.Sprintf(`SELECT number || ' ' || line_no FROM erp.%s_line WHERE tenant_id = $1 AND drawn = quantity AND (drawn_amount, drawn_tax) <> (amount, tax_amount)`, c.source)
			}
			out["a "+c.source+" is closed when examined documents have drawn it whole, and only one in effect is drawn from"] = fmt.Sprintf(`SELECT s.number || ' ' || s.status FROM erp.%[1]s s WHERE s.tenant_id = $1 AND (
				s.status = 'examined' AND NOT EXISTS (SELECT FROM erp.%[1]s_line l WHERE l.tenant_id = $1 AND l.number = s.number AND l.drawn < l.quantity)
				AND NOT EXISTS (SELECT FROM erp.%[2]s_line l JOIN erp.%[2]s h USING (tenant_id, number) WHERE tenant_id = $1 AND l.source = s.number AND h.status IN ('draft', 'submitted'))
				OR s.status NOT IN ('examined', 'closed') AND EXISTS (SELECT FROM erp.%[1]s_line l WHERE l.tenant_id = $1 AND l.number = s.number AND l.drawn > 0))`, c.source, c.form)
		}
	}
	return out
}

func unionOf(of func(c chain) string) string {
	var sql strings.Builder
	for _, c := range chains {
		sql.WriteString(" UNION ALL " + of(c))
	}
	return sql.String()
}

// allLaws asks for everything that is broken in one round trip: law and what breaks it.
var allLaws = func() string {
	var parts []string
	for name, sql := range laws() {
		parts = append(parts, "SELECT "+quote(name)+"::text, x::text FROM ("+sql+") q(x)")
	}
	return strings.Join(parts, " UNION ALL ")
}()

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// broken are the invariants and laws that do not hold, with what breaks them.
func (s *shop) broken(ctx context.Context) ([]string, error) {
	violations, err := builtin.Check(ctx, s.conn, s.id.User.Tenant)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, v := range violations {
		out = append(out, v.String())
	}
	rows, err := s.conn.Query(ctx, allLaws, s.tenant)
	if err != nil {
		return nil, err
	}
	type found struct{ Law, What string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	for _, f := range all {
		out = append(out, f.Law+": "+f.What)
	}
	return out, err
}
