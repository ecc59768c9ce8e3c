package turn

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/draft"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// saveDraft validates and prices a record and stores it as a new immutable
// revision with the quote of this moment. It reserves nothing. A proposal that
// still waits with an older revision is superseded at once.
func (s *Service) saveDraft(ctx context.Context, a agent, row pgdb.Call) (done, error) {
	args, err := arguments[tool.SaveDraftArgs](row)
	if err != nil {
		return done{}, err
	}
	if !a.id.Grants.Allows(args.Form, "create") {
		return done{}, fault.New(fault.PermissionDenied, "form", args.Form, "action", "create")
	}
	quote, err := s.ERP.Preview(ctx, a.id, erp.Change{Form: args.Form, Action: "create", OpType: erp.OpCreate, Payload: args.Values})
	if err != nil {
		return done{}, err
	}
	now := time.Now().UTC()
	saved := pgdb.DraftRevision{Payload: args.Values, Quote: mustJSON(quote), ValidUntil: now.Add(s.Config.draftValidity())}
	err = s.DB.Tx(ctx, a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		stored, err := q.DraftRevisionOfCall(ctx, pgdb.DraftRevisionOfCallParams{TenantID: a.turn.TenantID, CallID: &row.CallID})
		if err == nil { // a retried activity
			saved = stored
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		saved.DraftID, saved.Revision, err = s.nextRevision(ctx, q, a, args)
		if err != nil {
			return err
		}
		return q.InsertDraftRevision(ctx, pgdb.InsertDraftRevisionParams{TenantID: a.turn.TenantID, DraftID: saved.DraftID, Revision: saved.Revision,
			Payload: saved.Payload, Quote: saved.Quote, ValidUntil: saved.ValidUntil, CreatedBy: a.turn.UserID, CallID: &row.CallID})
	})
	if err != nil {
		return done{}, err
	}
	superseded, err := s.supersede(ctx, a, saved.DraftID, saved.Revision)
	if err != nil {
		return done{}, err
	}
	_, told := draft.ParseQuote(saved.Quote)
	result := map[string]any{"draft_id": saved.DraftID, "revision": saved.Revision, "valid_until": saved.ValidUntil.UTC().Format(time.RFC3339), "summary": told}
	if len(superseded) > 0 {
		result["superseded"] = superseded
	}
	return done{result: result, rows: len(told.Lines)}, nil
}

// supersede withdraws proposals that wait with an older revision of the draft. It
// is safe to repeat; a proposal that is being written at this moment is refused
// by its own fact.
func (s *Service) supersede(ctx context.Context, a agent, draftID string, revision int32) ([]string, error) {
	var older []string
	err := s.DB.One(ctx, a.tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		older, err = q.OperationsOfOlderRevisions(ctx, pgdb.OperationsOfOlderRevisionsParams{TenantID: a.turn.TenantID, DraftID: &draftID, Revision: revision})
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, opID := range older {
		err := s.Signals.SignalWorkflow(ctx, contract.OperationWorkflowID(opID), "", contract.SignalWithdraw,
			contract.Withdraw{By: a.turn.UserID, Channel: operation.ChannelSystem})
		if _, gone := errors.AsType[*serviceerror.NotFound](err); err != nil && !gone {
			return nil, err
		}
	}
	return older, nil
}

// nextRevision begins a draft or counts the next revision of one of this
// conversation; another conversation's draft is not found.
func (s *Service) nextRevision(ctx context.Context, q *pgdb.Queries, a agent, args tool.SaveDraftArgs) (string, int32, error) {
	if args.DraftID == "" {
		id := uuid.Must(uuid.NewV7()).String()
		return id, 1, q.InsertDraft(ctx, pgdb.InsertDraftParams{TenantID: a.turn.TenantID, DraftID: id, ConversationID: a.turn.ConversationID,
			UserID: a.turn.UserID, Form: args.Form})
	}
	held, err := q.LockDraft(ctx, pgdb.LockDraftParams{TenantID: a.turn.TenantID, DraftID: args.DraftID, ConversationID: a.turn.ConversationID})
	if err != nil {
		return "", 0, store.NotFound(err, "draft")
	}
	if held.Form != args.Form {
		return "", 0, fault.New(fault.ValidationFailed, "detail", "the draft belongs to form "+held.Form)
	}
	revision, err := q.NextDraftRevision(ctx, pgdb.NextDraftRevisionParams{TenantID: a.turn.TenantID, DraftID: args.DraftID})
	return args.DraftID, revision, err
}
