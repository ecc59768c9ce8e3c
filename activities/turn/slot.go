package turn

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/workflows/contract"
)

// SuspendTurn gives the running slot back while the turn waits for people, and
// hands it to the turn that has queued longest.
func (s *Service) SuspendTurn(ctx context.Context, in contract.SlotInput) error {
	return s.release(ctx, in.Tenant, in.ConversationID, in.TurnID, func(ctx context.Context, tx pgx.Tx, tenant identity.Tenant) (*pgdb.Turn, error) {
		q := pgdb.New(tx)
		// The conversation first, as everywhere: no two lock in opposite order.
		if _, err := q.LockConversation(ctx, pgdb.LockConversationParams{TenantID: in.Tenant, ConversationID: in.ConversationID}); err != nil {
			return nil, store.NotFound(err, "conversation")
		}
		if _, err := q.SetTurnWaiting(ctx, pgdb.SetTurnWaitingParams{TenantID: in.Tenant, TurnID: in.TurnID}); err != nil {
			return nil, err
		}
		waiting := make([]event.WaitingFor, 0, len(in.Waiting))
		for _, w := range in.Waiting {
			waiting = append(waiting, event.WaitingFor{PendingID: w.PendingID, Kind: string(w.Kind), CallID: w.CallID, OpID: w.OpID, Deadline: w.Deadline})
		}
		if err := s.note(ctx, tx, in.Tenant, in.ConversationID, in.TurnID, journal.Entry{Type: event.TurnSuspended,
			Key: journal.TurnKey(in.TurnID, "suspended", int32(in.Segment)), Data: event.Suspended{Segment: in.Segment, Waiting: waiting}}); err != nil {
			return nil, err
		}
		return journal.NextInLine(ctx, tx, tenant, in.ConversationID)
	})
}

// ResumeTurn takes the running slot, or queues for it: then the turn gets go_on.
func (s *Service) ResumeTurn(ctx context.Context, in contract.SlotInput) (contract.Slot, error) {
	tenant, err := identity.ParseTenant(in.Tenant)
	if err != nil {
		return contract.Slot{}, err
	}
	var slot contract.Slot
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		// The conversation row serialises everyone who wants the slot.
		if _, err := q.LockConversation(ctx, pgdb.LockConversationParams{TenantID: in.Tenant, ConversationID: in.ConversationID}); err != nil {
			return err
		}
		t, err := q.Turn(ctx, pgdb.TurnParams{TenantID: in.Tenant, TurnID: in.TurnID})
		if err != nil {
			return store.NotFound(err, "turn")
		}
		status := chat.TurnStatus(t.Status)
		switch {
		case status.Ended():
			slot.Ended = status
			return nil
		case status == chat.Running:
			slot.Running = true
		default:
			running, err := q.RunningTurn(ctx, pgdb.RunningTurnParams{TenantID: in.Tenant, ConversationID: in.ConversationID})
			if err == nil && running.TurnID != in.TurnID {
				_, err = q.QueueTurn(ctx, pgdb.QueueTurnParams{TenantID: in.Tenant, TurnID: in.TurnID})
				return err
			}
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			if _, err := q.SetTurnRunning(ctx, pgdb.SetTurnRunningParams{TenantID: in.Tenant, TurnID: in.TurnID}); err != nil {
				return err
			}
			slot.Running = true
		}
		return s.note(ctx, tx, in.Tenant, in.ConversationID, in.TurnID, journal.Entry{Type: event.TurnResumed,
			Key: journal.TurnKey(in.TurnID, "resumed", int32(in.Segment)), Data: event.Run{Segment: in.Segment}})
	})
	if err == nil {
		s.Carrier.Wake(tenant, in.ConversationID)
	}
	return slot, err
}

// EndTurn stores how the turn ended, closes its open questions, and hands the
// slot on. Repeating it sends the next in line its signal again.
func (s *Service) EndTurn(ctx context.Context, in contract.EndInput) error {
	return s.release(ctx, in.Tenant, in.ConversationID, in.TurnID, func(ctx context.Context, tx pgx.Tx, tenant identity.Tenant) (*pgdb.Turn, error) {
		row, err := pgdb.New(tx).Turn(ctx, pgdb.TurnParams{TenantID: in.Tenant, TurnID: in.TurnID})
		if err != nil {
			return nil, store.NotFound(err, "turn")
		}
		closed, next, err := journal.CloseTurn(ctx, tx, tenant, row, in.Status, in.Code)
		if err != nil || closed {
			return next, err
		}
		return journal.NextInLine(ctx, tx, tenant, in.ConversationID)
	})
}

// release frees the running slot in one transaction and wakes the next in line,
// whom free returns. It is safe to repeat: a lost signal is sent again.
func (s *Service) release(ctx context.Context, tenantID, conversationID, turnID string,
	free func(context.Context, pgx.Tx, identity.Tenant) (*pgdb.Turn, error)) error {
	tenant, err := identity.ParseTenant(tenantID)
	if err != nil {
		return err
	}
	var next *pgdb.Turn
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		next, err = free(ctx, tx, tenant)
		return err
	})
	if err != nil {
		return err
	}
	s.Carrier.Wake(tenant, conversationID)
	if next == nil || next.TurnID == turnID {
		return nil
	}
	err = s.Signals.SignalWorkflow(ctx, contract.TurnWorkflowID(conversationID, int(next.N)), "", contract.SignalGoOn, struct{}{})
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil // the sweeper starts or closes it
	}
	return err
}

func (s *Service) note(ctx context.Context, tx pgx.Tx, tenantID, conversationID, turnID string, entries ...journal.Entry) error {
	tenant, err := identity.ParseTenant(tenantID)
	if err != nil {
		return err
	}
	_, err = journal.Append(ctx, tx, tenant, conversationID, turnID, entries...)
	return err
}
