package gateway

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	// sweepRows bounds what one sweep looks at, per tenant and kind; the next
	// one goes on behind it.
	sweepRows = 200
	// deadDeltas is how old the delta of a turn that does not run may get.
	deadDeltas = time.Minute
)

// sweeper remembers where the last sweep stopped. Sweeps of one server never
// overlap; those of several servers may, and change nothing twice.
type sweeper struct {
	turns, operations map[identity.Tenant]string
}

// Run sweeps every SweepEvery, with jitter, until the context ends.
func (s *Server) Run(ctx context.Context) {
	for {
		wait := time.NewTimer(s.SweepEvery - s.SweepEvery/10 + rand.N(s.SweepEvery/5+1)) //nolint:gosec // Jitter needs no secrecy.
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
			s.Sweep(ctx)
		}
	}
}

// Sweep finds what crashes and lost signals left behind: open turns and
// operations without a workflow, rows whose workflow an operator ended, turns
// that wait for what is settled, parked operations whose owner has logged in,
// deltas of dead turns. Failures are logged; the next sweep tries again.
func (s *Server) Sweep(ctx context.Context) {
	tenants, err := s.DB.Tenants(ctx)
	if err != nil {
		s.log.Warn("the sweep could not read the tenants", "error", err)
		return
	}
	if s.sweeper.turns == nil {
		s.sweeper = sweeper{turns: map[identity.Tenant]string{}, operations: map[identity.Tenant]string{}}
	}
	for _, row := range tenants {
		tenant := identity.Tenant{BrandID: row.BrandID, SubsidiaryID: row.SubsidiaryID}
		for _, part := range []struct {
			name string
			do   func(context.Context, identity.Tenant) error
		}{
			{"turns", s.sweepTurns}, {"operations", s.sweepOperations}, {"stuck turns", s.sweepStuck}, {"parked operations", s.sweepParked},
			{"deltas", func(ctx context.Context, t identity.Tenant) error {
				return journal.DropDead(ctx, s.DB, t, time.Now().Add(-deadDeltas))
			}},
		} {
			if ctx.Err() != nil {
				return
			}
			if err := part.do(ctx, tenant); err != nil {
				s.log.Warn("a part of the sweep failed", "tenant", tenant.String(), "part", part.name, "error", err)
			}
		}
	}
}

func (s *Server) sweepTurns(ctx context.Context, tenant identity.Tenant) error {
	var rows []pgdb.Turn
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		rows, err = pgdb.New(tx).SweepTurns(ctx, pgdb.SweepTurnsParams{TenantID: tenant.String(), Before: time.Now().Add(-youngFor),
			After: s.sweeper.turns[tenant], MaxRows: sweepRows})
		return err
	})
	if err != nil {
		return err
	}
	s.sweeper.turns[tenant] = ""
	for i, row := range rows {
		if err := s.mendTurn(ctx, tenant, row); err != nil {
			return err
		}
		if i == sweepRows-1 {
			s.sweeper.turns[tenant] = row.TurnID
		}
	}
	return nil
}

func (s *Server) sweepOperations(ctx context.Context, tenant identity.Tenant) error {
	var rows []pgdb.Operation
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		rows, err = pgdb.New(tx).SweepOperations(ctx, pgdb.SweepOperationsParams{TenantID: tenant.String(), Before: time.Now().Add(-youngFor),
			After: s.sweeper.operations[tenant], MaxRows: sweepRows})
		return err
	})
	if err != nil {
		return err
	}
	s.sweeper.operations[tenant] = ""
	for i, row := range rows {
		if _, err := s.mendOperation(ctx, tenant, row); err != nil {
			return err
		}
		if i == sweepRows-1 {
			s.sweeper.operations[tenant] = row.OpID
		}
	}
	return nil
}

// sweepStuck wakes turns that wait although everything is settled. The workflow
// is asked what it waits for, so that nothing is signalled again and again.
func (s *Server) sweepStuck(ctx context.Context, tenant identity.Tenant) error {
	var rows []pgdb.Turn
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		rows, err = pgdb.New(tx).SweepStuckTurns(ctx, pgdb.SweepStuckTurnsParams{TenantID: tenant.String(), Before: time.Now().Add(-youngFor), MaxRows: sweepRows})
		return err
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := s.unstick(ctx, tenant, row); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) unstick(ctx context.Context, tenant identity.Tenant, row pgdb.Turn) error {
	limited, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	id := contract.TurnWorkflowID(row.ConversationID, int(row.N))
	answer, err := s.Temporal.QueryWorkflow(limited, id, "", contract.QueryState)
	if err != nil {
		return err // no worker is up: the next sweep
	}
	var state contract.TurnState
	if err := answer.Get(&state); err != nil {
		return err
	}
	for _, w := range state.Waiting {
		if w.Kind != chat.KindApproval {
			s.signal(ctx, id, contract.SignalAnswer, contract.Answered{PendingID: w.PendingID})
			continue
		}
		op, err := s.operationRow(ctx, tenant, w.OpID)
		if err != nil {
			return err
		}
		if status := operation.Status(op.Status); status.Settled() {
			s.signal(ctx, id, contract.SignalSettled, contract.Settled{OpID: w.OpID, Status: status})
		}
	}
	return nil
}

func (s *Server) sweepParked(ctx context.Context, tenant identity.Tenant) error {
	var parked []string
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		parked, err = pgdb.New(tx).SweepParked(ctx, pgdb.SweepParkedParams{TenantID: tenant.String(), MaxRows: sweepRows})
		return err
	})
	for _, opID := range parked {
		s.signal(ctx, contract.OperationWorkflowID(opID), contract.SignalCredentials, nil)
	}
	return err
}
