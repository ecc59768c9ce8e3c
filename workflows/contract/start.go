package contract

import (
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/operation"
)

// OperationStart is the workflow input of a prepared operation. conversationID
// and turnID are empty for operations without them.
func OperationStart(tenant string, p Prepared, conversationID, turnID string) OperationInput {
	return OperationInput{Tenant: tenant, OpID: p.OpID, ConversationID: conversationID, TurnID: turnID, Requester: p.Requester,
		PendingID: p.PendingID, Revision: p.Revision, Digest: p.Digest, Deadline: p.Deadline, Policy: p.Policy, Form: p.Form, Action: p.Action,
		AutoExecute: p.AutoExecute, Summary: p.Summary, Details: p.Details}
}

// operationAttributes are what lists filter by.
func operationAttributes(tenant string, p Prepared, conversationID string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(AttrStatus.ValueSet(string(operation.AwaitingApproval)), AttrTenant.ValueSet(tenant),
		AttrUser.ValueSet(p.Requester), AttrForm.ValueSet(p.Form), AttrAction.ValueSet(p.Action), AttrRisk.ValueSet(string(p.Risk)),
		AttrConversation.ValueSet(conversationID), AttrDeadline.ValueSet(p.Deadline))
}

// OperationMemo is what an approver needs when no worker is up to answer.
func OperationMemo(p Prepared) map[string]any {
	return map[string]any{MemoSummary: p.Summary, MemoDetails: p.Details, MemoDecide: DecidePayload(p.OpID, p.PendingID, p.Revision, p.Digest)}
}

// OperationChild are the options by which a turn starts an operation: it
// outlives the turn, and an operation never gets a second workflow.
func OperationChild(p Prepared, in TurnInput) workflow.ChildWorkflowOptions {
	return workflow.ChildWorkflowOptions{
		WorkflowID:            OperationWorkflowID(p.OpID),
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_ABANDON,
		TypedSearchAttributes: operationAttributes(in.Tenant, p, in.ConversationID),
		Memo:                  OperationMemo(p),
		StaticSummary:         p.Summary,
		StaticDetails:         p.Details,
	}
}

// OperationOptions are the options by which an operation without a turn is
// started (propose again, a native form). The gateway may add eager start.
func OperationOptions(taskQueue, tenant string, p Prepared, conversationID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                       OperationWorkflowID(p.OpID),
		TaskQueue:                taskQueue,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    operationAttributes(tenant, p, conversationID),
		Memo:                     OperationMemo(p),
		StaticSummary:            p.Summary,
		StaticDetails:            p.Details,
	}
}
