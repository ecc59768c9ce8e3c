package operation

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/activities/store"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// OpenOperation puts a staged operation before people: draft → awaiting_approval.
// It runs as the first act of the workflow, so that a decision always finds one.
// A proposal whose draft was saved again before it could be opened is superseded:
// whoever saved found no workflow to tell.
func (s *Service) OpenOperation(ctx context.Context, in contract.OpInput) (contract.Closed, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	row, moved, err := s.move(ctx, tenant, in.OpID, operation.AwaitingApproval, func(ctx context.Context, tx pgx.Tx, row pgdb.Operation) error {
		late, err := outdated(ctx, pgdb.New(tx), row)
		if err != nil {
			return err
		}
		if late != nil {
			return errOutdated // rolls back; the row is closed below
		}
		return appendEvents(ctx, tx, tenant, row,
			journal.Entry{Type: event.ApprovalPending, Key: key(row, "pending", row.PendingID), Data: event.Approval{PendingID: row.PendingID,
				OpID: row.OpID, CallID: store.Text(row.CallID), Deadline: row.ExpiresAt}},
			journal.Entry{Type: event.OperationChanged, Key: key(row, "awaiting", row.PendingID), Data: stateEvent(row)})
	})
	if errors.Is(err, errOutdated) {
		return s.CloseOperation(ctx, contract.CloseInput{OpInput: in, Status: operation.Cancelled, Channel: operation.ChannelSystem})
	}
	if err != nil {
		return contract.Closed{}, err
	}
	if moved {
		return closed(row), s.told(ctx, tenant, row)
	}
	return closed(row), nil
}

var errOutdated = errors.New("the draft has a newer revision")

// move is a compare-and-set to next, with all that belongs to it in the same
// transaction. When the row is in a state that does not allow it, moved is
// false and the row is returned as it is.
func (s *Service) move(ctx context.Context, tenant identity.Tenant, opID string, next operation.Status,
	with func(context.Context, pgx.Tx, pgdb.Operation) error) (row pgdb.Operation, moved bool, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		row, moved, err = moveTx(ctx, tx, tenant, opID, next)
		if err != nil || !moved {
			return err
		}
		return with(ctx, tx, row)
	})
	return row, moved, err
}

func moveTx(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, opID string, next operation.Status) (pgdb.Operation, bool, error) {
	q := pgdb.New(tx)
	expected := before(next)
	if next == operation.AwaitingApproval { // back from the native form leads ReviseOperation alone
		expected = []string{string(operation.Draft)}
	}
	row, err := q.MoveOperation(ctx, pgdb.MoveOperationParams{TenantID: tenant.String(), OpID: opID, Status: string(next),
		Settled: false, Expected: expected})
	if err == nil {
		return row, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return row, false, err
	}
	row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: opID})
	return row, false, err
}

// before lists the expected states of a compare-and-set as SQL takes them.
func before(next operation.Status) []string {
	var states []string
	for _, s := range operation.Before(next) {
		states = append(states, string(s))
	}
	return states
}

// withdraw tells an older operation of the same draft that a newer one replaces it.
func (s *Service) withdraw(ctx context.Context, old pgdb.Operation, by, newer string) error {
	return s.signal(ctx, contract.OperationWorkflowID(old.OpID), contract.SignalWithdraw,
		contract.Withdraw{By: by, Channel: operation.ChannelSystem, ReplacedBy: newer})
}

// refuseCall finishes a call whose proposal was refused before anything waited.
func (s *Service) refuseCall(ctx context.Context, tenant identity.Tenant, call pgdb.Call, cause error) error {
	code, params := fault.CodeOf(cause), fault.ParamsOf(cause)
	result := mustJSON(map[string]any{"status": "refused", "error": map[string]any{"code": code, "params": params},
		"note": "Nothing was proposed and nothing was written."})
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := pgdb.New(tx).FinishCall(ctx, pgdb.FinishCallParams{TenantID: tenant.String(), CallID: call.CallID, Result: result,
			Failed: true}); err != nil {
			return err
		}
		_, err := journal.Append(ctx, tx, tenant, call.ConversationID, call.TurnID, journal.Entry{Type: event.ToolFinished,
			Key: "call/" + call.CallID + "/finished", Data: event.ToolDone{CallID: call.CallID, Tool: call.Tool, Status: "error", Code: code,
				Params: params, Millis: time.Since(call.CreatedAt).Milliseconds()}})
		return err
	})
	if err == nil {
		s.Carrier.Wake(tenant, call.ConversationID)
	}
	return err
}

// prepared is the staged row as the workflows need it.
func (s *Service) prepared(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (contract.Prepared, error) {
	p := contract.Prepared{OpID: row.OpID, PendingID: row.PendingID, Revision: int(row.Revision), Digest: row.Digest,
		Deadline: row.ExpiresAt.UTC(), Requester: row.UserID, Policy: row.Policy, Form: row.TargetForm, Action: row.Action,
		Risk: tool.Risk(row.Risk), AutoExecute: row.AutoExecute,
		Settled: operation.Status(row.Status).Settled()}
	if s.Config.IDsOnly {
		return p, nil
	}
	user, _, err := s.ERP.User(ctx, tenant, row.UserID)
	if err != nil && retryable(err) {
		return p, err
	}
	preview, err := previewOf(row)
	if err != nil {
		return p, err
	}
	p.Summary, p.Details = describe(row, preview, user)
	return p, nil
}

func previewOf(row pgdb.Operation) (p schema.Preview, err error) {
	if err = json.Unmarshal(row.Preview, &p); err != nil {
		return p, fault.Wrap(fault.Internal, err)
	}
	return p, nil
}

func refusalOf(row pgdb.Operation) *schema.Refusal {
	if len(row.Refusal) == 0 {
		return nil
	}
	var r schema.Refusal
	if err := json.Unmarshal(row.Refusal, &r); err != nil || r.Code == "" {
		return nil
	}
	return &r
}

func itoa(n int) string { return strconv.Itoa(n) }
