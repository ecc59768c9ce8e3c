package turn

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
)

// draftValidity is how long a draft's quote is worth showing.
const draftValidity = 24 * time.Hour

// saveDraft validates and prices a document and stores it as a new immutable
// revision. It reserves nothing.
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
	var draftID string
	var revision int32
	err = s.DB.Tx(ctx, a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		stored, err := q.DraftRevisionOfCall(ctx, pgdb.DraftRevisionOfCallParams{TenantID: a.turn.TenantID, CallID: &row.CallID})
		if err == nil { // a retried activity
			draftID, revision = stored.DraftID, stored.Revision
			return nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		draftID, revision, err = s.nextRevision(ctx, q, a, args)
		if err != nil {
			return err
		}
		return q.InsertDraftRevision(ctx, pgdb.InsertDraftRevisionParams{TenantID: a.turn.TenantID, DraftID: draftID, Revision: revision,
			Payload: args.Values, Quote: mustJSON(quote), ValidUntil: time.Now().UTC().Add(draftValidity), CreatedBy: a.turn.UserID, CallID: &row.CallID})
	})
	if err != nil {
		return done{}, err
	}
	return done{result: map[string]any{"draft_id": draftID, "revision": revision, "summary": map[string]any{"object": quote.Object,
		"lines": quote.Lines, "total": quote.Total, "currency": quote.Currency}}, rows: len(quote.Lines)}, nil
}

// nextRevision begins a draft or counts the next revision of one of this
// conversation; another conversation's draft is not found.
func (s *Service) nextRevision(ctx context.Context, q *pgdb.Queries, a agent, args tool.SaveDraftArgs) (string, int32, error) {
	if args.DraftID == "" {
		id := uuid.Must(uuid.NewV7()).String()
		return id, 1, q.InsertDraft(ctx, pgdb.InsertDraftParams{TenantID: a.turn.TenantID, DraftID: id, ConversationID: a.turn.ConversationID,
			UserID: a.turn.UserID, Form: args.Form})
	}
	draft, err := q.LockDraft(ctx, pgdb.LockDraftParams{TenantID: a.turn.TenantID, DraftID: args.DraftID, ConversationID: a.turn.ConversationID})
	if err != nil {
		return "", 0, store.NotFound(err, "draft")
	}
	if draft.Form != args.Form {
		return "", 0, fault.New(fault.ValidationFailed, "detail", "the draft belongs to form "+draft.Form)
	}
	revision, err := q.NextDraftRevision(ctx, pgdb.NextDraftRevisionParams{TenantID: a.turn.TenantID, DraftID: args.DraftID})
	return args.DraftID, revision, err
}
