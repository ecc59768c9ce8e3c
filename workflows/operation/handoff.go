package operation

import (
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/step"
)

// handOff gives an approved manual operation to its person. An operator who
// cancels the workflow at this moment finds it handed off, and ends it there.
func (o *op) handOff(ctx workflow.Context) error {
	free, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	var done contract.Closed
	if err := step.Local(free, contract.HandOffOperation, "hand to the native form", o.id(), &done); err != nil {
		return err
	}
	o.adopt(free, done)
	return nil
}

// handed waits until the native form has been saved, until its person leaves it,
// or until the deadline of the hand-off. A save that needs another approval takes
// the operation back to waiting for one.
func (o *op) handed(ctx workflow.Context) error {
	ok, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{
		Timeout:      o.state.Deadline.Sub(workflow.Now(ctx)),
		TimerOptions: workflow.TimerOptions{Summary: "hand-off deadline"},
	}, func() bool { return o.state.Status != operation.HandedOff || o.completed || o.withdrawn != nil })
	if err != nil {
		return o.cancelled(ctx, err)
	}
	// A claim that came before the deadline is answered first.
	if err := workflow.Await(ctx, func() bool { return o.claims == 0 }); err != nil {
		return o.cancelled(ctx, err)
	}
	switch {
	case o.state.Status != operation.HandedOff:
		return nil
	case o.completed:
		o.completed = false
		return o.complete(ctx)
	case o.withdrawn != nil:
		return o.withdraw(ctx)
	case !ok:
		return o.close(ctx, contract.CloseInput{OpInput: o.id(), Status: operation.Abandoned, Channel: operation.ChannelDeadline})
	}
	return nil
}

// complete asks the ERP whether it was saved: the signal proves nothing.
func (o *op) complete(ctx workflow.Context) error {
	free, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	o.signals++
	var done contract.Closed
	if err := step.Local(free, contract.CompleteOperation, "look the save up", contract.CompleteInput{OpInput: o.id(), Index: o.signals}, &done); err != nil {
		return err
	}
	o.adopt(free, done)
	return nil
}
