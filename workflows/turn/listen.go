package turn

import (
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/workflows/contract"
)

// listen registers everything by which the outside reaches the turn.
func (t *run) listen(ctx workflow.Context) error {
	if err := workflow.SetQueryHandlerWithOptions(ctx, contract.QueryState, func() (contract.TurnState, error) { return t.state, nil },
		workflow.QueryHandlerOptions{Description: "Where the turn stands and what it waits for"}); err != nil {
		return err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateAnswer, func(_ workflow.Context, a contract.Answered) (contract.TurnState, error) {
		t.answer(a.PendingID)
		return t.state, nil
	}, workflow.UpdateHandlerOptions{
		Description: "Sent by Erpilot when a question has its answer in Postgres: {pending_id}",
		Validator: func(_ workflow.Context, a contract.Answered) error {
			for _, w := range t.state.Waiting {
				if w.PendingID == a.PendingID {
					return nil
				}
			}
			return temporal.NewApplicationErrorWithOptions(string(fault.NotPending), string(fault.NotPending),
				temporal.ApplicationErrorOptions{NonRetryable: true, Category: temporal.ApplicationErrorCategoryBenign})
		},
	}); err != nil {
		return err
	}
	answers := workflow.GetSignalChannelWithOptions(ctx, contract.SignalAnswer, workflow.SignalChannelOptions{
		Description: "The same as the update answer"})
	workflow.GoNamed(ctx, "answers", func(ctx workflow.Context) {
		for {
			var a contract.Answered
			if !answers.Receive(ctx, &a) {
				return
			}
			t.answer(a.PendingID)
		}
	})
	settled := workflow.GetSignalChannelWithOptions(ctx, contract.SignalSettled, workflow.SignalChannelOptions{
		Description: "Sent by an operation of this turn when it has an outcome"})
	workflow.GoNamed(ctx, "settled", func(ctx workflow.Context) {
		for {
			var s contract.Settled
			if !settled.Receive(ctx, &s) {
				return
			}
			if !slices.Contains(t.settled, s.OpID) {
				t.settled = append(t.settled, s.OpID)
			}
		}
	})
	granted := workflow.GetSignalChannelWithOptions(ctx, contract.SignalGoOn, workflow.SignalChannelOptions{
		Description: "Sent by Erpilot when the turn may run"})
	workflow.GoNamed(ctx, "go-on", func(ctx workflow.Context) {
		for granted.Receive(ctx, nil) {
			t.granted = true
		}
	})
	stop := workflow.GetSignalChannelWithOptions(ctx, contract.SignalStop, workflow.SignalChannelOptions{
		Description: "Ends the turn; proposed operations live on"})
	workflow.GoNamed(ctx, "stop", func(ctx workflow.Context) {
		for stop.Receive(ctx, nil) {
			t.stopped = true
			if t.cancelWork != nil {
				t.cancelWork()
			}
		}
	})
	return nil
}

func (t *run) answer(pendingID string) {
	if !slices.Contains(t.answered, pendingID) {
		t.answered = append(t.answered, pendingID)
	}
}
