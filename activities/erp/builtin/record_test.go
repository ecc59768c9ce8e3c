package builtin_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// desk is a demo company at which one person may do everything.
type desk struct {
	*builtin.Connector
	w  *world
	id erp.Identity
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(t)
	d := &desk{Connector: builtin.New(open(t, url)), w: &world{t: t, url: url, tenant: demo.Tenants()[0].String()}}
	for _, sql := range []string{
		"INSERT INTO erp.grants SELECT tenant_id, 'wang', form, '*' FROM erp.forms WHERE tenant_id = $1 ON CONFLICT DO NOTHING",
		"INSERT INTO erp.currency (tenant_id, code, name) VALUES ($1, 'CNY', '人民币'), ($1, 'EUR', '欧元'), ($1, 'CHF', '瑞士法郎') ON CONFLICT DO NOTHING",
	} {
		if err := d.w.exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	user, grants, err := d.User(ctx, demo.Tenants()[0], "wang")
	if err != nil {
		t.Fatal(err)
	}
	user.Locale = "en"
	d.id = erp.Identity{User: user, Grants: grants}
	return d
}

func change(form, action, target, payload string) nouns.Change {
	return nouns.Change{Form: form, Action: action, Target: target, Payload: json.RawMessage(payload)}
}

func (d *desk) execution(t *testing.T, c nouns.Change) (nouns.Preview, nouns.Execution) {
	t.Helper()
	p, err := d.Preview(context.Background(), d.id, c)
	if err != nil {
		t.Fatalf("preview %s %s %s: %v", c.Action, c.Form, c.Payload, err)
	}
	c.Payload = p.Payload
	return p, nouns.Execution{ClientToken: uuid.NewString(), Digest: "d", Change: c, Facts: p.Facts, Deadline: time.Now().Add(time.Hour), Attempt: 1,
		Channel: "chat", OpID: uuid.NewString()}
}

func (d *desk) do(t *testing.T, c nouns.Change) (nouns.Preview, nouns.Commit) {
	t.Helper()
	p, x := d.execution(t, c)
	got, err := d.Execute(context.Background(), d.id, x)
	if err != nil || got.Status != nouns.CommitExecuted {
		t.Fatalf("%s %s %s: %+v %v", c.Action, c.Form, c.Payload, got, err)
	}
	return p, got
}

func (d *desk) record(t *testing.T, form, key string) nouns.Row {
	t.Helper()
	p, err := d.Read(context.Background(), d.id, nouns.Query{Form: form, Mode: nouns.Record, ID: key})
	if err != nil {
		t.Fatalf("%s %s: %v", form, key, err)
	}
	return p.Record
}

// refused checks that the change is a problem of the field.
func (d *desk) refused(t *testing.T, c nouns.Change, field, detail string) {
	t.Helper()
	_, err := d.Preview(context.Background(), d.id, c)
	ok := slices.ContainsFunc(fault.ProblemsOf(err), func(p fault.Problem) bool { return p.Field == field && strings.Contains(p.Detail, detail) })
	if fault.CodeOf(err) != fault.ValidationFailed || !ok {
		t.Errorf("%s %s %s: %v %+v, want a problem of %q with %q", c.Action, c.Form, c.Payload, err, fault.ProblemsOf(err), field, detail)
	}
}

func TestMastersAreMadeChangedAndDeletedByTheirFormsAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	_, product := d.do(t, change("product", "create", "", `{"name":"مسبحة 🍵","category":"gift","unit":"盒","base_price":"12.5"}`))
	_, material := d.do(t, change("product", "create", "", `{"name":"Box","category":"utensil","unit":"个","base_price":"1","made":"false"}`))
	p, m := product.Bill, material.Bill
	for _, c := range []struct{ form, payload, key, update, field, value string }{
		{"customer", `{"name":"Ωmega","region":"华东"}`, "", `{"phone":"+86 21"}`, "phone", "+86 21"},
		{"supplier", `{"code":"S-NEW","name":"供货商","payment_days":45}`, "S-NEW", `{"active":"停用"}`, "active", "false"},
		{"supplier_price", `{"supplier":"S-NEW","product":"` + p + `","price":"3.1234"}`, "S-NEW/" + p, `{"price":"4"}`, "price", "4"},
		{"product_unit", `{"product":"` + p + `","unit":"箱","unit_en":"case","factor":"12"}`, p + "/箱", `{"factor":"24"}`, "factor", "24"},
		{"customer_price", `{"product":"` + p + `","price":"11","valid_from":"2026-01-01","valid_until":"2026-12-31"}`, "", `{"valid_until":null}`, "valid_until", ""},
		{"customer_discount", `{"customer":"C-0009","product":"` + p + `","percent":"7.5"}`, "C-0009/" + p, `{"percent":8}`, "percent", "8"},
		{"tax", `{"code":"VAT-X","name":"税","rate":"6"}`, "VAT-X", `{"rate":"5.5"}`, "rate", "5.5"},
		{"currency", `{"code":"XXA","name":"测试币"}`, "XXA", `{"digits":0}`, "digits", "0"},
		{"exchange_rate", `{"currency":"CHF","valid_from":"2031-01-01","rate":"8.12345678"}`, "", `{"rate":"8"}`, "rate", "8"},
		{"warehouse", `{"code":"WH-X","name":"新仓"}`, "WH-X", `{"name_en":"New"}`, "name_en", "New"},
		{"bill_of_material", `{"product":"` + p + `","material":"` + m + `","quantity":"0.000001"}`, p + "/" + m, `{"quantity":"2"}`, "quantity", "2"},
	} {
		shown, made := d.do(t, change(c.form, "create", "", c.payload))
		if c.key != "" && made.Bill != c.key {
			t.Errorf("%s is made as %s, want %s", c.form, made.Bill, c.key)
		}
		if len(shown.Diffs) == 0 || shown.Provisional != (c.key == "") {
			t.Errorf("%s: %+v", c.form, shown)
		}
		d.do(t, change(c.form, "update", made.Bill, c.update))
		got := d.record(t, c.form, made.Bill)
		if v, _ := got[c.field].(string); v != c.value && got[c.field] != int64(0) || got["version"] != int64(2) {
			t.Errorf("%s %s after %s: %v", c.form, made.Bill, c.update, got)
		}
		entries, err := d.History(ctx, d.id, c.form, made.Bill)
		if err != nil || len(entries) != 2 || entries[0].Action != "update" || entries[0].Version != 2 || entries[1].Action != "create" ||
			entries[0].Channel != "chat" || entries[0].ActorName == "" || entries[0].OpID == "" || len(entries[0].Diffs) != 1 {
			t.Errorf("history of %s %s: %+v %v", c.form, made.Bill, entries, err)
		}
		if c.form == "supplier" {
			continue // its price below needs it
		}
		d.do(t, change(c.form, "delete", made.Bill, `{}`))
		if _, err := d.Read(ctx, d.id, nouns.Query{Form: c.form, Mode: nouns.Record, ID: made.Bill}); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%s %s is not gone: %v", c.form, made.Bill, err)
		}
		entries, err = d.History(ctx, d.id, c.form, made.Bill)
		if err != nil || len(entries) != 3 || entries[0].Action != "delete" || len(entries[0].Diffs) == 0 {
			t.Errorf("history of the deleted %s %s: %+v %v", c.form, made.Bill, entries, err)
		}
	}
}

func TestWhatBreaksARuleOfAMasterNamesItsField(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.do(t, change("supplier", "create", "", `{"code":"S-NEW","name":"x"}`))
	d.do(t, change("supplier_price", "create", "", `{"supplier":"S-NEW","product":"P-0001","price":"3"}`))
	d.do(t, change("customer_price", "create", "", `{"code":"PL-X","customer":"C-0009","product":"P-0001","price":"3","min_quantity":"77","valid_from":"2026-01-01"}`))
	d.do(t, change("exchange_rate", "create", "", `{"code":"ER-X","currency":"CHF","valid_from":"2031-01-01","rate":"8"}`))
	d.do(t, change("product", "create", "", `{"code":"P-A","name":"A","category":"tea","unit":"盒","base_price":"1","made":"true"}`))
	d.do(t, change("product", "create", "", `{"code":"P-B","name":"B","category":"tea","unit":"盒","base_price":"1","made":"true"}`))
	d.do(t, change("bill_of_material", "create", "", `{"product":"P-A","material":"P-B","quantity":"1"}`))
	before := d.record(t, "customer", "C-0009")
	tables := func() string {
		return d.w.one(`SELECT md5(string_agg(x, '|' ORDER BY x)) FROM (SELECT c::text AS x FROM erp.customer c WHERE tenant_id = $1
			UNION ALL SELECT p::text FROM erp.product p WHERE tenant_id = $1 UNION ALL SELECT h::text FROM erp.record_history h WHERE tenant_id = $1) y`)
	}
	all := tables()
	for _, c := range []struct{ form, action, target, payload, field, detail string }{
		{"customer", "create", "", `{"region":"east"}`, "name", "required"},
		{"customer", "create", "", `{"name":"x"}`, "region", "required"},
		{"customer", "create", "", `{"name":"x","region":"Mars"}`, "region", "option"},
		{"customer", "create", "", `{"name":"x","region":"east","code":"c 1"}`, "code", "format"},
		{"customer", "create", "", `{"name":"x","region":"east","code":"C-0001"}`, "code", "already"},
		{"customer", "create", "", `{"name":"x","region":"east","currency":"QQQ"}`, "currency", "QQQ"},
		{"customer", "create", "", `{"name":"a\nb","region":"east"}`, "name", "control"},
		{"customer", "create", "", `{"name":"x","region":"east","version":2}`, "version", "read-only"},
		{"customer", "create", "", `{"name":"x","region":"east","tenant_id":"y"}`, "tenant_id", "not a field"},
		{"customer", "create", "", `{"name":"x","region":"east","credit_limit":"-0.01"}`, "credit_limit", "less"},
		{"customer", "create", "", `{"name":"x","region":"east","credit_limit":"1000000000.01"}`, "credit_limit", "greater"},
		{"customer", "create", "", `{"name":"x","region":"east","credit_limit":"1.001"}`, "credit_limit", "decimals"},
		{"customer", "create", "", `{"name":"x","region":"east","payment_days":"366"}`, "payment_days", "greater"},
		{"customer", "create", "", `[]`, "", "object"},
		{"customer", "update", "C-0009", `{"code":"C-1000"}`, "code", "once"},
		{"customer", "update", "C-0009", `{"currency":"EUR"}`, "currency", "once"},
		{"customer", "update", "C-0009", `{"name":""}`, "name", "required"},
		{"customer", "delete", "C-0001", `{}`, "", "referred to by"},
		{"customer", "delete", "C-0001", `{"x":1}`, "x", "not a field"},
		{"product", "create", "", `{"name":"x","category":"tea","unit":"a/b","base_price":"1"}`, "unit", "format"},
		{"product", "create", "", `{"name":"x","category":"tea","unit":"a","base_price":"1","tax":"NONE"}`, "tax", "NONE"},
		{"product", "update", "P-0001", `{"unit":"桶"}`, "unit", "used by"},
		{"product", "update", "P-0001", `{"quantity_scale":"2"}`, "quantity_scale", "used by"},
		{"product", "delete", "P-0001", `{}`, "", "referred to by"},
		{"product_unit", "create", "", `{"product":"P-A","unit":"盒","factor":"2"}`, "unit", "base unit"},
		{"product_unit", "create", "", `{"product":"P-A","unit":"箱","factor":"0"}`, "factor", "less"},
		{"product_unit", "create", "", `{"product":"P-NONE","unit":"箱","factor":"2"}`, "product", "P-NONE"},
		{"supplier_price", "create", "", `{"supplier":"S-NEW","product":"P-0001","price":"3"}`, "product", "already"},
		{"supplier", "delete", "S-NEW", `{}`, "", "S-NEW/P-0001"},
		{"customer_discount", "create", "", `{"customer":"C-0009","percent":"100.01"}`, "percent", "greater"},
		{"customer_price", "create", "", `{"customer":"C-0009","product":"P-0001","price":"4","min_quantity":"77","valid_from":"2026-01-01"}`, "valid_from", "already"},
		{"customer_price", "create", "", `{"product":"P-0001","price":"4","valid_from":"2026-02-30"}`, "valid_from", "not a date"},
		{"customer_price", "create", "", `{"product":"P-0001","price":"4","valid_from":"2026-02-28","valid_until":"2026-02-27"}`, "valid_until", "before"},
		{"customer_price", "update", "PL-X", `{"valid_until":"2025-02-27"}`, "valid_until", "before"},
		{"tax", "create", "", `{"code":"T","name":"x","rate":"100"}`, "rate", "greater"},
		{"tax", "create", "", `{"name":"x","rate":"1"}`, "code", "required"},
		{"currency", "create", "", `{"code":"cny","name":"x"}`, "code", "format"},
		{"currency", "delete", "CNY", `{}`, "", "our own"},
		{"currency", "update", "CNY", `{"digits":0}`, "digits", "used by"},
		{"exchange_rate", "create", "", `{"currency":"CHF","valid_from":"2031-01-01","rate":"9"}`, "valid_from", "already"},
		{"exchange_rate", "create", "", `{"currency":"CNY","rate":"9"}`, "currency", "our own"},
		{"exchange_rate", "create", "", `{"currency":"CHF","rate":"0"}`, "rate", "less"},
		{"warehouse", "delete", "WH-01", `{}`, "", "default"},
		{"warehouse", "update", "WH-01", `{"is_default":"false"}`, "is_default", "another"},
		{"warehouse", "update", "WH-01", `{"active":"false"}`, "active", "inactive"},
		{"bill_of_material", "create", "", `{"product":"P-A","material":"P-A","quantity":"1"}`, "material", "itself"},
		{"bill_of_material", "create", "", `{"product":"P-B","material":"P-A","quantity":"1"}`, "material", "itself"},
		{"stock", "update", "P-0001@WH-01", `{"quantity":"1"}`, "action", "no action"},
	} {
		d.refused(t, change(c.form, c.action, c.target, c.payload), c.field, c.detail)
	}
	if d2 := cmp.Diff(before, d.record(t, "customer", "C-0009")); d2 != "" || tables() != all {
		t.Errorf("a refused change changed something: %s", d2)
	}
}

func TestTheDefaultWarehouseMovesAndBothRecordsRememberIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p, _ := d.do(t, change("warehouse", "update", "WH-02", `{"is_default":"true"}`))
	if len(p.Diffs) != 2 || !p.Diffs[1].Derived || !strings.Contains(p.Diffs[1].Object, "WH-01") {
		t.Errorf("diffs %+v", p.Diffs)
	}
	if d.record(t, "warehouse", "WH-01")["is_default"] != "false" || d.record(t, "warehouse", "WH-02")["is_default"] != "true" {
		t.Error("the default did not move")
	}
	h, err := d.History(context.Background(), d.id, "warehouse", "WH-01")
	if err != nil || len(h) != 1 || h[0].Diffs[0].Before != "Yes" || h[0].Diffs[0].After != "No" {
		t.Errorf("%+v %v", h, err)
	}
}

func TestCardsNameWhatCodesMean(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p, _ := d.do(t, change("customer_price", "create", "", `{"code":"PL-N","customer":"C-0001","product":"P-0001","price":"3"}`))
	after := map[string]string{}
	for _, x := range p.Diffs {
		after[x.Field] = x.After
	}
	customer := d.record(t, "customer", "C-0001")["name_en"].(string) + " (C-0001)"
	if after["customer"] != customer || !strings.HasSuffix(after["product"], " (P-0001)") || !strings.Contains(p.Object, "PL-N") || !strings.Contains(p.Object, "×") {
		t.Errorf("%+v of %q", after, p.Object)
	}
	p, _ = d.do(t, change("customer_price", "update", "PL-N", `{"customer":null}`))
	if len(p.Diffs) != 1 || p.Diffs[0].Before != customer || p.Diffs[0].After != "" {
		t.Errorf("%+v", p.Diffs)
	}
	if d.record(t, "customer_price", "PL-N")["customer"] != nil {
		t.Error("the customer is not cleared")
	}
}

func TestAChangeOfMastersFailsWhenSomebodyWasFaster(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	refusedAs := func(x nouns.Execution, code fault.Code) {
		t.Helper()
		got, err := d.Execute(ctx, d.id, x)
		if err != nil || got.Status != nouns.CommitRefused || got.Refusal.Code != string(code) {
			t.Errorf("%s %s: %+v %+v %v, want %s", x.Change.Action, x.Change.Form, got, got.Refusal, err, code)
		}
	}
	_, update := d.execution(t, change("tax", "create", "", `{"code":"T-1","name":"x","rate":"1"}`))
	d.do(t, change("tax", "create", "", `{"code":"T-1","name":"y","rate":"2"}`))
	refusedAs(update, fault.ValidationFailed)
	_, update = d.execution(t, change("tax", "update", "T-1", `{"rate":"3"}`))
	_, remove := d.execution(t, change("tax", "delete", "T-1", `{}`))
	d.do(t, change("tax", "update", "T-1", `{"name":"z"}`))
	refusedAs(update, fault.RecordChanged)
	refusedAs(remove, fault.RecordChanged)
	_, remove = d.execution(t, change("tax", "delete", "T-1", `{}`))
	d.do(t, change("product", "create", "", `{"code":"P-T","name":"x","category":"tea","unit":"a","base_price":"1","tax":"T-1"}`))
	refusedAs(remove, fault.ValidationFailed)
	_, create := d.execution(t, change("customer_discount", "create", "", `{"customer":"C-0009","product":"P-T","percent":"1"}`))
	d.do(t, change("customer", "update", "C-0009", `{"name":"改名"}`))
	refusedAs(create, fault.QuoteChanged)
}

func TestCodesOfManyAtOnceAreDistinctAndNeverUsedAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const n = 12
	bills := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		_, x := d.execution(t, change("customer", "create", "", `{"name":"x","region":"east"}`))
		wg.Go(func() {
			got, err := d.Execute(context.Background(), d.id, x)
			if err != nil || got.Status != nouns.CommitExecuted {
				t.Errorf("%+v %v", got, err)
			}
			bills[i] = got.Bill
		})
	}
	wg.Wait()
	slices.Sort(bills)
	if len(slices.Compact(slices.Clone(bills))) != n || !strings.HasPrefix(bills[0], "C-") {
		t.Fatalf("codes %v", bills)
	}
	d.do(t, change("customer", "delete", bills[n-1], `{}`))
	if _, next := d.do(t, change("customer", "create", "", `{"name":"x","region":"east"}`)); next.Bill <= bills[n-1] {
		t.Errorf("%s comes after %s", next.Bill, bills[n-1])
	}
}

func TestHistoryNeedsTheRightToRead(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	user, grants, err := d.User(ctx, demo.Tenants()[0], "guest")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.History(ctx, erp.Identity{User: user, Grants: grants}, "tax", "T"); fault.CodeOf(err) != fault.PermissionDenied {
		t.Error(err)
	}
	if _, err := d.History(ctx, d.id, "tax", ""); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
	if h, err := d.History(ctx, d.id, "tax", "nothing"); err != nil || len(h) != 0 {
		t.Errorf("%v %v", h, err)
	}
}
