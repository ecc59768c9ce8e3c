package turn

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/step"
)

// slotPoll is how often a queued turn looks for the running slot by itself, in
// case the signal that grants it was lost.
const slotPoll = 30 * time.Second

// A turn waits awayPause when what it needs is away, after the attempts of its
// activity, and longer each time: a weekend must not fill its history.
const (
	awayPause    = 5 * time.Second
	awayPauseMax = 5 * time.Minute
)

// run is the workflow's state.
type run struct {
	in    contract.TurnInput
	state contract.TurnState
	// answered and settled collect what has been signalled, by id.
	answered []string
	settled  []string
	granted  bool
	stopped  bool
	// cancelWork cancels the running Generate; nil while none runs.
	cancelWork workflow.CancelFunc
}

// Turn is the workflow turn-<conversation>-<n>.
func Turn(ctx workflow.Context, in contract.TurnInput) (contract.TurnResult, error) {
	t := &run{in: in, state: contract.TurnState{Status: chat.Running, State: in.State, Segment: in.Segment}}
	if err := t.listen(ctx); err != nil {
		return contract.TurnResult{}, err
	}
	status, code, err := t.loop(ctx)
	if temporal.IsCanceledError(err) { // an operator cancelled the workflow: the same as Stop
		status, code, err = chat.Stopped, fault.Stopped, nil
	}
	if err != nil {
		return contract.TurnResult{}, err
	}
	free, cancel := workflow.NewDisconnectedContext(ctx)
	defer cancel()
	end := contract.EndInput{Tenant: in.Tenant, ConversationID: in.ConversationID, TurnID: in.TurnID, Segment: t.state.Segment, Status: status, Code: code}
	if err := step.Local(free, contract.EndTurn, "end: "+string(status), end, nil); err != nil {
		return contract.TurnResult{}, err
	}
	t.state.Status, t.state.Code = status, code
	err = workflow.Await(free, func() bool { return workflow.AllHandlersFinished(free) })
	return contract.TurnResult{Status: status, Code: code}, err
}

// loop goes from step to step until the turn is over.
func (t *run) loop(ctx workflow.Context) (chat.TurnStatus, fault.Code, error) {
	if t.in.Queued {
		if err := t.slot(ctx, false); err != nil {
			return "", "", err
		}
	}
	pause := awayPause
	for {
		if t.stopped {
			return chat.Stopped, fault.Stopped, nil
		}
		if !t.state.State.MayAsk(t.in.Limits) {
			return chat.Limit, fault.LimitReached, nil
		}
		plan, err := t.generate(ctx)
		switch {
		case t.stopped:
			return chat.Stopped, fault.Stopped, nil
		case temporal.IsCanceledError(err):
			return "", "", err
		case away(err):
			// Postgres or the ERP is away: no turn fails because of that. The stored
			// steps are found again when it is back.
			if _, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: pause,
				TimerOptions: workflow.TimerOptions{Summary: "the database or the ERP is away"}}, func() bool { return t.stopped }); err != nil {
				return "", "", err
			}
			pause = min(2*pause, awayPauseMax)
			continue
		case err != nil:
			return failure(err)
		}
		pause = awayPause
		switch plan.Verdict {
		case turn.Answer:
			return chat.Answered, "", nil
		case turn.Fail:
			return chat.Failed, plan.Code, nil
		case turn.LimitHit:
			return chat.Limit, plan.Code, nil
		case turn.Suspend:
			if err := t.suspend(ctx, plan.Wait); err != nil {
				return "", "", err
			}
		}
	}
}

// generate runs the model and its reads as far as they go.
func (t *run) generate(ctx workflow.Context) (turn.Plan, error) {
	work, cancel := workflow.WithCancel(ctx)
	defer cancel()
	t.cancelWork = cancel
	defer func() { t.cancelWork = nil }()
	left := t.in.Limits.Worked - t.state.State.Worked
	work = workflow.WithActivityOptions(work, workflow.ActivityOptions{
		ScheduleToCloseTimeout: left,
		StartToCloseTimeout:    left,
		HeartbeatTimeout:       step.Heartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 20 * time.Second, MaximumAttempts: 4},
		Summary:                "ask the model, carry out reads",
	})
	began := workflow.Now(ctx)
	var out contract.GenerateResult
	err := workflow.ExecuteActivity(work, contract.Generate, contract.GenerateInput{Tenant: t.in.Tenant, ConversationID: t.in.ConversationID,
		TurnID: t.in.TurnID, State: t.state.State, Limits: t.in.Limits}).Get(work, &out)
	worked := t.state.State.Worked + workflow.Now(ctx).Sub(began)
	if err == nil {
		t.state.State = out.State
	}
	t.state.State.Worked = worked
	return out.Plan, err
}

// away reports that the steps themselves could not be read or stored.
func away(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == string(fault.Unavailable)
}

// failure turns the last error of Generate into how the turn ends.
func failure(err error) (chat.TurnStatus, fault.Code, error) {
	var timeout *temporal.TimeoutError
	if errors.As(err, &timeout) {
		return chat.Limit, fault.LimitReached, nil
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) && app.Type() != "" {
		return chat.Failed, fault.Code(app.Type()), nil
	}
	return chat.Failed, fault.Internal, nil
}

// suspend puts writes and questions before people, gives the slot back, waits
// for all of them, and takes the slot again.
func (t *run) suspend(ctx workflow.Context, calls []turn.Call) error {
	// What has been prepared must be seen through even when the turn is stopped.
	// The context is never cancelled: cancelling it would cancel the operations
	// that were started on it, long after this function has returned.
	free, _ := workflow.NewDisconnectedContext(ctx)
	t.state.Waiting = nil
	for _, c := range calls {
		in := contract.CallInput{Tenant: t.in.Tenant, ConversationID: t.in.ConversationID, TurnID: t.in.TurnID, CallID: c.CallID}
		var err error
		if c.Effect == tool.Ask {
			err = t.ask(free, in)
		} else {
			err = t.propose(free, in)
		}
		if err != nil {
			return err
		}
	}
	if len(t.state.Waiting) == 0 { // all refused at once: the model reads why
		return nil
	}
	t.state.Status = chat.Waiting
	slot := contract.SlotInput{Tenant: t.in.Tenant, ConversationID: t.in.ConversationID, TurnID: t.in.TurnID, Segment: t.state.Segment, Waiting: t.state.Waiting}
	if err := step.Local(free, contract.SuspendTurn, "wait for people", slot, nil); err != nil {
		return err
	}
	t.state.Segment++
	if err := t.wait(ctx); err != nil || t.stopped {
		return err
	}
	return t.slot(ctx, true)
}

func (t *run) ask(ctx workflow.Context, in contract.CallInput) error {
	in.Deadline = workflow.Now(ctx).Add(t.in.QuestionTTL).UTC().Truncate(time.Second)
	var asked contract.Asked
	if err := step.Local(ctx, contract.AskPerson, "ask a question", in, &asked); err != nil {
		return err
	}
	if asked.Kind == "" {
		asked.Kind = chat.KindQuestion
	}
	if !asked.Answered {
		t.state.Waiting = append(t.state.Waiting, contract.Waiting{CallID: in.CallID, Kind: asked.Kind, PendingID: asked.PendingID, Deadline: asked.Deadline})
	}
	return nil
}

// propose stages a write and starts its Operation. It returns only when the
// child has started, so that closing the turn cannot lose it.
func (t *run) propose(ctx workflow.Context, in contract.CallInput) error {
	var p contract.Prepared
	if err := step.Local(ctx, contract.PrepareOperation, "stage the proposal", in, &p); err != nil {
		return err
	}
	if p.OpID == "" || p.Settled {
		return nil
	}
	child := workflow.WithChildOptions(ctx, contract.OperationChild(p, t.in))
	err := workflow.ExecuteChildWorkflow(child, contract.WorkflowOperation, contract.OperationStart(t.in.Tenant, p, t.in.ConversationID, t.in.TurnID)).
		GetChildWorkflowExecution().Get(ctx, nil)
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return err
	}
	t.state.Waiting = append(t.state.Waiting, contract.Waiting{CallID: in.CallID, Kind: chat.KindApproval, PendingID: p.PendingID, OpID: p.OpID, Deadline: p.Deadline})
	return nil
}

// wait returns when nothing is open any more, or the turn was stopped. Questions
// expire here; operations expire by themselves and say so.
func (t *run) wait(ctx workflow.Context) error {
	for {
		open := t.open()
		if len(open) == 0 || t.stopped {
			return nil
		}
		deadline, found := nearestQuestion(open)
		done := func() bool { return t.stopped || len(t.open()) < len(open) }
		if !found {
			if err := workflow.Await(ctx, done); err != nil {
				return err
			}
			continue
		}
		ok, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: deadline.Sub(workflow.Now(ctx)),
			TimerOptions: workflow.TimerOptions{Summary: "question deadline"}}, done)
		if err != nil {
			return err
		}
		if !ok {
			if err := t.expire(ctx, open, deadline); err != nil {
				return err
			}
		}
	}
}

// expire closes the questions that are due. One that was answered in the same
// moment keeps its answer: the row decides.
func (t *run) expire(ctx workflow.Context, open []contract.Waiting, deadline time.Time) error {
	for _, w := range open {
		if w.Kind == chat.KindApproval || w.Deadline.After(deadline) {
			continue
		}
		in := contract.CallInput{Tenant: t.in.Tenant, ConversationID: t.in.ConversationID, TurnID: t.in.TurnID, CallID: w.CallID}
		if err := step.Local(ctx, contract.ExpireQuestion, "the question expires", in, nil); err != nil {
			return err
		}
		t.answered = append(t.answered, w.PendingID)
	}
	return nil
}

// open lists what is still waited for.
func (t *run) open() []contract.Waiting {
	var open []contract.Waiting
	for _, w := range t.state.Waiting {
		if w.OpID != "" && slices.Contains(t.settled, w.OpID) || w.OpID == "" && slices.Contains(t.answered, w.PendingID) {
			continue
		}
		open = append(open, w)
	}
	return open
}

func nearestQuestion(open []contract.Waiting) (nearest time.Time, found bool) {
	for _, w := range open {
		if w.Kind != chat.KindApproval && (!found || w.Deadline.Before(nearest)) {
			nearest, found = w.Deadline, true
		}
	}
	return nearest, found
}

// slot takes the running slot of the conversation, waiting in line for it.
// resumed says that this continues a suspended turn.
func (t *run) slot(ctx workflow.Context, resumed bool) error {
	in := contract.SlotInput{Tenant: t.in.Tenant, ConversationID: t.in.ConversationID, TurnID: t.in.TurnID, Segment: t.state.Segment}
	t.state.Status = chat.Waiting
	for !t.stopped {
		if resumed || t.granted {
			t.granted = false
			var slot contract.Slot
			if err := step.Local(ctx, contract.ResumeTurn, "take the running slot", in, &slot); err != nil {
				return err
			}
			if slot.Ended != "" {
				t.stopped = true // the row was closed by an operator's hand
				return nil
			}
			if slot.Running {
				t.state.Status, t.state.Waiting = chat.Running, nil
				return nil
			}
		}
		_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{Timeout: slotPoll,
			TimerOptions: workflow.TimerOptions{Summary: "queued for the running slot"}}, func() bool { return t.granted || t.stopped })
		if err != nil {
			return err
		}
		resumed = true
	}
	return nil
}
