package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// person is someone with a token at a site.
type person struct {
	s     *site
	token string
}

// as logs a demo user of a tenant in over HTTP.
func (s *site) as(brand, subsidiary, username string) person {
	s.w.t.Helper()
	p := person{s: s}
	var out struct {
		Token string `json:"token"`
	}
	p.ok("POST", "/api/login", map[string]string{"brand": brand, "subsidiary": subsidiary, "username": username, "password": "demo1234"}, &out)
	p.token = out.Token
	return p
}

// do sends a request and returns status and body.
func (p person) do(method, path string, body any) (int, []byte) {
	p.s.w.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		p.s.w.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(p.s.w.t.Context(), method, "http://"+p.s.addr+path, bytes.NewReader(raw))
	if err != nil {
		p.s.w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", uuid.NewString())
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		p.s.w.t.Error(err)
		return 0, nil
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		p.s.w.t.Error(err)
	}
	return resp.StatusCode, out
}

// ok is do for what must succeed.
func (p person) ok(method, path string, body, into any) {
	p.s.w.t.Helper()
	status, raw := p.do(method, path, body)
	if status >= 300 {
		p.s.w.t.Fatalf("%s %s: %d %s", method, path, status, raw)
	}
	if into != nil {
		if err := json.Unmarshal(raw, into); err != nil {
			p.s.w.t.Fatal(err)
		}
	}
}

// proposal asks for an order in a new conversation and returns what waits.
func (p person) proposal() operation.Card {
	p.s.w.t.Helper()
	var c struct {
		ConversationID string `json:"conversation_id"`
	}
	p.ok("POST", "/api/conversations", map[string]string{}, &c)
	p.ok("POST", "/api/conversations/"+c.ConversationID+"/messages", map[string]string{"text": orderMessage}, nil)
	var a event.Approval
	if err := json.Unmarshal(p.s.w.event(c.ConversationID, event.ApprovalPending, 1).Data, &a); err != nil {
		p.s.w.t.Fatal(err)
	}
	return p.card(a.OpID)
}

func (p person) card(opID string) (card operation.Card) {
	p.s.w.t.Helper()
	p.ok("GET", "/api/op/"+opID, nil, &card)
	return card
}

// confirmation is the body by which a card is confirmed or cancelled.
func confirmation(c operation.Card, decisionID string) map[string]any {
	return map[string]any{"pending_id": c.PendingID, "revision": c.Revision, "digest": c.Digest, "decision_id": decisionID}
}

// problem is problem+json.
type problem struct {
	Code   string            `json:"code"`
	Title  string            `json:"title"`
	Params map[string]string `json:"params"`
}

func problemOf(t *testing.T, raw []byte) (p problem) {
	t.Helper()
	if err := json.Unmarshal(raw, &p); err != nil || p.Code == "" || p.Title == "" {
		t.Fatalf("no problem with a code and a sentence: %s", raw)
	}
	return p
}

func TestFiftyConfirmsOverHTTPWriteOneOrderAndTellEachTheTruth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	li := s.as("yunfan", "shanghai", "li")
	before := w.orders()
	card := li.proposal()
	var mu sync.Mutex
	told := map[string]int{}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			status, raw := li.do("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, uuid.NewString()))
			mu.Lock()
			defer mu.Unlock()
			switch status {
			case http.StatusOK:
				told["won"]++
			case http.StatusConflict:
				p := problemOf(t, raw)
				told[p.Code]++
				if p.Params["by"] == "" || p.Params["at"] == "" {
					t.Errorf("the loser was not told by whom and when: %s", raw)
				}
			default:
				t.Errorf("answered %d %s", status, raw)
			}
		})
	}
	all.Wait()
	w.status(card.OpID, operation.Executed)
	if told["won"] != 1 || told["already_decided"] != 49 || w.orders() != before+1 {
		t.Fatalf("told %v, %d orders", told, w.orders()-before)
	}
}

func TestALateConfirmIsToldThatItExpired(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withTTL(2*time.Second))
	li := w.site().as("yunfan", "shanghai", "li")
	before := w.orders()
	card := li.proposal()
	w.status(card.OpID, operation.Expired)
	status, raw := li.do("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, "late"))
	if p := problemOf(t, raw); status != http.StatusConflict || p.Code != "expired" || w.orders() != before {
		t.Fatalf("answered %d %s, %d orders", status, raw, w.orders()-before)
	}
}

func TestATerminatedOperationSaysCancelledByAnOperator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	before := w.orders()
	card := li.proposal()
	if err := w.parts.Temporal.TerminateWorkflow(t.Context(), contract.OperationWorkflowID(card.OpID), "", "by hand"); err != nil {
		t.Fatal(err)
	}
	w.eventually("the row to be mended", func() bool { return li.card(card.OpID).Status == operation.Cancelled })
	card = li.card(card.OpID)
	if card.Decided == nil || card.Decided.Channel != operation.ChannelOperator {
		t.Fatalf("the card says %+v", card.Decided)
	}
	status, raw := li.do("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, "late"))
	if p := problemOf(t, raw); status != http.StatusConflict || p.Params["channel"] != string(operation.ChannelOperator) || w.orders() != before {
		t.Fatalf("a confirm is answered %d %s", status, raw)
	}
	// The turn that proposed it goes on and tells the person.
	w.event(card.ConversationID, event.OperationResult, 1)
	w.event(card.ConversationID, event.TurnEnded, 1)
}

func TestADecisionWithoutAWorkerIsQueuedAndCountsOnceOneIsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	before := w.orders()
	card := li.proposal()
	w.event(card.ConversationID, event.TurnSuspended, 1)
	w.worker.Stop()
	status, raw := li.do("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, "queued"))
	if status != http.StatusAccepted || !strings.Contains(string(raw), "queued") {
		t.Fatalf("answered %d %s", status, raw)
	}
	if w.orders() != before {
		t.Fatal("written without a worker")
	}
	w.startWorker()
	row := w.status(card.OpID, operation.Executed)
	if n := w.orders() - before; n != 1 || row.DecidedVia == nil || *row.DecidedVia != string(operation.ChannelWeb) {
		t.Fatalf("%d orders, decided via %v", n, row.DecidedVia)
	}
}

func TestForeignIdsAreNotFoundWhoeverAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	card := s.as("yunfan", "shanghai", "li").proposal()
	body := confirmation(card, "mine")
	for _, who := range []person{s.as("yunfan", "shanghai", "smith"), s.as("yunfan", "shanghai", "wang"), s.as("hengtai", "shanghai", "li"), s.as("yunfan", "shenzhen", "li")} {
		for _, x := range []struct {
			method, path string
			body         any
		}{
			{"GET", "/api/conversations/" + card.ConversationID, nil},
			{"GET", "/api/conversations/" + card.ConversationID + "/state", nil},
			{"GET", "/api/conversations/" + card.ConversationID + "/events", nil},
			{"PATCH", "/api/conversations/" + card.ConversationID, map[string]string{"title": "mine"}},
			{"DELETE", "/api/conversations/" + card.ConversationID, nil},
			{"POST", "/api/conversations/" + card.ConversationID + "/messages", map[string]string{"text": "hello"}},
			{"POST", "/api/conversations/" + card.ConversationID + "/stop", nil},
			{"POST", "/api/conversations/" + card.ConversationID + "/resume", nil},
			{"POST", "/api/pending/" + card.PendingID + "/answer", map[string]string{"answer": "yes"}},
			{"GET", "/api/op/" + card.OpID, nil},
			{"GET", "/api/op/" + card.OpID + "/status", nil},
			{"POST", "/api/op/" + card.OpID + "/confirm", body},
			{"POST", "/api/op/" + card.OpID + "/cancel", body},
			{"POST", "/api/op/" + card.OpID + "/repropose", nil},
			{"POST", "/api/op/" + card.OpID + "/retry", nil},
		} {
			status, raw := who.do(x.method, x.path, x.body)
			if p := problemOf(t, raw); status != http.StatusNotFound || p.Code != "not_found" {
				t.Errorf("%s %s: %d %s", x.method, strings.Split(x.path, "/")[2], status, raw)
			}
		}
	}
	if row := w.op(card.OpID); row.Status != string(operation.AwaitingApproval) {
		t.Fatalf("someone else moved the operation to %s", row.Status)
	}
}

func TestOneRunningTurnManyWaitingAndTheNextRunsWhenTheSlotIsFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	card := li.proposal() // turn 1 waits for the approval and holds nothing
	c := card.ConversationID
	for i := range 4 {
		li.ok("POST", "/api/conversations/"+c+"/messages", map[string]string{"text": fmt.Sprintf("有多少客户？(%d)", i)}, nil)
	}
	w.event(c, event.TurnEnded, 4)
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, "now"), nil)
	w.status(card.OpID, operation.Executed)
	w.event(c, event.TurnEnded, 5)
	running := 0
	for _, e := range w.journal(c) {
		switch e.Type {
		case event.TurnStarted:
			var d event.Started
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			if !d.Queued {
				running++
			}
		case event.TurnResumed:
			running++
		case event.TurnSuspended, event.TurnEnded:
			running--
		}
		if running > 1 {
			t.Fatalf("%d turns run at once at %d", running, e.Seq)
		}
	}
}

func TestADraftThatIsProposedAgainCancelsTheOlderProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	old := li.proposal()
	p, err := w.parts.Operations().Repropose(t.Context(), w.tenant, "li", old.OpID)
	if err == nil {
		t.Fatalf("an open operation was proposed again as %s", p.OpID)
	}
	li.ok("POST", "/api/op/"+old.OpID+"/cancel", confirmation(old, "no"), nil)
	w.status(old.OpID, operation.Cancelled)
	var fresh operation.Card
	li.ok("POST", "/api/op/"+old.OpID+"/repropose", nil, &fresh)
	w.status(fresh.OpID, operation.AwaitingApproval)
	if card := li.card(old.OpID); card.ReplacedBy != fresh.OpID {
		t.Fatalf("the old card is replaced by %q", card.ReplacedBy)
	}
}

func TestDeletingAConversationAsksAboutWhatIsOpenAndThenCancelsIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	before := w.orders()
	card := li.proposal()
	w.status(card.OpID, operation.AwaitingApproval)
	path := "/api/conversations/" + card.ConversationID
	status, raw := li.do("DELETE", path, nil)
	if p := problemOf(t, raw); status != http.StatusConflict || p.Code != "pending_open" {
		t.Fatalf("answered %d %s", status, raw)
	}
	li.ok("DELETE", path+"?cancel_pending=1", nil, nil)
	row := w.status(card.OpID, operation.Cancelled)
	if row.DecidedBy == nil || *row.DecidedBy != "li" || w.orders() != before {
		t.Fatalf("cancelled by %v, %d orders", row.DecidedBy, w.orders()-before)
	}
	if status, raw := li.do("GET", path, nil); status != http.StatusNotFound {
		t.Fatalf("the conversation is still there: %d %s", status, raw)
	}
}
