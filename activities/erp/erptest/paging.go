package erptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// paging: a list stays a list while others write, and filters mean the same for
// every field.
var paging = map[string]func(*testing.T, *suite){
	"no row comes twice and none is lost while others come and go": func(t *testing.T, s *suite) {
		ctx := context.Background()
		for i := range 40 {
			must(t, s.Disturb.AddCustomer(ctx, fmt.Sprintf("C-7%03d", i)))
		}
		for _, order := range [][]nouns.Sort{nil, {{Field: "name"}}, {{Field: "region", Desc: true}}, {{Field: "credit_limit"}, {Field: "code", Desc: true}}} {
			stay := s.codes(t, order, nil)
			stay = slices.DeleteFunc(stay, func(code string) bool { return strings.HasPrefix(code, "C-7") })
			// Somebody adds and removes without a pause until the last page is read.
			stop, ended := make(chan struct{}), make(chan error, 1)
			go func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						ended <- nil
						return
					default:
					}
					if err := s.Disturb.RemoveCustomer(ctx, fmt.Sprintf("C-7%03d", i%40)); err != nil {
						ended <- err
						return
					}
					if err := s.Disturb.AddCustomer(ctx, fmt.Sprintf("C-7%03d", i%40)); err != nil {
						ended <- err
						return
					}
				}
			}()
			seen := s.codes(t, order, nil)
			close(stop)
			must(t, <-ended)
			count := map[string]int{}
			for _, code := range seen {
				// A row that was removed and added again is another one, with the same values.
				if count[code]++; count[code] > 1 {
					t.Errorf("sorted by %v, %s comes twice", order, code)
				}
			}
			for _, code := range stay {
				if count[code] == 0 {
					t.Errorf("sorted by %v, %s is lost", order, code)
				}
			}
		}
	},
	"a page goes on behind a row that is gone": func(t *testing.T, s *suite) {
		ctx := context.Background()
		q := nouns.Query{Form: "customer", Limit: 1}
		must(t, s.Disturb.AddCustomer(ctx, "C-0000")) // before all others
		all := s.codes(t, nil, nil)
		p, err := s.Connector.Read(ctx, s.clerk, q)
		must(t, err)
		if p.Rows[0]["code"] != "C-0000" {
			t.Fatalf("the first is %v", p.Rows[0]["code"])
		}
		must(t, s.Disturb.RemoveCustomer(ctx, "C-0000"))
		q.Cursor = p.NextCursor
		p, err = s.Connector.Read(ctx, s.clerk, q)
		must(t, err)
		if p.Rows[0]["code"] != all[1] || p.Total != len(all)-1 {
			t.Errorf("behind it comes %v, want %s; total %d of %d", p.Rows[0]["code"], all[1], p.Total, len(all)-1)
		}
	},
	"operators mean the same for every field": func(t *testing.T, s *suite) {
		for _, name := range []string{"customer", "product", "stock", "sales_order", "customer_discount"} {
			f := s.form(t, name)
			page, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: name, Limit: 1, Fields: []string{f.Key}})
			must(t, err)
			r, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: name, Mode: nouns.Record, ID: page.Rows[0][f.Key].(string)})
			must(t, err)
			for _, x := range f.Fields {
				if v, ok := r.Record[x.Name].(string); x.Filter && ok && v != "" {
					s.operators(t, f, x, v, page.Total)
				}
			}
		}
	},
}

// operators holds the operators of a field against each other, about a value that
// one row has.
func (s *suite) operators(t *testing.T, f nouns.Form, x nouns.Field, v string, all int) {
	t.Helper()
	ask := func(op nouns.Op, value any) int {
		p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: f.Form, Mode: nouns.Count, Filters: []nouns.Filter{{Field: x.Name, Op: op, Value: raw(value)}}})
		if err != nil {
			t.Errorf("%s.%s %s %v: %v", f.Form, x.Name, op, value, err)
		}
		return p.Total
	}
	eq := ask(nouns.Eq, v)
	if eq < 1 || eq+ask(nouns.Ne, v) != all || ask(nouns.In, []string{v}) != eq {
		t.Errorf("%s.%s: %d are %q, %d are not, %d are in it, of %d", f.Form, x.Name, eq, v, ask(nouns.Ne, v), ask(nouns.In, []string{v}), all)
	}
	unfit := []nouns.Op{nouns.Lt, nouns.Between, nouns.Contains}
	switch x.Type {
	case nouns.Text:
		unfit = []nouns.Op{nouns.Lt, nouns.Gte, nouns.Between}
		if ask(nouns.Contains, v) < eq || ask(nouns.Prefix, v) < eq || ask(nouns.Contains, strings.ToUpper(v)) < eq {
			t.Errorf("%s.%s: fewer contain %q than are it", f.Form, x.Name, v)
		}
	case nouns.Decimal, nouns.Integer, nouns.Money, nouns.Date, nouns.DateTime:
		unfit = []nouns.Op{nouns.Contains, nouns.Prefix}
		lt, lte, gt, gte := ask(nouns.Lt, v), ask(nouns.Lte, v), ask(nouns.Gt, v), ask(nouns.Gte, v)
		if lte != lt+eq || gte != gt+eq || lt+gte > all || ask(nouns.Between, []string{v, v}) != eq {
			t.Errorf("%s.%s about %q: < %d, ≤ %d, = %d, ≥ %d, > %d, of %d", f.Form, x.Name, v, lt, lte, eq, gte, gt, all)
		}
	case nouns.Option, nouns.Link, nouns.Lines:
	}
	for _, op := range append(unfit, "like", "") {
		_, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: f.Form, Filters: []nouns.Filter{{Field: x.Name, Op: op, Value: json.RawMessage(`"1"`)}}})
		if fault.CodeOf(err) != fault.Invalid || fault.ParamsOf(err)["field"] != x.Name {
			t.Errorf("%s.%s takes the operator %q: %v", f.Form, x.Name, op, err)
		}
	}
}

// codes pages through all customers; between is told of each page.
func (s *suite) codes(t *testing.T, order []nouns.Sort, between func(page []string)) []string {
	t.Helper()
	var all []string
	q := nouns.Query{Form: "customer", Sort: order, Limit: 23}
	for {
		p, err := s.Connector.Read(context.Background(), s.clerk, q)
		must(t, err)
		var page []string
		for _, r := range p.Rows {
			page = append(page, r["code"].(string))
		}
		all = append(all, page...)
		if p.NextCursor == "" {
			return all
		}
		if between != nil {
			between(page)
		}
		q.Cursor = p.NextCursor
	}
}
