package erpweb

import (
	"context"
	"net/http"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

// ERP is what the pages need of an ERP; erp.Connector is one.
type ERP interface {
	User(ctx context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error)
	Forms(ctx context.Context, id erp.Identity) ([]nouns.Form, error)
	Schema(ctx context.Context, id erp.Identity, form string) (nouns.Form, error)
	Read(ctx context.Context, id erp.Identity, q nouns.Query) (nouns.Page, error)
	Lookup(ctx context.Context, id erp.Identity, form, text string, limit int) ([]nouns.Row, error)
	Preview(ctx context.Context, id erp.Identity, c nouns.Change) (nouns.Preview, error)
	Execute(ctx context.Context, id erp.Identity, x nouns.Execution) (nouns.Commit, error)
	FindCommitted(ctx context.Context, id erp.Identity, clientToken string) (nouns.Commit, error)
}

// Historian tells what became of a record, newest change first. Codes:
// permission_denied, not_found.
type Historian interface {
	History(ctx context.Context, id erp.Identity, form, key string) ([]nouns.HistoryEntry, error)
}

// Exporter reads many rows of one moment. It calls row for each, at most limit
// times, and says whether there are more. Codes: those of Read.
type Exporter interface {
	Export(ctx context.Context, id erp.Identity, q nouns.Query, limit int, row func(nouns.Row) error) (truncated bool, err error)
}

// Staging are the operations that a person finishes in the native form, and the
// list of what the agent has begun for them; activities/operation.Service is one.
type Staging interface {
	// Staged reads an operation of the user's own. Codes: not_found.
	Staged(ctx context.Context, tenant identity.Tenant, userID, opID string) (operation.Staging, error)
	// SaveStaged saves a native form under a staging. Codes: those of records in doc.go.
	SaveStaged(ctx context.Context, tenant identity.Tenant, userID, opID string, save operation.NativeSave) (operation.NativeSaved, error)
	// Todos lists the user's own operations, newest first; state "" is all.
	Todos(ctx context.Context, tenant identity.Tenant, userID string, state operation.TodoState) ([]operation.Todo, error)
}

// Config is what the server needs. ERP is required.
type Config struct {
	ERP ERP
	// History may be nil: then every record has an empty history.
	History Historian
	// Export may be nil: then a file is read page by page.
	Export Exporter
	// Staging may be nil: then there is none, and no to-dos.
	Staging Staging
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
type Server struct {
	erp     ERP
	history Historian
	pages   Exporter
	staging Staging
}

// New returns the server of an ERP.
func New(c Config) *Server {
	s := &Server{erp: c.ERP, history: c.History, pages: c.Export, staging: c.Staging}
	if s.pages == nil {
		s.pages = paging{c.ERP}
	}
	if s.history == nil {
		s.history = unwritten{}
	}
	if s.staging == nil {
		s.staging = unstaged{}
	}
	return s
}

// Routes lists the addresses, all of which need a login.
func (s *Server) Routes() []Route {
	return []Route{
		{http.MethodGet, "/erp/api/forms", s.forms},
		{http.MethodGet, "/erp/api/forms/:form/schema", s.schema},
		{http.MethodPost, "/erp/api/forms/:form/read", s.read},
		{http.MethodGet, "/erp/api/forms/:form/lookup", s.lookup},
		{http.MethodPost, "/erp/api/forms/:form/preview", s.preview},
		{http.MethodPost, "/erp/api/forms/:form/records", s.save},
		{http.MethodGet, "/erp/api/forms/:form/history", s.records},
		{http.MethodPost, "/erp/api/forms/:form/export", s.export},
		{http.MethodGet, "/erp/api/staging/:id", s.staged},
		{http.MethodPost, "/erp/api/staging/:id/execute", s.execute},
		{http.MethodGet, "/erp/api/todos", s.todos},
	}
}

// identify reads the person and their grants anew. What is told speaks the
// language of the page, which may be another than the person's own.
func (s *Server) identify(r *http.Request, tenant identity.Tenant, userID string) (erp.Identity, error) {
	user, grants, err := s.erp.User(r.Context(), tenant, userID)
	user.Locale = identity.AcceptedLocale(r.Header.Get("Accept-Language"), user.Locale)
	return erp.Identity{User: user, Grants: grants}, err
}

// unwritten is the history of an ERP that keeps none.
type unwritten struct{}

func (unwritten) History(context.Context, erp.Identity, string, string) ([]nouns.HistoryEntry, error) {
	return nil, nil
}

// unstaged has no operations.
type unstaged struct{}

var errNoStaging = fault.New(fault.NotFound, "noun", "operation")

func (unstaged) Staged(context.Context, identity.Tenant, string, string) (operation.Staging, error) {
	return operation.Staging{}, errNoStaging
}

func (unstaged) SaveStaged(context.Context, identity.Tenant, string, string, operation.NativeSave) (operation.NativeSaved, error) {
	return operation.NativeSaved{}, errNoStaging
}

func (unstaged) Todos(context.Context, identity.Tenant, string, operation.TodoState) ([]operation.Todo, error) {
	return nil, nil
}
