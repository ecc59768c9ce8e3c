package journal_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

var quiet = slog.New(slog.DiscardHandler)

// bundle is a database with one tenant and one conversation of user u1.
type bundle struct {
	t    *testing.T
	url  string
	db   *store.DB
	hub  *journal.Hub
	conv string
}

func setup(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{t: t, url: pgtest.NewDatabase(t), hub: journal.NewHub()}
	b.exec("INSERT INTO tenants VALUES ('acme.east','acme','east','东区','East','CNY','Asia/Shanghai')," +
		"('acme.west','acme','west','西区','West','CNY','Asia/Shanghai')")
	b.db = b.open()
	b.conv = b.conversation(tenant, "u1")
	return b
}

// open is another process on the same database.
func (b *bundle) open() *store.DB {
	b.t.Helper()
	db, err := store.Open(context.Background(), store.Config{URL: b.url, MaxConns: 8})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(db.Close)
	return db
}

// exec runs SQL as the superuser, beside row-level security.
func (b *bundle) exec(sql string, args ...any) {
	b.t.Helper()
	conn, err := pgx.Connect(context.Background(), b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) tx(fn func(ctx context.Context, tx pgx.Tx, q *pgdb.Queries) error) {
	b.t.Helper()
	err := b.db.Tx(context.Background(), tenant, func(ctx context.Context, tx pgx.Tx) error { return fn(ctx, tx, pgdb.New(tx)) })
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bundle) conversation(tenant identity.Tenant, user string) string {
	b.t.Helper()
	id := uuid.NewString()
	b.exec("INSERT INTO conversations (tenant_id, conversation_id, user_id) VALUES ($1, $2, $3)", tenant.String(), id, user)
	return id
}

func (b *bundle) post(key, text, answers string) (journal.Posted, error) {
	return journal.PostMessage(context.Background(), b.db, b.hub, journal.Post{Tenant: tenant, UserID: "u1", Locale: identity.Chinese,
		ConversationID: b.conv, Key: key, Text: text, Answers: answers})
}

func (b *bundle) mustPost(key, text string) journal.Posted {
	b.t.Helper()
	p, err := b.post(key, text, "")
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// ask lets the turn ask a question, and suspends it.
func (b *bundle) ask(p journal.Posted, question chat.Question, ttl time.Duration) (pendingID, callID string) {
	b.t.Helper()
	pendingID, callID = uuid.NewString(), uuid.NewString()
	prompt, err := json.Marshal(question)
	if err != nil {
		b.t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx pgx.Tx, q *pgdb.Queries) error {
		err := q.InsertCall(ctx, pgdb.InsertCallParams{TenantID: tenant.String(), CallID: callID, ConversationID: p.ConversationID, TurnID: p.TurnID,
			Step: 1, ProviderID: callID, Tool: "ask_user", Effect: "ask", Risk: "read", Arguments: "{}", ToolSchemaVersion: 1, Status: "pending"})
		if err != nil {
			return err
		}
		if err := q.InsertPending(ctx, pgdb.InsertPendingParams{TenantID: tenant.String(), PendingID: pendingID, ConversationID: p.ConversationID,
			TurnID: &p.TurnID, CallID: &callID, UserID: "u1", Kind: "question", Prompt: prompt, Deadline: time.Now().Add(ttl)}); err != nil {
			return err
		}
		_, err = q.SetTurnWaiting(ctx, pgdb.SetTurnWaitingParams{TenantID: tenant.String(), TurnID: p.TurnID})
		return err
	})
	return pendingID, callID
}

func (b *bundle) state() chat.State {
	b.t.Helper()
	s, err := journal.State(context.Background(), b.db, journal.StateInput{Tenant: tenant, UserID: "u1", ConversationID: b.conv, UserName: "Li", Texts: b.hub})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// events are the types in the journal, in order.
func (b *bundle) events() []event.Type {
	b.t.Helper()
	list, _, err := journal.NewReader(b.db, tenant, b.conv, 0).Next(context.Background())
	if err != nil {
		b.t.Fatal(err)
	}
	types := make([]event.Type, len(list))
	for i, e := range list {
		if e.Seq != int64(i+1) {
			b.t.Errorf("event %d has seq %d", i+1, e.Seq)
		}
		types[i] = e.Type
	}
	return types
}

// wantCode compares an error's code.
func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if got := fault.CodeOf(err); got != code {
		t.Errorf("got %v (%q), want code %q", err, got, code)
	}
}

// eventually polls until the condition holds, at most 10 s.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(10 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}
