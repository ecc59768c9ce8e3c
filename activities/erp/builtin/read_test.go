package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// pages reads a list page by page.
func (d *desk) pages(t *testing.T, q nouns.Query) []nouns.Row {
	t.Helper()
	var all []nouns.Row
	for {
		p, err := d.Read(context.Background(), d.id, q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		all = append(all, p.Rows...)
		if q.Cursor = p.NextCursor; q.Cursor == "" {
			if len(all) != p.Total {
				t.Errorf("%+v: %d rows of %d", q.Sort, len(all), p.Total)
			}
			return all
		}
	}
}

func TestPagesAreCompleteWhereValuesAreMissing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := d.w.exec(context.Background(), `INSERT INTO erp.customer_price (tenant_id, code, customer, product, price, valid_from, valid_until)
		SELECT $1, 'PX-' || i, CASE WHEN i % 3 = 0 THEN 'C-0001' END, 'P-0001', 1, date '2026-01-01' + i, CASE WHEN i % 2 = 0 THEN date '2027-01-01' + i % 4 END FROM generate_series(1, 23) i`); err != nil {
		t.Fatal(err)
	}
	for _, sort := range [][]nouns.Sort{
		{{Field: "valid_until"}}, {{Field: "valid_until", Desc: true}}, {{Field: "customer"}, {Field: "valid_until", Desc: true}},
		{{Field: "customer", Desc: true}, {Field: "valid_until"}}, {{Field: "price"}, {Field: "valid_until"}, {Field: "code", Desc: true}}, {{Field: "code", Desc: true}},
	} {
		want := d.pages(t, nouns.Query{Form: "customer_price", Sort: sort, Limit: nouns.MaxLimit})
		for _, limit := range []int{1, 2, 5, 7} {
			if diff := cmp.Diff(want, d.pages(t, nouns.Query{Form: "customer_price", Sort: sort, Limit: limit})); diff != "" {
				t.Errorf("%+v by %d:\n%s", sort, limit, diff)
			}
		}
	}
}

func TestAnExportIsTheListInOneGo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	q := nouns.Query{Form: "customer", Sort: []nouns.Sort{{Field: "region"}, {Field: "name", Desc: true}}, Fields: []string{"code", "credit_limit"},
		Filters: []nouns.Filter{{Field: "region", Op: nouns.In, Value: json.RawMessage(`["east","south"]`)}}}
	want := d.pages(t, q)
	export := func(limit int) (rows []nouns.Row, truncated bool) {
		t.Helper()
		truncated, err := d.Export(ctx, d.id, q, limit, func(r nouns.Row) error {
			rows = append(rows, r)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return rows, truncated
	}
	for _, limit := range []int{1, len(want) - 1, len(want), 10_000} {
		rows, truncated := export(limit)
		if diff := cmp.Diff(want[:min(limit, len(want))], rows); diff != "" || truncated != (limit < len(want)) {
			t.Errorf("%d of %d, truncated %v:\n%s", limit, len(want), truncated, diff)
		}
	}
	stop := errors.New("the line is cut")
	n := 0
	if _, err := d.Export(ctx, d.id, q, 10, func(nouns.Row) error { n++; return stop }); !errors.Is(err, stop) || n != 1 {
		t.Errorf("%v after %d rows", err, n)
	}
	for name, bad := range map[string]nouns.Query{
		"cursor": {Form: "customer", Cursor: "x"}, "mode": {Form: "customer", Mode: nouns.Count},
		"filter": {Form: "customer", Filters: []nouns.Filter{{Field: "bUpdate", Op: nouns.Eq, Value: json.RawMessage(`"1"`)}}},
		"sort":   {Form: "customer", Sort: []nouns.Sort{{Field: "phone"}}},
		"sorts":  {Form: "customer", Sort: []nouns.Sort{{Field: "name"}, {Field: "region"}, {Field: "active"}, {Field: "code"}}},
	} {
		if _, err := d.Export(ctx, d.id, bad, 10, func(nouns.Row) error { return nil }); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Export(ctx, d.id, nouns.Query{Form: "nothing"}, 10, nil); fault.CodeOf(err) != fault.PermissionDenied {
		t.Error(err)
	}
}

func TestADocumentIsFoundByItsNumberAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for text, want := range map[string]int{"so-000001": 1, "SO-000001": 1, "SO-00000": 5, "": 5} {
		rows, err := d.Lookup(context.Background(), d.id, "sales_order", text, 5)
		if err != nil || len(rows) != want || rows[0]["number"] != "SO-000001" {
			t.Errorf("%q finds %v, %v", text, rows, err)
		}
	}
}
