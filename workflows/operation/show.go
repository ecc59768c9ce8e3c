package operation

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// show brings the operation's state to whoever looks through Temporal: search
// attributes for lists, current details for the page of the workflow. Passing
// states (approved, executing) are not upserted: they would cost an event each
// and are over before a list is read.
func (o *op) show(ctx workflow.Context) {
	workflow.SetCurrentDetails(ctx, o.details())
	switch o.state.Status {
	case operation.Draft, operation.Approved, operation.Executing:
		return
	case operation.AwaitingApproval:
		if o.state.Revision == o.in.Revision { // set when the workflow was started
			return
		}
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, contract.AttrStatus.ValueSet(string(o.state.Status)),
		contract.AttrDeadline.ValueSet(o.state.Deadline)); err != nil {
		workflow.GetLogger(ctx).Warn("search attributes were not upserted", "op_id", o.in.OpID)
	}
}

// details is Markdown for a person who knows no code.
func (o *op) details() string {
	text := "### " + headline[o.state.Status] + "\n\n"
	if o.state.Details != "" {
		text += o.state.Details + "\n"
	} else {
		text += "Operation `" + o.in.OpID + "` (" + o.in.Action + " " + o.in.Form + "), deadline " + o.state.Deadline.UTC().Format(time.RFC3339) + "\n"
	}
	if d := o.state.Decided; d != nil {
		text += "\nDecided: **" + string(d.Status) + "** by `" + d.By + "` through " + string(d.Channel) + ", " + d.At.UTC().Format(time.RFC3339) + "\n"
	}
	if o.state.Refused != "" {
		text += "\nNothing was written: `" + string(o.state.Refused) + "`\n"
	}
	if o.state.Bill != "" {
		text += "\nDocument: **" + o.state.Bill + "**\n"
	}
	if o.state.Status == operation.HandedOff {
		text += "\nTo be saved in the native form by `" + o.state.Requester + "` before " + o.state.Deadline.UTC().Format(time.RFC3339) + ": `" +
			operation.OpenURL(o.state.Form, o.in.OpID) + "`\n"
	}
	if o.state.Status == operation.AwaitingApproval {
		// Inline code: the UI shows fenced blocks empty.
		text += "\nTo decide, send signal or update `decide` with `" + o.payload() + "`\n"
	}
	return text
}

// payload is the JSON that a decision by hand consists of; every value is an id
// or a number, so nothing needs escaping.
func (o *op) payload() string {
	return contract.DecidePayload(o.in.OpID, o.state.PendingID, o.state.Revision, o.state.Digest)
}

// headline says in both languages where the operation stands.
var headline = map[operation.Status]string{
	operation.Draft:            "准备中 · Being prepared",
	operation.AwaitingApproval: "等待确认 · Awaiting approval",
	operation.Approved:         "已批准，尚未写入 · Approved, not yet written",
	operation.NeedsLogin:       "等待请求人重新登录 · Waiting for the requester's login",
	operation.Executing:        "正在写入 · Writing",
	operation.Reconciling:      "正在核对结果 · Looking the outcome up",
	operation.NeedsPerson:      "需要人工核对 · A person must look",
	operation.HandedOff:        "已转到 ERP 表单 · Handed to the native form",
	operation.Executed:         "已写入 · Executed",
	operation.Refused:          "未写入：条件已变化 · Refused, nothing written",
	operation.Failed:           "失败，未写入，可重试 · Failed, nothing written, retry allowed",
	operation.Rejected:         "已否决 · Rejected",
	operation.Cancelled:        "已取消 · Cancelled",
	operation.Expired:          "已过期，未写入 · Expired, nothing written",
	operation.Completed:        "已在表单中保存 · Completed in the native form",
	operation.Abandoned:        "已放弃 · Abandoned",
}
