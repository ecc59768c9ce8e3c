package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"
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

// MaxText bounds a message, in characters.
const MaxText = 8000

// titleLength bounds the title made from a first message, in characters.
const titleLength = 60

// Post is a person's message.
type Post struct {
	Tenant         identity.Tenant
	UserID         string
	Locale         identity.Locale
	ConversationID string
	// Key is the idempotency key, 1 to 100 characters, unique within the conversation.
	Key string
	// Text has 1 to MaxText characters.
	Text string
	// Answers names the open question that the message answers; "" lets it answer
	// the newest open question that accepts it, if there is one, and
	// chat.AnswersNothing lets it answer none.
	Answers string
}

// Posted is what became of a message.
type Posted struct {
	ConversationID string
	// TurnID and N are the turn that the message opened or, for an answer, the
	// turn that had asked.
	TurnID    string
	N         int
	MessageID string
	// PendingID is the question that was answered, "" for a new turn.
	PendingID string
	// Turn is the row of a new turn, to start its workflow; it may be resent.
	Turn pgdb.Turn
	// Replayed says that the message was there already.
	Replayed bool
}

// PostMessage stores a message in one transaction: as the answer to an open
// question, else as a new turn, running when nothing else runs in the
// conversation and queued otherwise. Starting or waking the workflow is the
// caller's, and may be repeated.
//
// An answer opens no turn: it belongs to the turn that had asked.
//
// Codes: not_found (conversation or question), invalid (text, key, or an answer
// that the question does not accept), idempotency_mismatch, not_pending (the
// named question is closed), expired.
func PostMessage(ctx context.Context, db *store.DB, carrier Carrier, p Post) (Posted, error) {
	if err := p.check(); err != nil {
		return Posted{}, err
	}
	var posted Posted
	post := func() error {
		return db.Tx(ctx, p.Tenant, func(ctx context.Context, tx pgx.Tx) error {
			var err error
			posted, err = p.store(ctx, tx)
			return err
		})
	}
	err := post()
	for range 3 {
		// A turn that went on meanwhile took the running slot: queue behind it.
		if !store.IsConflict(err, "turns_one_running") {
			break
		}
		err = post()
	}
	if err == nil && !posted.Replayed {
		carrier.Wake(p.Tenant, p.ConversationID)
	}
	return posted, err
}

func (p Post) check() error {
	switch n := utf8.RuneCountInString(p.Text); {
	case strings.TrimSpace(p.Text) == "":
		return fault.New(fault.Invalid, "detail", "the text is empty")
	case n > MaxText:
		return fault.New(fault.Invalid, "detail", "the text must have 1 to 8000 characters")
	case !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0):
		return fault.New(fault.Invalid, "detail", "the text holds characters that are not text")
	case p.Key == "" || len(p.Key) > 100 || strings.ContainsRune(p.Key, 0) || !utf8.ValidString(p.Key):
		return fault.New(fault.Invalid, "detail", "Idempotency-Key must have 1 to 100 characters")
	}
	return nil
}

func (p Post) store(ctx context.Context, tx pgx.Tx) (Posted, error) {
	q := pgdb.New(tx)
	conversation, err := lock(ctx, q, p.Tenant, p.UserID, p.ConversationID)
	if err != nil {
		return Posted{}, err
	}
	if posted, found, err := p.replay(ctx, q); found || err != nil {
		return posted, err
	}
	pending, err := p.question(ctx, q)
	if err != nil {
		return Posted{}, err
	}
	if pending != nil {
		return answer(ctx, tx, p.Tenant, *pending, p.messageID(), p.Text)
	}
	return p.open(ctx, tx, conversation)
}

// lock holds the conversation against other posts; codes: not_found.
func lock(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, userID, conversationID string) (pgdb.Conversation, error) {
	row, err := q.LockConversation(ctx, pgdb.LockConversationParams{TenantID: tenant.String(), ConversationID: conversationID})
	if err == nil && (row.UserID != userID || row.DeletedAt != nil) {
		err = pgx.ErrNoRows
	}
	return row, store.NotFound(err, "conversation")
}

// replay finds the message under its key: a turn, or an answer.
func (p Post) replay(ctx context.Context, q *pgdb.Queries) (Posted, bool, error) {
	tenant := p.Tenant.String()
	m, err := q.MessageByID(ctx, pgdb.MessageByIDParams{TenantID: tenant, MessageID: p.messageID()})
	if errors.Is(err, pgx.ErrNoRows) {
		return Posted{}, false, nil
	}
	if err != nil {
		return Posted{}, false, err
	}
	turn, err := q.TurnByKey(ctx, pgdb.TurnByKeyParams{TenantID: tenant, ConversationID: p.ConversationID, IdempotencyKey: p.Key})
	if err == nil {
		if turn.RequestHash != p.hash() {
			return Posted{}, true, fault.New(fault.IdempotencyMismatch)
		}
		return Posted{ConversationID: p.ConversationID, TurnID: turn.TurnID, N: int(turn.N), MessageID: p.messageID(), Turn: turn, Replayed: true}, true, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return Posted{}, false, err
	}
	if m.Text != p.Text || (p.Answers != "" && p.Answers != store.Text(m.Answers)) {
		return Posted{}, true, fault.New(fault.IdempotencyMismatch)
	}
	turn, err = q.Turn(ctx, pgdb.TurnParams{TenantID: tenant, TurnID: m.TurnID})
	return Posted{ConversationID: p.ConversationID, TurnID: m.TurnID, N: int(turn.N), MessageID: m.MessageID,
		PendingID: store.Text(m.Answers), Replayed: true}, true, err
}

// question finds what the message answers, nil when it opens a turn.
func (p Post) question(ctx context.Context, q *pgdb.Queries) (*pgdb.Pending, error) {
	if p.Answers == chat.AnswersNothing {
		return nil, nil
	}
	if p.Answers != "" {
		row, err := q.Pending(ctx, pgdb.PendingParams{TenantID: p.Tenant.String(), PendingID: p.Answers})
		if err == nil && row.ConversationID != p.ConversationID {
			err = pgx.ErrNoRows
		}
		if err != nil {
			return nil, store.NotFound(err, "pending")
		}
		if row.Kind != string(chat.KindQuestion) {
			return nil, fault.New(fault.Invalid, "detail", "only a question can be answered by a message")
		}
		return &row, answerable(row, p.Text)
	}
	row, err := q.NewestOpenQuestion(ctx, pgdb.NewestOpenQuestionParams{TenantID: p.Tenant.String(), ConversationID: p.ConversationID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil || answerable(row, p.Text) != nil {
		// A text that the question does not accept is not meant for it.
		return nil, err
	}
	return &row, nil
}

// open inserts the next turn with its message.
func (p Post) open(ctx context.Context, tx pgx.Tx, conversation pgdb.Conversation) (Posted, error) {
	q, tenant := pgdb.New(tx), p.Tenant.String()
	counted, err := q.CountTurn(ctx, pgdb.CountTurnParams{TenantID: tenant, ConversationID: p.ConversationID, Title: Title(p.Text)})
	if err != nil {
		return Posted{}, err
	}
	n, status, queuedAt := counted.TurnCount, chat.Running, (*time.Time)(nil)
	if counted.Busy {
		now, err := q.DatabaseClock(ctx)
		if err != nil {
			return Posted{}, err
		}
		status, queuedAt = chat.Waiting, &now
	}
	turnID, err := uuid.NewV7()
	if err != nil {
		return Posted{}, fault.Wrap(fault.Internal, err)
	}
	turn, err := q.InsertTurn(ctx, pgdb.InsertTurnParams{TenantID: tenant, TurnID: turnID.String(), ConversationID: p.ConversationID,
		UserID: p.UserID, N: n, Status: string(status), QueuedAt: queuedAt, Locale: string(p.Locale), IdempotencyKey: p.Key, RequestHash: p.hash()})
	if err != nil {
		return Posted{}, err
	}
	posted := Posted{ConversationID: p.ConversationID, TurnID: turn.TurnID, N: int(n), MessageID: p.messageID(), Turn: turn}
	err = q.InsertMessage(ctx, pgdb.InsertMessageParams{TenantID: tenant, MessageID: posted.MessageID, ConversationID: p.ConversationID,
		TurnID: turn.TurnID, Role: "user", Text: p.Text})
	if err != nil {
		return Posted{}, err
	}
	entries := []Entry{{Type: event.TurnStarted, Key: "turn_started:" + turn.TurnID,
		Data: event.Started{N: int(n), MessageID: posted.MessageID, Text: p.Text, Queued: status == chat.Waiting}}}
	if conversation.Title == "" {
		entries = append(entries, Entry{Type: event.Titled, Key: "titled:first", Data: event.Title{Title: Title(p.Text)}})
	}
	_, err = Append(ctx, tx, p.Tenant, p.ConversationID, turn.TurnID, entries...)
	return posted, err
}

// messageID is the same for a resent message.
func (p Post) messageID() string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("message\x00"+p.Tenant.String()+"\x00"+p.ConversationID+"\x00"+p.Key)).String()
}

// hash tells one content from another under the same key.
func (p Post) hash() string {
	sum := sha256.Sum256([]byte(p.Answers + "\x00" + p.Text))
	return hex.EncodeToString(sum[:])
}

// Title names a conversation after a message: its first line, cut.
func Title(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.TrimSpace(line))
	if len(runes) > titleLength {
		return string(runes[:titleLength-1]) + "…"
	}
	return string(runes)
}
