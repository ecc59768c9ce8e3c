package erptest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

var reading = map[string]func(*testing.T, *suite){
	"forms come with fields, labels and granted actions": func(t *testing.T, s *suite) {
		forms, err := s.Connector.Forms(context.Background(), s.clerk)
		must(t, err)
		var names []string
		for _, f := range forms {
			names = append(names, f.Form)
			if f.Label.Zh == "" || f.Label.En == "" || f.Key == "" || len(f.Fields) == 0 {
				t.Errorf("form %s lacks labels, key or fields", f.Form)
			}
			if _, ok := f.Find(f.Key); !ok {
				t.Errorf("the key %q of %s is not one of its fields", f.Key, f.Form)
			}
		}
		for _, want := range []string{"customer", "product", "customer_discount", "stock", "sales_order"} {
			if !slices.Contains(names, want) {
				t.Errorf("form %s is missing in %v", want, names)
			}
		}
		order, err := s.Connector.Schema(context.Background(), s.clerk, "sales_order")
		must(t, err)
		lines, ok := order.Find("lines")
		if !ok || lines.Type != nouns.Lines || len(lines.Lines) == 0 {
			t.Errorf("the lines of an order are not described: %+v", lines)
		}
		actions, err := s.Connector.Actions(context.Background(), s.clerk, "product")
		must(t, err)
		for _, a := range actions {
			if a.Write {
				t.Errorf("a clerk sees the action %s of product", a.Action)
			}
		}
	},
	"filters narrow, by value and by label in both languages": func(t *testing.T, s *suite) {
		all := s.count(t, "customer")
		var totals []int
		for _, region := range []string{"east", "华东", "East China", "east china"} {
			p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: "customer", Limit: 50,
				Filters: []nouns.Filter{{Field: "region", Op: nouns.Eq, Value: raw(region)}}})
			must(t, err)
			for _, r := range p.Rows {
				if r["region"] != "east" {
					t.Fatalf("filter %s gives %v", region, r)
				}
			}
			totals = append(totals, p.Total)
		}
		if totals[0] == 0 || totals[0] >= all || slices.Min(totals) != slices.Max(totals) {
			t.Errorf("totals %v of %d", totals, all)
		}
	},
	"every operator means what it says": func(t *testing.T, s *suite) {
		count := func(fs ...nouns.Filter) int {
			p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: "sales_order", Mode: nouns.Count, Filters: fs})
			must(t, err)
			return p.Total
		}
		f := func(field string, op nouns.Op, v any) nouns.Filter {
			return nouns.Filter{Field: field, Op: op, Value: raw(v)}
		}
		all := count()
		if got := count(f("total", nouns.Lt, "10000")) + count(f("total", nouns.Gte, 10000)); got != all {
			t.Errorf("lt + gte = %d, want %d", got, all)
		}
		if got := count(f("total", nouns.Lte, "10000.00")) + count(f("total", nouns.Gt, "10000")); got != all {
			t.Errorf("lte + gt = %d, want %d", got, all)
		}
		if got := count(f("status", nouns.Eq, "closed")) + count(f("status", nouns.Ne, "closed")); got != all {
			t.Errorf("eq + ne = %d, want %d", got, all)
		}
		if got := count(f("status", nouns.In, []string{"draft", "submitted", "examined", "closed", "cancelled"})); got != all {
			t.Errorf("in all = %d, want %d", got, all)
		}
		between := count(f("order_date", nouns.Between, []string{"2026-03-01", "2026-03-31"}))
		if want := count(f("order_date", nouns.Gte, "2026-03-01"), f("order_date", nouns.Lt, "2026-04-01")); between != want || want == 0 {
			t.Errorf("between = %d, want %d", between, want)
		}
		if got := count(f("number", nouns.Prefix, strings.ToLower(s.Open[:4])), f("number", nouns.Contains, s.Open[3:])); got < 1 {
			t.Errorf("prefix and contains find %d", got)
		}
		// A wildcard is a character like any other.
		if got := count(f("number", nouns.Contains, "%")); got != 0 {
			t.Errorf("contains %% finds %d", got)
		}
	},
	"pages are complete, without repetition, in every order": func(t *testing.T, s *suite) {
		for _, sorting := range [][]nouns.Sort{nil, {{Field: "name", Desc: true}}, {{Field: "region"}, {Field: "credit_limit", Desc: true}}} {
			q := nouns.Query{Form: "customer", Sort: sorting, Limit: 37}
			seen := map[any]bool{}
			for {
				p, err := s.Connector.Read(context.Background(), s.clerk, q)
				must(t, err)
				for _, r := range p.Rows {
					if seen[r["code"]] {
						t.Fatalf("sorted by %v, %v comes twice", sorting, r["code"])
					}
					seen[r["code"]] = true
				}
				if p.Truncated != (p.NextCursor != "") {
					t.Fatalf("truncated is %v with the cursor %q", p.Truncated, p.NextCursor)
				}
				if !p.Truncated {
					if len(seen) != p.Total {
						t.Fatalf("sorted by %v, the pages hold %d of %d", sorting, len(seen), p.Total)
					}
					break
				}
				q.Cursor = p.NextCursor
			}
		}
	},
	"decimals come exact, as text": func(t *testing.T, s *suite) {
		r := s.record(t, "sales_order", s.Open)
		sum := decimal.Zero
		lines, _ := r["lines"].([]nouns.Row)
		if len(lines) == 0 {
			t.Fatalf("the order %s has no lines: %v", s.Open, r)
		}
		for _, l := range lines {
			for _, k := range []string{"quantity", "base_price", "discount", "unit_price", "amount"} {
				v, ok := l[k].(string)
				n, err := nouns.NormalizeDecimal(v)
				if !ok || err != nil || n != v {
					t.Errorf("%s is %#v, want a normalised decimal", k, l[k])
				}
			}
			sum = sum.Add(decimal.RequireFromString(l["amount"].(string)))
		}
		if sum.String() != r["total"] {
			t.Errorf("the lines add up to %s, the total says %v", sum, r["total"])
		}
		if d, _ := r["order_date"].(string); len(d) != len("2006-01-02") {
			t.Errorf("the date is %#v", r["order_date"])
		}
	},
	"lookup finds by key and by name, best first": func(t *testing.T, s *suite) {
		ctx := context.Background()
		r := s.record(t, "customer", s.Customer)
		zh, en := []rune(r["name"].(string)), r["name_en"].(string)
		for _, text := range []string{s.Customer, strings.ToLower(s.Customer), string(zh), string(zh[2:4]), strings.ToUpper(en), en[9:18]} {
			rows, err := s.Connector.Lookup(ctx, s.clerk, "customer", text, 5)
			must(t, err)
			if len(rows) == 0 || rows[0]["code"] != s.Customer {
				t.Errorf("lookup %q finds %v", text, rows)
			}
		}
		first, err := s.Connector.Lookup(ctx, s.clerk, "customer", " ", 5)
		must(t, err)
		page, err := s.Connector.Read(ctx, s.clerk, nouns.Query{Form: "customer", Limit: 5})
		must(t, err)
		if d := cmp.Diff(page.Rows, first); d != "" {
			t.Errorf("without a text (-first page +lookup):\n%s", d)
		}
		for _, text := range []string{"没有这样的客户", "' OR 1=1 --", "%"} {
			rows, err := s.Connector.Lookup(ctx, s.clerk, "customer", text, 5)
			must(t, err)
			if len(rows) != 0 {
				t.Errorf("lookup %q finds %v", text, rows)
			}
		}
	},
	"what is not on the allow-list is refused, and names the field": func(t *testing.T, s *suite) {
		f := func(field string, op nouns.Op, v any) []nouns.Filter {
			return []nouns.Filter{{Field: field, Op: op, Value: raw(v)}}
		}
		for name, q := range map[string]nouns.Query{
			"unknown filter":     {Form: "customer", Filters: f("bUpdate", nouns.Eq, "1")},
			"injected filter":    {Form: "customer", Filters: f(`code" = '' OR 1=1 --`, nouns.Eq, "1")},
			"tenant filter":      {Form: "customer", Filters: f("tenant_id", nouns.Eq, "x")},
			"unfiltered field":   {Form: "customer", Filters: f("version", nouns.Eq, "1")},
			"unknown operator":   {Form: "customer", Filters: f("code", "like", "C%")},
			"operator of type":   {Form: "customer", Filters: f("region", nouns.Lt, "east")},
			"not a number":       {Form: "customer", Filters: f("credit_limit", nouns.Gt, "1e3")},
			"not an option":      {Form: "customer", Filters: f("region", nouns.Eq, "Mars")},
			"not a date":         {Form: "sales_order", Filters: f("order_date", nouns.Eq, "2026-02-30")},
			"not a pair":         {Form: "sales_order", Filters: f("order_date", nouns.Between, []string{"2026-02-01"})},
			"not a list":         {Form: "customer", Filters: f("code", nouns.In, "C-0001")},
			"value is an object": {Form: "customer", Filters: f("code", nouns.Eq, map[string]string{"a": "b"})},
			"control character":  {Form: "customer", Filters: f("code", nouns.Eq, "a\x00b")},
			"unknown sort":       {Form: "customer", Sort: []nouns.Sort{{Field: "phone"}}},
			"unknown field":      {Form: "customer", Fields: []string{"password_hash"}},
			"limit too large":    {Form: "customer", Limit: nouns.MaxLimit + 1},
			"limit negative":     {Form: "customer", Limit: -1},
			"unknown mode":       {Form: "customer", Mode: "drop"},
			"record without id":  {Form: "customer", Mode: nouns.Record},
			"garbage cursor":     {Form: "customer", Cursor: "garbage"},
		} {
			_, err := s.Connector.Read(context.Background(), s.clerk, q)
			if fault.CodeOf(err) != fault.Invalid || fault.ParamsOf(err)["field"] == "" || fault.ParamsOf(err)["detail"] == "" {
				t.Errorf("%s: %v, params %v", name, err, fault.ParamsOf(err))
			}
		}
	},
	"a cursor belongs to its query": func(t *testing.T, s *suite) {
		ctx := context.Background()
		p, err := s.Connector.Read(ctx, s.clerk, nouns.Query{Form: "customer", Limit: 5})
		must(t, err)
		for i, q := range []nouns.Query{
			{Form: "product", Limit: 5, Cursor: p.NextCursor},
			{Form: "customer", Limit: 5, Cursor: p.NextCursor, Sort: []nouns.Sort{{Field: "name"}}},
			{Form: "customer", Limit: 5, Cursor: p.NextCursor, Filters: []nouns.Filter{{Field: "region", Op: nouns.Eq, Value: raw("east")}}},
		} {
			_, err := s.Connector.Read(ctx, s.clerk, q)
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("query %d takes another query's cursor: %v", i, err)
			}
		}
		_, err = s.Connector.Read(ctx, s.foreign, nouns.Query{Form: "customer", Limit: 5, Cursor: p.NextCursor})
		wantCode(t, err, fault.Invalid)
	},
	"a record that does not exist is not found": func(t *testing.T, s *suite) {
		_, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: "customer", Mode: nouns.Record, ID: "C-9999"})
		wantCode(t, err, fault.NotFound)
	},
	"tenants do not see each other": func(t *testing.T, s *suite) {
		mine := s.record(t, "customer", s.Customer)
		p, err := s.Connector.Read(context.Background(), s.foreign, nouns.Query{Form: "customer", Mode: nouns.Record, ID: s.Customer})
		must(t, err)
		if p.Record["name"] == mine["name"] {
			t.Errorf("the same key names %v for both tenants", mine["name"])
		}
		rows, err := s.Connector.Lookup(context.Background(), s.foreign, "customer", fmt.Sprint(mine["name"]), 5)
		must(t, err)
		if len(rows) != 0 {
			t.Errorf("the other tenant finds %v", rows)
		}
	},
	"wrong credentials look alike": func(t *testing.T, s *suite) {
		for _, a := range [][2]string{{s.Clerk.Username, "wrong"}, {"nobody", s.Clerk.Password}, {s.Clerk.Username, ""}, {"", ""},
			{strings.Repeat("x", 10000), "x"}, {s.Clerk.Username, strings.Repeat("x", 10000)}, {"' OR 1=1 --", "x"}} {
			_, err := s.Connector.Login(context.Background(), s.Clerk.Tenant, a[0], a[1])
			wantCode(t, err, fault.BadCredentials)
		}
		_, _, err := s.Connector.User(context.Background(), s.Clerk.Tenant, "nobody")
		wantCode(t, err, fault.NotFound)
	},
}
