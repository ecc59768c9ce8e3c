package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/converter"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	describeTimeout = 3 * time.Second
	// youngFor is how long a row may be without its workflow: whoever made the
	// row is about to start it.
	youngFor = 15 * time.Second
)

// noState is a turn at its begin.
var noState turn.State

// fate is what became of a workflow.
type fate int

const (
	alive fate = iota
	// missing: never started, or gone with the retention.
	missing
	// ended: terminated, cancelled, timed out or failed, before it could say so.
	ended
	// completed: it ended by itself and has written its row.
	completed
)

// describe asks Temporal what became of a workflow, and for which run of a
// turn's row it was started (0 for operations).
func (s *Server) describe(ctx context.Context, workflowID string) (f fate, status enumspb.WorkflowExecutionStatus, run int32, err error) {
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	d, err := s.Temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return missing, status, 0, nil
	}
	if err != nil {
		return alive, status, 0, fault.Wrap(fault.Unavailable, err)
	}
	status = d.GetWorkflowExecutionInfo().GetStatus()
	run = memoInt(d.GetWorkflowExecutionInfo().GetMemo())
	switch status {
	case enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
		return ended, status, run, nil
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return completed, status, run, nil
	default:
		return alive, status, run, nil
	}
}

func memoInt(m *commonpb.Memo) (n int32) {
	if p := m.GetFields()[memoRun]; p != nil {
		if err := converter.GetDefaultDataConverter().FromPayload(p, &n); err != nil {
			return 0
		}
	}
	return n
}

// mendOperation makes row and workflow agree: a row without a workflow gets one,
// a workflow that an operator ended cancels the row. Terminal rows never get a
// workflow again. It returns the row as it is then. Codes: unavailable.
func (s *Server) mendOperation(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (pgdb.Operation, error) {
	if operation.Status(row.Status).Terminal() {
		return row, nil
	}
	f, status, _, err := s.describe(ctx, contract.OperationWorkflowID(row.OpID))
	if err != nil {
		return row, err
	}
	switch f {
	case missing:
		if time.Since(row.CreatedAt) > youngFor {
			return row, s.startOperation(ctx, operationInput(row), row.Risk)
		}
		return row, nil
	case ended:
		by := operation.ChannelOperator
		if status == enumspb.WORKFLOW_EXECUTION_STATUS_FAILED {
			by = operation.ChannelSystem
		}
		return s.cancelFor(ctx, tenant, row, by)
	case completed:
		// It wrote its row before it completed: the row was read before.
		return s.operationRow(ctx, tenant, row.OpID)
	default:
		return row, nil
	}
}

// cancellable are the states in which surely nothing is being written: the next
// step is a compare-and-set on the row, which then fails.
var cancellable = []string{string(operation.Draft), string(operation.AwaitingApproval), string(operation.Approved),
	string(operation.NeedsLogin), string(operation.Failed), string(operation.HandedOff)}

// cancelFor ends an operation whose workflow is gone. A write that may have
// happened is looked up, or handed to a person; it is never called cancelled.
func (s *Server) cancelFor(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, by operation.Channel) (pgdb.Operation, error) {
	switch operation.Status(row.Status) {
	case operation.Executing, operation.Reconciling:
		return s.doubtful(ctx, tenant, row)
	case operation.NeedsPerson:
		return row, nil
	}
	before := row
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		row, err = pgdb.New(tx).CancelOperation(ctx, pgdb.CancelOperationParams{TenantID: tenant.String(), OpID: before.OpID,
			DecidedBy: string(by), DecidedVia: string(by), Expected: cancellable})
		if errors.Is(err, pgx.ErrNoRows) { // somebody was quicker
			row, err = pgdb.New(tx).Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: before.OpID})
			return err
		}
		if err != nil {
			return err
		}
		return tellCancelled(ctx, tx, tenant, before, row, by)
	})
	if err != nil {
		return before, err
	}
	s.wakeOperation(ctx, tenant, row)
	return row, nil
}

// tellCancelled writes what everybody has to know: pending, call, audit, journal.
func tellCancelled(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, before, row pgdb.Operation, by operation.Channel) error {
	q := pgdb.New(tx)
	if _, err := q.ClosePendingsOfOp(ctx, pgdb.ClosePendingsOfOpParams{TenantID: tenant.String(), OpID: &row.OpID, Status: string(chat.PendingCancelled)}); err != nil {
		return err
	}
	if row.CallID != nil {
		result, err := json.Marshal(operation.Result{Status: operation.Cancelled, OpID: row.OpID, By: string(by), Channel: by,
			Note: "cancelled by operator; nothing was written"})
		if err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		n, err := q.FinishCall(ctx, pgdb.FinishCallParams{TenantID: tenant.String(), CallID: *row.CallID, Result: result})
		if err != nil {
			return err
		}
		if n == 0 { // it had failed before, and might have been tried again
			if _, err := q.CorrectCallResult(ctx, pgdb.CorrectCallResultParams{TenantID: tenant.String(), CallID: *row.CallID, Result: result}); err != nil {
				return err
			}
		}
	}
	err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "cancelled", Actor: string(by), Channel: string(by),
		ConversationID: deref(row.ConversationID), OpID: row.OpID, Data: map[string]any{"from": before.Status, "revision": row.Revision}})
	if err != nil || row.ConversationID == nil {
		return err
	}
	outcome := journal.Outcome(row)
	entries := []journal.Entry{{Type: event.OperationResult, Key: "op:" + row.OpID + ":ended", Data: event.OpState{OpID: row.OpID,
		PendingID: row.PendingID, CallID: deref(row.CallID), Status: operation.Cancelled, Decided: outcome}}}
	if before.Status == string(operation.AwaitingApproval) {
		resolved := journal.Entry{Type: event.ApprovalResolved, Key: "op:" + row.OpID + ":resolved:" + row.PendingID, Data: event.Resolved{
			PendingID: row.PendingID, OpID: row.OpID, CallID: deref(row.CallID), Decision: operation.Cancelled, By: string(by), Channel: by, At: outcome.At}}
		entries = append([]journal.Entry{resolved}, entries...)
	}
	_, err = journal.Append(ctx, tx, tenant, *row.ConversationID, deref(row.TurnID), entries...)
	return err
}

// doubtful is an operation whose workflow was ended while a write may have been
// under way.
func (s *Server) doubtful(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (pgdb.Operation, error) {
	if s.Reconciler != nil {
		if err := s.Reconciler.Reconcile(ctx, tenant, row.OpID); err != nil {
			return row, err
		}
		return s.operationRow(ctx, tenant, row.OpID)
	}
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		moved, err := q.MoveOperation(ctx, pgdb.MoveOperationParams{TenantID: tenant.String(), OpID: row.OpID, Status: string(operation.NeedsPerson),
			Expected: []string{string(operation.Executing), string(operation.Reconciling)}})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		row = moved
		if row.ConversationID == nil {
			return nil
		}
		_, err = journal.Append(ctx, tx, tenant, *row.ConversationID, deref(row.TurnID), journal.Entry{Type: event.OperationChanged,
			Key: "op:" + row.OpID + ":needs_person", Data: event.OpState{OpID: row.OpID, PendingID: row.PendingID, CallID: deref(row.CallID),
				Status: operation.NeedsPerson, Decided: journal.Outcome(row)}})
		return err
	})
	if err == nil {
		s.wakeOperation(ctx, tenant, row)
	}
	return row, err
}

// wakeOperation wakes the readers of the conversation and the turn that waits.
func (s *Server) wakeOperation(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) {
	if row.ConversationID == nil {
		return
	}
	s.Carrier.Wake(tenant, *row.ConversationID)
	if row.TurnID == nil || !operation.Status(row.Status).Settled() {
		return
	}
	t, err := s.turnRow(ctx, tenant, *row.TurnID)
	if err != nil || chat.TurnStatus(t.Status).Ended() {
		return // the sweep finds a turn that waits in vain
	}
	s.signal(ctx, contract.TurnWorkflowID(t.ConversationID, int(t.N)), contract.SignalSettled,
		contract.Settled{OpID: row.OpID, Status: operation.Status(row.Status)})
}

func (s *Server) turnRow(ctx context.Context, tenant identity.Tenant, turnID string) (row pgdb.Turn, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		row, err = pgdb.New(tx).Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: turnID})
		return err
	})
	return row, store.NotFound(err, "turn")
}

// mendTurn makes an open turn and its workflow agree: one without a workflow is
// started, one whose workflow was ended is closed.
func (s *Server) mendTurn(ctx context.Context, tenant identity.Tenant, row pgdb.Turn) error {
	f, status, run, err := s.describe(ctx, contract.TurnWorkflowID(row.ConversationID, int(row.N)))
	if err != nil {
		return err
	}
	resumed := run > 0 && run < row.WorkflowRun // reopened, and not started since
	switch {
	case f == alive:
		return nil
	case f == missing || resumed:
		return s.startAgain(ctx, tenant, row)
	case f == completed:
		// It has written its end, so the row was read before that; or it never
		// will, and then the turn has failed.
		if row, err = s.turnRow(ctx, tenant, row.TurnID); err != nil || chat.TurnStatus(row.Status).Ended() || row.WorkflowRun != run {
			return err
		}
		return s.closeTurn(ctx, row, chat.Failed, fault.Internal)
	case status == enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
		return s.closeTurn(ctx, row, chat.Failed, fault.Internal)
	default:
		return s.closeTurn(ctx, row, chat.Stopped, fault.Stopped)
	}
}

func (s *Server) startAgain(ctx context.Context, tenant identity.Tenant, row pgdb.Turn) error {
	var state turn.State
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		state, err = journal.StateOfTurn(ctx, pgdb.New(tx), tenant, row.TurnID)
		return err
	})
	if err != nil {
		return err
	}
	return s.startTurn(ctx, row, state)
}

// closeTurn ends the row of a turn without a workflow and lets the next one run.
func (s *Server) closeTurn(ctx context.Context, row pgdb.Turn, status chat.TurnStatus, code fault.Code) error {
	tenant, err := identity.ParseTenant(row.TenantID)
	if err != nil {
		return err
	}
	var next *pgdb.Turn
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, next, err = journal.CloseTurn(ctx, tx, tenant, row, status, code)
		return err
	})
	if err != nil {
		return err
	}
	s.Carrier.Wake(tenant, row.ConversationID)
	if next != nil {
		s.signal(ctx, contract.TurnWorkflowID(next.ConversationID, int(next.N)), contract.SignalGoOn, nil)
	}
	return nil
}
