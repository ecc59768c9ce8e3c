package journal_test

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

func TestFirstMessageOpensARunningTurnAndNamesTheConversation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.mustPost("k1", "华东客户有哪些？\n请列表")
	if p.N != 1 || p.Turn.Status != "running" {
		t.Errorf("got turn %d, %s; want 1, running", p.N, p.Turn.Status)
	}
	s := b.state()
	if s.Conversation.Title != "华东客户有哪些？" {
		t.Errorf("title %q", s.Conversation.Title)
	}
	if len(s.Messages) != 1 || s.Messages[0].Role != "user" || s.Messages[0].MessageID != p.MessageID || s.Head != 2 {
		t.Errorf("state: %+v", s)
	}
	if diff := cmp.Diff([]event.Type{event.TurnStarted, event.Titled}, b.events()); diff != "" {
		t.Error(diff)
	}
}

func TestResentMessageIsTheSameMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.mustPost("k1", "hello")
	again := b.mustPost("k1", "hello")
	if again.TurnID != first.TurnID || !again.Replayed || first.Replayed {
		t.Errorf("first %+v, again %+v", first, again)
	}
	_, err := b.post("k1", "something else", "")
	wantCode(t, err, fault.IdempotencyMismatch)
	if n := len(b.events()); n != 2 {
		t.Errorf("%d events, want 2", n)
	}
}

func TestManyMessagesAtOnceGiveOneRunningTurnAndAQueue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Add(1)
		go func() {
			defer all.Done()
			if _, err := b.post("k"+strconv.Itoa(i%10), "message "+strconv.Itoa(i%10), ""); err != nil {
				t.Error(err)
			}
		}()
	}
	all.Wait()
	s := b.state()
	running, queued := 0, 0
	for i, turn := range s.Turns {
		if turn.N != i+1 {
			t.Errorf("turn %d has number %d", i+1, turn.N)
		}
		if turn.Status == chat.Running {
			running++
		}
		if turn.Queued {
			queued++
		}
	}
	if running != 1 || queued != 9 {
		t.Errorf("%d running and %d queued, want 1 and 9", running, queued)
	}
}

func TestMessageAnswersTheNewestOpenQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.mustPost("k1", "an order, please")
	pending, call := b.ask(p, chat.Question{Question: "Which warehouse?", Options: []string{"North", "South"}, AllowFreeText: true}, time.Hour)
	if s := b.state(); s.Conversation.PendingCount != 1 || s.Pending[0].Question.Question != "Which warehouse?" {
		t.Errorf("pending: %+v", s.Pending)
	}
	a := b.mustPost("k2", "South")
	if a.PendingID != pending || a.TurnID != p.TurnID || a.N != 1 {
		t.Errorf("got %+v, want the waiting turn", a)
	}
	again := b.mustPost("k2", "South")
	if !again.Replayed || again.PendingID != pending {
		t.Errorf("resent: %+v", again)
	}
	_, err := b.post("k2", "North", "")
	wantCode(t, err, fault.IdempotencyMismatch)
	s := b.state()
	if len(s.Turns) != 1 || len(s.Pending) != 0 || s.Calls[0].CallID != call || s.Calls[0].Status != chat.CallFinished {
		t.Errorf("state: %+v", s)
	}
	if m := s.Messages[1]; m.Text != "South" || m.Answers != pending || m.Step != 0 {
		t.Errorf("the answer: %+v", m)
	}
	b.tx(func(ctx context.Context, _ pgx.Tx, q *pgdb.Queries) error {
		row, err := q.Call(ctx, pgdb.CallParams{TenantID: tenant.String(), CallID: call})
		if string(row.Result) != `{"answer": "South"}` {
			t.Errorf("the call's result: %s", row.Result)
		}
		return err
	})
	if diff := cmp.Diff([]event.Type{event.TurnStarted, event.Titled, event.PendingAnswered}, b.events()); diff != "" {
		t.Error(diff)
	}
}

func TestMessageThatAnswersNothingOpensATurnBesideAnOpenQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.ask(b.mustPost("k1", "go"), chat.Question{Question: "Which?", Options: []string{"A", "B"}, AllowFreeText: true}, time.Hour)
	for range 2 { // the same again is the same
		p, err := b.post("k2", "A", chat.AnswersNothing)
		if err != nil || p.PendingID != "" || p.N != 2 {
			t.Errorf("got %+v, %v, want the second turn", p, err)
		}
	}
	if s := b.state(); len(s.Pending) != 1 {
		t.Errorf("pending: %+v", s.Pending)
	}
}

func TestTextThatIsNoOptionOpensATurnUnlessItNamesTheQuestion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pending, _ := b.ask(b.mustPost("k1", "go"), chat.Question{Question: "Which?", Options: []string{"A", "B"}}, time.Hour)
	p := b.mustPost("k2", "by the way, what is the weather?")
	if p.PendingID != "" || p.N != 2 {
		t.Errorf("got %+v, want a new turn", p)
	}
	_, err := b.post("k3", "C", pending)
	wantCode(t, err, fault.Invalid)
	a, err := b.post("k4", "B", pending)
	if err != nil || a.PendingID != pending {
		t.Errorf("got %+v %v", a, err)
	}
	_, err = b.post("k5", "A", pending)
	wantCode(t, err, fault.NotPending)
}

func TestLateAnswerIsExpired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pending, _ := b.ask(b.mustPost("k1", "go"), chat.Question{Question: "Which?", AllowFreeText: true}, -time.Second)
	_, err := b.post("k2", "late", pending)
	wantCode(t, err, fault.Expired)
	_, err = journal.Answer(context.Background(), b.db, b.hub, journal.AnswerInput{Tenant: tenant, UserID: "u1", PendingID: pending, Answer: "late"})
	wantCode(t, err, fault.Expired)
}

func TestAnswerByIDIsIdempotentAndOwned(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pending, _ := b.ask(b.mustPost("k1", "go"), chat.Question{Question: "Which?", AllowFreeText: true}, time.Hour)
	in := journal.AnswerInput{Tenant: tenant, UserID: "u1", PendingID: pending, Answer: "this"}
	foreign := in
	foreign.UserID = "u2"
	_, err := journal.Answer(context.Background(), b.db, b.hub, foreign)
	wantCode(t, err, fault.NotFound)
	west := in
	west.Tenant = identity.Tenant{BrandID: "acme", SubsidiaryID: "west"}
	_, err = journal.Answer(context.Background(), b.db, b.hub, west)
	wantCode(t, err, fault.NotFound)

	var all sync.WaitGroup
	var mu sync.Mutex
	replayed := 0
	for range 10 {
		all.Add(1)
		go func() {
			defer all.Done()
			p, err := journal.Answer(context.Background(), b.db, b.hub, in)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if p.Replayed {
				replayed++
			}
		}()
	}
	all.Wait()
	if replayed != 9 {
		t.Errorf("%d of 10 were replays, want 9", replayed)
	}
	other := in
	other.Answer = "that"
	_, err = journal.Answer(context.Background(), b.db, b.hub, other)
	wantCode(t, err, fault.NotPending)
}

func TestBadMessagesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, c := range map[string]struct {
		key, text, answers string
		want               fault.Code
	}{
		"empty":           {"k", " \n ", "", fault.Invalid},
		"too long":        {"k", strings.Repeat("长", 8001), "", fault.Invalid},
		"NUL":             {"k", "a\x00b", "", fault.Invalid},
		"no text":         {"k", "a\xffb", "", fault.Invalid},
		"no key":          {"", "a", "", fault.Invalid},
		"long key":        {strings.Repeat("k", 101), "a", "", fault.Invalid},
		"unknown pending": {"k", "a", "nothing", fault.NotFound},
	} {
		_, err := b.post(c.key, c.text, c.answers)
		if got := fault.CodeOf(err); got != c.want {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, err := b.post("long", strings.Repeat("长", 8000), ""); err != nil {
		t.Errorf("8000 characters: %v", err)
	}
}

func TestConversationOfSomebodyElseIsNotFound(t *testing.T) {
	t.Parallel()
	b := setup(t)
	theirs := b.conversation(tenant, "u2")
	for _, conv := range []string{theirs, "nothing"} {
		_, err := journal.PostMessage(context.Background(), b.db, b.hub, journal.Post{Tenant: tenant, UserID: "u1", ConversationID: conv, Key: "k", Text: "a"})
		wantCode(t, err, fault.NotFound)
		_, err = journal.State(context.Background(), b.db, journal.StateInput{Tenant: tenant, UserID: "u1", ConversationID: conv})
		wantCode(t, err, fault.NotFound)
		_, err = journal.Reopen(context.Background(), b.db, b.hub, tenant, "u1", conv, "")
		wantCode(t, err, fault.NotFound)
	}
}

func TestDeadTurnIsClosedAndTheNextInLineIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.mustPost("k1", "one")
	b.mustPost("k2", "two")
	pending, _ := b.ask(first, chat.Question{Question: "Which?", AllowFreeText: true}, time.Hour)
	b.tx(func(ctx context.Context, tx pgx.Tx, q *pgdb.Queries) error {
		row, err := q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: first.TurnID})
		if err != nil {
			return err
		}
		closed, next, err := journal.CloseTurn(ctx, tx, tenant, row, chat.Failed, fault.Internal)
		if !closed || next == nil || next.N != 2 {
			t.Errorf("closed %v, next %+v", closed, next)
		}
		if closed, _, err := journal.CloseTurn(ctx, tx, tenant, row, chat.Failed, fault.Internal); closed || err != nil {
			t.Errorf("closed twice: %v %v", closed, err)
		}
		return err
	})
	s := b.state()
	if s.Turns[0].Status != chat.Failed || !s.Turns[1].Queued || len(s.Pending) != 0 {
		t.Errorf("state: %+v", s.Turns)
	}
	_, err := b.post("k3", "x", pending)
	wantCode(t, err, fault.NotPending)

	again, err := journal.Reopen(context.Background(), b.db, b.hub, tenant, "u1", b.conv, first.TurnID)
	if err != nil || again.Turn.Status != "running" || again.Turn.WorkflowRun != 2 || again.Turn.Segment != 3 {
		t.Errorf("reopened: %+v %v", again.Turn, err)
	}
	_, err = journal.Reopen(context.Background(), b.db, b.hub, tenant, "u1", b.conv, first.TurnID)
	wantCode(t, err, fault.Conflict)
}

func TestStateOfATurnIsItsLastFinishedStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := b.mustPost("k1", "one")
	reply := func(q *pgdb.Queries, ctx context.Context, step int32) error {
		_, err := q.InsertReply(ctx, pgdb.InsertReplyParams{TenantID: tenant.String(), TurnID: p.TurnID, Step: step, MessageID: "m", Finish: "stop"})
		return err
	}
	want := func(q *pgdb.Queries, ctx context.Context, step int) error {
		s, err := journal.StateOfTurn(ctx, q, tenant, p.TurnID)
		if s.Step != step {
			t.Errorf("step %d, want %d", s.Step, step)
		}
		return err
	}
	b.tx(func(ctx context.Context, _ pgx.Tx, q *pgdb.Queries) error {
		if err := want(q, ctx, 0); err != nil {
			return err
		}
		if err := reply(q, ctx, 1); err != nil {
			return err
		}
		return want(q, ctx, 1)
	})
	b.tx(func(ctx context.Context, _ pgx.Tx, q *pgdb.Queries) error {
		if err := reply(q, ctx, 2); err != nil {
			return err
		}
		err := q.InsertCall(ctx, pgdb.InsertCallParams{TenantID: tenant.String(), CallID: "c2", ConversationID: b.conv, TurnID: p.TurnID, Step: 2,
			ProviderID: "c2", Tool: "read_form", Effect: "read", Risk: "read", Arguments: "{}", ToolSchemaVersion: 1, Status: "started"})
		if err != nil {
			return err
		}
		return want(q, ctx, 1)
	})
}
