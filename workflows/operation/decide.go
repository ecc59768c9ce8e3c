package operation

import (
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/step"
)

// listen registers everything by which the outside reaches the operation.
func (o *op) listen(ctx workflow.Context) error {
	if err := workflow.SetQueryHandlerWithOptions(ctx, contract.QueryState, func() (contract.OperationState, error) { return o.state, nil },
		workflow.QueryHandlerOptions{Description: "Where the operation stands, and what a decision must name"}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateDecide, o.decide, workflow.UpdateHandlerOptions{
		Description: "Approve, reject or cancel what waits: {op_id, pending_id, revision, digest, decision, decision_id}",
		Validator: func(ctx workflow.Context, d operation.Decision) error {
			if o.state.Status == operation.Draft { // opened a moment ago, by a worker that died before it could say so
				return typed(d.Shape())
			}
			return typed(operation.Check(o.view(), d, workflow.Now(ctx)))
		},
	}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateRevise, o.revise, workflow.UpdateHandlerOptions{
		Description: "Edit the proposal: makes a new revision that is confirmed anew",
		Validator:   func(_ workflow.Context, r contract.Revision) error { return o.revisable(r) },
	}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateRetry, o.again, workflow.UpdateHandlerOptions{
		Description: "Try a failed write again",
		Validator:   func(workflow.Context, contract.Retry) error { return o.must(operation.Failed) },
	}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateSettle, o.settle, workflow.UpdateHandlerOptions{
		Description: "Say what became of a write whose outcome the ERP cannot tell",
		Validator: func(_ workflow.Context, s contract.Settle) error {
			if s.Status != operation.Executed && s.Status != operation.Failed {
				return typed(fault.New(fault.Invalid, "detail", "status must be executed or failed"))
			}
			return o.must(operation.NeedsPerson)
		},
	}); err != nil {
		return err
	}
	o.signalled(ctx)
	return nil
}

// revisable refuses an edit of what does not wait for its approval, or has not
// been handed to the native form from which the edit comes.
func (o *op) revisable(r contract.Revision) error {
	if r.Native && o.state.Status == operation.HandedOff {
		return nil
	}
	return o.must(operation.AwaitingApproval)
}

// must refuses an update that does not fit the state.
func (o *op) must(want operation.Status) error {
	if o.state.Status != want {
		return typed(fault.New(fault.NotPending, "status", string(o.state.Status)))
	}
	return nil
}

// view is the state as operation.Check takes it.
func (o *op) view() operation.View {
	return operation.View{OpID: o.in.OpID, Status: o.state.Status, PendingID: o.state.PendingID, Revision: o.state.Revision,
		Digest: o.state.Digest, Deadline: o.state.Deadline, Decided: o.state.Decided, Accepted: o.accepted, Superseded: o.superseded}
}

// decide answers the update: checked again, claimed in order of arrival,
// authorised, persisted. It returns before the ERP is written: approved is not
// executed.
func (o *op) decide(ctx workflow.Context, d operation.Decision) (contract.OperationState, error) {
	if err := workflow.Await(ctx, func() bool { return o.state.Status != operation.Draft }); err != nil {
		return o.state, err
	}
	refused, err := o.claim(ctx, d)
	if err != nil {
		return o.state, err
	}
	return o.state, typed(refused)
}

// claim is the one way to a decision. A refusal is returned as such; err is
// trouble of ours.
func (o *op) claim(ctx workflow.Context, d operation.Decision) (*fault.Error, error) {
	claimed := workflow.Now(ctx)
	if refused := operation.Check(o.view(), d, claimed); refused != nil {
		return refused, nil
	}
	o.claims++
	defer func() { o.claims-- }()
	if err := o.mutex.Lock(ctx); err != nil {
		return nil, err
	}
	defer o.mutex.Unlock()
	// Someone may have decided while this claim waited; its own time still counts.
	if refused := operation.Check(o.view(), d, claimed); refused != nil {
		return refused, nil
	}
	if o.accepted == d.Key() { // an update and the signal that stood in for it
		return nil, nil
	}
	var a contract.Authorised
	if err := step.Local(ctx, contract.AuthoriseDecision, string(d.Decision), contract.AuthoriseInput{OpInput: o.id(), Decision: d, ClaimedAt: claimed}, &a); err != nil {
		return nil, err
	}
	if a.Status != o.state.Status {
		o.adopt(ctx, contract.Closed{Status: a.Status, Outcome: a.Outcome, Refused: refusedCode(a), Attempts: o.state.Attempts})
	}
	if a.Code != "" {
		return &fault.Error{Code: a.Code, Params: a.Params}, nil
	}
	o.accepted = d.Key()
	return nil, nil
}

// refusedCode is set when the decision itself ended the operation as refused.
func refusedCode(a contract.Authorised) fault.Code {
	if a.Status == operation.Refused {
		return a.Code
	}
	return ""
}

// revise makes the next revision; the old pending is superseded.
func (o *op) revise(ctx workflow.Context, r contract.Revision) (contract.OperationState, error) {
	o.claims++
	defer func() { o.claims-- }()
	if err := o.mutex.Lock(ctx); err != nil {
		return o.state, err
	}
	defer o.mutex.Unlock()
	if err := o.revisable(r); err != nil {
		return o.state, err
	}
	var n contract.Revised
	if err := step.Local(ctx, contract.ReviseOperation, "edit by a person", contract.ReviseInput{OpInput: o.id(), Revision: r, From: o.state.Revision}, &n); err != nil {
		return o.state, err
	}
	if n.Code != "" {
		return o.state, typed(&fault.Error{Code: n.Code, Params: n.Params})
	}
	o.superseded = append(o.superseded, o.state.PendingID)
	if o.state.Status == operation.HandedOff { // what was approved is no longer what is asked
		o.state.Status, o.state.Decided, o.accepted = operation.AwaitingApproval, nil, ""
	}
	o.state.PendingID, o.state.Revision, o.state.Digest, o.state.Deadline = n.PendingID, n.Prepared.Revision, n.Digest, n.Deadline
	o.state.Summary, o.state.Details = n.Summary, n.Details
	o.show(ctx)
	if err := workflow.UpsertMemo(ctx, contract.OperationMemo(n.Prepared)); err != nil {
		workflow.GetLogger(ctx).Warn("the memo was not upserted", "op_id", o.in.OpID)
	}
	return o.state, nil
}

// again lets a failed write be tried once more, if the person may ask for it.
func (o *op) again(ctx workflow.Context, r contract.Retry) (contract.OperationState, error) {
	var refused contract.Refused
	if err := step.Local(ctx, contract.AuthoriseRetry, "who asks to retry", contract.RetryInput{OpInput: o.id(), Retry: r}, &refused); err != nil {
		return o.state, err
	}
	if refused.Code != "" {
		return o.state, typed(&fault.Error{Code: refused.Code, Params: refused.Params})
	}
	o.retry = true
	return o.state, nil
}

// settle stores what a person found out about a doubtful write.
func (o *op) settle(ctx workflow.Context, s contract.Settle) (contract.OperationState, error) {
	var done contract.SettleResult
	if err := step.Local(ctx, contract.SettleOperation, "store what a person found", contract.SettleInput{OpInput: o.id(), Settle: s}, &done); err != nil {
		return o.state, err
	}
	if done.Code != "" {
		return o.state, typed(&fault.Error{Code: done.Code, Params: done.Params})
	}
	o.adopt(ctx, done.Closed)
	return o.state, nil
}

// signalled starts the receivers of signals. Decide signals are received raw, so
// that a malformed one is recorded; they are handled one after the other.
func (o *op) signalled(ctx workflow.Context) {
	decide := workflow.GetSignalChannelWithOptions(ctx, contract.SignalDecide, workflow.SignalChannelOptions{
		Description: "The same as the update decide, without an answer: {op_id, pending_id, revision, digest, decision}"})
	workflow.GoNamed(ctx, "decide-signals", func(ctx workflow.Context) {
		for {
			var raw converter.RawValue
			if !decide.Receive(ctx, &raw) {
				return
			}
			o.claims++
			o.signal(ctx, raw)
			o.claims--
		}
	})
	withdraw := workflow.GetSignalChannelWithOptions(ctx, contract.SignalWithdraw, workflow.SignalChannelOptions{
		Description: "Sent by Erpilot when a newer proposal replaces this one, or its conversation is deleted"})
	workflow.GoNamed(ctx, "withdraw-signals", func(ctx workflow.Context) {
		for {
			var w contract.Withdraw
			if !withdraw.Receive(ctx, &w) {
				return
			}
			o.withdrawn = &w
		}
	})
	credentials := workflow.GetSignalChannelWithOptions(ctx, contract.SignalCredentials, workflow.SignalChannelOptions{
		Description: "Sent by Erpilot when the requester has logged in again"})
	workflow.GoNamed(ctx, "credentials-signals", func(ctx workflow.Context) {
		for credentials.Receive(ctx, nil) {
			o.credentials = true
		}
	})
	completed := workflow.GetSignalChannelWithOptions(ctx, contract.SignalCompleted, workflow.SignalChannelOptions{
		Description: "Sent by Erpilot when the native form was saved; the ERP is asked whether it was"})
	workflow.GoNamed(ctx, "completed-signals", func(ctx workflow.Context) {
		for completed.Receive(ctx, nil) {
			o.completed = true
		}
	})
}

// signal handles one raw decide signal. Nobody waits for an answer, so whatever
// is refused goes to the journal. Trouble of ours is repeated by the step itself.
func (o *op) signal(ctx workflow.Context, raw converter.RawValue) {
	o.signals++
	payload := raw.Payload()
	in := contract.SignalInput{OpInput: o.id(), Encoding: string(payload.GetMetadata()["encoding"]), Data: payload.GetData(), Index: o.signals}
	refuse := func(d operation.Decision, f *fault.Error) {
		err := step.Local(ctx, contract.RefuseDecision, "record a refused signal", contract.RefusedInput{OpInput: o.id(), Actor: d.Actor,
			Channel: operation.ChannelTemporal, Code: f.Code, Params: f.Params, Index: o.signals}, nil)
		if err != nil {
			workflow.GetLogger(ctx).Warn("a refused signal was not recorded", "op_id", o.in.OpID)
		}
	}
	var read contract.SignalRead
	if err := step.Local(ctx, contract.ReadSignal, "read a decide signal", in, &read); err != nil {
		refuse(operation.Decision{}, fault.New(fault.Internal))
		return
	}
	if read.Code != "" {
		refuse(operation.Decision{}, fault.New(read.Code, "detail", read.Detail))
		return
	}
	// A signal that a reset brings back comes before the operation is open again.
	if err := workflow.Await(ctx, func() bool { return o.state.Status != operation.Draft }); err != nil {
		refuse(read.Decision, fault.New(fault.Internal))
		return
	}
	before := o.state.Status
	refused, err := o.claim(ctx, read.Decision)
	switch {
	case err != nil:
		refuse(read.Decision, fault.New(fault.Internal))
	case refused != nil && before == operation.AwaitingApproval && o.authorised(refused):
		// AuthoriseDecision has journalled it with its reason.
	case refused != nil:
		refuse(read.Decision, refused)
	}
}

// authorised reports whether a refusal came from AuthoriseDecision, which
// journals its own.
func (o *op) authorised(f *fault.Error) bool {
	switch f.Code {
	case fault.Unverified, fault.NotAllowedToDecide, fault.PermissionDenied, fault.ContractChanged:
		return true
	default:
		return false
	}
}

// typed turns a refusal into the error type that update callers read: Type is
// the code, the details are its params. Nil stays nil.
func typed(f *fault.Error) error {
	if f == nil {
		return nil
	}
	return temporal.NewApplicationErrorWithOptions(string(f.Code), string(f.Code), temporal.ApplicationErrorOptions{
		NonRetryable: true, Details: []any{f.Params}, Category: temporal.ApplicationErrorCategoryBenign})
}
