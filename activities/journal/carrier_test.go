package journal_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
)

// run starts something that ends with the test.
func run(t *testing.T, what func(context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		what(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// listening waits until n connections listen.
func (b *bundle) listening(n int) {
	b.t.Helper()
	eventually(b.t, "listeners", func() bool {
		conn, err := pgx.Connect(context.Background(), b.url)
		if err != nil {
			b.t.Fatal(err)
		}
		defer conn.Close(context.Background())
		var have int
		err = conn.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'erpilot listen' AND query LIKE 'LISTEN%'`).Scan(&have)
		if err != nil {
			b.t.Fatal(err)
		}
		return have >= n
	})
}

// collect reads text until it is complete.
func collect(t *testing.T, s journal.Subscription, want string) (pieces int) {
	t.Helper()
	var got strings.Builder
	limit := time.NewTimer(20 * time.Second)
	defer limit.Stop()
	for got.Len() < len(want) {
		select {
		case d, ok := <-s.Deltas():
			if !ok {
				t.Fatal("the reader was closed")
			}
			if d.Offset != got.Len() {
				t.Fatalf("piece at %d, want %d", d.Offset, got.Len())
			}
			got.WriteString(d.Text)
			pieces++
		case <-limit.C:
			t.Fatalf("got %d of %d bytes", got.Len(), len(want))
		}
	}
	if got.String() != want {
		t.Error("the text differs")
	}
	return pieces
}

func TestTokensReachAnotherProcessInBatches(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mustPost("k1", "go")
	worker, gateway := journal.NewPG(b.db, quiet), journal.NewPG(b.open(), quiet)
	run(t, worker.Run)
	run(t, gateway.Run)
	b.listening(2)
	early := gateway.Subscribe(tenant, b.conv)
	defer early.Close()
	var text strings.Builder
	for i := range 1000 {
		token := "词" + strconv.Itoa(i) + " "
		worker.Publish(context.Background(), tenant, event.Delta{ConversationID: b.conv, TurnID: "t", MessageID: "m", Attempt: 1, Offset: text.Len(), Text: token})
		text.WriteString(token)
	}
	if n := collect(t, early, text.String()); n > 100 {
		t.Errorf("1000 tokens came in %d pieces", n)
	}
	late := gateway.Subscribe(tenant, b.conv)
	defer late.Close()
	collect(t, late, text.String())

	// A process that has not watched before reads what is stored.
	fresh := journal.NewPG(b.open(), quiet)
	run(t, fresh.Run)
	third := fresh.Subscribe(tenant, b.conv)
	defer third.Close()
	collect(t, third, text.String())
	b.tx(func(ctx context.Context, tx pgx.Tx, _ *pgdb.Queries) error {
		open, err := fresh.Open(ctx, tx, tenant, b.conv)
		if len(open) != 1 || open[0].Text != text.String() {
			t.Errorf("the open text has %d parts", len(open))
		}
		return err
	})

	worker.Forget(context.Background(), tenant, b.conv, "m", 1)
	eventually(t, "the rows are deleted and the other process has forgotten", func() bool {
		rows := 1
		b.tx(func(ctx context.Context, tx pgx.Tx, _ *pgdb.Queries) error {
			return tx.QueryRow(ctx, "SELECT count(*) FROM deltas").Scan(&rows)
		})
		open, err := gateway.Hub.Open(context.Background(), nil, tenant, b.conv)
		return err == nil && rows == 0 && len(open) == 0
	})
}

func TestAppendWakesReadersOfAnotherProcess(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hub := journal.NewHub()
	run(t, journal.NewWatcher(b.open(), hub, quiet).Run)
	b.listening(1)
	s := hub.Subscribe(tenant, b.conv)
	defer s.Close()
	select { // the wake-up of the connection itself
	case <-s.Woken():
	default:
	}
	begun := time.Now()
	b.mustPost("k1", "go")
	select {
	case <-s.Woken():
		if d := time.Since(begun); d > time.Second {
			t.Logf("woken after %v: by the poll, not by NOTIFY", d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was woken")
	}
}

func TestPollFindsWhatNobodyNotified(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hub := journal.NewHub()
	run(t, journal.NewWatcher(b.open(), hub, quiet).Run)
	b.listening(1)
	s := hub.Subscribe(tenant, b.conv)
	defer s.Close()
	drained := func() bool { // until the poll has seen the present head
		select {
		case <-s.Woken():
			return true
		default:
			return false
		}
	}
	drained()
	b.exec("UPDATE conversations SET head_seq = head_seq + 1 WHERE conversation_id = $1", b.conv)
	eventually(t, "the poll wakes", drained)
}

func TestListenerComesBackAfterItsConnectionIsCut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	hub := journal.NewHub()
	run(t, journal.NewWatcher(b.open(), hub, quiet).Run)
	b.listening(1)
	s := hub.Subscribe(tenant, b.conv)
	defer s.Close()
	b.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'erpilot listen'")
	b.mustPost("k1", "go")
	select {
	case <-s.Woken():
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was woken")
	}
	b.listening(1)
}

func TestDeltasOfDeadTurnsAreRemoved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.mustPost("k1", "go")
	b.exec(`INSERT INTO deltas (tenant_id, conversation_id, message_id, turn_id, attempt, "offset", text) VALUES
		('acme.east', $1, 'alive', $2, 1, 0, 'a'), ('acme.east', $1, 'dead', 'gone', 1, 0, 'a')`, b.conv, p.TurnID)
	if err := journal.DropDead(context.Background(), b.db, tenant, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	b.tx(func(ctx context.Context, _ pgx.Tx, q *pgdb.Queries) error {
		ids, err := q.OpenDeltaMessages(ctx, pgdb.OpenDeltaMessagesParams{TenantID: tenant.String(), ConversationID: b.conv})
		if len(ids) != 1 || ids[0] != "alive" {
			t.Errorf("left: %v", ids)
		}
		return err
	})
}

func TestStateShowsTheTextThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.mustPost("k1", "go")
	d := event.Delta{ConversationID: b.conv, TurnID: p.TurnID, MessageID: "m1", Attempt: 1, Text: "half an ans"}
	b.hub.Publish(context.Background(), tenant, d)
	if s := b.state(); len(s.Streaming) != 1 || s.Streaming[0].Text != "half an ans" || s.Streaming[0].TurnID != p.TurnID {
		t.Errorf("streaming: %+v", s.Streaming)
	}
	b.tx(func(ctx context.Context, tx pgx.Tx, q *pgdb.Queries) error {
		return q.InsertMessage(ctx, pgdb.InsertMessageParams{TenantID: tenant.String(), MessageID: "m1", ConversationID: b.conv, TurnID: p.TurnID,
			Role: "assistant", Step: 1, Text: "half an answer"})
	})
	if s := b.state(); len(s.Streaming) != 0 || len(s.Messages) != 2 {
		t.Errorf("a stored message is still streaming: %+v", s)
	}
}
