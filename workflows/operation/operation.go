package operation

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/step"
)

// attempts is how often a write is tried by itself after attempts that surely
// wrote nothing.
const attempts = 3

// executeTimeout bounds one attempt; afterwards its outcome is looked up.
const executeTimeout = 30 * time.Second

// stallMax bounds the pause between attempts that did not begin, so that they
// never fill the history.
const stallMax = 5 * time.Minute

// op is the workflow's state.
type op struct {
	in         contract.OperationInput
	state      contract.OperationState
	superseded []string
	// accepted is the key of the decision that counted.
	accepted string
	// claims are decisions between check and answer.
	claims int
	mutex  workflow.Mutex
	// signals counts decide signals, read or not.
	signals int
	// withdrawn is set when the system cancels the operation.
	withdrawn *contract.Withdraw
	// credentials is set when the requester has logged in again.
	credentials bool
	// stalled counts attempts that did not begin.
	stalled int
	// retry is set by its update.
	retry bool
	// completed is set by its signal: the native form is said to be saved.
	completed bool
}

// Operation is the workflow op-<op_id>.
func Operation(ctx workflow.Context, in contract.OperationInput) (contract.OperationResult, error) {
	o := &op{in: in, mutex: workflow.NewMutex(ctx), state: contract.OperationState{
		OpID: in.OpID, Status: operation.Draft, PendingID: in.PendingID, Revision: in.Revision, Digest: in.Digest, Deadline: in.Deadline,
		Requester: in.Requester, Policy: in.Policy, Form: in.Form, Action: in.Action, Summary: in.Summary, Details: in.Details,
	}}
	if err := o.listen(ctx); err != nil {
		return contract.OperationResult{}, err
	}
	if err := o.run(ctx); err != nil {
		return contract.OperationResult{}, err
	}
	// An accepted update must be answered before the workflow closes, and a
	// signal that came meanwhile is journalled as refused, not dropped.
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) && o.claims == 0 }); err != nil {
		return contract.OperationResult{}, err
	}
	return contract.OperationResult{Status: o.state.Status, Refused: o.state.Refused, Bill: o.state.Bill}, nil
}

// run goes through the states until a terminal one.
func (o *op) run(ctx workflow.Context) error {
	o.show(ctx)
	var opened contract.Closed
	if err := step.Local(ctx, contract.OpenOperation, "put before people", o.id(), &opened); err != nil {
		return err
	}
	o.adopt(ctx, opened)
	for !o.state.Status.Terminal() {
		var err error
		switch o.state.Status {
		case operation.AwaitingApproval:
			err = o.await(ctx)
		case operation.Approved:
			if o.in.AutoExecute {
				err = o.execute(ctx)
			} else {
				err = o.handOff(ctx)
			}
		case operation.HandedOff:
			err = o.handed(ctx)
		case operation.Executing, operation.Reconciling:
			err = o.reconcile(ctx, o.state.Attempts < attempts)
		case operation.NeedsLogin:
			err = o.login(ctx)
		case operation.Failed:
			err = o.failed(ctx)
		case operation.NeedsPerson:
			err = o.person(ctx)
		default:
			return temporal.NewNonRetryableApplicationError("unknown state "+string(o.state.Status), string(fault.Internal), nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// await waits for a decision, a withdrawal or the deadline.
func (o *op) await(ctx workflow.Context) error {
	moved := func() bool { return o.state.Status != operation.AwaitingApproval || o.withdrawn != nil }
	revision := o.state.Revision
	ok, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{
		Timeout:      o.state.Deadline.Sub(workflow.Now(ctx)),
		TimerOptions: workflow.TimerOptions{Summary: "approval deadline"},
	}, func() bool { return moved() || o.state.Revision != revision })
	if err != nil {
		return o.cancelled(ctx, err)
	}
	// A claim that came before the deadline is answered first.
	if err := workflow.Await(ctx, func() bool { return o.claims == 0 }); err != nil {
		return o.cancelled(ctx, err)
	}
	switch {
	case o.state.Status != operation.AwaitingApproval || o.state.Revision != revision:
		return nil
	case o.withdrawn != nil:
		return o.withdraw(ctx)
	case !ok:
		return o.close(ctx, contract.CloseInput{OpInput: o.id(), Status: operation.Expired, Channel: operation.ChannelDeadline})
	}
	return nil
}

// withdraw ends the operation as the withdrawal says.
func (o *op) withdraw(ctx workflow.Context) error {
	return o.close(ctx, contract.CloseInput{OpInput: o.id(), Status: operation.Cancelled, By: o.withdrawn.By, Channel: o.withdrawn.Channel,
		ReplacedBy: o.withdrawn.ReplacedBy})
}

// cancelled turns a cancellation of the workflow by an operator into the
// operation's own end, on a context that still works.
func (o *op) cancelled(ctx workflow.Context, cause error) error {
	if !temporal.IsCanceledError(cause) {
		return cause
	}
	free, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	return o.close(free, contract.CloseInput{OpInput: o.id(), Status: operation.Cancelled, Channel: operation.ChannelOperator})
}

// execute is one attempt; whatever goes wrong is looked up.
func (o *op) execute(ctx workflow.Context) error {
	free, cancel := workflow.NewDisconnectedContext(ctx) // a cancelled workflow never leaves a write in doubt
	defer cancel()
	var done contract.Closed
	if err := step.Once(free, contract.ExecuteOperation, "write to the ERP", executeTimeout, o.id(), &done); err != nil {
		return o.reconcile(free, o.state.Attempts+1 < attempts)
	}
	o.adopt(free, done)
	return nil
}

// reconcile asks the ERP until it answers. When surely nothing was written and
// more attempts follow, it waits a little first.
func (o *op) reconcile(ctx workflow.Context, more bool) error {
	var found contract.Closed
	if err := step.Durable(ctx, contract.FindCommit, "look the outcome up", contract.FindInput{OpInput: o.id(), Final: !more}, &found); err != nil {
		return err
	}
	o.adopt(ctx, found)
	pause := time.Duration(1+o.state.Attempts*o.state.Attempts) * time.Second
	switch {
	case o.state.Status == operation.Approved: // the attempt did not even begin
		o.stalled++
		pause = min(time.Second<<min(o.stalled, 10), stallMax)
	case o.state.Status != operation.Failed || !more:
		return nil
	}
	if err := workflow.NewTimerWithOptions(ctx, pause, workflow.TimerOptions{Summary: "pause before the next attempt"}).Get(ctx, nil); err != nil {
		return err
	}
	if o.state.Status == operation.Approved {
		return nil // run goes on with it
	}
	return o.execute(ctx)
}

// login waits until the requester has logged in; the deadline still counts.
func (o *op) login(ctx workflow.Context) error {
	return o.until(ctx, "login deadline", &o.credentials)
}

// failed stays open for a retry until the deadline.
func (o *op) failed(ctx workflow.Context) error {
	return o.until(ctx, "retry deadline", &o.retry)
}

// until executes once the flag is raised, and ends without a write when the
// deadline passes or the system withdraws the operation first.
func (o *op) until(ctx workflow.Context, what string, raised *bool) error {
	ok, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{
		Timeout:      o.state.Deadline.Sub(workflow.Now(ctx)),
		TimerOptions: workflow.TimerOptions{Summary: what},
	}, func() bool { return *raised || o.withdrawn != nil })
	switch {
	case err != nil:
		return o.cancelled(ctx, err)
	case !ok:
		return o.close(ctx, contract.CloseInput{OpInput: o.id(), Status: operation.Expired, Channel: operation.ChannelDeadline})
	case o.withdrawn != nil:
		return o.withdraw(ctx)
	}
	*raised = false
	return o.execute(ctx)
}

// person waits, without a deadline, until someone has looked in the ERP; the
// update settle moves the state.
func (o *op) person(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return o.state.Status != operation.NeedsPerson })
}

// close ends the operation without a write; the row has the last word.
func (o *op) close(ctx workflow.Context, in contract.CloseInput) error {
	var done contract.Closed
	if err := step.Local(ctx, contract.CloseOperation, "close: "+string(in.Status), in, &done); err != nil {
		return err
	}
	o.withdrawn = nil
	o.adopt(ctx, done)
	return nil
}

// adopt takes over what the row says.
func (o *op) adopt(ctx workflow.Context, c contract.Closed) {
	if c.Status == "" {
		return
	}
	changed := o.state.Status != c.Status
	o.state.Status = c.Status
	if !c.Deadline.IsZero() {
		o.state.Deadline = c.Deadline
	}
	if c.Outcome != nil {
		o.state.Decided = c.Outcome
	}
	o.state.Refused, o.state.Bill = c.Refused, c.Bill
	o.state.Attempts = max(o.state.Attempts, c.Attempts)
	if changed {
		o.show(ctx)
	}
}

func (o *op) id() contract.OpInput { return contract.OpInput{Tenant: o.in.Tenant, OpID: o.in.OpID} }
