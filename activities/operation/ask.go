package operation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// mayAsk checks who asks for something besides a decision: an edit, a retry, a
// settlement. The proof must be the requester's; without one it counts only
// where unsigned decisions do.
func (s *Service) mayAsk(row pgdb.Operation, claim operation.Decision, actor, proof string) *fault.Error {
	if proof == "" {
		if !s.Config.AllowUnsigned || row.Policy != PolicySelf {
			return fault.New(fault.Unverified)
		}
		if actor != row.UserID {
			return fault.New(fault.NotAllowedToDecide)
		}
		return nil
	}
	user, _, err := operation.Verify(s.Key, claim, row.TenantID, proof, time.Now())
	if err != nil || user != actor {
		return fault.New(fault.Unverified)
	}
	if user != row.UserID {
		return fault.New(fault.NotAllowedToDecide)
	}
	return nil
}

// AuthoriseRetry tells whether a person may have another attempt.
func (s *Service) AuthoriseRetry(ctx context.Context, in contract.RetryInput) (contract.Refused, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Refused{}, err
	}
	row, err := s.load(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Refused{}, err
	}
	return refusedAs(s.mayAsk(row, operation.RetryClaim(in.OpID), in.Actor, in.Proof)), nil
}

func refusedAs(f *fault.Error) contract.Refused {
	if f == nil {
		return contract.Refused{}
	}
	return contract.Refused{Code: f.Code, Params: f.Params}
}

// SettleOperation stores what a person found out about a doubtful write.
func (s *Service) SettleOperation(ctx context.Context, in contract.SettleInput) (contract.SettleResult, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.SettleResult{}, err
	}
	now := time.Now().UTC()
	var row pgdb.Operation
	var refused *fault.Error
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		row, err = pgdb.New(tx).LockOperation(ctx, pgdb.LockOperationParams{TenantID: tenant.String(), OpID: in.OpID})
		if err != nil || row.Status != string(operation.NeedsPerson) {
			return err
		}
		if refused = s.mayAsk(row, operation.SettleClaim(in.OpID, in.Status, in.Bill), in.Actor, in.Proof); refused != nil {
			return nil //nolint:nilerr // A refusal is an answer; nothing was changed.
		}
		params := pgdb.FinishOperationParams{TenantID: tenant.String(), OpID: in.OpID, Status: string(in.Status), Bill: in.Bill,
			Message: "settled by " + in.Actor, Expected: []string{string(operation.NeedsPerson)}}
		if in.Status == operation.Executed {
			params.ExecutedAt = &now
		}
		if row, err = pgdb.New(tx).FinishOperation(ctx, params); err != nil {
			return err
		}
		return s.settleBy(ctx, tx, tenant, row, in.Actor)
	})
	if err != nil || refused != nil {
		return contract.SettleResult{Refused: refusedAs(refused)}, err
	}
	return contract.SettleResult{Closed: closed(row)}, s.told(ctx, tenant, row)
}
