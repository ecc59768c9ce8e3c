package builtin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// Every write action that any form declares is previewed and written here, alone in
// a company: the result is the preview, and all invariants hold after each.
func TestEveryActionDoesWhatItsPreviewShowed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := newMall(t)
	s, err := l.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	a := &actor{shop: s, conn: l.conn}
	done := map[string]bool{}
	do := func(form, action, target string, payload m) string {
		t.Helper()
		done[form+" "+action] = true
		return a.shown(ctx, t, changing(form, action, target, payload))
	}

	for _, x := range []struct {
		form        string
		create, set m
	}{
		{"currency", m{"code": "EUR", "name": "欧元", "digits": 2}, m{"name": "欧罗"}},
		{"exchange_rate", m{"currency": "USD", "valid_from": "2021-01-01", "rate": "7.00000001"}, m{"rate": "6.99999999"}},
		{"tax", m{"code": "T3", "name": "3%", "rate": "3"}, m{"rate": "3.25"}},
		{"warehouse", m{"code": "WH-9", "name": "九仓"}, m{"name": "九号仓"}},
		{"customer", m{"name": "庚", "region": "east", "currency": "CNY"}, m{"credit_limit": "100.10", "contact": "é"}},
		{"supplier", m{"name": "辛", "currency": "USD"}, m{"payment_days": 45}},
		{"product", m{"name": "壶", "category": "utensil", "unit": "把", "status": "on_sale", "base_price": "10.0001", "currency": "CNY"}, m{"base_price": "0.0001"}},
		{"product_unit", m{"product": "P-1", "unit": "托", "factor": "120"}, m{"factor": "144.125"}},
		{"customer_price", m{"product": "P-2", "price": "0.01", "valid_from": "2026-01-01", "min_quantity": "5"}, m{"price": "0.0101"}},
		{"customer_discount", m{"customer": "C-2", "product": "P-4", "percent": "3.5"}, m{"percent": "4"}},
		{"supplier_price", m{"supplier": "S-1", "product": "P-4", "price": "3"}, m{"price": "3.0003"}},
		{"bill_of_material", m{"product": "P-3", "material": "P-4", "quantity": "0.000001"}, m{"quantity": "0.25"}},
	} {
		key := do(x.form, "create", "", x.create)
		do(x.form, "update", key, x.set)
		do(x.form, "delete", key, m{})
	}

	goods := []m{{"product": "P-1", "quantity": "6"}, {"product": "P-2", "quantity": "7.5", "unit": "袋"}}
	cups := []m{{"product": "P-4", "quantity": "1.5"}, {"product": "P-1", "quantity": "1", "unit": "箱"}}
	examined := map[string]string{}
	for _, x := range []struct {
		form           string
		create, change m
	}{
		{"quotation", m{"customer": "C-1", "lines": goods}, m{"lines": cups, "valid_until": "2199-12-31"}},
		{"sales_order", m{"customer": "C-3", "lines": goods}, m{"customer": "C-2", "warehouse": "WH-2"}},
		{"purchase_order", m{"supplier": "S-1", "lines": goods}, m{"lines": []m{{"product": "P-1", "quantity": "2", "unit_price": "3.3333"}}}},
		{"stock_adjustment", m{"reason": "count", "lines": []m{{"product": "P-1", "quantity": "-6"}, {"product": "P-3", "quantity": "2"}}}, m{"reason": "damage"}},
		{"stock_transfer", m{"to_warehouse": "WH-2", "lines": goods}, m{"lines": cups}},
		{"production_order", m{"lines": []m{{"product": "P-3", "quantity": "4"}}}, m{"remark": "急"}},
	} {
		draft := m{"status": "draft"}
		for k, v := range x.create {
			draft[k] = v
		}
		number := do(x.form, "create", "", draft)
		do(x.form, "update", number, x.change)
		do(x.form, "delete", number, m{})
		number = do(x.form, "create", "", draft)
		do(x.form, "submit", number, m{})
		do(x.form, "withdraw", number, m{})
		do(x.form, "submit", number, m{})
		do(x.form, "examine", number, m{})
		do(x.form, "unexamine", number, m{})
		do(x.form, "cancel", number, m{"reason": "试试"})
		number = do(x.form, "create", "", x.create)
		if strings.HasPrefix(x.form, "stock_") {
			continue
		}
		do(x.form, "examine", number, m{})
		do(x.form, "close", number, m{})
		number = do(x.form, "create", "", x.create)
		do(x.form, "examine", number, m{})
		examined[x.form] = number
	}

	for _, start := range []string{"quotation", "purchase_order", "production_order"} {
		source := examined[start]
		for from, number := start, source; ; {
			to, ok := next(from)
			if !ok {
				break
			}
			made := do(to.form, "generate", "", m{"source_form": from, "sources": []string{number}})
			do(to.form, "withdraw", made, m{})
			do(to.form, "update", made, m{"remark": "改"})
			do(to.form, "submit", made, m{})
			do(to.form, "examine", made, m{})
			do(to.form, "unexamine", made, m{})
			do(to.form, "cancel", made, m{})
			if to.pays {
				made = do(to.form, "create", "", m{to.partner: a.text(ctx, t, to.source, number, to.partner), "status": "draft", "lines": []m{{"source": number, "amount": "1"}}})
				do(to.form, "delete", made, m{})
			}
			made = do(to.form, "generate", "", m{"source_form": from, "sources": []string{number}, "mode": "split"})
			do(to.form, "examine", made, m{})
			from, number = to.form, made
		}
	}

	forms, err := l.c.Forms(ctx, s.id)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms {
		for _, x := range f.Actions {
			if x.Write && !done[f.Form+" "+x.Action] {
				t.Errorf("nobody tried to %s a %s", x.Action, f.Form)
			}
		}
	}
}

func (s *shop) text(ctx context.Context, t *testing.T, form, number, column string) string {
	t.Helper()
	var v string
	if err := s.conn.QueryRow(ctx, "SELECT "+column+"::text FROM erp."+form+" WHERE tenant_id = $1 AND number = $2", s.tenant, number).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// shown previews a change twice and writes it, and holds the one against the other.
func (a *actor) shown(ctx context.Context, t *testing.T, c nouns.Change) string {
	t.Helper()
	said := c.Form + " " + c.Action + " " + c.Target + " " + string(c.Payload)
	before := a.fingerprint(ctx, t)
	p, err := a.c.Preview(ctx, a.id, c)
	if err != nil {
		t.Fatalf("%s: %v %+v", said, err, fault.ProblemsOf(err))
	}
	again, err := a.c.Preview(ctx, a.id, c)
	if err != nil {
		t.Fatalf("%s: %v", said, err)
	}
	if d := cmp.Diff(p, again); d != "" {
		t.Errorf("%s: two previews differ:\n%s", said, d)
	}
	if after := a.fingerprint(ctx, t); after != before {
		t.Errorf("%s: the preview wrote something", said)
	}
	x := confirmed(c, p)
	got, err := a.c.Execute(ctx, a.id, x)
	if err != nil || got.Status != nouns.CommitExecuted || got.Bill == "" {
		t.Fatalf("%s: %+v %+v %v", said, got, got.Refusal, err)
	}
	is, err := a.result(ctx, x)
	if err != nil {
		t.Fatal(err)
	}
	if d := differ(p, is); d != "" {
		t.Errorf("%s: the result differs from the preview (-preview +result):\n%s", said, d)
	}
	broken, err := a.broken(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Errorf("after %s: %s", said, b)
	}
	return got.Bill
}

// fingerprint is the same as long as no row of the company changes.
func (s *shop) fingerprint(ctx context.Context, t testing.TB) string {
	t.Helper()
	var sum string
	err := s.conn.QueryRow(ctx, `SELECT md5(string_agg(x.r, '|' ORDER BY x.r)) FROM (
		SELECT c.oid::regclass || (xpath('/row/s/text()', query_to_xml(format('SELECT md5(coalesce(string_agg(t::text, ''|'' ORDER BY t::text), '''')) AS s FROM %s t WHERE tenant_id = %L', c.oid::regclass, $1::text), false, true, '')))[1]::text AS r
		  FROM pg_class c WHERE c.relnamespace = 'erp'::regnamespace AND c.relkind = 'r'
		   AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')) x`, s.tenant).Scan(&sum)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
