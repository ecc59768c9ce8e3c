package erpweb

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// maxBody bounds a request body.
const maxBody = 64 << 10

// Reader is what the pages need of an ERP; erp.Connector is one.
type Reader interface {
	User(ctx context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error)
	Forms(ctx context.Context, id erp.Identity) ([]nouns.Form, error)
	Schema(ctx context.Context, id erp.Identity, form string) (nouns.Form, error)
	Read(ctx context.Context, id erp.Identity, q nouns.Query) (nouns.Page, error)
}

// Route is one address of the ERP. Serve gets the person who has logged in; path
// values are set on the request.
type Route struct {
	Method string
	// Path as echo spells it: "/erp/api/forms/:form/read".
	Path  string
	Serve func(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error
}

// Server answers for one ERP.
type Server struct{ erp Reader }

// New returns the server of an ERP.
func New(r Reader) *Server { return &Server{erp: r} }

// Routes lists the addresses, all of which need a login.
func (s *Server) Routes() []Route {
	return []Route{
		{http.MethodGet, "/erp/api/forms", s.forms},
		{http.MethodGet, "/erp/api/forms/:form/schema", s.schema},
		{http.MethodPost, "/erp/api/forms/:form/read", s.read},
	}
}

// forms lists what the person may read.
func (s *Server) forms(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	forms, err := s.erp.Forms(r.Context(), id)
	if err != nil {
		return err
	}
	return answer(w, map[string]any{"forms": forms})
}

// schema describes one form.
func (s *Server) schema(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	form, err := s.erp.Schema(r.Context(), id, r.PathValue("form"))
	if err != nil {
		return err
	}
	return answer(w, form)
}

// read answers a list, a count or a record; the form of the path wins.
func (s *Server) read(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var q nouns.Query
	if err := decode(w, r, &q); err != nil {
		return err
	}
	q.Form = r.PathValue("form")
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	page, err := s.erp.Read(r.Context(), id, q)
	if err != nil {
		return err
	}
	return answer(w, page)
}

// identify reads the person and their grants anew.
func (s *Server) identify(r *http.Request, tenant identity.Tenant, userID string) (erp.Identity, error) {
	user, grants, err := s.erp.User(r.Context(), tenant, userID)
	return erp.Identity{User: user, Grants: grants}, err
}

func decode(w http.ResponseWriter, r *http.Request, into any) error {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return fault.New(fault.TooLarge, "limit", "64 KiB")
		}
		return fault.Wrap(fault.Invalid, err, "detail", "the body is no query of a form")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "detail", "there is something behind the JSON value")
	}
	return nil
}

func answer(w http.ResponseWriter, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(append(raw, '\n'))
	return err
}
