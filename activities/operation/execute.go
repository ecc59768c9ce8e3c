package operation

import (
	"context"
	"errors"

	"github.com/erpilot/erpilot/activities/store"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/heartbeat"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// ExecuteOperation is one attempt to write an approved operation. It begins the
// attempt on the staging row, lets the ERP write under the client_token, and
// stores the outcome. An error after the begin says nothing about the ERP: the
// workflow then asks FindCommit.
//
// A row that has moved on (another run of the workflow wrote it) is returned as
// it is. Without a live session of the requester the row parks in needs_login.
func (s *Service) ExecuteOperation(ctx context.Context, in contract.OpInput) (contract.Closed, error) {
	ctx, stop := heartbeat.Start(ctx)
	defer stop()
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	row, begun, err := s.begin(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Closed{}, err
	}
	if err := s.told(ctx, tenant, row); err != nil && !begun {
		return contract.Closed{}, err
	}
	if !begun {
		if st := operation.Status(row.Status); st == operation.Executing || st == operation.Reconciling {
			return contract.Closed{}, inDoubt(errors.New("an earlier attempt has not been accounted for"))
		}
		return closed(row), nil
	}
	commit, err := s.write(ctx, tenant, row)
	if fault.CodeOf(err) == fault.TokenReused {
		commit = schema.Commit{Status: schema.CommitRefused, Refusal: &schema.Refusal{Code: string(fault.TokenReused)}}
	} else if err != nil {
		return contract.Closed{}, inDoubt(err)
	}
	if commit.Status == schema.CommitFenced || commit.Status == schema.CommitUnknown {
		return contract.Closed{}, inDoubt(errors.New("the ERP had shut this attempt out"))
	}
	return s.finish(ctx, tenant, row, commit)
}

// inDoubt is the error after which the workflow reconciles; Temporal itself
// never repeats a write.
func inDoubt(cause error) error {
	return temporal.NewNonRetryableApplicationError("the outcome of the attempt is not known", string(fault.OutcomeUnknown),
		errors.New(string(fault.CodeOf(cause))))
}

// begin starts an attempt: the row becomes executing, unless the contract has
// changed (refused) or nobody is logged in (needs_login).
func (s *Service) begin(ctx context.Context, tenant identity.Tenant, opID string) (row pgdb.Operation, begun bool, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if row, err = q.LockOperation(ctx, pgdb.LockOperationParams{TenantID: tenant.String(), OpID: opID}); err != nil {
			return err
		}
		switch operation.Status(row.Status) {
		case operation.Approved, operation.NeedsLogin, operation.Failed:
		default:
			return nil
		}
		if s.contractChanged(row) {
			row, err = s.close(ctx, tx, tenant, row, operation.Refused, &schema.Refusal{Code: string(fault.ContractChanged)})
			return err
		}
		live, err := q.HasLiveSession(ctx, pgdb.HasLiveSessionParams{TenantID: tenant.String(), UserID: row.UserID})
		if err != nil {
			return err
		}
		if !live {
			return s.park(ctx, tx, tenant, &row)
		}
		begun = true
		row, err = q.BeginAttempt(ctx, pgdb.BeginAttemptParams{TenantID: tenant.String(), OpID: opID,
			Expected: []string{string(operation.Approved), string(operation.NeedsLogin), string(operation.Failed)}})
		if err != nil {
			return err
		}
		entries := []journal.Entry{{Type: event.OperationChanged, Key: key(row, "executing", itoa(int(row.Attempts))), Data: stateEvent(row)}}
		if row.CallID != nil {
			if _, err := q.SetCallStatus(ctx, pgdb.SetCallStatusParams{TenantID: tenant.String(), CallID: *row.CallID, Status: "executing"}); err != nil {
				return err
			}
		}
		entries = append(entries, journal.Entry{Type: event.ToolExecuting, Key: key(row, "tool_executing", itoa(int(row.Attempts))),
			Data: event.Executing{CallID: store.Text(row.CallID), OpID: row.OpID, Attempt: int(row.Attempts)}})
		return appendEvents(ctx, tx, tenant, row, entries...)
	})
	return row, begun, err
}

// park waits for the requester's login; the deadline still counts.
func (s *Service) park(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row *pgdb.Operation) error {
	if row.Status == string(operation.NeedsLogin) {
		return nil
	}
	moved, ok, err := moveTx(ctx, tx, tenant, row.OpID, operation.NeedsLogin)
	if err != nil || !ok {
		return err
	}
	*row = moved
	return appendEvents(ctx, tx, tenant, moved,
		journal.Entry{Type: event.OperationChanged, Key: key(moved, "needs_login", moved.PendingID), Data: stateEvent(moved)},
		journal.Entry{Type: event.LoginExpired, Key: key(moved, "login_expired", moved.PendingID), Data: event.Login{OpID: moved.OpID}})
}

// write hands the row to the ERP as its requester, with grants as they are now.
func (s *Service) write(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (schema.Commit, error) {
	preview, err := previewOf(row)
	if err != nil {
		return schema.Commit{}, err
	}
	id, err := s.identify(ctx, tenant, row.UserID)
	if fault.CodeOf(err) == fault.NotFound {
		// The person is gone, but an earlier attempt may have written: the ERP looks
		// the token up before it refuses for want of rights.
		id, err = erp.Identity{}, nil
		id.User.Tenant, id.User.UserID = tenant, row.UserID
	}
	if err != nil {
		return schema.Commit{}, err
	}
	return s.ERP.Execute(ctx, id, schema.Execution{ClientToken: row.ClientToken, Digest: row.Digest, Change: changeOf(row), Facts: preview.Facts,
		Deadline: row.ExpiresAt, Attempt: int(row.Attempts), OpID: row.OpID, DecidedBy: store.Text(row.DecidedBy), Channel: store.Text(row.DecidedVia)})
}

// FindCommit asks the ERP what became of an operation's attempts, fences them,
// and stores the outcome. It is repeated by Temporal until the ERP answers.
// "Nothing written" leaves the row failed; everyone is told only when no other
// attempt follows by itself (in.Final).
func (s *Service) FindCommit(ctx context.Context, in contract.FindInput) (contract.Closed, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	row, moved, err := s.move(ctx, tenant, in.OpID, operation.Reconciling, func(ctx context.Context, tx pgx.Tx, row pgdb.Operation) error {
		return appendEvents(ctx, tx, tenant, row, journal.Entry{Type: event.OperationChanged,
			Key: key(row, "reconciling", itoa(int(row.Attempts))), Data: stateEvent(row)})
	})
	if err != nil {
		return contract.Closed{}, err
	}
	if moved && row.ConversationID != nil {
		s.Carrier.Wake(tenant, *row.ConversationID)
	}
	switch operation.Status(row.Status) {
	case operation.Reconciling:
	case operation.Approved, operation.NeedsLogin: // the attempt never began
		return closed(row), nil
	default:
		return closed(row), s.told(ctx, tenant, row)
	}
	id := erp.Identity{}
	id.User.Tenant, id.User.UserID = tenant, row.UserID
	commit, err := s.ERP.FindCommit(ctx, id, row.ClientToken, int(row.Attempts))
	if err != nil {
		return contract.Closed{}, err
	}
	switch commit.Status {
	case schema.CommitFenced:
		return s.fail(ctx, tenant, row, in.Final)
	case schema.CommitUnknown:
		row, _, err = s.move(ctx, tenant, in.OpID, operation.NeedsPerson, func(ctx context.Context, tx pgx.Tx, row pgdb.Operation) error {
			return s.settle(ctx, tx, tenant, row)
		})
		if err != nil {
			return contract.Closed{}, err
		}
		return closed(row), s.told(ctx, tenant, row)
	default:
		return s.finish(ctx, tenant, row, commit)
	}
}

// Reconcile finds out what became of a write whose workflow is gone.
func (s *Service) Reconcile(ctx context.Context, tenant identity.Tenant, opID string) error {
	_, err := s.FindCommit(ctx, contract.FindInput{OpInput: contract.OpInput{Tenant: tenant.String(), OpID: opID}, Final: true})
	return err
}

// fail stores that surely nothing was written.
func (s *Service) fail(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, final bool) (contract.Closed, error) {
	row, _, err := s.move(ctx, tenant, row.OpID, operation.Failed, func(ctx context.Context, tx pgx.Tx, row pgdb.Operation) error {
		if !final {
			return nil
		}
		return s.settle(ctx, tx, tenant, row)
	})
	if err != nil || !final {
		return closed(row), err
	}
	return closed(row), s.told(ctx, tenant, row)
}

// finish stores the ERP's final answer.
func (s *Service) finish(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, commit schema.Commit) (contract.Closed, error) {
	var out pgdb.Operation
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		status, at := operation.Executed, &commit.At
		if commit.Status == schema.CommitRefused {
			status, at = operation.Refused, nil
		}
		params := pgdb.FinishOperationParams{TenantID: tenant.String(), OpID: row.OpID, Status: string(status), Bill: commit.Bill, Bills: commit.Bills,
			Link: commit.Link, ExecutedAt: at, Expected: before(status)}
		if commit.Refusal != nil {
			params.Refusal = mustJSON(commit.Refusal)
		}
		out, err = pgdb.New(tx).FinishOperation(ctx, params)
		if errors.Is(err, pgx.ErrNoRows) { // someone stored it before
			out, err = pgdb.New(tx).Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: row.OpID})
			return err
		}
		if err != nil {
			return err
		}
		return s.settle(ctx, tx, tenant, out)
	})
	if err != nil {
		return contract.Closed{}, err
	}
	return closed(out), s.told(ctx, tenant, out)
}
