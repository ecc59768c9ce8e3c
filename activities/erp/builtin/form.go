package builtin

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
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
	listed, lookup bool
	// maxLength in characters, 0 without one; min, max and scale are nil without one.
	maxLength   int
	min, max    *decimal.Decimal
	scale       *int32
	pattern     string
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

// noun is the form as the port shows it, with the actions that are granted.
func (f *form) noun(id erp.Identity) nouns.Form {
	n := nouns.Form{
		Form: f.Form, Label: nouns.Label{Zh: f.LabelZh, En: f.LabelEn}, Domain: f.Domain, Key: f.KeyField,
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
		if id.Grants.Allows(f.Form, a.Action) {
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

// loadForm reads one form that may be read or, with another action, changed.
// Unknown and not granted answer alike: permission_denied.
func loadForm(ctx context.Context, q *pgdb.Queries, id erp.Identity, name, action string) (*form, error) {
	denied := fault.New(fault.PermissionDenied, "form", name, "action", action)
	if !id.Grants.Allows(name, action) {
		return nil, denied
	}
	row, err := q.ErpForm(ctx, pgdb.ErpFormParams{TenantID: id.User.Tenant.String(), Form: name})
	if err == pgx.ErrNoRows { //nolint:errorlint // returned bare by pgx
		return nil, denied
	}
	if err != nil {
		return nil, err
	}
	forms, err := fillForms(ctx, q, []pgdb.ErpForm{row})
	if err != nil {
		return nil, err
	}
	return forms[0], nil
}

// fillForms reads the fields and actions of the forms.
func fillForms(ctx context.Context, q *pgdb.Queries, rows []pgdb.ErpForm) ([]*form, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	names := make([]string, len(rows))
	forms := make([]*form, len(rows))
	byName := map[string]*form{}
	for i, r := range rows {
		names[i] = r.Form
		forms[i] = &form{ErpForm: r, parts: map[string][]field{}}
		byName[r.Form] = forms[i]
	}
	tenant := rows[0].TenantID
	fields, err := q.ErpFormFields(ctx, pgdb.ErpFormFieldsParams{TenantID: tenant, Forms: names})
	if err != nil {
		return nil, err
	}
	for _, r := range fields {
		x, err := newField(r)
		if err != nil {
			return nil, err
		}
		f := byName[r.Form]
		if r.Parent == "" {
			f.fields = append(f.fields, x)
		} else {
			f.parts[r.Parent] = append(f.parts[r.Parent], x)
		}
	}
	actions, err := q.ErpFormActions(ctx, pgdb.ErpFormActionsParams{TenantID: tenant, Forms: names})
	if err != nil {
		return nil, err
	}
	for _, r := range actions {
		f := byName[r.Form]
		f.actions = append(f.actions, nouns.Action{
			Action: r.Action, Label: nouns.Label{Zh: r.LabelZh, En: r.LabelEn}, Write: r.Write, Batch: r.Batch,
		})
	}
	return forms, nil
}

func newField(r pgdb.ErpFormField) (field, error) {
	x := field{
		Field: nouns.Field{
			Name: r.Field, Label: nouns.Label{Zh: r.LabelZh, En: r.LabelEn}, Type: nouns.Type(r.Type),
			Required: r.Required, ReadOnly: r.ReadOnly, Filter: r.Filter, Sort: r.Sort, LinkForm: r.LinkForm,
		},
		listed: r.Listed, lookup: r.Lookup, scale: r.Scale, pattern: r.Pattern, linesSource: r.LinesSource,
	}
	if r.MaxLength != nil {
		x.maxLength = int(*r.MaxLength)
	}
	if r.MinValue.Valid {
		x.min = &r.MinValue.Decimal
	}
	if r.MaxValue.Valid {
		x.max = &r.MaxValue.Decimal
	}
	if err := json.Unmarshal(r.Options, &x.Options); err != nil {
		return field{}, fault.Wrap(fault.Internal, err)
	}
	if len(x.Options) == 0 {
		x.Options = nil
	}
	return x, nil
}
