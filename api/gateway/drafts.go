package gateway

import (
	"context"
	"net/http"
	"strconv"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/draft"
	"github.com/erpilot/erpilot/schema/fault"
)

// maxDrafts bounds the drafts of one conversation and the revisions of one draft
// that a list shows, newest first.
const maxDrafts = 200

// listDrafts answers GET /api/drafts?conversation=: what is under preparation in
// one of the caller's conversations, last saved first.
func (s *Server) listDrafts(w http.ResponseWriter, r *http.Request, who *requester) error {
	id := r.URL.Query().Get("conversation")
	if !idShape.MatchString(id) {
		return fault.New(fault.Invalid, "detail", "the conversation is missing")
	}
	var rows []pgdb.DraftsOfConversationRow
	err := s.DB.One(r.Context(), who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		_, err := q.Conversation(ctx, pgdb.ConversationParams{TenantID: who.tenant.String(), ConversationID: id, UserID: who.userID})
		if err != nil {
			return store.NotFound(err, "conversation")
		}
		rows, err = q.DraftsOfConversation(ctx, pgdb.DraftsOfConversationParams{TenantID: who.tenant.String(), ConversationID: id, MaxRows: maxDrafts})
		return err
	})
	if err != nil {
		return err
	}
	list := make([]draft.Draft, len(rows))
	for i, x := range rows {
		list[i] = viewDraft(x.Draft, x.DraftRevision)
	}
	return s.reply(w, http.StatusOK, map[string]any{"drafts": list})
}

// getDraft answers GET /api/drafts/{id}: the draft with its newest revision.
func (s *Server) getDraft(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.ownDraft(r, who)
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, map[string]any{"draft": viewDraft(row.Draft, row.DraftRevision), "revision": viewRevision(row.DraftRevision)})
}

// listRevisions answers GET /api/drafts/{id}/revisions, newest first.
func (s *Server) listRevisions(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.ownDraft(r, who)
	if err != nil {
		return err
	}
	var rows []pgdb.DraftRevision
	err = s.DB.One(r.Context(), who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		rows, err = q.DraftRevisions(ctx, pgdb.DraftRevisionsParams{TenantID: who.tenant.String(), DraftID: row.Draft.DraftID, MaxRows: maxDrafts})
		return err
	})
	if err != nil {
		return err
	}
	list := make([]draft.Revision, len(rows))
	for i, x := range rows {
		list[i] = viewRevision(x)
	}
	return s.reply(w, http.StatusOK, map[string]any{"revisions": list})
}

// getRevision answers GET /api/drafts/{id}/revisions/{n}: any revision, as it was saved.
func (s *Server) getRevision(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.ownDraft(r, who)
	if err != nil {
		return err
	}
	revision, err := s.revision(r.Context(), who, row.Draft, r.PathValue("n"))
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, viewRevision(revision))
}

// diffDraft answers GET /api/drafts/{id}/diff?from=&to=: what two revisions differ
// in, by field and line. Left out, to is the newest and from the one before it.
func (s *Server) diffDraft(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.ownDraft(r, who)
	if err != nil {
		return err
	}
	from, to := r.URL.Query().Get("from"), r.URL.Query().Get("to")
	if to == "" {
		to = strconv.Itoa(int(row.Draft.Revision))
	}
	newer, err := s.revision(r.Context(), who, row.Draft, to)
	if err != nil {
		return err
	}
	if from == "" {
		from = strconv.Itoa(max(1, int(newer.Revision)-1))
	}
	older, err := s.revision(r.Context(), who, row.Draft, from)
	if err != nil {
		return err
	}
	a, _ := draft.ParseQuote(older.Quote)
	b, _ := draft.ParseQuote(newer.Quote)
	differences := draft.Diff(a, b)
	if differences == nil {
		differences = []draft.Difference{}
	}
	return s.reply(w, http.StatusOK, map[string]any{"draft_id": row.Draft.DraftID, "from": older.Revision, "to": newer.Revision, "differences": differences})
}

// ownDraft reads the draft of the path, if it belongs to a conversation of the caller.
func (s *Server) ownDraft(r *http.Request, who *requester) (pgdb.DraftOfUserRow, error) {
	id, err := pathID(r)
	if err != nil {
		return pgdb.DraftOfUserRow{}, err
	}
	var row pgdb.DraftOfUserRow
	err = s.DB.One(r.Context(), who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err = q.DraftOfUser(ctx, pgdb.DraftOfUserParams{TenantID: who.tenant.String(), DraftID: id, UserID: who.userID})
		return err
	})
	return row, store.NotFound(err, "draft")
}

// revision reads one revision of a draft by its number.
func (s *Server) revision(ctx context.Context, who *requester, d pgdb.Draft, text string) (pgdb.DraftRevision, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return pgdb.DraftRevision{}, fault.New(fault.Invalid, "detail", "a revision is a number from 1 on")
	}
	var row pgdb.DraftRevision
	err = s.DB.One(ctx, who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err = q.DraftRevision(ctx, pgdb.DraftRevisionParams{TenantID: who.tenant.String(), DraftID: d.DraftID, Revision: int32(n)})
		return err
	})
	return row, store.NotFound(err, "revision")
}

func viewDraft(d pgdb.Draft, newest pgdb.DraftRevision) draft.Draft {
	preview, quote := draft.ParseQuote(newest.Quote)
	return draft.Draft{DraftID: d.DraftID, ConversationID: d.ConversationID, Form: d.Form, FormLabel: preview.FormLabel, Object: quote.Object,
		Revision: int(d.Revision), CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(), Total: quote.Total, Currency: quote.Currency,
		ValidUntil: newest.ValidUntil.UTC()}
}

func viewRevision(row pgdb.DraftRevision) draft.Revision {
	_, quote := draft.ParseQuote(row.Quote)
	return draft.Revision{DraftID: row.DraftID, Revision: int(row.Revision), Values: row.Payload, Quote: quote, ValidUntil: row.ValidUntil.UTC(),
		CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC()}
}
