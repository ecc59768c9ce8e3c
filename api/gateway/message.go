package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/workflows/contract"
)

type messageBody struct {
	Text string `json:"text"`
	// Answers names the question that the text answers.
	Answers string `json:"answers"`
}

type postedView struct {
	ConversationID string `json:"conversation_id"`
	TurnID         string `json:"turn_id"`
	MessageID      string `json:"message_id"`
	// Answers is the question that was answered; then turn_id is the turn that asked.
	Answers string `json:"answers,omitempty"`
	Queued  bool   `json:"queued,omitempty"`
}

// postMessage takes a message: 202 with the turn that goes on with it. The same
// Idempotency-Key with the same content gets the same answer.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, who *requester) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	var body messageBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	posted, err := journal.PostMessage(r.Context(), s.DB, s.Carrier, journal.Post{Tenant: who.tenant, UserID: who.userID, Locale: localeOf(r),
		ConversationID: id, Key: r.Header.Get("Idempotency-Key"), Text: body.Text, Answers: body.Answers})
	if err != nil {
		return err
	}
	if err := s.goOn(r.Context(), posted); err != nil {
		return err
	}
	return s.reply(w, http.StatusAccepted, viewPosted(posted))
}

func viewPosted(p journal.Posted) postedView {
	return postedView{ConversationID: p.ConversationID, TurnID: p.TurnID, MessageID: p.MessageID, Answers: p.PendingID,
		Queued: p.PendingID == "" && chat.TurnStatus(p.Turn.Status) == chat.Waiting && p.Turn.QueuedAt != nil}
}

// goOn starts the turn, or wakes the one whose question was answered. Doing it
// again changes nothing. Codes: unavailable; what was posted stays.
func (s *Server) goOn(ctx context.Context, p journal.Posted) error {
	if p.PendingID != "" {
		return s.wakeTurn(ctx, contract.TurnWorkflowID(p.ConversationID, p.N), p.PendingID)
	}
	if chat.TurnStatus(p.Turn.Status).Ended() || p.Turn.WorkflowRun > 1 {
		return nil // a resent message of long ago
	}
	return s.startTurn(ctx, p.Turn, noState)
}

// wakeTurn tells a turn that its question has an answer: by update, and by
// signal where no worker takes the update. A turn that has ended needs neither.
func (s *Server) wakeTurn(ctx context.Context, workflowID, pendingID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.DecideBudget)
	defer cancel()
	arg := contract.Answered{PendingID: pendingID}
	half, cancelHalf := context.WithTimeout(ctx, s.DecideBudget/2)
	defer cancelHalf()
	h, err := s.Temporal.UpdateWorkflow(half, client.UpdateWorkflowOptions{WorkflowID: workflowID, UpdateID: "answer/" + pendingID,
		UpdateName: contract.UpdateAnswer, WaitForStage: client.WorkflowUpdateStageAccepted, Args: []any{arg}})
	if err == nil && h != nil {
		return nil
	}
	err = s.Temporal.SignalWorkflow(ctx, workflowID, "", contract.SignalAnswer, arg)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone || err == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err)
}

type answerBody struct {
	Answer string `json:"answer"`
}

// answer closes a question or a form.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, who *requester) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	var body answerBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	posted, err := journal.Answer(r.Context(), s.DB, s.Carrier, journal.AnswerInput{Tenant: who.tenant, UserID: who.userID, PendingID: id, Answer: body.Answer})
	if err != nil {
		return err
	}
	if err := s.goOn(r.Context(), posted); err != nil {
		return err
	}
	return s.reply(w, http.StatusAccepted, viewPosted(posted))
}

type turnBody struct {
	// TurnID may be empty: the running turn (stop), the newest one (resume).
	TurnID string `json:"turn_id"`
}

// stop ends the turn that runs (else the newest that waits); what it proposed
// lives on. Stopping what has ended is no error.
func (s *Server) stop(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.owned(r, who)
	if err != nil {
		return err
	}
	var body turnBody
	if err := decodeOptional(w, r, &body); err != nil {
		return err
	}
	var turns []pgdb.Turn
	err = s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		turns, err = pgdb.New(tx).OpenTurnsOfConversation(ctx, pgdb.OpenTurnsOfConversationParams{
			TenantID: who.tenant.String(), ConversationID: row.ConversationID})
		return err
	})
	if err != nil {
		return err
	}
	stopped := ""
	if t := toStop(turns, body.TurnID); t != nil {
		stopped = t.TurnID
		if err := s.stopTurn(r.Context(), *t); err != nil {
			return err
		}
	}
	return s.reply(w, http.StatusAccepted, map[string]string{"turn_id": stopped})
}

// toStop chooses among open turns, oldest first.
func toStop(turns []pgdb.Turn, turnID string) *pgdb.Turn {
	var chosen *pgdb.Turn
	for i := range turns {
		t := &turns[i]
		switch {
		case turnID != "" && t.TurnID == turnID, turnID == "" && chat.TurnStatus(t.Status) == chat.Running:
			return t
		case turnID == "":
			chosen = t
		}
	}
	return chosen
}

func (s *Server) stopTurn(ctx context.Context, t pgdb.Turn) error {
	limited, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := s.Temporal.SignalWorkflow(limited, contract.TurnWorkflowID(t.ConversationID, int(t.N)), "", contract.SignalStop, nil)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		// There is no workflow to stop: it was never started, or has died.
		return s.closeTurn(ctx, t, chat.Stopped, fault.Stopped)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err)
	}
	return nil
}

// resume continues a failed or limited turn from its stored step.
func (s *Server) resume(w http.ResponseWriter, r *http.Request, who *requester) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	var body turnBody
	if err := decodeOptional(w, r, &body); err != nil {
		return err
	}
	again, err := journal.Reopen(r.Context(), s.DB, s.Carrier, who.tenant, who.userID, id, body.TurnID)
	if err != nil {
		return err
	}
	if err := s.startTurn(r.Context(), again.Turn, again.State); err != nil {
		return err
	}
	return s.reply(w, http.StatusAccepted, map[string]any{"turn_id": again.Turn.TurnID,
		"queued": chat.TurnStatus(again.Turn.Status) == chat.Waiting, "server_now": time.Now().UTC()})
}
