package builtin_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The demo companies are small: reading a whole table is often the best there, and
// says nothing of a table with a million rows. So reading whole tables, and joining
// by hashing or sorting them, is made expensive, and what is seen is which index
// carries the query where there is one. A Sort or a Seq Scan that stays is one
// that no index can save.
const planSettings = "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off"

// namedQueries are the reads that pages and the agent ask all day.
func namedQueries(t *testing.T, d *desk) []struct {
	name string
	q    nouns.Query
} {
	t.Helper()
	newest := func(field string) []nouns.Sort { return []nouns.Sort{{Field: field, Desc: true}} }
	is := func(field, value string) []nouns.Filter {
		return []nouns.Filter{{Field: field, Op: nouns.Eq, Value: json.RawMessage(`"` + value + `"`)}}
	}
	from := func(field, value string) []nouns.Filter {
		return []nouns.Filter{{Field: field, Op: nouns.Gte, Value: json.RawMessage(`"` + value + `"`)}}
	}
	behind := func(q nouns.Query) nouns.Query {
		p, err := d.Read(context.Background(), d.id, q)
		if err != nil || p.NextCursor == "" {
			t.Fatalf("%s has no second page: %v", q.Form, err)
		}
		q.Cursor = p.NextCursor
		return q
	}
	key := func(form string) string {
		f, err := d.Schema(context.Background(), d.id, form)
		if err != nil {
			t.Fatal(err)
		}
		p, err := d.Read(context.Background(), d.id, nouns.Query{Form: form, Limit: 1, Fields: []string{f.Key}})
		if err != nil || len(p.Rows) == 0 {
			return "-"
		}
		return p.Rows[0][f.Key].(string)
	}
	var out []struct {
		name string
		q    nouns.Query
	}
	add := func(name string, q nouns.Query) {
		out = append(out, struct {
			name string
			q    nouns.Query
		}{q.Form + ", " + name, q})
	}
	forms, err := d.Forms(context.Background(), d.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms {
		add("list", nouns.Query{Form: f.Form})
		add("record", nouns.Query{Form: f.Form, Mode: nouns.Record, ID: key(f.Form)})
	}
	for form, date := range map[string]string{"quotation": "quotation_date", "sales_order": "order_date", "delivery": "delivery_date", "receivable": "invoice_date",
		"receipt": "receipt_date", "purchase_order": "order_date", "goods_receipt": "receipt_date", "payable": "invoice_date", "payment": "payment_date",
		"stock_adjustment": "adjustment_date", "stock_transfer": "transfer_date", "production_order": "start_date", "production_report": "report_date"} {
		add("newest first", nouns.Query{Form: form, Sort: newest(date)})
		add("of a status", nouns.Query{Form: form, Filters: is("status", "submitted")})
		add("from a day on", nouns.Query{Form: form, Filters: from(date, "2026-06-01"), Sort: []nouns.Sort{{Field: date}}})
	}
	for _, form := range []string{"quotation", "sales_order", "delivery", "receivable", "receipt"} {
		add("of a customer, newest first", nouns.Query{Form: form, Filters: is("customer", "C-0001"), Sort: newest("number")})
	}
	for _, form := range []string{"purchase_order", "goods_receipt", "payable", "payment"} {
		add("of a supplier, newest first", nouns.Query{Form: form, Filters: is("supplier", "S-0001"), Sort: newest("number")})
	}
	add("next page, newest first", behind(nouns.Query{Form: "sales_order", Sort: newest("order_date")}))
	add("next page by number", behind(nouns.Query{Form: "sales_order"}))
	add("largest first", nouns.Query{Form: "sales_order", Sort: newest("total")})
	add("by delivery date", nouns.Query{Form: "sales_order", Sort: []nouns.Sort{{Field: "delivery_date"}}})
	add("due first", nouns.Query{Form: "receivable", Sort: []nouns.Sort{{Field: "due_date"}}})
	add("due first", nouns.Query{Form: "payable", Sort: []nouns.Sort{{Field: "due_date"}}})
	add("of a region", nouns.Query{Form: "customer", Filters: is("region", "east")})
	add("of a product", nouns.Query{Form: "stock", Filters: is("product", "P-0001")})
	add("of a product", nouns.Query{Form: "customer_price", Filters: is("product", "P-0001")})
	add("of a product, newest first", nouns.Query{Form: "stock_ledger", Filters: is("product", "P-0001"), Sort: newest("key")})
	add("newest first", nouns.Query{Form: "stock_ledger", Sort: newest("at")})
	add("of a customer", nouns.Query{Form: "ar_ageing", Filters: is("customer", "C-0001")})
	add("of an order", nouns.Query{Form: "order_progress", Filters: is("sales_order", "SO-000001")})
	add("of a year", nouns.Query{Form: "sales_by_customer", Filters: []nouns.Filter{{Field: "year", Op: nouns.Eq, Value: json.RawMessage("2026")}}})
	add("count", nouns.Query{Form: "sales_order", Mode: nouns.Count})
	return out
}

func TestNamedQueriesAreCarriedByIndexes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if _, err := connect(t, d.w.url).Exec(context.Background(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range namedQueries(t, d) {
		plan, err := d.Explain(context.Background(), d.id, n.q, planSettings)
		if err != nil {
			t.Fatalf("%s: %v", n.name, err)
		}
		lines = append(lines, n.name+": "+shape(plan))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	const golden = "testdata/plans.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("plans moved (-want +got); when it is meant, run with -update:\n%s", diff)
	}
}

// shape is the plan's nodes with the indexes they use, outermost first. Joins are
// the set of what they join: their order is a matter of a few rows. What only
// passes rows on is left out, and so is whether an index alone was enough.
func shape(p builtin.PlanNode) string {
	own := p.Type
	switch {
	case p.Index != "":
		own = p.Index
	case p.Relation != "":
		own += " " + p.Relation
	}
	if p.Type == "Nested Loop" {
		all := joined(p)
		slices.Sort(all)
		return "Join(" + strings.Join(all, "; ") + ")"
	}
	var below []string
	for _, x := range p.Plans {
		below = append(below, shape(x))
	}
	switch p.Type {
	case "Result", "Subquery Scan", "Memoize", "Materialize":
		if len(below) == 1 {
			return below[0]
		}
	}
	if len(below) == 0 {
		return own
	}
	return own + "(" + strings.Join(below, "; ") + ")"
}

// joined are the shapes of what nested loops within each other join.
func joined(p builtin.PlanNode) []string {
	if p.Type != "Nested Loop" {
		return []string{shape(p)}
	}
	var all []string
	for _, x := range p.Plans {
		all = append(all, joined(x)...)
	}
	return all
}
