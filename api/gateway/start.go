package gateway

import (
	"context"
	"errors"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
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

// startOperation starts the workflow of a staged operation that has no turn to
// start it. Codes: unavailable.
func (s *Server) startOperation(ctx context.Context, in contract.OperationInput, risk string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	attributes := []temporal.SearchAttributeUpdate{
		contract.AttrStatus.ValueSet(string(operation.AwaitingApproval)), contract.AttrTenant.ValueSet(in.Tenant),
		contract.AttrUser.ValueSet(in.Requester), contract.AttrForm.ValueSet(in.Form), contract.AttrAction.ValueSet(in.Action),
		contract.AttrRisk.ValueSet(risk), contract.AttrDeadline.ValueSet(in.Deadline),
	}
	if in.ConversationID != "" {
		attributes = append(attributes, contract.AttrConversation.ValueSet(in.ConversationID))
	}
	_, err := s.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: contract.OperationWorkflowID(in.OpID), TaskQueue: s.TaskQueue,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		EnableEagerStart:         true, StaticSummary: in.Summary,
		Memo:                  map[string]any{contract.MemoSummary: in.Summary, contract.MemoDetails: in.Details},
		TypedSearchAttributes: temporal.NewSearchAttributes(attributes...),
	}, contract.WorkflowOperation, in)
	return started(err)
}

// started forgives a workflow that was started, and has closed, before.
func started(err error) error {
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok || err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err)
}

// operationInput is the workflow's input as the row knows it: ids and small values.
func operationInput(row pgdb.Operation) contract.OperationInput {
	return contract.OperationInput{
		Tenant: row.TenantID, OpID: row.OpID, ConversationID: deref(row.ConversationID), TurnID: deref(row.TurnID), Requester: row.UserID,
		PendingID: row.PendingID, Revision: int(row.Revision), Digest: row.Digest, Deadline: row.ExpiresAt.UTC(), Policy: row.Policy,
		Form: row.TargetForm, Action: row.Action, AutoExecute: row.AutoExecute,
		Summary: row.TargetForm + " " + row.Action + " " + row.OpID,
	}
}

// deref is "" for NULL.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
