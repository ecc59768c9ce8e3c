package builtin

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// form is a form with what only the built-in ERP needs to know of it: where it
// is read from, what it changes, how values are checked.
type form struct {
	pgdb.ErpForm
	// fields of the record itself; parts are the columns of a lines field or the
	// arguments of an action, by its name.
	fields  []field
	parts   map[string][]field
	actions []nouns.Action
}

type field struct {
	nouns.Field
	// lookup fields are what a search looks into.
	lookup bool
	// min and max are nil without a limit.
	min, max    *decimal.Decimal
	linesSource string
}

// find returns the top-level field of that name.
func (f *form) find(name string) (field, bool) { return findField(f.fields, name) }

func findField(fields []field, name string) (field, bool) {
	for _, x := range fields {
		if x.Name == name {
			return x, true
		}
	}
	return field{}, false
}

// action returns the declared action of that name.
func (f *form) action(name string) (nouns.Action, bool) {
	for _, a := range f.actions {
		if a.Action == name {
			return a, true
		}
	}
	return nouns.Action{}, false
}

// document reports a form with lines: its rows are documents.
func (f *form) document() bool {
	for _, x := range f.fields {
		if x.Type == nouns.Lines {
			return true
		}
	}
	return false
}

// noun is the form as the port shows it, with the actions that are granted.
func (f *form) noun(id erp.Identity) nouns.Form {
	n := nouns.Form{
		Form: f.Form, Label: nouns.Label{Zh: f.LabelZh, En: f.LabelEn}, Help: nouns.Label{Zh: f.HelpZh, En: f.HelpEn}, Domain: f.Domain,
		Kind: nouns.Kind(f.Kind), Key: f.KeyField,
		Fields: plain(f.fields), Actions: f.granted(id),
	}
	for i, x := range n.Fields {
		if x.Type == nouns.Lines {
			n.Fields[i].Lines = plain(f.parts[x.Name])
		}
	}
	return n
}

func (f *form) granted(id erp.Identity) []nouns.Action {
	actions := []nouns.Action{}
	for _, a := range f.actions {
		// What writes nothing belongs to reading.
		right := a.Action
		if !a.Write {
			right = readAction
		}
		if id.Grants.Allows(f.Form, right) {
			a.Args = plain(f.parts[a.Action])
			actions = append(actions, a)
		}
	}
	return actions
}

func plain(fields []field) []nouns.Field {
	out := make([]nouns.Field, len(fields))
	for i, x := range fields {
		out[i] = x.Field
	}
	return out
}

// catalogue keeps the forms that were read, by tenant and name. Each use asks the
// database for the stamp of the form, so a kept form is never an old one.
type catalogue struct {
	kept sync.Map // of formKey to keptForm
}

type formKey struct{ tenant, form string }

type keptForm struct {
	stamp string
	form  *form
}

// one reads a form whose action is granted. Unknown and not granted answer alike:
// permission_denied.
func (c *catalogue) one(ctx context.Context, q *pgdb.Queries, id erp.Identity, name, action string) (*form, error) {
	denied := fault.New(fault.PermissionDenied, "form", clip(name), "action", clip(action))
	if !id.Grants.Allows(name, action) {
		return nil, denied
	}
	forms, err := c.load(ctx, q, id, []string{name})
	if err != nil {
		return nil, err
	}
	if len(forms) == 0 {
		return nil, denied
	}
	return forms[0], nil
}

// load reads those of the named forms that there are, in the ERP's order.
func (c *catalogue) load(ctx context.Context, q *pgdb.Queries, id erp.Identity, names []string) ([]*form, error) {
	tenant := id.User.Tenant.String()
	stamps, err := q.ErpFormStamps(ctx, pgdb.ErpFormStampsParams{TenantID: tenant, Forms: names})
	if err != nil {
		return nil, err
	}
	forms := make([]*form, len(stamps))
	var missing []string
	for i, s := range stamps {
		if k, ok := c.kept.Load(formKey{tenant, s.Form}); ok && k.(keptForm).stamp == s.Stamp {
			forms[i] = k.(keptForm).form
			continue
		}
		missing = append(missing, s.Form)
	}
	if len(missing) == 0 {
		return forms, nil
	}
	rows, err := q.ErpForms(ctx, pgdb.ErpFormsParams{TenantID: tenant, Forms: missing})
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		f, err := newForm(r)
		if err != nil {
			return nil, fault.Wrap(fault.Internal, err)
		}
		// Fields and stamp are of one statement, so they belong together.
		c.kept.Store(formKey{tenant, f.Form}, keptForm{r.StampText, f})
		for i, s := range stamps {
			if s.Form == f.Form {
				forms[i] = f
			}
		}
	}
	// A form that was removed between the two statements is not there.
	return slices.DeleteFunc(forms, func(f *form) bool { return f == nil }), nil
}

func newForm(r pgdb.ErpFormsRow) (*form, error) {
	f := &form{ErpForm: r.ErpForm, parts: map[string][]field{}}
	var fields []fieldFile
	if err := json.Unmarshal(r.Fields, &fields); err != nil {
		return nil, err
	}
	for _, x := range fields {
		y, err := newField(x)
		if err != nil {
			return nil, err
		}
		if x.Parent == "" {
			f.fields = append(f.fields, y)
		} else {
			f.parts[x.Parent] = append(f.parts[x.Parent], y)
		}
	}
	var actions []actionFile
	if err := json.Unmarshal(r.Actions, &actions); err != nil {
		return nil, err
	}
	for _, a := range actions {
		f.actions = append(f.actions, nouns.Action{Action: a.Action, Label: nouns.Label{Zh: a.LabelZh, En: a.LabelEn}, Write: a.Write, Batch: a.Batch,
			Manual: a.Manual, States: a.States, Danger: a.Danger})
	}
	return f, nil
}

func newField(r fieldFile) (field, error) {
	x := field{
		Field: nouns.Field{
			Name: r.Field, Label: nouns.Label{Zh: r.LabelZh, En: r.LabelEn}, Type: nouns.Type(r.Type), Required: r.Required, ReadOnly: r.ReadOnly, Fixed: r.Fixed,
			Listed: r.Listed, Hidden: r.Hidden, Control: nouns.Control(r.Control), Default: r.DefaultValue, Help: nouns.Label{Zh: r.HelpZh, En: r.HelpEn},
			Scale: r.Scale, Pattern: r.Pattern, Ungoverned: r.Ungoverned, Filter: r.Filter, Sort: r.Sort, LinkForm: r.LinkForm,
		},
		lookup: r.Lookup, linesSource: r.LinesSource,
	}
	if r.MaxLength != nil {
		x.MaxLength = int(*r.MaxLength)
	}
	if r.MinValue.Valid {
		x.min, x.Min = &r.MinValue.Decimal, r.MinValue.Decimal.String()
	}
	if r.MaxValue.Valid {
		x.max, x.Max = &r.MaxValue.Decimal, r.MaxValue.Decimal.String()
	}
	if err := json.Unmarshal(r.Options, &x.Options); err != nil {
		return field{}, err
	}
	if len(x.Options) == 0 {
		x.Options = nil
	}
	return x, nil
}
