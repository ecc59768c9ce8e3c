package journal

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// AnswerInput answers a question or a form by its id.
type AnswerInput struct {
	Tenant    identity.Tenant
	UserID    string
	PendingID string
	Answer    string
}

// Answer closes a question or a form in one transaction: the pending, its call's
// result, the person's message, and the journal. The same answer again gives the
// same Posted with Replayed set.
//
// Codes: not_found (unknown, or another user's), invalid (the question does not
// accept it, or it is an approval, which is decided and never answered),
// not_pending (closed, with params status), expired.
func Answer(ctx context.Context, db *store.DB, carrier Carrier, in AnswerInput) (Posted, error) {
	var posted Posted
	err := db.Tx(ctx, in.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		row, err := q.Pending(ctx, pgdb.PendingParams{TenantID: in.Tenant.String(), PendingID: in.PendingID})
		if err == nil && row.UserID != in.UserID {
			err = pgx.ErrNoRows
		}
		if err != nil {
			return store.NotFound(err, "pending")
		}
		if _, err := lock(ctx, q, in.Tenant, in.UserID, row.ConversationID); err != nil {
			return err
		}
		// Read again under the lock: another tab may have answered meanwhile.
		if row, err = q.Pending(ctx, pgdb.PendingParams{TenantID: in.Tenant.String(), PendingID: in.PendingID}); err != nil {
			return err
		}
		if row.Kind == string(chat.KindApproval) {
			return fault.New(fault.Invalid, "detail", "a proposal is confirmed or cancelled, not answered")
		}
		if row.Status == string(chat.PendingAnswered) && store.Text(row.Answer) == in.Answer {
			posted, err = replayed(ctx, q, in.Tenant, row)
			return err
		}
		if err := answerable(row, in.Answer); err != nil {
			return err
		}
		posted, err = answer(ctx, tx, in.Tenant, row, answerMessageID(row), in.Answer)
		return err
	})
	if err == nil && !posted.Replayed {
		carrier.Wake(in.Tenant, posted.ConversationID)
	}
	return posted, err
}

// answerable reports why the text cannot answer the pending.
func answerable(row pgdb.Pending, text string) error {
	if row.Status == string(chat.PendingExpired) {
		return fault.New(fault.Expired)
	}
	if row.Status != string(chat.PendingOpen) {
		return fault.New(fault.NotPending, "status", row.Status)
	}
	if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return fault.New(fault.Invalid, "detail", "the answer holds characters that are not text")
	}
	pending, err := PendingOf(row)
	if err != nil {
		return err
	}
	if pending.Form != nil {
		return pending.Form.Accepts(text)
	}
	return pending.Question.Accepts(text)
}

// answer closes the pending with the text; the caller holds the conversation.
func answer(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Pending, messageID, text string) (Posted, error) {
	q := pgdb.New(tx)
	n, err := q.AnswerPending(ctx, pgdb.AnswerPendingParams{TenantID: tenant.String(), PendingID: row.PendingID, Answer: text})
	if err != nil {
		return Posted{}, err
	}
	if n == 0 { // it was open a moment ago, so its deadline has passed
		return Posted{}, fault.New(fault.Expired)
	}
	turn, err := q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: store.Text(row.TurnID)})
	if err != nil {
		return Posted{}, err
	}
	var step int32
	if row.CallID != nil {
		call, err := q.Call(ctx, pgdb.CallParams{TenantID: tenant.String(), CallID: *row.CallID})
		if err != nil {
			return Posted{}, err
		}
		step = call.Step
		var said any = map[string]string{"answer": text}
		if row.Kind == string(chat.KindForm) {
			said = map[string]any{"status": "filled_in", "values": json.RawMessage(text)}
		}
		result, err := json.Marshal(said)
		if err != nil {
			return Posted{}, fault.Wrap(fault.Internal, err)
		}
		if _, err := q.FinishCall(ctx, pgdb.FinishCallParams{TenantID: tenant.String(), CallID: *row.CallID, Result: result}); err != nil {
			return Posted{}, err
		}
	}
	err = q.InsertMessage(ctx, pgdb.InsertMessageParams{TenantID: tenant.String(), MessageID: messageID, ConversationID: row.ConversationID,
		TurnID: turn.TurnID, Role: "user", Step: step, Text: text, Answers: &row.PendingID})
	if err != nil {
		return Posted{}, err
	}
	_, err = Append(ctx, tx, tenant, row.ConversationID, turn.TurnID, Entry{Type: event.PendingAnswered, Key: "pending/" + row.PendingID + "/closed",
		Data: event.Answer{PendingID: row.PendingID, CallID: store.Text(row.CallID), Status: string(chat.PendingAnswered), Answer: text, MessageID: messageID}})
	return Posted{ConversationID: row.ConversationID, TurnID: turn.TurnID, N: int(turn.N), MessageID: messageID, PendingID: row.PendingID}, err
}

func replayed(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, row pgdb.Pending) (Posted, error) {
	turn, err := q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: store.Text(row.TurnID)})
	return Posted{ConversationID: row.ConversationID, TurnID: turn.TurnID, N: int(turn.N), MessageID: answerMessageID(row),
		PendingID: row.PendingID, Replayed: true}, err
}

func answerMessageID(row pgdb.Pending) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("answer\x00"+row.TenantID+"\x00"+row.PendingID)).String()
}
