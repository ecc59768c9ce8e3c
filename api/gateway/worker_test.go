package gateway_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/temporaltest"
)

// backend is a Temporal with stub workflows under the contract's names.
type backend struct {
	t      *testing.T
	client client.Client
	queue  string
	// db is set once the bundle stands; the stub's activity writes to it.
	db atomic.Pointer[bundle]
}

func newBackend(t *testing.T) *backend {
	t.Helper()
	return &backend{t: t, client: temporaltest.Start(t).Client(t), queue: temporaltest.TaskQueue(t)}
}

// configure is for setup.
func (k *backend) configure(c *gateway.Config) {
	c.Temporal, c.TaskQueue, c.Reconciler = k.client, k.queue, k
}

// work runs a worker until the test ends or stop is called.
func (k *backend) work() (stop func()) {
	k.t.Helper()
	w := worker.New(k.client, k.queue, worker.Options{})
	w.RegisterWorkflowWithOptions(stubOperation, workflow.RegisterOptions{Name: contract.WorkflowOperation})
	w.RegisterWorkflowWithOptions(stubTurn, workflow.RegisterOptions{Name: contract.WorkflowTurn})
	w.RegisterActivityWithOptions(k.authorise, activity.RegisterOptions{Name: contract.AuthoriseDecision})
	if err := w.Start(); err != nil {
		k.t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			w.Stop()
		}
	}
	k.t.Cleanup(stop)
	return stop
}

// stubOperation decides as the real one does: a cheap validator, then the activity.
func stubOperation(ctx workflow.Context, in contract.OperationInput) (contract.OperationResult, error) {
	state := contract.OperationState{OpID: in.OpID, Status: operation.AwaitingApproval}
	view := func() operation.View {
		return operation.View{OpID: in.OpID, Status: operation.AwaitingApproval, PendingID: in.PendingID, Revision: in.Revision, Digest: in.Digest,
			Deadline: in.Deadline, Decided: state.Decided}
	}
	typed := func(f *fault.Error) error { return temporal.NewApplicationError(f.Error(), string(f.Code), f.Params) }
	decide := func(ctx workflow.Context, d operation.Decision) error {
		if refused := operation.Check(view(), d, workflow.Now(ctx)); refused != nil {
			return typed(refused)
		}
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
		var a contract.Authorised
		err := workflow.ExecuteActivity(ctx, contract.AuthoriseDecision, contract.AuthoriseInput{
			OpInput: contract.OpInput{Tenant: in.Tenant, OpID: in.OpID}, Decision: d, ClaimedAt: workflow.Now(ctx)}).Get(ctx, &a)
		if err != nil {
			return err
		}
		if a.Code != "" {
			return typed(&fault.Error{Code: a.Code, Params: a.Params})
		}
		state.Status, state.Decided = a.Status, a.Outcome
		return nil
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateDecide, func(ctx workflow.Context, d operation.Decision) (contract.OperationState, error) {
		err := decide(ctx, d)
		return state, err
	}, workflow.UpdateHandlerOptions{Validator: func(ctx workflow.Context, d operation.Decision) error {
		if refused := operation.Check(view(), d, workflow.Now(ctx)); refused != nil {
			return typed(refused)
		}
		return nil
	}})
	if err != nil {
		return contract.OperationResult{}, err
	}
	err = workflow.SetUpdateHandler(ctx, contract.UpdateRevise, func(_ workflow.Context, r contract.Revision) (contract.OperationState, error) {
		if r.RevisionID == "refuse" {
			return state, typed(fault.New(fault.ValidationFailed, "field", "phone", "detail", "no phone"))
		}
		return state, nil
	})
	if err != nil {
		return contract.OperationResult{}, err
	}
	refreshed := false
	if err := workflow.SetQueryHandler(ctx, "refreshed", func() (bool, error) { return refreshed, nil }); err != nil {
		return contract.OperationResult{}, err
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		refreshed = workflow.GetSignalChannel(ctx, contract.SignalCredentials).Receive(ctx, nil)
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var d operation.Decision
			workflow.GetSignalChannel(ctx, contract.SignalDecide).Receive(ctx, &d)
			_ = decide(ctx, d)
		}
	})
	err = workflow.Await(ctx, func() bool { return state.Decided != nil && workflow.AllHandlersFinished(ctx) })
	return contract.OperationResult{Status: state.Status}, err
}

// stubTurn waits for stop.
func stubTurn(ctx workflow.Context, in contract.TurnInput) (contract.TurnResult, error) {
	err := workflow.SetQueryHandler(ctx, "input", func() (contract.TurnInput, error) { return in, nil })
	if err != nil {
		return contract.TurnResult{}, err
	}
	var answered []string
	err = workflow.SetUpdateHandler(ctx, contract.UpdateAnswer, func(_ workflow.Context, a contract.Answered) error {
		answered = append(answered, a.PendingID)
		return nil
	})
	if err != nil {
		return contract.TurnResult{}, err
	}
	if err := workflow.SetQueryHandler(ctx, "answered", func() ([]string, error) { return answered, nil }); err != nil {
		return contract.TurnResult{}, err
	}
	granted := false
	if err := workflow.SetQueryHandler(ctx, "granted", func() (bool, error) { return granted, nil }); err != nil {
		return contract.TurnResult{}, err
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		granted = workflow.GetSignalChannel(ctx, contract.SignalGoOn).Receive(ctx, nil)
	})
	workflow.GetSignalChannel(ctx, contract.SignalStop).Receive(ctx, nil)
	return contract.TurnResult{Status: "stopped"}, nil
}

// authorise verifies the proof and persists the decision.
func (k *backend) authorise(ctx context.Context, in contract.AuthoriseInput) (contract.Authorised, error) {
	tenant, err := identity.ParseTenant(in.Tenant)
	if err != nil {
		return contract.Authorised{}, err
	}
	d := in.Decision
	user, channel, err := operation.Verify(proofKey, d, in.Tenant, d.Proof, time.Now())
	if err != nil {
		return contract.Authorised{}, temporal.NewNonRetryableApplicationError("unverified", string(fault.Unverified), err)
	}
	now := time.Now().UTC()
	via, status := string(channel), d.Decision.Effect()
	err = k.db.Load().db.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		_, err := q.DecideOperation(ctx, pgdb.DecideOperationParams{TenantID: in.Tenant, OpID: in.OpID, Status: string(status), DecidedBy: &user,
			DecidedVia: &via, DecidedAt: &now, PendingID: d.PendingID})
		if err != nil {
			return err
		}
		_, err = q.InsertDecision(ctx, pgdb.InsertDecisionParams{TenantID: in.Tenant, DecisionID: d.DecisionID, OpID: in.OpID, PendingID: d.PendingID,
			Revision: int32(d.Revision), Decision: string(d.Decision), Actor: user, Channel: via, Verified: true, Accepted: true})
		return err
	})
	return contract.Authorised{Status: status, Outcome: &operation.Outcome{Status: status, By: user, Channel: channel, At: now}}, err
}

// launch starts the operation's workflow, as a turn or the sweep would.
func (k *backend) launch(b *bundle, row pgdb.Operation) {
	k.t.Helper()
	k.db.Store(b)
	_, err := k.client.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: contract.OperationWorkflowID(row.OpID), TaskQueue: k.queue},
		contract.WorkflowOperation, contract.OperationInput{Tenant: row.TenantID, OpID: row.OpID, Requester: row.UserID, PendingID: row.PendingID,
			Revision: int(row.Revision), Digest: row.Digest, Deadline: row.ExpiresAt})
	if err != nil {
		k.t.Fatal(err)
	}
}

// CloseRow ends an operation as the real one does, in short.
func (k *backend) CloseRow(ctx context.Context, tenant identity.Tenant, in contract.CloseInput) (row pgdb.Operation, err error) {
	now, via := time.Now().UTC(), string(in.Channel)
	err = k.db.Load().db.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		row, err = q.CloseOperation(ctx, pgdb.CloseOperationParams{TenantID: tenant.String(), OpID: in.OpID, Status: string(in.Status),
			DecidedBy: &in.By, DecidedVia: &via, DecidedAt: &now})
		if err != nil {
			return err
		}
		if _, err := q.ClosePendingsOfOp(ctx, pgdb.ClosePendingsOfOpParams{TenantID: tenant.String(), OpID: &row.OpID, Status: "cancelled"}); err != nil {
			return err
		}
		_, err := journal.Append(ctx, tx, tenant, *row.ConversationID, "", journal.Entry{Type: event.OperationResult, Key: "op/" + row.OpID + "/result",
			Data: event.OpState{OpID: row.OpID, PendingID: row.PendingID, Status: in.Status, Decided: journal.Outcome(row)}})
		return err
	})
	return row, err
}

// Reconcile finds that nothing was written.
func (k *backend) Reconcile(ctx context.Context, tenant identity.Tenant, opID string) error {
	return k.db.Load().db.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := pgdb.New(tx).MoveOperation(ctx, pgdb.MoveOperationParams{TenantID: tenant.String(), OpID: opID, Status: "failed", Expected: []string{"executing"}})
		return err
	})
}
