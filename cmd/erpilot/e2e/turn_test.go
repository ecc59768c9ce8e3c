package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"go.temporal.io/api/enums/v1"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/modeltest"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// scripted is a world whose model is a server with a script.
func scripted(t *testing.T, script ...modeltest.Step) *world {
	t.Helper()
	server := modeltest.Start(script...)
	t.Cleanup(server.Close)
	m, err := model.New(model.Config{Provider: model.ProviderOpenAI, BaseURL: server.URL(modeltest.OpenAI), APIKey: "sk-x", Model: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return newWorld(t, withModel(m))
}

// begin posts the first message of a new conversation over HTTP.
func (p person) begin(text string) (conversationID string) {
	p.s.w.t.Helper()
	var c struct {
		ConversationID string `json:"conversation_id"`
	}
	p.ok("POST", "/api/conversations", map[string]string{}, &c)
	p.ok("POST", "/api/conversations/"+c.ConversationID+"/messages", map[string]string{"text": text}, nil)
	return c.ConversationID
}

func (w *world) ended(conversationID string, n int) (e event.Ended) {
	w.t.Helper()
	if err := json.Unmarshal(w.event(conversationID, event.TurnEnded, n).Data, &e); err != nil {
		w.t.Fatal(err)
	}
	return e
}

func TestStopReachesAModelThatIsStillTalking(t *testing.T) {
	t.Parallel()
	w := scripted(t, modeltest.Step{Text: "一句没有尽头的话", Fault: modeltest.KeepAlive}, modeltest.Step{Text: "好。"})
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("讲个故事")
	w.eventually("the model to talk", func() bool {
		_, raw := li.do("GET", "/api/conversations/"+c+"/state", nil)
		return strings.Contains(string(raw), "没有尽头")
	})
	li.ok("POST", "/api/conversations/"+c+"/stop", nil, nil)
	if e := w.ended(c, 1); e.Status != "stopped" {
		t.Fatalf("ended %+v", e)
	}
	// The slot is free: the next message runs.
	li.ok("POST", "/api/conversations/"+c+"/messages", map[string]string{"text": "换一个"}, nil)
	if e := w.ended(c, 2); e.Status != "answered" {
		t.Fatalf("ended %+v", e)
	}
}

func TestAFailedTurnGoesOnFromItsStoredStep(t *testing.T) {
	t.Parallel()
	w := scripted(t,
		modeltest.Step{Calls: []modeltest.Call{{ID: "a", Tool: "read_form", Arguments: `{"form":"customer","mode":"count"}`}}},
		modeltest.Step{Status: 401},
		modeltest.Step{Text: "共 220 个客户。"})
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("有多少客户？")
	if e := w.ended(c, 1); e.Status != "failed" {
		t.Fatalf("ended %+v", e)
	}
	li.ok("POST", "/api/conversations/"+c+"/resume", nil, nil)
	if e := w.ended(c, 2); e.Status != "answered" {
		t.Fatalf("after the resume it ended %+v", e)
	}
	reads := 0
	for _, e := range w.journal(c) {
		if e.Type == event.ToolStarted {
			reads++
		}
	}
	if reads != 1 {
		t.Fatalf("%d reads: the stored step was asked for again", reads)
	}
}

func TestNothingFailsBecauseTheDatabaseWasAwayForAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.conversation()
	opID := w.propose(c, orderMessage)
	row := w.status(opID, operation.AwaitingApproval)
	w.event(c, event.TurnSuspended, 1)
	// Whoever wants to journal for this conversation now waits.
	release := w.hold(`SELECT FROM conversations WHERE conversation_id = '` + c + `' FOR UPDATE`)
	if err := w.parts.Temporal.SignalWorkflow(t.Context(), contract.OperationWorkflowID(opID), "", contract.SignalDecide, w.decision(row, operation.Approve)); err != nil {
		t.Fatal(err)
	}
	w.eventually("the local activity to give up", func() bool {
		it := w.parts.Temporal.GetWorkflowHistory(t.Context(), contract.OperationWorkflowID(opID), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for it.HasNext() {
			e, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == contract.AuthoriseDecision {
				return true
			}
		}
		return false
	})
	release()
	w.status(opID, operation.Executed)
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Fatalf("ended %+v", e)
	}
}

// absent is an ERP that does not answer for a while.
type absent struct {
	erp.Connector
	left atomic.Int32
}

func (a *absent) Forms(ctx context.Context, id erp.Identity) ([]nouns.Form, error) {
	if a.left.Add(-1) >= 0 {
		return nil, fault.New(fault.Unavailable)
	}
	return a.Connector.Forms(ctx, id)
}

func TestATurnOutlastsAnERPThatIsAwayLongerThanItsAttempts(t *testing.T) {
	t.Parallel()
	a := &absent{}
	a.left.Store(5) // an activity has four attempts
	w := newWorld(t, withERP(func(e erp.Connector) erp.Connector { a.Connector = e; return a }))
	c := w.conversation()
	w.say(c, "有多少客户？")
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Fatalf("ended %+v", e)
	}
}

func TestNoTokenReachesTemporal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	li := w.site().as("yunfan", "shanghai", "li")
	card := li.proposal()
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, "yes"), nil)
	w.status(card.OpID, operation.Executed)
	w.event(card.ConversationID, event.TurnEnded, 1)
	secret := li.token[strings.LastIndex(li.token, ".")+1:]
	if len(secret) < 40 {
		t.Fatalf("the token has no secret part of length: %d", len(secret))
	}
	for id, h := range w.histories() {
		if strings.Contains(h.String(), secret) || strings.Contains(h.String(), "demo1234") {
			t.Errorf("the history of %s holds the token or the password", id)
		}
	}
}
