package erpweb_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/api/erpweb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

// fakeERP is an ERP with the form "customer" that remembers what it was asked;
// only "li" is known to it.
type fakeERP struct {
	queries    []nouns.Query
	changes    []nouns.Change
	executions []nouns.Execution
	// commits are the final answers by token.
	commits map[string]nouns.Commit
	// version is the record's version now; "" gives previews no version fact.
	version string
	// previewErr and refusal are what the ERP says to the next change.
	previewErr error
	refusal    *nouns.Refusal
	// rows is how many rows a list has.
	rows int
}

func (e *fakeERP) User(_ context.Context, tenant identity.Tenant, id string) (identity.User, identity.Grants, error) {
	if id != "li" {
		return identity.User{}, identity.Grants{}, fault.New(fault.LoginExpired)
	}
	return identity.User{Tenant: tenant, UserID: id, Locale: identity.English}, identity.Grants{}, nil
}

func (e *fakeERP) Forms(context.Context, erp.Identity) ([]nouns.Form, error) {
	return []nouns.Form{{Form: "customer"}}, nil
}

func (e *fakeERP) Schema(_ context.Context, _ erp.Identity, form string) (nouns.Form, error) {
	if form != "customer" {
		return nouns.Form{}, fault.New(fault.PermissionDenied)
	}
	return nouns.Form{Form: form, Fields: []nouns.Field{
		{Name: "code", Label: nouns.Label{Zh: "编码", En: "Code"}, Listed: true},
		{Name: "balance", Label: nouns.Label{Zh: "余额", En: "Balance"}, Type: nouns.Money, Listed: true},
		{Name: "active", Label: nouns.Label{Zh: "状态", En: "Status"}, Type: nouns.Option, Listed: true,
			Options: []nouns.Choice{{Value: "true", Label: nouns.Label{Zh: "启用", En: "Active"}}}},
		{Name: "remark", Label: nouns.Label{Zh: "备注", En: "Remark"}},
		{Name: "lines", Type: nouns.Lines, Listed: true},
	}}, nil
}

func (e *fakeERP) Read(_ context.Context, id erp.Identity, q nouns.Query) (nouns.Page, error) {
	e.queries = append(e.queries, q)
	if q.Mode == nouns.Record {
		return nouns.Page{Form: q.Form, Record: nouns.Row{"asked_by": id.User.UserID, "version": e.version}}, nil
	}
	from := 0
	if q.Cursor != "" {
		if _, err := fmt.Sscanf(q.Cursor, "at-%d", &from); err != nil {
			return nouns.Page{}, fault.New(fault.Invalid)
		}
	}
	p := nouns.Page{Form: q.Form, Total: e.rows}
	for i := from; i < min(from+q.Limit, e.rows); i++ {
		p.Rows = append(p.Rows, nouns.Row{"code": fmt.Sprintf("C-%05d", i+1), "balance": "-1.50", "active": "true", "remark": `=HYPERLINK("x")`})
	}
	if next := from + q.Limit; next < e.rows {
		p.Truncated, p.NextCursor = true, fmt.Sprintf("at-%d", next)
	}
	return p, nil
}

func (e *fakeERP) Lookup(_ context.Context, _ erp.Identity, form, text string, limit int) ([]nouns.Row, error) {
	return []nouns.Row{{"form": form, "text": text, "limit": limit}}, nil
}

func (e *fakeERP) Preview(_ context.Context, _ erp.Identity, c nouns.Change) (nouns.Preview, error) {
	e.changes = append(e.changes, c)
	if e.previewErr != nil {
		return nouns.Preview{}, e.previewErr
	}
	p := nouns.Preview{Form: c.Form, Action: c.Action, Object: "Sunrise (C-1)", Payload: json.RawMessage(`{"normalised":true}`)}
	if e.version != "" {
		p.Facts = []nouns.Fact{{Kind: nouns.FactVersion, Form: c.Form, Key: c.Target, Field: "version", Value: e.version}}
	}
	return p, nil
}

func (e *fakeERP) Execute(_ context.Context, _ erp.Identity, x nouns.Execution) (nouns.Commit, error) {
	e.executions = append(e.executions, x)
	if e.refusal != nil {
		return nouns.Commit{Status: nouns.CommitRefused, Refusal: e.refusal}, nil
	}
	c := nouns.Commit{Status: nouns.CommitExecuted, Digest: x.Digest, Bill: "C-9", Link: "/erp/form/customer?bill=C-9"}
	if e.commits == nil {
		e.commits = map[string]nouns.Commit{}
	}
	e.commits[x.ClientToken] = c
	return c, nil
}

func (e *fakeERP) FindCommitted(_ context.Context, _ erp.Identity, token string) (nouns.Commit, error) {
	if c, ok := e.commits[token]; ok {
		return c, nil
	}
	return nouns.Commit{}, fault.New(fault.NotFound)
}

func (e *fakeERP) History(_ context.Context, _ erp.Identity, form, key string) ([]nouns.HistoryEntry, error) {
	return []nouns.HistoryEntry{{Version: 2, Action: form + " " + key}}, nil
}

// fakeStaging is one operation, "op-1", of li's.
type fakeStaging struct {
	staging operation.Staging
	// then are the states that follow, one at each look.
	then  []operation.Status
	saves []operation.NativeSave
	saved operation.NativeSaved
	err   error
	asked []operation.TodoState
}

func (f *fakeStaging) Staged(_ context.Context, _ identity.Tenant, _, opID string) (operation.Staging, error) {
	if opID != "op-1" {
		return operation.Staging{}, fault.New(fault.NotFound)
	}
	s := f.staging
	s.State = s.Status.Todo()
	if len(f.then) > 0 {
		f.staging.Status, f.then = f.then[0], f.then[1:]
	}
	return s, nil
}

func (f *fakeStaging) SaveStaged(_ context.Context, _ identity.Tenant, _, _ string, n operation.NativeSave) (operation.NativeSaved, error) {
	f.saves = append(f.saves, n)
	return f.saved, f.err
}

func (f *fakeStaging) Todos(_ context.Context, _ identity.Tenant, _ string, state operation.TodoState) ([]operation.Todo, error) {
	f.asked = append(f.asked, state)
	return nil, nil
}

// call calls the route of that method and path for a person; place is the form
// or the id in the path.
func call(t *testing.T, e *fakeERP, f *fakeStaging, method, path, place, query, body, user string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	c := erpweb.Config{ERP: e, History: e}
	if f != nil {
		c.Staging = f
	}
	for _, route := range erpweb.New(c).Routes() {
		if route.Method == method && route.Path == path {
			req := httptest.NewRequest(method, path+query, strings.NewReader(body))
			req.SetPathValue("form", place)
			req.SetPathValue("id", place)
			w := httptest.NewRecorder()
			return w, route.Serve(w, req, identity.Tenant{BrandID: "b", SubsidiaryID: "s"}, user)
		}
	}
	t.Fatalf("there is no %s %s", method, path)
	return nil, nil
}
