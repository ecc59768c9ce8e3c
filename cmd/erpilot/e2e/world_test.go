package e2e

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/cmd/erpilot/app"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/temporaltest"
)

func TestMain(m *testing.M) {
	pgtest.LoadDemo = func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		return builtin.LoadDemo(ctx, conn)
	}
	code := m.Run()
	removeBinary()
	os.Exit(code)
}

// patience bounds every wait of these tests.
const patience = 30 * time.Second

// world is one installation: a database and a namespace of its own.
type world struct {
	t       *testing.T
	url     string
	address string
	// idle worlds have no worker in this process.
	idle   bool
	parts  app.Parts
	worker worker.Worker
	tenant identity.Tenant
	user   identity.User
}

// option changes the parts before the worker starts.
type option func(*world)

func withModel(m model.Model) option { return func(w *world) { w.parts.Model = m } }

func withTTL(ttl time.Duration) option { return func(w *world) { w.parts.Operation.SelfTTL = ttl } }

func withERP(wrap func(erp.Connector) erp.Connector) option {
	return func(w *world) { w.parts.ERP = wrap(w.parts.ERP) }
}

// withoutWorker leaves the work to processes that the test starts.
func withoutWorker(w *world) { w.idle = true }

func newWorld(t *testing.T, options ...option) *world {
	t.Helper()
	server := temporaltest.Start(t)
	namespace := server.Namespace(t)
	url := pgtest.NewDemoDatabase(t)
	db, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	planner, err := model.New(model.Config{Provider: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	hub := journal.NewHub()
	w := &world{t: t, url: url, address: server.Address, tenant: identity.Tenant{BrandID: "yunfan", SubsidiaryID: "shanghai"}}
	w.parts = app.Parts{DB: db, Temporal: server.ClientOf(t, client.Options{Namespace: namespace}), Namespace: namespace,
		TaskQueue: contract.TaskQueue, ERP: builtin.New(db), Model: planner, Catalogue: tool.Builtin(), Carrier: hub,
		Key: bytes.Repeat([]byte{7}, 32), Demo: true, Log: slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))}
	for _, o := range options {
		o(w)
	}
	w.login("li")
	if !w.idle {
		w.startWorker()
	}
	return w
}

type testLog struct{ t *testing.T }

func (l testLog) Write(p []byte) (int, error) {
	if l.t.Context().Err() == nil {
		l.t.Log(string(bytes.TrimSpace(p)))
	}
	return len(p), nil
}

var _ io.Writer = testLog{}

func (w *world) startWorker() {
	w.t.Helper()
	var err error
	if w.worker, err = app.NewWorker(w.t.Context(), w.parts); err != nil {
		w.t.Fatal(err)
	}
	if err := w.worker.Start(); err != nil {
		w.t.Fatal(err)
	}
	stop := w.worker.Stop
	w.t.Cleanup(stop)
}

// login makes a live session of a demo user.
func (w *world) login(username string) {
	w.t.Helper()
	user, err := w.parts.ERP.Login(w.t.Context(), w.tenant, username, "demo1234")
	if err != nil {
		w.t.Fatal(err)
	}
	w.user = user
	hash := make([]byte, 32)
	copy(hash, uuid.NewString())
	w.tx(func(q *pgdb.Queries) error {
		return q.InsertSession(w.t.Context(), pgdb.InsertSessionParams{TenantID: w.tenant.String(), SessionID: uuid.NewString(), UserID: user.UserID,
			TokenHash: hash, ExpiresAt: time.Now().Add(time.Hour)})
	})
}

func (w *world) tx(fn func(q *pgdb.Queries) error) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(_ context.Context, tx pgx.Tx) error { return fn(pgdb.New(tx)) })
	if err != nil {
		w.t.Fatal(err)
	}
}

// conversation begins a new one.
func (w *world) conversation() string {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	w.tx(func(q *pgdb.Queries) error {
		_, err := q.InsertConversation(w.t.Context(), pgdb.InsertConversationParams{TenantID: w.tenant.String(), ConversationID: id, UserID: w.user.UserID})
		return err
	})
	return id
}

// say posts a message and starts its turn.
func (w *world) say(conversationID, text string) journal.Posted {
	w.t.Helper()
	posted, err := journal.PostMessage(w.t.Context(), w.parts.DB, w.parts.Carrier, journal.Post{Tenant: w.tenant, UserID: w.user.UserID,
		Locale: w.user.Locale, ConversationID: conversationID, Key: uuid.NewString(), Text: text})
	if err != nil {
		w.t.Fatal(err)
	}
	if posted.PendingID != "" {
		err = w.parts.Temporal.SignalWorkflow(w.t.Context(), contract.TurnWorkflowID(conversationID, posted.N), "", contract.SignalAnswer,
			contract.Answered{PendingID: posted.PendingID})
	} else {
		_, err = w.parts.Temporal.ExecuteWorkflow(w.t.Context(), client.StartWorkflowOptions{ID: contract.TurnWorkflowID(conversationID, posted.N),
			TaskQueue: w.parts.TaskQueue}, contract.WorkflowTurn, contract.TurnInput{Tenant: w.tenant.String(), ConversationID: conversationID,
			TurnID: posted.TurnID, UserID: w.user.UserID, N: posted.N, Limits: turn.DefaultLimits(), Segment: 1, QuestionTTL: time.Hour,
			Queued: posted.Turn.Status == string(chat.Waiting)})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return posted
}

// event waits for the nth event of a type in a conversation (n from 1).
func (w *world) event(conversationID string, typ event.Type, n int) event.Event {
	w.t.Helper()
	var found event.Event
	w.eventually(string(typ), func() bool {
		seen := 0
		for _, e := range w.journal(conversationID) {
			if e.Type == typ {
				if seen++; seen == n {
					found = e
					return true
				}
			}
		}
		return false
	})
	return found
}

func (w *world) journal(conversationID string) (events []event.Event) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) (err error) {
		events, err = journal.Read(ctx, tx, w.tenant, conversationID, 0, 1000)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return events
}

// eventually polls until the condition holds.
func (w *world) eventually(what string, ok func() bool) {
	w.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			w.t.Fatalf("waited %s for %s in vain", patience, what)
		case <-tick.C:
		}
	}
}

// op reads a staging row.
func (w *world) op(opID string) (row pgdb.Operation) {
	w.t.Helper()
	w.tx(func(q *pgdb.Queries) (err error) {
		row, err = q.Operation(w.t.Context(), pgdb.OperationParams{TenantID: w.tenant.String(), OpID: opID})
		return err
	})
	return row
}

// status waits until an operation is in a state.
func (w *world) status(opID string, want operation.Status) pgdb.Operation {
	w.t.Helper()
	var row pgdb.Operation
	w.eventually("operation "+string(want), func() bool {
		row = w.op(opID)
		return row.Status == string(want)
	})
	return row
}

// decision names what waits, signed by the user.
func (w *world) decision(row pgdb.Operation, verb operation.Verb) operation.Decision {
	d := operation.Decision{OpID: row.OpID, PendingID: row.PendingID, Revision: int(row.Revision), Digest: row.Digest, Decision: verb,
		DecisionID: uuid.NewString(), Actor: w.user.UserID}
	d.Proof = operation.Sign(w.parts.Key, d, w.tenant.String(), w.user.UserID, operation.ChannelWeb, time.Now())
	return d
}

// prove signs what a person asks of an operation besides deciding it.
func (w *world) prove(claim operation.Decision) string {
	return operation.Sign(w.parts.Key, claim, w.tenant.String(), w.user.UserID, operation.ChannelWeb, time.Now())
}

// decide sends an update and returns its answer.
func (w *world) decide(d operation.Decision) (contract.OperationState, error) {
	w.t.Helper()
	var state contract.OperationState
	h, err := w.parts.Temporal.UpdateWorkflow(w.t.Context(), client.UpdateWorkflowOptions{WorkflowID: contract.OperationWorkflowID(d.OpID),
		UpdateName: contract.UpdateDecide, UpdateID: d.DecisionID, Args: []any{d}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(w.t.Context(), &state)
	}
	return state, err
}

// orders counts the sales orders of the tenant.
func (w *world) orders() (n int) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT count(*) FROM erp.sales_order WHERE tenant_id = $1", w.tenant.String()).Scan(&n)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// update sends any other update to an operation and reads its answer.
func (w *world) update(opID, name string, arg, out any) error {
	w.t.Helper()
	h, err := w.parts.Temporal.UpdateWorkflow(w.t.Context(), client.UpdateWorkflowOptions{WorkflowID: contract.OperationWorkflowID(opID),
		UpdateName: name, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted})
	if err == nil {
		err = h.Get(w.t.Context(), out)
	}
	return err
}
