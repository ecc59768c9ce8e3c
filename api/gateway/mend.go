package gateway

import (
	"context"
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
	d, err := s.Temporal.DescribeWorkflow(ctx, workflowID, "")
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return missing, status, 0, nil
	}
	if err != nil {
		return alive, status, 0, fault.Wrap(fault.Unavailable, err)
	}
	status, run = d.Status, memoInt(d.Memo)
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
			return row, s.startOperation(ctx, row, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
		}
		return row, nil
	case ended:
		by := operation.ChannelOperator
		if status == enumspb.WORKFLOW_EXECUTION_STATUS_FAILED {
			by = operation.ChannelSystem
		}
		return s.closeFor(ctx, tenant, row, by)
	case completed:
		// It wrote its row before it completed: the row was read before.
		return s.operationRow(ctx, tenant, row.OpID)
	default:
		return row, nil
	}
}

// closeFor ends an operation whose workflow is gone. A write that may have
// happened is looked up, never called cancelled.
func (s *Server) closeFor(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, by operation.Channel) (pgdb.Operation, error) {
	status := operation.Status(row.Status)
	if status == operation.NeedsPerson {
		// A person has to look; the workflow that takes their word is needed again.
		return row, s.startOperation(ctx, row, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
	}
	if s.Reconciler == nil {
		return row, nil
	}
	if status == operation.Executing || status == operation.Reconciling {
		if err := s.Reconciler.Reconcile(ctx, tenant, row.OpID); err != nil {
			return row, err
		}
		row, err := s.operationRow(ctx, tenant, row.OpID)
		if err == nil {
			s.wakeOperation(ctx, tenant, row)
		}
		return row, err
	}
	closed, err := s.Reconciler.CloseRow(ctx, tenant, contract.CloseInput{OpInput: contract.OpInput{Tenant: tenant.String(), OpID: row.OpID},
		Status: operation.Cancelled, By: string(by), Channel: by})
	if err != nil {
		return row, err
	}
	s.wakeOperation(ctx, tenant, closed)
	return closed, nil
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
