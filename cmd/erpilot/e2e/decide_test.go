package e2e

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// codeOf is the code of a typed refusal of an update.
func codeOf(err error) fault.Code {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return fault.Code(app.Type())
	}
	return ""
}

func TestADecisionThatDoesNotFitIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	for _, x := range []struct {
		name  string
		spoil func(d *operation.Decision)
		code  fault.Code
	}{
		{"another pending", func(d *operation.Decision) { d.PendingID = uuid.NewString() }, fault.StaleDecision},
		{"another revision", func(d *operation.Decision) { d.Revision = 2 }, fault.StaleDecision},
		{"another digest", func(d *operation.Decision) { d.Digest = strings.Repeat("0", 64) }, fault.StaleDecision},
		{"another operation", func(d *operation.Decision) { d.OpID = uuid.NewString() }, fault.StaleDecision},
		{"no decision id", func(d *operation.Decision) { d.DecisionID = "" }, fault.Invalid},
		{"an unknown verb", func(d *operation.Decision) { d.Decision = "maybe" }, fault.Invalid},
		{"no proof", func(d *operation.Decision) { d.Proof = "" }, fault.Unverified},
		{"a proof for another verb", func(d *operation.Decision) { d.Decision = operation.Reject }, fault.Unverified},
		{"a forged proof", func(d *operation.Decision) { d.Proof = "1.abc.web.AAAA.li" }, fault.Unverified},
	} {
		t.Run(x.name, func(t *testing.T) {
			d := w.decision(row, operation.Approve)
			x.spoil(&d)
			if err := w.update(opID, contract.UpdateDecide, d, nil); codeOf(err) != x.code {
				t.Fatalf("answered with %v, want %s", err, x.code)
			}
			if row := w.op(opID); row.Status != string(operation.AwaitingApproval) {
				t.Fatalf("the operation became %s", row.Status)
			}
		})
	}
}

func TestSomeoneElseCannotDecideUnderPolicySelf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	for _, verb := range []operation.Verb{operation.Approve, operation.Reject, operation.Cancel} {
		d := w.decision(row, verb)
		d.Actor = "wang"
		d.Proof = operation.Sign(w.parts.Key, d, w.tenant.String(), "wang", operation.ChannelWeb, time.Now())
		if _, err := w.decide(d); codeOf(err) != fault.NotAllowedToDecide {
			t.Fatalf("%s by someone else: %v", verb, err)
		}
	}
	w.event(c, event.DecisionRefused, 3)
}

func TestTenUpdatesAtOnceWriteOneOrderAndTellEachTheTruth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	var mu sync.Mutex
	won, told := 0, map[fault.Code]int{}
	var all sync.WaitGroup
	for range 10 { // Temporal's own limit of updates in flight; the gateway never sends two
		d := w.decision(row, operation.Approve)
		all.Go(func() {
			_, err := w.decide(d)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
				return
			}
			told[codeOf(err)]++
		})
	}
	all.Wait()
	w.status(opID, operation.Executed)
	t.Logf("won %d, told %v", won, told)
	if won != 1 || told[fault.AlreadyDecided] != 9 || w.orders() != before+1 {
		t.Fatalf("%d decisions won, %d orders", won, w.orders()-before)
	}
}

func TestTheSameDecisionAgainGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	d := w.decision(w.status(opID, operation.AwaitingApproval), operation.Approve)
	first, err := w.decide(d)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.decide(d) // the same update id joins the first
	if err != nil || again.Status != first.Status {
		t.Fatalf("first %s, again %s, %v", first.Status, again.Status, err)
	}
	w.status(opID, operation.Executed)
	if w.orders() != before+1 {
		t.Fatalf("%d orders", w.orders()-before)
	}
}

func TestARejectedAndACancelledProposalWriteNothingAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	for verb, want := range map[operation.Verb]operation.Status{operation.Reject: operation.Rejected, operation.Cancel: operation.Cancelled} {
		c := w.conversation()
		opID := w.propose(c, orderMessage)
		state, err := w.decide(w.decision(w.status(opID, operation.AwaitingApproval), verb))
		if err != nil || state.Status != want {
			t.Fatalf("%s: %s, %v", verb, state.Status, err)
		}
		w.event(c, event.TurnEnded, 1)
	}
	if w.orders() != before {
		t.Fatalf("%d orders", w.orders()-before)
	}
}

func TestAProposalExpiresAtItsDeadlineAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withTTL(2*time.Second))
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.op(opID)
	w.status(opID, operation.Expired)
	_, err := w.decide(w.decision(row, operation.Approve))
	if err == nil {
		t.Fatal("a late approval was accepted")
	}
	w.event(c, event.TurnEnded, 1)
	var result string
	w.tx(func(q *pgdb.Queries) error {
		call, err := q.Call(t.Context(), pgdb.CallParams{TenantID: w.tenant.String(), CallID: *row.CallID})
		result = string(call.Result)
		return err
	})
	if !strings.Contains(result, `"expired"`) || w.orders() != before {
		t.Fatalf("the model reads %s, %d orders", result, w.orders()-before)
	}
}

func TestAnEditMakesANewRevisionAndTheOldPendingIsSuperseded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	old := w.status(opID, operation.AwaitingApproval)
	payload := strings.Replace(string(old.Requested), `"10"`, `"7"`, 1)
	if payload == string(old.Requested) {
		t.Fatalf("the payload has no quantity of 10: %s", payload)
	}
	w.tx(func(q *pgdb.Queries) error {
		return q.InsertOperationEdit(t.Context(), pgdb.InsertOperationEditParams{TenantID: w.tenant.String(), RevisionID: "edit-1", OpID: opID,
			Payload: []byte(payload), Actor: w.user.UserID})
	})
	var state contract.OperationState
	if err := w.update(opID, contract.UpdateRevise, contract.Revision{RevisionID: "edit-1", Actor: w.user.UserID, Proof: w.prove(operation.ReviseClaim(opID, "edit-1"))}, &state); err != nil {
		t.Fatal(err)
	}
	row := w.op(opID)
	if state.Revision != 2 || state.Digest == old.Digest || state.PendingID == old.PendingID || row.Digest != state.Digest {
		t.Fatalf("after the edit: %+v", state)
	}
	if _, err := w.decide(w.decision(old, operation.Approve)); codeOf(err) != fault.StaleDecision {
		t.Fatalf("the old revision was decided: %v", err)
	}
	if _, err := w.decide(w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	row = w.status(opID, operation.Executed)
	if !strings.HasSuffix(row.ClientToken, ":2") || !slices.Contains(row.EditedBy, w.user.UserID) {
		t.Fatalf("token %s, edited by %v", row.ClientToken, row.EditedBy)
	}
}
