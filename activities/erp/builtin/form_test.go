package builtin_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

func TestAFormThatChangesIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(t)
	w := &world{t: t, url: url, tenant: demo.Tenants()[0].String()}
	c := builtin.New(open(t, url))
	user, grants, err := c.User(ctx, demo.Tenants()[0], "wang")
	if err != nil {
		t.Fatal(err)
	}
	id := erp.Identity{User: user, Grants: grants}
	schema := func() nouns.Form {
		f, err := c.Schema(ctx, id, "customer")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	before := schema()
	for what, step := range map[string]struct {
		sql  string
		done func(nouns.Form) bool
	}{
		"a label": {"UPDATE erp.forms SET label_zh = '往来单位' WHERE tenant_id = $1 AND form = 'customer'",
			func(f nouns.Form) bool { return f.Label.Zh == "往来单位" }},
		"an allow-list": {"UPDATE erp.form_fields SET filter = false WHERE tenant_id = $1 AND form = 'customer' AND field = 'region'",
			func(f nouns.Form) bool { x, _ := f.Find("region"); return !x.Filter }},
		"a field that goes": {"DELETE FROM erp.form_fields WHERE tenant_id = $1 AND form = 'customer' AND field = 'email'",
			func(f nouns.Form) bool { _, ok := f.Find("email"); return !ok }},
		"an action that goes": {"DELETE FROM erp.form_actions WHERE tenant_id = $1 AND form = 'customer'",
			func(f nouns.Form) bool { return len(f.Actions) == 0 }},
	} {
		if err := w.exec(ctx, step.sql); err != nil {
			t.Fatal(err)
		}
		if !step.done(schema()) {
			t.Errorf("%s is not seen", what)
		}
	}
	// Installing brings back what comes with the product.
	conn := connect(t, url)
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := builtin.InstallForms(ctx, tx, demo.Tenants()[0]); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if after := schema(); after.Label != before.Label || len(after.Fields) != len(before.Fields) || len(after.Actions) != len(before.Actions) {
		t.Errorf("after installing again: %+v", after)
	}
	if err := w.exec(ctx, "DELETE FROM erp.forms WHERE tenant_id = $1 AND form = 'customer'"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Schema(ctx, id, "customer"); fault.CodeOf(err) != fault.PermissionDenied {
		t.Errorf("a form that is gone: %v", err)
	}
}

// Fields that the form names exist where they are read and written.
func TestEveryFormCanBeReadWhole(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newDesk(t)
	forms, err := d.Forms(ctx, d.id)
	if err != nil || len(forms) < 14 {
		t.Fatalf("%d forms, %v", len(forms), err)
	}
	for _, f := range forms {
		_, document := f.Find("lines")
		if !document && f.Kind == nouns.KindRecord && !slices.ContainsFunc(f.Actions, func(a nouns.Action) bool { return a.Action == "export" && !a.Write }) {
			t.Errorf("%s cannot be exported", f.Form)
		}
		for _, x := range f.Fields {
			if x.Sort {
				for _, desc := range []bool{false, true} {
					if _, err := d.Read(ctx, d.id, nouns.Query{Form: f.Form, Sort: []nouns.Sort{{Field: x.Name, Desc: desc}}, Limit: 3}); err != nil {
						t.Errorf("sort %s by %s: %v", f.Form, x.Name, err)
					}
				}
			}
			if x.Filter {
				q := nouns.Query{Form: f.Form, Mode: nouns.Count, Filters: []nouns.Filter{{Field: x.Name, Op: nouns.Eq, Value: sample(x)}}}
				if _, err := d.Read(ctx, d.id, q); err != nil {
					t.Errorf("filter %s by %s: %v", f.Form, x.Name, err)
				}
			}
			if x.Type == nouns.Link && !slices.ContainsFunc(forms, func(y nouns.Form) bool { return y.Form == x.LinkForm }) {
				t.Errorf("%s.%s links to %s, which is no form", f.Form, x.Name, x.LinkForm)
			}
		}
		if _, err := d.Lookup(ctx, d.id, f.Form, "a", 3); err != nil {
			t.Errorf("lookup %s: %v", f.Form, err)
		}
		page, err := d.Read(ctx, d.id, nouns.Query{Form: f.Form, Limit: 1, Fields: []string{f.Key}})
		if err != nil {
			t.Errorf("list %s: %v", f.Form, err)
			continue
		}
		if len(page.Rows) == 0 {
			continue
		}
		key, _ := page.Rows[0][f.Key].(string)
		page, err = d.Read(ctx, d.id, nouns.Query{Form: f.Form, Mode: nouns.Record, ID: key})
		if err != nil || len(page.Record) != len(f.Fields) {
			t.Errorf("record %s %s: %d of %d fields, %v", f.Form, key, len(page.Record), len(f.Fields), err)
		}
	}
}

// sample is a value that fits the field.
func sample(f nouns.Field) json.RawMessage {
	v := "1"
	switch f.Type {
	case nouns.Date, nouns.DateTime:
		v = "2026-01-01"
	case nouns.Option:
		v = f.Options[0].Value
	case nouns.Text, nouns.Link, nouns.Lines, nouns.Decimal, nouns.Integer, nouns.Money:
	}
	return json.RawMessage(`"` + v + `"`)
}
