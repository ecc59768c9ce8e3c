package turn

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// AskPerson stores a question as a pending with its absolute deadline and shows
// its card. A retried activity finds the pending that it made.
func (s *Service) AskPerson(ctx context.Context, in contract.CallInput) (contract.Asked, error) {
	tenant, err := identity.ParseTenant(in.Tenant)
	if err != nil {
		return contract.Asked{}, err
	}
	var asked contract.Asked
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		old, err := q.PendingOfCall(ctx, pgdb.PendingOfCallParams{TenantID: in.Tenant, CallID: &in.CallID})
		if err == nil {
			asked = contract.Asked{PendingID: old.PendingID, Deadline: old.Deadline.UTC(), Answered: old.Status != string(chat.PendingOpen)}
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		call, err := q.Call(ctx, pgdb.CallParams{TenantID: in.Tenant, CallID: in.CallID})
		if err != nil {
			return store.NotFound(err, "call")
		}
		args, err := arguments[tool.AskUserArgs](call)
		if err != nil {
			return err
		}
		t, err := q.Turn(ctx, pgdb.TurnParams{TenantID: in.Tenant, TurnID: in.TurnID})
		if err != nil {
			return err
		}
		asked = contract.Asked{PendingID: uuid.Must(uuid.NewV7()).String(), Deadline: in.Deadline}
		if err := q.InsertPending(ctx, pgdb.InsertPendingParams{TenantID: in.Tenant, PendingID: asked.PendingID, ConversationID: in.ConversationID,
			TurnID: &in.TurnID, CallID: &in.CallID, UserID: t.UserID, Kind: string(chat.KindQuestion), Deadline: in.Deadline,
			Prompt: mustJSON(chat.Question{Question: args.Question, Options: args.Options, AllowFreeText: args.AllowFreeText})}); err != nil {
			return err
		}
		if _, err := q.SetCallPending(ctx, pgdb.SetCallPendingParams{TenantID: in.Tenant, CallID: in.CallID, PendingID: &asked.PendingID,
			ApprovalCreatedAt: &call.CreatedAt, ApprovalExpiresAt: &in.Deadline}); err != nil {
			return err
		}
		return s.note(ctx, tx, in.Tenant, in.ConversationID, in.TurnID, journal.Entry{Type: event.QuestionAsked, Key: "pending/" + asked.PendingID,
			Data: event.Question{PendingID: asked.PendingID, CallID: in.CallID, Question: args.Question, Options: args.Options,
				AllowFreeText: args.AllowFreeText, Deadline: in.Deadline}})
	})
	if err == nil {
		s.Carrier.Wake(tenant, in.ConversationID)
	}
	return asked, err
}

// ExpireQuestion closes a question whose deadline has passed. One that was
// answered in the same moment keeps its answer.
func (s *Service) ExpireQuestion(ctx context.Context, in contract.CallInput) error {
	tenant, err := identity.ParseTenant(in.Tenant)
	if err != nil {
		return err
	}
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		p, err := q.PendingOfCall(ctx, pgdb.PendingOfCallParams{TenantID: in.Tenant, CallID: &in.CallID})
		if err != nil {
			return store.NotFound(err, "question")
		}
		entry, err := closeQuestion(ctx, q, p, chat.PendingExpired, "The person did not answer in time.")
		if err != nil || entry == nil {
			return err
		}
		return s.note(ctx, tx, in.Tenant, in.ConversationID, in.TurnID, *entry)
	})
	if err == nil {
		s.Carrier.Wake(tenant, in.ConversationID)
	}
	return err
}

// closeQuestion ends an open question without an answer; nil when it was not
// open any more.
func closeQuestion(ctx context.Context, q *pgdb.Queries, p pgdb.Pending, status chat.PendingStatus, note string) (*journal.Entry, error) {
	n, err := q.ClosePending(ctx, pgdb.ClosePendingParams{TenantID: p.TenantID, PendingID: p.PendingID, Status: string(status)})
	if err != nil || n == 0 {
		return nil, err
	}
	callID := store.Text(p.CallID)
	if _, err := q.FinishCall(ctx, pgdb.FinishCallParams{TenantID: p.TenantID, CallID: callID, Failed: true,
		Result: mustJSON(map[string]any{"status": status, "note": note})}); err != nil {
		return nil, err
	}
	return &journal.Entry{Type: event.PendingAnswered, Key: "pending/" + p.PendingID + "/closed",
		Data: event.Answer{PendingID: p.PendingID, CallID: callID, Status: string(status)}}, nil
}
