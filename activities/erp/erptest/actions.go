package erptest

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// actions: every write that the harness names is what its preview showed, needs
// its own right, and the documents of the chain are carried on and back.
var actions = map[string]func(*testing.T, *suite){
	"every action does what its preview showed": func(t *testing.T, s *suite) {
		for _, c := range s.Cases {
			s.shown(t, c)
		}
	},
	"every action needs its right, when it is shown and when it is written": func(t *testing.T, s *suite) {
		ctx := context.Background()
		for _, c := range s.Cases {
			change := c.Change(t)
			if _, err := s.Connector.Preview(ctx, s.guest, change); fault.CodeOf(err) != fault.PermissionDenied {
				t.Errorf("%s: a guest is shown it: %v", c.Name, err)
			}
			x := s.previewAs(t, s.manager, change)
			must(t, s.Disturb.Revoke(ctx, s.Manager.UserID, change.Form, change.Action))
			got, err := s.Connector.Execute(ctx, s.manager, x)
			must(t, err)
			if got.Status != nouns.CommitRefused || got.Refusal == nil || got.Refusal.Code != string(fault.PermissionDenied) {
				t.Errorf("%s: written after the right was taken away: %+v", c.Name, got)
			}
			must(t, s.Disturb.Grant(ctx, s.Manager.UserID, change.Form, change.Action))
			if x = s.previewAs(t, s.manager, change); s.as(t, s.manager, x).Bill == "" {
				t.Errorf("%s: no bill", c.Name)
			}
		}
	},
	"documents are carried along the chain, and back": func(t *testing.T, s *suite) {
		if len(s.Chain) == 0 {
			return // this ERP makes no document of another
		}
		var made []string
		c := s.order("10", "5")
		for i, form := range s.Chain {
			if i > 0 {
				c = nouns.Change{Form: form, Action: "generate", OpType: nouns.OpGenerate, Payload: raw(nouns.Generate{SourceForm: s.Chain[i-1], Sources: made[i-1:]})}
			}
			number := s.as(t, s.manager, s.previewAs(t, s.manager, c)).Bill
			made = append(made, number)
			examine := nouns.Change{Form: form, Action: "examine", OpType: nouns.OpExamine, Target: number, Payload: raw(map[string]any{})}
			if got := s.as(t, s.manager, s.previewAs(t, s.manager, examine)); got.Bill != number {
				t.Errorf("examined %s, the bill says %s", number, got.Bill)
			}
			s.cannot(t, examine, "examine twice")
			if i > 0 {
				s.cannot(t, c, "generate again")
				if a, b := s.managers(t, s.Chain[i-1], made[i-1]), s.managers(t, form, number); a["total"] != b["total"] || a["currency"] != b["currency"] {
					t.Errorf("%s of %v %v was made of %s of %v %v", form, b["total"], b["currency"], s.Chain[i-1], a["total"], a["currency"])
				}
				s.cannot(t, nouns.Change{Form: s.Chain[i-1], Action: "unexamine", Target: made[i-1], Payload: raw(map[string]any{})}, "take back what was carried on")
			}
		}
		for i := len(s.Chain) - 1; i >= 0; i-- {
			for _, action := range []string{"unexamine", "cancel"} {
				s.as(t, s.manager, s.previewAs(t, s.manager, nouns.Change{Form: s.Chain[i], Action: action, Target: made[i], Payload: raw(map[string]any{})}))
			}
			if st := s.managers(t, s.Chain[i], made[i])["status"]; st != "cancelled" {
				t.Errorf("%s is %v", made[i], st)
			}
		}
	},
}

func (s *suite) previewAs(t *testing.T, id erp.Identity, c nouns.Change) nouns.Execution {
	t.Helper()
	p, err := s.Connector.Preview(context.Background(), id, c)
	if err != nil {
		t.Fatalf("preview of %s %s %s: %v %+v", c.Form, c.Action, c.Payload, err, fault.ProblemsOf(err))
	}
	return confirm(c, p)
}

// as executes what must be written.
func (s *suite) as(t *testing.T, id erp.Identity, x nouns.Execution) nouns.Commit {
	t.Helper()
	got, err := s.Connector.Execute(context.Background(), id, x)
	if err != nil || got.Status != nouns.CommitExecuted {
		t.Fatalf("%s %s %s: %+v (refusal %+v) %v", x.Change.Form, x.Change.Action, x.Change.Target, got, got.Refusal, err)
	}
	return got
}

func (s *suite) cannot(t *testing.T, c nouns.Change, what string) {
	t.Helper()
	if _, err := s.Connector.Preview(context.Background(), s.manager, c); fault.CodeOf(err) != fault.ValidationFailed || fault.ParamsOf(err)["detail"] == "" {
		t.Errorf("%s %s: %s: %v", c.Form, c.Target, what, err)
	}
}

// managers is a record as the manager reads it.
func (s *suite) managers(t *testing.T, form, key string) nouns.Row {
	t.Helper()
	p, err := s.Connector.Read(context.Background(), s.manager, nouns.Query{Form: form, Mode: nouns.Record, ID: key})
	if err != nil {
		t.Fatalf("read %s %s: %v", form, key, err)
	}
	return p.Record
}

// shown previews a change, writes it, and looks whether the record is what the
// preview said: its values, its lines, its total.
func (s *suite) shown(t *testing.T, c Case) {
	t.Helper()
	ctx := context.Background()
	change := c.Change(t)
	p, err := s.Connector.Preview(ctx, s.manager, change)
	if err != nil {
		t.Fatalf("%s: %v %+v", c.Name, err, fault.ProblemsOf(err))
	}
	again, err := s.Connector.Preview(ctx, s.manager, change)
	must(t, err)
	a, _ := json.Marshal(p)
	b, _ := json.Marshal(again)
	if string(a) != string(b) {
		t.Errorf("%s: a preview changes the next one:\n%s\n%s", c.Name, a, b)
	}
	got := s.as(t, s.manager, confirm(change, p))
	page, err := s.Connector.Read(ctx, s.manager, nouns.Query{Form: change.Form, Mode: nouns.Record, ID: got.Bill})
	if change.Action == "delete" {
		wantCode(t, err, fault.NotFound)
		return
	}
	must(t, err)
	r := page.Record
	for _, d := range p.Diffs {
		is, ok := r[d.Field].(string)
		if d.Object != "" || !ok || d.Field == "number" && p.Provisional {
			continue
		}
		if !same(s.form(t, change.Form), d, is) {
			t.Errorf("%s: %s is %q, the preview said %q", c.Name, d.Field, is, d.After)
		}
	}
	if total, ok := r["total"].(string); ok && total != p.Total {
		t.Errorf("%s: the total is %s, the preview said %s", c.Name, total, p.Total)
	}
	lines, _ := r["lines"].([]nouns.Row)
	if len(p.Lines) > 0 && len(lines) != len(p.Lines) && len(got.Bills) == 0 {
		t.Fatalf("%s: %d lines, the preview showed %d", c.Name, len(lines), len(p.Lines))
	}
	for i, l := range p.Lines {
		if i >= len(lines) {
			break
		}
		for field, said := range map[string]string{"product": l.Product, "quantity": l.Quantity, "unit_price": l.UnitPrice, "amount": l.Amount} {
			if is, ok := lines[i][field].(string); ok && is != said {
				t.Errorf("%s: %s of line %d is %q, the preview said %q", c.Name, field, i+1, is, said)
			}
		}
	}
}

func (s *suite) form(t *testing.T, name string) nouns.Form {
	t.Helper()
	f, err := s.Connector.Schema(context.Background(), s.manager, name)
	must(t, err)
	return f
}

// same compares what a person read on the card with the value: an option by its
// label, a link by a name that tells its key.
func same(f nouns.Form, d nouns.Diff, is string) bool {
	if d.After == is || is != "" && strings.Contains(d.After, is) {
		return true
	}
	x, _ := f.Find(d.Field)
	for _, o := range x.Options {
		if o.Value == is && (o.Label.Zh == d.After || o.Label.En == d.After) {
			return true
		}
	}
	a, err := decimal.NewFromString(d.After)
	b, err2 := decimal.NewFromString(is)
	return err == nil && err2 == nil && a.Equal(b)
}
