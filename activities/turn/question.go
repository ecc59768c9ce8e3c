package turn

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// AskPerson stores a question or a form as a pending with its absolute deadline
// and shows its card. A retried activity finds the pending that it made.
func (s *Service) AskPerson(ctx context.Context, in contract.CallInput) (contract.Asked, error) {
	tenant, err := identity.ParseTenant(in.Tenant)
	if err != nil {
		return contract.Asked{}, err
	}
	var asked contract.Asked
	refused, err := s.refuseForm(ctx, tenant, in)
	if err != nil || refused {
		return contract.Asked{Answered: true}, err
	}
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		old, err := q.PendingOfCall(ctx, pgdb.PendingOfCallParams{TenantID: in.Tenant, CallID: &in.CallID})
		if err == nil {
			asked = contract.Asked{PendingID: old.PendingID, Kind: kindAsked(chat.PendingKind(old.Kind)), Deadline: old.Deadline.UTC(), Answered: old.Status != string(chat.PendingOpen)}
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		call, err := q.Call(ctx, pgdb.CallParams{TenantID: in.Tenant, CallID: in.CallID})
		if err != nil {
			return store.NotFound(err, "call")
		}
		t, err := q.Turn(ctx, pgdb.TurnParams{TenantID: in.Tenant, TurnID: in.TurnID})
		if err != nil {
			return err
		}
		asked = contract.Asked{PendingID: uuid.Must(uuid.NewV7()).String(), Deadline: in.Deadline}
		kind, prompt, card, err := promptOf(call, asked.PendingID, in)
		if err != nil {
			return err
		}
		asked.Kind = kindAsked(kind)
		if err := q.InsertPending(ctx, pgdb.InsertPendingParams{TenantID: in.Tenant, PendingID: asked.PendingID, ConversationID: in.ConversationID,
			TurnID: &in.TurnID, CallID: &in.CallID, UserID: t.UserID, Kind: string(kind), Deadline: in.Deadline,
			Prompt: mustJSON(prompt)}); err != nil {
			return err
		}
		if _, err := q.SetCallPending(ctx, pgdb.SetCallPendingParams{TenantID: in.Tenant, CallID: in.CallID, PendingID: &asked.PendingID,
			ApprovalCreatedAt: &call.CreatedAt, ApprovalExpiresAt: &in.Deadline}); err != nil {
			return err
		}
		return s.note(ctx, tx, in.Tenant, in.ConversationID, in.TurnID, card)
	})
	if err == nil {
		s.Carrier.Wake(tenant, in.ConversationID)
	}
	return asked, err
}

// promptOf is what a call asks: its kind, what is stored of it, and its card.
func promptOf(call pgdb.Call, pendingID string, in contract.CallInput) (kind chat.PendingKind, prompt any, card journal.Entry, err error) {
	card.Key = "pending/" + pendingID
	if call.Tool == tool.CollectForm {
		args, err := arguments[tool.CollectFormArgs](call)
		card.Type, card.Data = event.FormAsked, event.Form{PendingID: pendingID, CallID: in.CallID, Form: args.Form, Title: args.Title, Values: args.Values, Deadline: in.Deadline}
		return chat.KindForm, chat.Form{Form: args.Form, Title: args.Title, Values: args.Values}, card, err
	}
	args, err := arguments[tool.AskUserArgs](call)
	card.Type, card.Data = event.QuestionAsked, event.Question{PendingID: pendingID, CallID: in.CallID, Question: args.Question, Options: args.Options,
		AllowFreeText: args.AllowFreeText, Deadline: in.Deadline}
	return chat.KindQuestion, chat.Question{Question: args.Question, Options: args.Options, AllowFreeText: args.AllowFreeText}, card, err
}

// refuseForm gives a form that the person may not make a record of its result at
// once: the model reads why, and nobody fills in what cannot be proposed.
func (s *Service) refuseForm(ctx context.Context, tenant identity.Tenant, in contract.CallInput) (refused bool, err error) {
	var call pgdb.Call
	err = s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		call, err = q.Call(ctx, pgdb.CallParams{TenantID: in.Tenant, CallID: in.CallID})
		return store.NotFound(err, "call")
	})
	if err != nil || call.Tool != tool.CollectForm || call.Status == "finished" {
		return call.Status == "finished", err
	}
	a, err := s.load(ctx, in.Tenant, in.TurnID)
	if err != nil {
		return false, err
	}
	args, err := arguments[tool.CollectFormArgs](call)
	if err == nil && a.id.Grants.Allows(args.Form, "create") {
		var actions []erp.Action
		actions, err = s.ERP.Actions(ctx, a.id, args.Form)
		if err == nil && slices.ContainsFunc(actions, func(x erp.Action) bool { return x.Action == "create" }) {
			return false, nil
		}
	}
	if err == nil || fault.CodeOf(err) == fault.PermissionDenied {
		err = fault.New(fault.PermissionDenied, "form", args.Form, "action", "create")
	}
	switch fault.CodeOf(err) {
	case fault.Internal, fault.Unavailable:
		return false, err
	}
	return true, s.finish(ctx, a, call, errorResult(err), event.ToolDone{CallID: in.CallID, Tool: call.Tool, Status: "error", Code: fault.CodeOf(err), Params: fault.ParamsOf(err)})
}

// kindAsked is the kind as the workflow is told it: a question goes without.
func kindAsked(k chat.PendingKind) chat.PendingKind {
	if k == chat.KindQuestion {
		return ""
	}
	return k
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
