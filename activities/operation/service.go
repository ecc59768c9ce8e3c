package operation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// Service carries out operations. All fields but Config and Updates are required.
type Service struct {
	DB        *store.DB
	ERP       erp.Connector
	Catalogue tool.Catalogue
	Carrier   journal.Carrier
	Signals   Signaller
	// Updates is needed by SaveStaged alone.
	Updates Updater
	// Key verifies the proofs of decisions; gateway and worker share it.
	Key    []byte
	Config Config
}

// Config of operations.
type Config struct {
	// SelfTTL is how long a requester may take to confirm; zero means 24 h.
	SelfTTL time.Duration
	// HandoffTTL is how long a person may take to save the native form; zero means 7 days.
	HandoffTTL time.Duration
	// AllowUnsigned lets decisions without a proof count under policy self
	// (ERPILOT_UNSIGNED_DECISIONS=allow).
	AllowUnsigned bool
	// IDsOnly keeps names and amounts out of Temporal (ERPILOT_TEMPORAL_DETAILS=ids).
	IDsOnly bool
}

// Signaller reaches workflows; client.Client is one.
type Signaller interface {
	SignalWorkflow(ctx context.Context, workflowID, runID, signal string, arg any) error
}

// PolicySelf lets the requester, and nobody else, decide.
const PolicySelf = "self"

func (c Config) ttl() time.Duration {
	if c.SelfTTL > 0 {
		return c.SelfTTL
	}
	return 24 * time.Hour
}

func (c Config) handoff() time.Duration {
	if c.HandoffTTL > 0 {
		return c.HandoffTTL
	}
	return 7 * 24 * time.Hour
}

func tenantOf(id string) (identity.Tenant, error) { return identity.ParseTenant(id) }

// identify reads a person and their grants anew.
func (s *Service) identify(ctx context.Context, tenant identity.Tenant, userID string) (erp.Identity, error) {
	user, grants, err := s.ERP.User(ctx, tenant, userID)
	if err != nil {
		return erp.Identity{}, err
	}
	return erp.Identity{User: user, Grants: grants}, nil
}

// load reads the staging row.
func (s *Service) load(ctx context.Context, tenant identity.Tenant, opID string) (pgdb.Operation, error) {
	var row pgdb.Operation
	err := s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: opID})
		return store.NotFound(err, "operation")
	})
	return row, err
}

// told wakes the readers and, when the row has settled, signals its turn.
func (s *Service) told(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) error {
	if row.ConversationID == nil {
		return nil
	}
	s.Carrier.Wake(tenant, *row.ConversationID)
	if row.TurnID == nil || !operation.Status(row.Status).Settled() {
		return nil
	}
	var n int32
	err := s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		t, err := q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: *row.TurnID})
		n = t.N
		return err
	})
	if err != nil {
		return err
	}
	return s.signal(ctx, contract.TurnWorkflowID(*row.ConversationID, int(n)), contract.SignalSettled,
		contract.Settled{OpID: row.OpID, Status: operation.Status(row.Status)})
}

// signal reaches a workflow; one that has closed needs to know nothing any more.
func (s *Service) signal(ctx context.Context, workflowID, name string, arg any) error {
	err := s.Signals.SignalWorkflow(ctx, workflowID, "", name, arg)
	if _, closed := errors.AsType[*serviceerror.NotFound](err); closed {
		return nil
	}
	return err
}

// closed is the row as a workflow adopts it.
func closed(row pgdb.Operation) contract.Closed {
	c := contract.Closed{Status: operation.Status(row.Status), Outcome: journal.Outcome(row), Bill: row.ResultBill, Attempts: int(row.Attempts)}
	if r := refusalOf(row); r != nil {
		c.Refused = fault.Code(r.Code)
	}
	if c.Status == operation.HandedOff && row.HandoffExpiresAt != nil {
		c.Deadline = row.HandoffExpiresAt.UTC()
	}
	return c
}

// stateEvent is the row's state for the journal.
func stateEvent(row pgdb.Operation) event.OpState {
	e := event.OpState{OpID: row.OpID, PendingID: row.PendingID, Status: operation.Status(row.Status), Decided: journal.Outcome(row),
		Bill: row.ResultBill, Link: row.ResultLink, Bills: journal.Several(row), Refusal: refusalOf(row)}
	if row.CallID != nil {
		e.CallID = *row.CallID
	}
	if e.Status == operation.HandedOff {
		e.Open = operation.OpenURL(row.TargetForm, row.OpID)
		if row.HandoffExpiresAt != nil {
			e.Deadline = row.HandoffExpiresAt.UTC()
		}
	}
	if row.ReplacedBy != nil {
		e.ReplacedBy = *row.ReplacedBy
	}
	return e
}

// appendEvents journals for the row's conversation; a turnless operation without
// one has no journal.
func appendEvents(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, entries ...journal.Entry) error {
	if row.ConversationID == nil {
		return nil
	}
	turnID := ""
	if row.TurnID != nil {
		turnID = *row.TurnID
	}
	_, err := journal.Append(ctx, tx, tenant, *row.ConversationID, turnID, entries...)
	return err
}

// key makes the natural key of an operation's event.
func key(row pgdb.Operation, parts ...string) string {
	k := "op/" + row.OpID
	for _, p := range parts {
		k += "/" + p
	}
	return k
}

// text is "" for NULL.
func mustJSON(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("operation: " + err.Error()) // our own structs always marshal
	}
	return raw
}
