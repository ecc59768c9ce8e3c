package gateway

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
)

// Authenticator is the ERP's word on who somebody is.
type Authenticator interface {
	// Login checks a name and a password. Codes: bad_credentials, unavailable.
	Login(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error)
	// User reads a person and their grants. Codes: not_found, unavailable.
	User(ctx context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error)
}

// Proposer makes a fresh operation of one that ended without a write.
type Proposer interface {
	// Repropose stages a new operation with the same request, previewed on the
	// facts of now. Codes: not_found, conflict, validation_failed, permission_denied.
	Repropose(ctx context.Context, tenant identity.Tenant, userID, opID string) (contract.Prepared, error)
}

// Closer ends operations whose workflow is gone.
type Closer interface {
	// CloseRow stores the end of an operation without a write and tells everyone; a
	// row that has moved on is returned as it is.
	CloseRow(ctx context.Context, tenant identity.Tenant, in contract.CloseInput) (pgdb.Operation, error)
	// Reconcile shuts out the attempts of a doubtful write and stores its outcome.
	Reconcile(ctx context.Context, tenant identity.Tenant, opID string) error
}

// Carrier wakes readers, carries deltas and knows the open texts.
type Carrier interface {
	journal.Carrier
	journal.Texts
}

// Route is an address that someone else serves to people who have logged in.
type Route struct {
	Method string
	// Path as echo spells it ("/erp/api/forms/:form/read"); its values are set on
	// the request.
	Path string
	// Serve answers; an error becomes problem+json.
	Serve func(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error
}

// DemoLogin is shown on the login screen in demo mode.
type DemoLogin struct {
	Tenant   string `json:"tenant"`
	Username string `json:"username"`
	Password string `json:"password"`
	Name     string `json:"name"`
}

// Config is what a gateway needs. DB, Temporal, Carrier, Auth and ProofKey are
// required; the rest has defaults or may be nil.
type Config struct {
	DB       *store.DB
	Temporal client.Client
	Carrier  Carrier
	Auth     Authenticator
	// Proposer serves repropose; nil answers unavailable.
	Proposer Proposer
	// Reconciler ends operations whose workflow an operator has terminated; nil
	// leaves them as they are.
	Reconciler Closer
	// Capabilities of the ERP stand on each card.
	Capabilities erp.Capabilities
	// ProofKey signs decisions; the worker verifies with the same key. At least 32 bytes.
	ProofKey []byte
	// Routes are addresses of others behind this gateway's login, such as the
	// ERP's own; nil adds none.
	Routes []Route
	// Page is the built page (index.html and what it loads); nil serves none.
	Page fs.FS
	// FrameAncestors are origins that may frame the page, besides its own.
	FrameAncestors []string
	// TaskQueue of the workers. Defaults to contract.TaskQueue.
	TaskQueue string
	// Limits of a turn. Defaults to turn.DefaultLimits.
	Limits turn.Limits
	// QuestionTTL is how long a question waits. Defaults to 24 h.
	QuestionTTL time.Duration
	// Model labels who answers; Demo says that it is the demo planner.
	Model string
	Demo  bool
	// DemoLogins are shown on the login screen; leave empty outside demo mode.
	DemoLogins []DemoLogin
	// SessionTTL is how long a login lasts. Defaults to 12 h.
	SessionTTL time.Duration
	// DecideBudget is how long an update may take before the signal is sent
	// instead. Defaults to 5 s.
	DecideBudget time.Duration
	Stream       StreamConfig
	// SweepEvery is the pace of Sweep. Defaults to 15 s.
	SweepEvery time.Duration
	Log        *slog.Logger
}

// StreamConfig paces the event streams.
type StreamConfig struct {
	// Heartbeat defaults to 15 s; the session is checked at the same pace.
	Heartbeat time.Duration
	// MaxAge ends a connection, give or take a tenth. Defaults to 15 min.
	MaxAge time.Duration
	// Coalesce joins deltas that arrive within it, after the first. Defaults to 40 ms.
	Coalesce time.Duration
	// WriteTimeout bounds each write. Defaults to 10 s.
	WriteTimeout time.Duration
	// PerUser bounds the open streams of one user. Defaults to 32.
	PerUser int
}

// Server is the gateway.
type Server struct {
	Config
	log *slog.Logger

	echo *echo.Echo
	page *page
	// closing is closed when the server shuts down; streams end at once.
	closing   chan struct{}
	closeOnce sync.Once

	people  people
	flights flights
	streams streams
	logins  attempts
	sweeper sweeper
	// background counts what goes on after its request.
	background sync.WaitGroup
}

// New checks the configuration and returns a server.
func New(c Config) (*Server, error) {
	switch {
	case c.DB == nil || c.Temporal == nil || c.Carrier == nil || c.Auth == nil:
		return nil, errors.New("gateway: DB, Temporal, Carrier and Auth are required")
	case len(c.ProofKey) < 32:
		return nil, errors.New("gateway: ProofKey must have at least 32 bytes")
	}
	s := &Server{Config: c.withDefaults(), closing: make(chan struct{})}
	s.log = s.Config.Log
	if c.Page != nil {
		var err error
		if s.page, err = newPage(c.Page); err != nil {
			return nil, fmt.Errorf("gateway: the page: %w", err)
		}
	}
	s.routes()
	return s, nil
}

func (c Config) withDefaults() Config {
	defaults(&c.TaskQueue, contract.TaskQueue)
	defaults(&c.Limits, turn.DefaultLimits())
	defaults(&c.QuestionTTL, 24*time.Hour)
	defaults(&c.SessionTTL, 12*time.Hour)
	defaults(&c.DecideBudget, 5*time.Second)
	defaults(&c.Stream.Heartbeat, 15*time.Second)
	defaults(&c.Stream.MaxAge, 15*time.Minute)
	defaults(&c.Stream.Coalesce, 40*time.Millisecond)
	defaults(&c.Stream.WriteTimeout, 10*time.Second)
	defaults(&c.Stream.PerUser, 32)
	defaults(&c.SweepEvery, 15*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// defaults sets a value that was left zero.
func defaults[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

// Handler serves everything. Close ends its streams.
func (s *Server) Handler() http.Handler { return s.echo }

// Close ends all event streams at once and waits for background work.
func (s *Server) Close() {
	s.closeOnce.Do(func() { close(s.closing) })
	s.background.Wait()
}

const (
	headerTimeout   = 10 * time.Second
	idleTimeout     = 2 * time.Minute
	shutdownTimeout = 10 * time.Second
)

// Serve answers on the listener until the context ends, then lets running
// requests end (at most 10 s; streams at once).
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	// No WriteTimeout: it would cut streams. Each stream write has its own.
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug)}
	server.RegisterOnShutdown(func() { s.closeOnce.Do(func() { close(s.closing) }) })
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(limited)
	s.Close()
	if err != nil {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// behind runs something after the request, at most d long; Close waits for it.
func (s *Server) behind(ctx context.Context, d time.Duration, do func(context.Context)) {
	s.background.Add(1)
	go func() {
		defer s.background.Done()
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d)
		defer cancel()
		do(limited)
	}()
}
