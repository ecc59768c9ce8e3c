package turn

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/tool"
)

// Service carries out turns. All fields but Config are required.
type Service struct {
	DB        *store.DB
	ERP       erp.Connector
	Model     model.Model
	Catalogue tool.Catalogue
	Carrier   journal.Carrier
	Signals   Signaller
	Log       *slog.Logger
	Config    Config
}

// Config of turns.
type Config struct {
	// ModelTimeout bounds one model call; zero means 3 minutes.
	ModelTimeout time.Duration
	// MaxOutputTokens bounds one reply; zero means the provider's default.
	MaxOutputTokens int
	// Coalesce is how long deltas are gathered before they are shown; zero means 40 ms.
	Coalesce time.Duration
	// Window is how many turns of a conversation the model sees; zero means 20.
	Window int
	// DraftValidity is how long the quote of a draft may be confirmed; zero means 24 h.
	DraftValidity time.Duration
}

func (c Config) draftValidity() time.Duration {
	if c.DraftValidity > 0 {
		return c.DraftValidity
	}
	return 24 * time.Hour
}

func (c Config) modelTimeout() time.Duration {
	if c.ModelTimeout > 0 {
		return c.ModelTimeout
	}
	return 3 * time.Minute
}

func (c Config) window() int {
	if c.Window > 0 {
		return c.Window
	}
	return 20
}

// Signaller reaches workflows; client.Client is one.
type Signaller interface {
	SignalWorkflow(ctx context.Context, workflowID, runID, signal string, arg any) error
}

// agent is who a turn acts for, as the ERP knows them now.
type agent struct {
	tenant identity.Tenant
	turn   pgdb.Turn
	id     erp.Identity
}

// load reads the turn and its user. The host binds identity and conversation
// here; no argument of a tool ever names them.
func (s *Service) load(ctx context.Context, tenantID, turnID string) (agent, error) {
	tenant, err := identity.ParseTenant(tenantID)
	if err != nil {
		return agent{}, err
	}
	a := agent{tenant: tenant}
	err = s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		a.turn, err = q.Turn(ctx, pgdb.TurnParams{TenantID: tenantID, TurnID: turnID})
		return store.NotFound(err, "turn")
	})
	if err != nil {
		return a, err
	}
	a.id.User, a.id.Grants, err = s.ERP.User(ctx, tenant, a.turn.UserID)
	if a.turn.Locale != "" { // what the tools say is in the language of the message
		a.id.User.Locale = identity.Locale(a.turn.Locale)
	}
	if fault.CodeOf(err) == fault.NotFound {
		return a, fault.New(fault.PermissionDenied, "form", "", "action", "")
	}
	return a, err
}

func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("turn: " + err.Error()) // our own structs always marshal
	}
	return raw
}
