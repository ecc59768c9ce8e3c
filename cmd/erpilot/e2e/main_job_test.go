package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
)

const orderMessage = "给上海晨光贸易有限公司下一张订单：10 箱龙井绿茶、5 箱茉莉花茶"

// propose asks for an order and returns the operation that waits.
func (w *world) propose(conversationID, text string) string {
	w.t.Helper()
	w.say(conversationID, text)
	var a event.Approval
	if err := json.Unmarshal(w.event(conversationID, event.ApprovalPending, 1).Data, &a); err != nil {
		w.t.Fatal(err)
	}
	return a.OpID
}

func TestAQuestionIsAnsweredFromTheERP(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.conversation()
	w.say(c, "华东客户有哪些？")
	var m event.Message
	w.event(c, event.TurnEnded, 1)
	events := w.journal(c)
	for _, e := range events {
		if e.Type == event.MessageStored {
			if err := json.Unmarshal(e.Data, &m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !strings.Contains(m.Text, "| ") || !strings.Contains(m.Text, "晨光") {
		t.Fatalf("the answer is no table of customers: %q", m.Text)
	}
}

func TestAConfirmedOrderIsWrittenOnceAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.orders()
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	if w.orders() != before {
		t.Fatal("something was written before the confirmation")
	}
	state, err := w.decide(w.decision(row, operation.Approve))
	if err != nil {
		t.Fatal(err)
	}
	if state.Status != operation.Approved {
		t.Fatalf("the decision was answered with %s", state.Status)
	}
	row = w.status(opID, operation.Executed)
	if row.ResultBill == "" || w.orders() != before+1 {
		t.Fatalf("bill %q, %d orders more", row.ResultBill, w.orders()-before)
	}
	w.event(c, event.TurnEnded, 1)
	for _, e := range w.journal(c) {
		t.Log(e.Seq, e.Type, string(e.Data)[:min(len(e.Data), 300)])
	}
}
