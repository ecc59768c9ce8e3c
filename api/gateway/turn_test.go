package gateway_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/workflows/contract"
)

// input asks the stub turn what it was started with.
func (k *backend) input(conv string, n int) (in contract.TurnInput, err error) {
	v, err := k.client.QueryWorkflow(context.Background(), contract.TurnWorkflowID(conv, n), "", "input")
	if err != nil {
		return in, err
	}
	return in, v.Get(&in)
}

func TestPostStartsTheTurnOnceAndStopEndsIt(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	var first string
	for range 2 {
		a := b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "hi"}, "Idempotency-Key", "k1")
		v := a.json(t)
		if a.status != http.StatusAccepted || (first != "" && v["turn_id"] != first) {
			t.Fatalf("post: %d %s", a.status, a.body)
		}
		first, _ = v["turn_id"].(string)
	}
	in, err := k.input(conv, 1)
	if err != nil || in.TurnID != first || in.UserID != "u1" || in.Queued || in.Segment != 1 || in.Limits.Steps != 12 {
		t.Errorf("input %+v %v", in, err)
	}
	b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "more"}, "Idempotency-Key", "k2")
	if in, err := k.input(conv, 2); err != nil || !in.Queued {
		t.Errorf("second input %+v %v", in, err)
	}
	if a := b.do("POST", "/api/conversations/"+conv+"/stop", nil); a.status != http.StatusAccepted || a.json(t)["turn_id"] != first {
		t.Errorf("stop: %d %s", a.status, a.body)
	}
	if err := k.client.GetWorkflow(context.Background(), contract.TurnWorkflowID(conv, 1), "").Get(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

func TestSweepStartsATurnThatNobodyStarted(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	young := b.turn(conv, time.Now())
	b.Sweep(context.Background())
	if _, err := k.input(conv, int(young.N)); err == nil {
		t.Error("a turn that is about to be started was started by the sweep")
	}
	b.exec("UPDATE turns SET started_at = now() - interval '1 min'")
	b.Sweep(context.Background())
	if in, err := k.input(conv, int(young.N)); err != nil || in.TurnID != young.TurnID {
		t.Errorf("input %+v %v", in, err)
	}
}

func TestTurnWhoseWorkflowWasTerminatedIsStoppedAndTheNextOneMayRun(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	for _, key := range []string{"k1", "k2"} {
		b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "hi"}, "Idempotency-Key", key)
	}
	if err := k.client.TerminateWorkflow(context.Background(), contract.TurnWorkflowID(conv, 1), "", "operator"); err != nil {
		t.Fatal(err)
	}
	b.exec("UPDATE turns SET started_at = now() - interval '1 min'")
	b.Sweep(context.Background())
	if n := b.count("SELECT count(*) FROM turns WHERE n = 1 AND status = 'stopped'"); n != 1 {
		t.Error("the row does not say so")
	}
	b.stream(conv).until("erpilot.turn_ended")
	eventually(t, "the next turn is told that it may run", func() bool {
		v, err := k.client.QueryWorkflow(context.Background(), contract.TurnWorkflowID(conv, 2), "", "granted")
		granted := false
		return err == nil && v.Get(&granted) == nil && granted
	})
}

func TestResumeStartsAnotherRunFromTheStoredStep(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure)
	k.work()
	conv := b.conversation()
	b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "hi"}, "Idempotency-Key", "k1")
	if a := b.do("POST", "/api/conversations/"+conv+"/resume", nil); a.code() != "conflict" {
		t.Errorf("a running turn is resumed: %d %s", a.status, a.body)
	}
	b.do("POST", "/api/conversations/"+conv+"/stop", nil)
	if err := k.client.GetWorkflow(context.Background(), contract.TurnWorkflowID(conv, 1), "").Get(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	b.exec("UPDATE turns SET status = 'limit', ended_at = now()")
	b.exec(`INSERT INTO replies (tenant_id, turn_id, step, message_id, text, finish, model)
		SELECT tenant_id, turn_id, 12, 'm', '', 'tool_calls', 'demo' FROM turns`)
	if a := b.do("POST", "/api/conversations/"+conv+"/resume", nil); a.status != http.StatusAccepted {
		t.Fatalf("resume: %d %s", a.status, a.body)
	}
	in, err := k.input(conv, 1)
	if err != nil || in.State.Step != 12 || in.Limits.Steps != 24 || in.Segment != 2 {
		t.Errorf("input %+v %v", in, err)
	}
	// Reopened, and the gateway died before the start: the sweep starts it.
	b.do("POST", "/api/conversations/"+conv+"/stop", nil)
	if err := k.client.GetWorkflow(context.Background(), contract.TurnWorkflowID(conv, 1), "").Get(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	b.exec("UPDATE turns SET workflow_run = 3, segment = 3, started_at = now() - interval '1 min'")
	b.Sweep(context.Background())
	eventually(t, "the third run", func() bool {
		in, err := k.input(conv, 1)
		return err == nil && in.Segment == 3
	})
}

func TestAnswerWakesTheTurnThatAsked(t *testing.T) {
	t.Parallel()
	k := newBackend(t)
	b := setup(t, k.configure, func(c *gateway.Config) { c.DecideBudget = 4 * time.Second })
	k.work()
	conv := b.conversation()
	a := b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "hi"}, "Idempotency-Key", "k1")
	turnID := a.json(t)["turn_id"]
	for i, answer := range []string{"by message", "by id"} {
		pending := uuid.NewString()
		b.exec(`INSERT INTO pendings (tenant_id, pending_id, conversation_id, turn_id, user_id, kind, status, prompt, deadline)
			VALUES ('acme.east', $1, $2, $3, 'u1', 'question', 'open', '{"question":"?","allow_free_text":true}', now() + interval '1 h')`, pending, conv, turnID)
		if i == 0 {
			a = b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": answer}, "Idempotency-Key", "k2")
		} else {
			a = b.do("POST", "/api/pending/"+pending+"/answer", map[string]string{"answer": answer})
		}
		if v := a.json(t); a.status != http.StatusAccepted || v["turn_id"] != turnID || v["answers"] != pending {
			t.Errorf("%s: %d %s", answer, a.status, a.body)
		}
		var answered []string
		v, err := k.client.QueryWorkflow(context.Background(), contract.TurnWorkflowID(conv, 1), "", "answered")
		if err != nil || v.Get(&answered) != nil || len(answered) != i+1 || answered[i] != pending {
			t.Errorf("the turn was told %v, %v", answered, err)
		}
	}
}
