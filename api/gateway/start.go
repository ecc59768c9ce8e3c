package gateway

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/activities/store"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
)

// startTimeout bounds the start of a workflow; the row stays and the sweep
// starts what this did not.
const startTimeout = 5 * time.Second

// memoRun is the run of a turn's row for which its workflow was started: it
// tells a turn that was resumed, but not started yet, from one that has died.
const memoRun = "run"

// startTurn starts the workflow of a turn's row, once: a resent request gets the
// same run. Codes: unavailable (the row stays; the sweep will start it).
func (s *Server) startTurn(ctx context.Context, row pgdb.Turn, state turn.State) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	reuse := enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	if row.WorkflowRun > 1 {
		reuse = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	limits := s.Limits
	if row.WorkflowRun > 1 { // who resumes gets the limits anew
		limits.Steps = min(turn.MaxSteps, state.Step+limits.Steps)
	}
	_, err := s.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: contract.TurnWorkflowID(row.ConversationID, int(row.N)), TaskQueue: s.TaskQueue,
		WorkflowIDReusePolicy: reuse, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		EnableEagerStart: true,
		StaticSummary:    "Turn " + strconv.Itoa(int(row.N)) + " of conversation " + row.ConversationID,
		Memo:             map[string]any{memoRun: row.WorkflowRun},
		TypedSearchAttributes: temporal.NewSearchAttributes(contract.AttrStatus.ValueSet(string(chat.Running)),
			contract.AttrTenant.ValueSet(row.TenantID), contract.AttrUser.ValueSet(row.UserID), contract.AttrConversation.ValueSet(row.ConversationID)),
	}, contract.WorkflowTurn, contract.TurnInput{
		Tenant: row.TenantID, ConversationID: row.ConversationID, TurnID: row.TurnID, UserID: row.UserID, N: int(row.N),
		Queued: chat.TurnStatus(row.Status) == chat.Waiting, Limits: limits, State: state, Segment: int(row.Segment), QuestionTTL: s.QuestionTTL,
	})
	return started(err)
}

// startPrepared starts the workflow of a fresh operation that has no turn.
// Codes: unavailable (the sweep will start it).
func (s *Server) startPrepared(ctx context.Context, tenant identity.Tenant, p contract.Prepared, conversationID string) error {
	return s.startWith(ctx, contract.OperationOptions(s.TaskQueue, tenant.String(), p, conversationID),
		contract.OperationStart(tenant.String(), p, conversationID, ""))
}

// startOperation starts the workflow that a row has lost, or never got. What it
// shows in Temporal holds ids only: the preview's words are not made again here.
func (s *Server) startOperation(ctx context.Context, row pgdb.Operation, reuse enumspb.WorkflowIdReusePolicy) error {
	p := contract.Prepared{OpID: row.OpID, PendingID: row.PendingID, Revision: int(row.Revision), Digest: row.Digest, Deadline: row.ExpiresAt.UTC(),
		Requester: row.UserID, Policy: row.Policy, Form: row.TargetForm, Action: row.Action, Risk: tool.Risk(row.Risk), AutoExecute: row.AutoExecute,
		Summary: row.TargetForm + " " + row.Action + " " + row.OpID}
	options := contract.OperationOptions(s.TaskQueue, row.TenantID, p, store.Text(row.ConversationID))
	options.WorkflowIDReusePolicy = reuse
	return s.startWith(ctx, options, contract.OperationStart(row.TenantID, p, store.Text(row.ConversationID), store.Text(row.TurnID)))
}

func (s *Server) startWith(ctx context.Context, options client.StartWorkflowOptions, in contract.OperationInput) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	options.EnableEagerStart = true
	_, err := s.Temporal.ExecuteWorkflow(ctx, options, contract.WorkflowOperation, in)
	return started(err)
}

// started forgives a workflow that was started, and has closed, before.
func started(err error) error {
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok || err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err)
}
