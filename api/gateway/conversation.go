package gateway

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	// maxConversations bounds the list.
	maxConversations = 200
	// maxTitle bounds a title, in characters.
	maxTitle = 200
)

// listConversations is the sidebar, newest first.
func (s *Server) listConversations(w http.ResponseWriter, r *http.Request, who *requester) error {
	list := []chat.Conversation{}
	err := s.DB.Read(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := pgdb.New(tx).ListConversations(ctx, pgdb.ListConversationsParams{
			TenantID: who.tenant.String(), UserID: who.userID, MaxRows: maxConversations})
		for _, row := range rows {
			c := chat.Conversation{ConversationID: row.ConversationID, Title: row.Title, CreatedAt: row.CreatedAt.UTC(),
				UpdatedAt: row.UpdatedAt.UTC(), PendingCount: int(row.PendingCount), Run: chat.TurnStatus(row.Run)}
			if c.PendingCount > 0 {
				nearest := row.NearestDeadline.UTC()
				c.NearestDeadline = &nearest
			}
			list = append(list, c)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, map[string]any{"conversations": list, "server_now": time.Now().UTC()})
}

type titleBody struct {
	Title string `json:"title"`
}

func (b titleBody) check() error {
	if n := utf8.RuneCountInString(b.Title); n > maxTitle {
		return fault.New(fault.Invalid, "detail", "the title must have at most 200 characters")
	}
	return nil
}

// createConversation opens a conversation; the title may be left to its first message.
func (s *Server) createConversation(w http.ResponseWriter, r *http.Request, who *requester) error {
	var body titleBody
	if err := decodeOptional(w, r, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	var row pgdb.Conversation
	err = s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		row, err = pgdb.New(tx).InsertConversation(ctx, pgdb.InsertConversationParams{TenantID: who.tenant.String(),
			ConversationID: id.String(), UserID: who.userID, Title: strings.TrimSpace(body.Title)})
		return err
	})
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusCreated, viewConversation(row))
}

func viewConversation(row pgdb.Conversation) chat.Conversation {
	return chat.Conversation{ConversationID: row.ConversationID, Title: row.Title, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

// owned reads the conversation of the path, if it is the caller's.
func (s *Server) owned(r *http.Request, who *requester) (pgdb.Conversation, error) {
	id, err := pathID(r)
	if err != nil {
		return pgdb.Conversation{}, err
	}
	var row pgdb.Conversation
	err = s.DB.One(r.Context(), who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err = q.Conversation(ctx, pgdb.ConversationParams{TenantID: who.tenant.String(), ConversationID: id, UserID: who.userID})
		return err
	})
	return row, store.NotFound(err, "conversation")
}

// getConversation is one line of the sidebar.
func (s *Server) getConversation(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.owned(r, who)
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, viewConversation(row))
}

// renameConversation gives it another title, for all its viewers.
func (s *Server) renameConversation(w http.ResponseWriter, r *http.Request, who *requester) error {
	var body titleBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if body.Title = strings.TrimSpace(body.Title); body.Title == "" {
		return fault.New(fault.Invalid, "detail", "the title is empty")
	}
	if err := body.check(); err != nil {
		return err
	}
	row, err := s.owned(r, who)
	if err != nil {
		return err
	}
	err = s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		n, err := pgdb.New(tx).RenameConversation(ctx, pgdb.RenameConversationParams{
			TenantID: who.tenant.String(), ConversationID: row.ConversationID, Title: body.Title})
		if err != nil {
			return err
		}
		if n == 0 {
			return fault.New(fault.NotFound)
		}
		_, err = journal.Append(ctx, tx, who.tenant, row.ConversationID, "",
			journal.Entry{Type: event.Titled, Key: "titled:" + requestID(r), Data: event.Title{Title: body.Title}})
		return err
	})
	if err != nil {
		return err
	}
	s.Carrier.Wake(who.tenant, row.ConversationID)
	row.Title = body.Title
	return s.reply(w, http.StatusOK, viewConversation(row))
}

// deleteConversation hides the conversation. Open pendings refuse it, and forms
// that were handed over and not saved yet, unless they are to be cancelled along with it.
func (s *Server) deleteConversation(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.owned(r, who)
	if err != nil {
		return err
	}
	var waiting int
	var withdrawn []string
	var turns []pgdb.Turn
	err = s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		// Held, so that no message opens anything between the look and the end.
		if _, err := q.LockConversation(ctx, pgdb.LockConversationParams{TenantID: who.tenant.String(), ConversationID: row.ConversationID}); err != nil {
			return err
		}
		if waiting, withdrawn, err = waitingIn(ctx, q, who.tenant, row.ConversationID); err != nil {
			return err
		}
		if waiting > 0 && r.URL.Query().Get("cancel_pending") != "1" {
			return fault.New(fault.PendingOpen, "count", strconv.Itoa(waiting))
		}
		if turns, err = q.OpenTurnsOfConversation(ctx, pgdb.OpenTurnsOfConversationParams{
			TenantID: who.tenant.String(), ConversationID: row.ConversationID}); err != nil {
			return err
		}
		_, err = q.DeleteConversation(ctx, pgdb.DeleteConversationParams{
			TenantID: who.tenant.String(), ConversationID: row.ConversationID, UserID: who.userID})
		return err
	})
	if err != nil {
		return err
	}
	// The operations of a deleted conversation are withdrawn, its turns stopped.
	// What Temporal does not take now still ends by its own deadline.
	s.behind(r.Context(), 10*time.Second, func(ctx context.Context) {
		for _, opID := range withdrawn {
			s.signal(ctx, contract.OperationWorkflowID(opID), contract.SignalWithdraw,
				contract.Withdraw{By: who.userID, Channel: operation.ChannelWeb})
		}
		for _, t := range turns {
			s.signal(ctx, contract.TurnWorkflowID(t.ConversationID, int(t.N)), contract.SignalStop, nil)
		}
	})
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// waitingIn counts what waits for its person in a conversation, and names the
// operations among it.
func waitingIn(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, conversationID string) (n int, operations []string, err error) {
	open, err := q.OpenPendings(ctx, pgdb.OpenPendingsParams{TenantID: tenant.String(), ConversationID: conversationID})
	if err != nil {
		return 0, nil, err
	}
	n = len(open)
	for _, p := range open {
		if p.OpID != nil {
			operations = append(operations, *p.OpID)
		}
	}
	rows, err := q.OperationsOfConversation(ctx, pgdb.OperationsOfConversationParams{TenantID: tenant.String(), ConversationID: &conversationID})
	for _, row := range rows {
		if row.Status == string(operation.HandedOff) {
			n++
			operations = append(operations, row.OpID)
		}
	}
	return n, operations, err
}

// signal is for what may be lost: a failure is logged.
func (s *Server) signal(ctx context.Context, workflowID, name string, arg any) {
	if err := s.Temporal.SignalWorkflow(ctx, workflowID, "", name, arg); err != nil {
		s.log.Warn("a signal was not delivered", "workflow_id", workflowID, "signal", name, "error", err)
	}
}

// conversationState is the truth after a reload.
func (s *Server) conversationState(w http.ResponseWriter, r *http.Request, who *requester) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	state, err := journal.State(r.Context(), s.DB, journal.StateInput{Tenant: who.tenant, UserID: who.userID, ConversationID: id,
		UserName: who.user.DisplayName, Capabilities: s.Capabilities, Texts: s.Carrier})
	if err != nil {
		return err
	}
	state.Model, state.Demo = s.Model, s.Demo
	return s.reply(w, http.StatusOK, state)
}
