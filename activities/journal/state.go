package journal

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
)

// StateInput is whose conversation is drawn, and what the database does not know.
type StateInput struct {
	Tenant         identity.Tenant
	UserID         string
	ConversationID string
	// UserName stands on the cards as requester.
	UserName     string
	Capabilities erp.Capabilities
	// Texts gives what is being written; nil means nothing is.
	Texts Texts
}

// State reads the whole conversation and the head seq in one snapshot, so that a
// stream which goes on after Head continues it exactly. Calls carry their
// arguments; of the result only the short summary of the journal.
// Codes: not_found (unknown, deleted, or another user's).
func State(ctx context.Context, db *store.DB, in StateInput) (chat.State, error) {
	var s chat.State
	err := db.Read(ctx, in.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		s, err = state(ctx, tx, in)
		return err
	})
	return s, err
}

func state(ctx context.Context, tx pgx.Tx, in StateInput) (chat.State, error) {
	q, tenant, id := pgdb.New(tx), in.Tenant.String(), in.ConversationID
	row, err := q.Conversation(ctx, pgdb.ConversationParams{TenantID: tenant, ConversationID: id, UserID: in.UserID})
	if err != nil {
		return chat.State{}, store.NotFound(err, "conversation")
	}
	s := chat.State{
		Conversation: chat.Conversation{ConversationID: id, Title: row.Title, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()},
		Messages:     []chat.Message{}, Turns: []chat.Turn{}, Calls: []chat.Call{}, Cards: []operation.Card{}, Pending: []chat.Pending{},
		Head: row.HeadSeq,
	}
	if s.ServerNow, err = q.DatabaseClock(ctx); err != nil {
		return s, err
	}
	s.ServerNow = s.ServerNow.UTC()
	for _, read := range []func(context.Context, *pgdb.Queries, StateInput, *chat.State) error{
		readMessages, readTurns, readCalls, readCards, readPendings,
	} {
		if err := read(ctx, q, in, &s); err != nil {
			return s, err
		}
	}
	return s, readStreaming(ctx, tx, in, &s)
}

func readMessages(ctx context.Context, q *pgdb.Queries, in StateInput, s *chat.State) error {
	rows, err := q.ListMessages(ctx, pgdb.ListMessagesParams{TenantID: in.Tenant.String(), ConversationID: in.ConversationID})
	for _, m := range rows {
		message := chat.Message{MessageID: m.MessageID, TurnID: m.TurnID, Role: m.Role, Text: m.Text, Reasoning: m.Reasoning, Model: m.Model, Step: int(m.Step),
			Answers: store.Text(m.Answers), CreatedAt: m.CreatedAt.UTC()}
		if m.Role == "user" {
			message.Step = 0 // the step of an answer only says where it stands
		}
		s.Messages = append(s.Messages, message)
	}
	return err
}

func readTurns(ctx context.Context, q *pgdb.Queries, in StateInput, s *chat.State) error {
	rows, err := q.ListTurns(ctx, pgdb.ListTurnsParams{TenantID: in.Tenant.String(), ConversationID: in.ConversationID})
	for _, t := range rows {
		turn := chat.Turn{TurnID: t.TurnID, N: int(t.N), Status: chat.TurnStatus(t.Status), Queued: t.QueuedAt != nil,
			ErrorCode: fault.Code(store.Text(t.ErrorCode)), StartedAt: t.StartedAt.UTC(), EndedAt: utc(t.EndedAt)}
		s.Turns = append(s.Turns, turn)
		s.Conversation.Run = turn.Status
	}
	return err
}

func readCalls(ctx context.Context, q *pgdb.Queries, in StateInput, s *chat.State) error {
	rows, err := q.ListCalls(ctx, pgdb.ListCallsParams{TenantID: in.Tenant.String(), ConversationID: in.ConversationID})
	if err != nil || len(rows) == 0 {
		return err
	}
	finished, err := q.ToolsFinished(ctx, pgdb.ToolsFinishedParams{TenantID: in.Tenant.String(), ConversationID: in.ConversationID})
	if err != nil {
		return err
	}
	summaries := map[string]json.RawMessage{}
	for _, data := range finished {
		var d event.ToolDone
		if err := json.Unmarshal(data, &d); err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		summaries[d.CallID] = data
	}
	for _, c := range rows {
		call := chat.Call{CallID: c.CallID, TurnID: c.TurnID, Step: int(c.Step), Position: int(c.Position), Tool: c.Tool,
			Effect: tool.Effect(c.Effect), Risk: tool.Risk(c.Risk), Arguments: c.Arguments, ArgumentsFingerprint: c.ArgumentsFingerprint,
			ToolSchemaVersion: int(c.ToolSchemaVersion), PendingID: store.Text(c.PendingID), ClientToken: store.Text(c.ClientToken),
			ApprovalCreatedAt: utc(c.ApprovalCreatedAt), ApprovalExpiresAt: utc(c.ApprovalExpiresAt),
			Status: chat.CallStatus(c.Status), Failed: c.Failed}
		if call.Status == chat.CallFinished {
			if call.Result = summaries[c.CallID]; call.Result == nil {
				call.Result = json.RawMessage(`{"status":"ok"}`)
				if c.Failed {
					call.Result = json.RawMessage(`{"status":"error"}`)
				}
			}
		}
		s.Calls = append(s.Calls, call)
	}
	return nil
}

func readCards(ctx context.Context, q *pgdb.Queries, in StateInput, s *chat.State) error {
	rows, err := q.OperationsOfConversation(ctx, pgdb.OperationsOfConversationParams{TenantID: in.Tenant.String(), ConversationID: &in.ConversationID})
	for _, o := range rows {
		s.Cards = append(s.Cards, Card(o, in.UserName, in.Capabilities))
	}
	return err
}

func readPendings(ctx context.Context, q *pgdb.Queries, in StateInput, s *chat.State) error {
	rows, err := q.OpenPendings(ctx, pgdb.OpenPendingsParams{TenantID: in.Tenant.String(), ConversationID: in.ConversationID})
	for _, p := range rows {
		pending, err := PendingOf(p)
		if err != nil {
			return err
		}
		s.Pending = append(s.Pending, pending)
		s.Conversation.PendingCount++
		if s.Conversation.NearestDeadline == nil {
			s.Conversation.NearestDeadline = &pending.Deadline
		}
	}
	return err
}

// PendingOf draws a pending from its row.
func PendingOf(p pgdb.Pending) (chat.Pending, error) {
	pending := chat.Pending{PendingID: p.PendingID, ConversationID: p.ConversationID, TurnID: store.Text(p.TurnID), CallID: store.Text(p.CallID),
		OpID: store.Text(p.OpID), Kind: chat.PendingKind(p.Kind), Status: chat.PendingStatus(p.Status), Deadline: p.Deadline.UTC(), Answer: store.Text(p.Answer)}
	var prompt any
	switch pending.Kind {
	case chat.KindQuestion:
		pending.Question = &chat.Question{}
		prompt = pending.Question
	case chat.KindForm:
		pending.Form = &chat.Form{}
		prompt = pending.Form
	default:
		return pending, nil
	}
	if err := json.Unmarshal(p.Prompt, prompt); err != nil {
		return pending, fault.Wrap(fault.Internal, err)
	}
	return pending, nil
}

// readStreaming adds the text so far of messages that are not stored yet.
func readStreaming(ctx context.Context, tx pgx.Tx, in StateInput, s *chat.State) error {
	if in.Texts == nil {
		return nil
	}
	open, err := in.Texts.Open(ctx, tx, in.Tenant, in.ConversationID)
	if err != nil {
		return err
	}
	stored := map[string]bool{}
	for _, m := range s.Messages {
		stored[m.MessageID] = true
	}
	for _, d := range open {
		if !d.Reasoning && !stored[d.MessageID] {
			s.Streaming = append(s.Streaming, chat.Message{MessageID: d.MessageID, TurnID: d.TurnID, Role: "assistant", Text: d.Text, CreatedAt: s.ServerNow})
		}
	}
	return nil
}

// Stored tells which of the messages are stored, so that nobody takes them for
// open ones.
func Stored(ctx context.Context, db *store.DB, tenant identity.Tenant, messages []string) (map[string]bool, error) {
	stored := map[string]bool{}
	err := db.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		ids, err := q.StoredMessages(ctx, pgdb.StoredMessagesParams{TenantID: tenant.String(), Messages: messages})
		for _, id := range ids {
			stored[id] = true
		}
		return err
	})
	return stored, err
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
