package approvals

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// View is one operation as far as Temporal knows it.
type View struct {
	contract.OperationState
	Tenant string `json:"tenant"`
	// Live says that a worker answered; otherwise this was stored with the proposal.
	Live bool `json:"live"`
	// Closed says that the workflow has ended.
	Closed bool `json:"closed"`
}

// view reads an operation by its id, or by its workflow's.
func (s *session) view(ctx context.Context, id string) (View, error) {
	opID := strings.TrimPrefix(id, contract.OperationWorkflowID(""))
	d, err := s.temporal.DescribeWorkflow(ctx, contract.OperationWorkflowID(opID), "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return View{}, &told{text: s.say("approvals.unknown", "op", opID), cause: fault.Wrap(fault.NotFound, err)}
	}
	if err != nil {
		return View{}, err
	}
	v := s.stored(opID, d)
	limited, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	// Any failure here means that no worker answers: the stored view stands.
	if answer, err := s.temporal.QueryWorkflow(limited, contract.OperationWorkflowID(opID), "", contract.QueryState); err == nil {
		var live contract.OperationState
		if answer.Get(&live) == nil && live.OpID == opID {
			v.OperationState, v.Live = live, true
		}
	}
	return v, ctx.Err()
}

// stored is what the workflow carries without a worker: attributes, memo, static
// details.
func (s *session) stored(opID string, d *client.WorkflowExecutionDescription) View {
	text := func(key string) (v string) {
		if d.GetMemoValue(key, &v) != nil {
			return ""
		}
		return v
	}
	v := View{Closed: d.Status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING}
	var decide operation.Decision
	if json.Unmarshal([]byte(text(contract.MemoDecide)), &decide) == nil {
		v.PendingID, v.Revision, v.Digest = decide.PendingID, decide.Revision, decide.Digest
	}
	a := d.TypedSearchAttributes
	status, _ := a.GetKeyword(contract.AttrStatus)
	v.Status = operation.Status(status)
	v.Tenant, _ = a.GetKeyword(contract.AttrTenant)
	v.Requester, _ = a.GetKeyword(contract.AttrUser)
	v.Form, _ = a.GetKeyword(contract.AttrForm)
	v.Action, _ = a.GetKeyword(contract.AttrAction)
	v.Deadline, _ = a.GetTime(contract.AttrDeadline)
	v.OpID, v.Summary, v.Details = opID, text(contract.MemoSummary), text(contract.MemoDetails)
	if v.Summary == "" {
		v.Summary, _ = d.GetStaticSummary()
	}
	if v.Details == "" {
		v.Details, _ = d.GetStaticDetails()
	}
	// A terminated workflow has no time to say how it ended.
	if d.Status == enums.WORKFLOW_EXECUTION_STATUS_TERMINATED && !v.Status.Terminal() {
		v.Status = operation.Cancelled
	}
	return v
}

// until is how long a decision on the operation may still come.
func (s *session) until(v View) time.Duration { return v.Deadline.Sub(s.Now()) }
