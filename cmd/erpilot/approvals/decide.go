package approvals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// decideFlags are common to the three ways to decide.
type decideFlags struct {
	Op       string        `arg:"" help:"Id of the operation, or of its workflow (op-…)."`
	User     string        `env:"ERPILOT_USER" help:"Your user name at the ERP. The password is asked for, or taken from ERPILOT_PASSWORD."`
	Comment  string        `help:"A word to the requester."`
	Yes      bool          `help:"Do not ask for a yes."`
	Unsigned bool          `help:"Send without login and proof; counts only where unsigned decisions are allowed."`
	Wait     time.Duration `default:"10s" help:"How long to watch what becomes of an approved operation; 0 returns at once."`
}

// ApproveCmd approves.
type ApproveCmd struct{ decideFlags }

// RejectCmd rejects.
type RejectCmd struct{ decideFlags }

// CancelCmd cancels.
type CancelCmd struct{ decideFlags }

// Run approves.
func (c *ApproveCmd) Run(ctx context.Context, e *Env) error { return c.run(ctx, e, operation.Approve) }

// Run rejects.
func (c *RejectCmd) Run(ctx context.Context, e *Env) error { return c.run(ctx, e, operation.Reject) }

// Run cancels.
func (c *CancelCmd) Run(ctx context.Context, e *Env) error { return c.run(ctx, e, operation.Cancel) }

// run shows, logs in, asks, signs, sends and tells.
func (c *decideFlags) run(ctx context.Context, e *Env, verb operation.Verb) error {
	s, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	v, err := s.view(ctx, c.Op)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(s.Out, s.text(v)); err != nil {
		return err
	}
	if err := s.decidable(v, verb); err != nil {
		return err
	}
	who, err := s.login(ctx, c, v)
	if err != nil {
		return err
	}
	if ok, err := s.confirmed(c, v, verb, who); err != nil || !ok {
		return err
	}
	d := operation.Decision{OpID: v.OpID, PendingID: v.PendingID, Revision: v.Revision, Digest: v.Digest, Decision: verb,
		DecisionID: uuid.NewString(), Comment: c.Comment, Actor: c.User}
	if who != nil {
		d.Actor, d.Channel = who.UserID, operation.ChannelTerminal
		d.Proof = operation.Sign(s.Key, d, v.Tenant, who.UserID, operation.ChannelTerminal, s.Now())
	}
	state, queued, err := s.send(ctx, v, d)
	switch {
	case err != nil:
		return err
	case queued:
		_, err = fmt.Fprintln(s.Out, s.say("approvals.queued", "deadline", s.clock(v.Deadline)))
		return err
	}
	return s.follow(ctx, state, c.Wait)
}

// decidable refuses what cannot be decided any more, before anybody logs in.
func (s *session) decidable(v View, verb operation.Verb) error {
	switch {
	case v.Closed || v.Status.Terminal():
		return &told{text: s.say("approvals.closed", "op", v.OpID, "status", s.status(v.Status)), cause: fault.New(fault.NotPending, "status", string(v.Status))}
	case v.PendingID == "" || v.Digest == "" || v.Tenant == "":
		return &told{text: s.say("approvals.blind", "op", v.OpID), cause: fault.New(fault.Unavailable)}
	case v.Status == operation.HandedOff && verb == operation.Cancel && s.until(v) > 0: // left in the native form
	case v.Live && v.Decided != nil:
		return s.refusal(operation.Settled(*v.Decided))
	case v.Live && v.Status != operation.AwaitingApproval:
		return s.refusal(fault.New(fault.NotPending, "status", string(v.Status)))
	case !v.Deadline.IsZero() && s.until(v) <= 0:
		return s.refusal(fault.New(fault.Expired))
	}
	return nil
}

// login proves who decides; nil for --unsigned.
func (s *session) login(ctx context.Context, c *decideFlags, v View) (*identity.User, error) {
	if c.Unsigned {
		return nil, nil
	}
	if s.Login == nil || len(s.Key) == 0 {
		return nil, &told{text: s.say("approvals.nologin"), cause: fault.New(fault.Unavailable)}
	}
	if c.User == "" {
		return nil, &told{text: s.say("approvals.user_missing"), cause: fault.New(fault.Invalid)}
	}
	tenant, err := identity.ParseTenant(v.Tenant)
	if err != nil {
		return nil, err
	}
	password, err := s.Password(s.say("password", "user", c.User))
	if err != nil {
		return nil, err
	}
	user, err := s.Login(ctx, tenant, c.User, password)
	if err != nil {
		return nil, &told{text: terminal.Fault(fault.CodeOf(err), fault.ParamsOf(err), s.locale, s.zone), cause: err}
	}
	s.locale, s.zone = terminal.Language(s.Lang, user.Locale), terminal.Zone(user.TimeZone)
	return &user, nil
}

// confirmed says once more what is about to happen and reads the yes.
func (s *session) confirmed(c *decideFlags, v View, verb operation.Verb, who *identity.User) (bool, error) {
	name := s.say("approvals.nobody")
	if who != nil {
		name = who.DisplayName + " (" + who.Username + ")"
	}
	if _, err := fmt.Fprintln(s.Out, s.say("approvals.will."+string(verb), "who", name, "op", v.OpID, "revision", fmt.Sprint(v.Revision),
		"digest", v.Digest[:min(16, len(v.Digest))])); err != nil || c.Yes {
		return c.Yes, err
	}
	answer, err := terminal.Ask(s.in, s.Out, s.say("approvals.yes"))
	if err == nil && answer == "yes" {
		return true, nil
	}
	return false, &told{text: s.say("approvals.left_alone"), cause: err}
}

// send asks by update and, when no worker takes it within the budget, leaves the
// decision as a signal.
func (s *session) send(ctx context.Context, v View, d operation.Decision) (state contract.OperationState, queued bool, err error) {
	limited, cancel := context.WithTimeout(ctx, s.Budget)
	defer cancel()
	id := contract.OperationWorkflowID(d.OpID)
	h, err := s.temporal.UpdateWorkflow(limited, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: contract.UpdateDecide,
		UpdateID: d.DecisionID, Args: []any{d}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(limited, &state)
	}
	var (
		refused  *temporal.ApplicationError
		notFound *serviceerror.NotFound
		late     *client.WorkflowUpdateServiceTimeoutOrCanceledError
		away     *serviceerror.DeadlineExceeded
	)
	switch {
	case err == nil:
		return state, false, nil
	case errors.As(err, &refused):
		params := fault.Params{}
		_ = refused.Details(&params) // a refusal without params has a sentence of its own
		return state, false, s.refusal(&fault.Error{Code: fault.Code(refused.Type()), Params: params})
	case errors.As(err, &notFound):
		return state, false, s.closed(ctx, v)
	case ctx.Err() != nil:
		return state, false, ctx.Err()
	case errors.As(err, &late), errors.As(err, &away), errors.Is(err, context.DeadlineExceeded):
		err = s.temporal.SignalWorkflow(ctx, id, "", contract.SignalDecide, d)
		if errors.As(err, &notFound) {
			return state, false, s.closed(ctx, v)
		}
		return state, err == nil, err
	}
	return state, false, fmt.Errorf("send the decision: %w", err)
}

// closed tells of an operation that ended between the look and the word.
func (s *session) closed(ctx context.Context, v View) error {
	if now, err := s.view(ctx, v.OpID); err == nil {
		v = now
	}
	if v.Decided != nil {
		return s.refusal(operation.Settled(*v.Decided))
	}
	return &told{text: s.say("approvals.closed", "op", v.OpID, "status", s.status(v.Status)), cause: fault.New(fault.NotPending)}
}

func (s *session) refusal(f *fault.Error) error {
	return &told{text: terminal.Fault(f.Code, f.Params, s.locale, s.zone), cause: f}
}

// follow tells the answer and, for an approval, what becomes of the write.
func (s *session) follow(ctx context.Context, state contract.OperationState, wait time.Duration) error {
	key := map[operation.Status]string{operation.AwaitingApproval: "vote", operation.Rejected: "rejected", operation.Cancelled: "cancelled",
		operation.Executed: "executed"}[state.Status]
	if key == "" {
		key = "approved"
	}
	if _, err := fmt.Fprintln(s.Out, s.say("approvals."+key, "bill", state.Bill)); err != nil || key != "approved" {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for !settled(state.Status) {
		pause := time.NewTimer(200 * time.Millisecond)
		select {
		case <-limited.Done():
			pause.Stop()
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := fmt.Fprintln(s.Out, s.say("approvals.after", "status", s.status(state.Status)))
			return err
		case <-pause.C:
		}
		answer, err := s.temporal.QueryWorkflow(limited, contract.OperationWorkflowID(state.OpID), "", contract.QueryState)
		if err != nil {
			continue
		}
		var now contract.OperationState
		if answer.Get(&now) == nil {
			state = now
		}
	}
	return s.outcome(state)
}

// settled reports whether watching any longer shows nothing new by itself.
func settled(status operation.Status) bool {
	switch status {
	case operation.Failed, operation.NeedsLogin, operation.NeedsPerson, operation.HandedOff:
		return true
	default:
		return status.Terminal()
	}
}

// outcome is an error when nothing was written although it was approved.
func (s *session) outcome(state contract.OperationState) error {
	switch {
	case state.Status == operation.Executed:
		_, err := fmt.Fprintln(s.Out, s.say("approvals.executed", "bill", state.Bill))
		return err
	case state.Status == operation.HandedOff:
		_, err := fmt.Fprintln(s.Out, s.say("approvals.after", "status", s.status(state.Status))+" · "+s.say("approvals.open")+": "+
			operation.OpenURL(state.Form, state.OpID))
		return err
	case state.Status == operation.Refused && state.Refused != "":
		return &told{text: s.say("approvals.after", "status", s.status(state.Status)+" · "+string(state.Refused)), cause: fault.New(state.Refused)}
	}
	_, err := fmt.Fprintln(s.Out, s.say("approvals.after", "status", s.status(state.Status)))
	return err
}
