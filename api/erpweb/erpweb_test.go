package erpweb_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/api/erpweb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// reader is an ERP that remembers what it was asked; only "li" is known to it.
type reader struct{ queries []nouns.Query }

func (r *reader) User(_ context.Context, tenant identity.Tenant, id string) (identity.User, identity.Grants, error) {
	if id != "li" {
		return identity.User{}, identity.Grants{}, fault.New(fault.LoginExpired)
	}
	return identity.User{Tenant: tenant, UserID: id}, identity.Grants{}, nil
}
func (r *reader) Forms(context.Context, erp.Identity) ([]nouns.Form, error) {
	return []nouns.Form{{Form: "customer"}}, nil
}
func (r *reader) Schema(_ context.Context, _ erp.Identity, form string) (nouns.Form, error) {
	if form != "customer" {
		return nouns.Form{}, fault.New(fault.PermissionDenied)
	}
	return nouns.Form{Form: form}, nil
}
func (r *reader) Read(_ context.Context, id erp.Identity, q nouns.Query) (nouns.Page, error) {
	r.queries = append(r.queries, q)
	return nouns.Page{Form: q.Form, Record: nouns.Row{"asked_by": id.User.UserID}}, nil
}

// serve calls the route of that method and path for a person.
func serve(t *testing.T, r *reader, method, path, form, body, user string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	for _, route := range erpweb.New(r).Routes() {
		if route.Method == method && route.Path == path {
			req := httptest.NewRequest(method, path, strings.NewReader(body))
			req.SetPathValue("form", form)
			w := httptest.NewRecorder()
			return w, route.Serve(w, req, identity.Tenant{BrandID: "b", SubsidiaryID: "s"}, user)
		}
	}
	t.Fatalf("there is no %s %s", method, path)
	return nil, nil
}

const read = "/erp/api/forms/:form/read"

func TestTheFormOfThePathWins(t *testing.T) {
	t.Parallel()
	r := &reader{}
	w, err := serve(t, r, http.MethodPost, read, "customer", `{"form":"secret","mode":"record","id":"C-1"}`, "li")
	if err != nil || len(r.queries) != 1 || r.queries[0].Form != "customer" || r.queries[0].ID != "C-1" {
		t.Fatalf("asked %+v, error %v", r.queries, err)
	}
	if !strings.Contains(w.Body.String(), `"asked_by":"li"`) || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answer %s, headers %v", w.Body, w.Header())
	}
}

func TestABodyThatIsNoQueryReachesNoERP(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Code{
		``: fault.Invalid, `[]`: fault.Invalid, `{"mode":1}`: fault.Invalid, `{"sql":"1=1"}`: fault.Invalid, `{} {}`: fault.Invalid,
		`{"id":"` + strings.Repeat("x", 65<<10) + `"}`: fault.TooLarge,
	} {
		r := &reader{}
		_, err := serve(t, r, http.MethodPost, read, "customer", body, "li")
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != want || len(r.queries) != 0 {
			t.Errorf("%.20q: error %v, want %s, and %d queries", body, err, want, len(r.queries))
		}
	}
}

func TestEveryRouteNeedsAPersonThatTheERPKnows(t *testing.T) {
	t.Parallel()
	for _, route := range erpweb.New(&reader{}).Routes() {
		r := &reader{}
		_, err := serve(t, r, route.Method, route.Path, "customer", `{}`, "gone")
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.LoginExpired || len(r.queries) != 0 {
			t.Errorf("%s: error %v", route.Path, err)
		}
	}
}

func TestFormsAndSchemasAreThoseOfTheERP(t *testing.T) {
	t.Parallel()
	w, err := serve(t, &reader{}, http.MethodGet, "/erp/api/forms", "", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `{"forms":[{"form":"customer"`) {
		t.Errorf("forms %v %s", err, w.Body)
	}
	if w, err = serve(t, &reader{}, http.MethodGet, "/erp/api/forms/:form/schema", "customer", "", "li"); err != nil || !strings.Contains(w.Body.String(), `"form":"customer"`) {
		t.Errorf("schema %v %s", err, w.Body)
	}
	_, err = serve(t, &reader{}, http.MethodGet, "/erp/api/forms/:form/schema", "secret", "", "li")
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.PermissionDenied {
		t.Errorf("a foreign form: %v", err)
	}
}
