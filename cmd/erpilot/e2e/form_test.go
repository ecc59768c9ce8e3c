package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/activities/model/modeltest"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
)

// form waits for the first form that the conversation asks for.
func (w *world) form(conversationID string) (f event.Form) {
	w.t.Helper()
	if err := json.Unmarshal(w.event(conversationID, event.FormAsked, 1).Data, &f); err != nil {
		w.t.Fatal(err)
	}
	return f
}

func TestAFormFilledInBecomesADraftAndAProposal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("新建报价单")
	f := w.form(c)
	if f.Form != "quotation" || f.Title == "" {
		t.Fatalf("%+v", f)
	}
	// A reload shows it; a message does not answer it, nor does what is no object.
	var state chat.State
	li.ok("GET", "/api/conversations/"+c+"/state", nil, &state)
	if len(state.Pending) != 1 || state.Pending[0].Kind != chat.KindForm || state.Pending[0].Form.Form != "quotation" {
		t.Fatalf("%+v", state.Pending)
	}
	for _, bad := range []string{"", "yes", "[]", "{}", `{"customer"`, strings.Repeat("x", 40<<10)} {
		if p := li.refused(http.StatusBadRequest, "/api/pending/"+f.PendingID+"/answer", map[string]string{"answer": bad}); p.Code != string(fault.Invalid) {
			t.Errorf("%.20q: %+v", bad, p)
		}
	}
	wang := w.site().as("yunfan", "shanghai", "wang")
	answer := map[string]string{"answer": `{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"3"}]}`}
	if p := wang.refused(http.StatusNotFound, "/api/pending/"+f.PendingID+"/answer", answer); p.Code != string(fault.NotFound) {
		t.Errorf("another person's answer: %+v", p)
	}
	li.ok("POST", "/api/pending/"+f.PendingID+"/answer", answer, nil)
	li.ok("POST", "/api/pending/"+f.PendingID+"/answer", answer, nil) // a second press says the same
	k := &talk{w: w, c: c}
	row := k.confirm("quotation", "create")
	if row.DraftID == nil || !strings.HasPrefix(row.ResultBill, "QT-") {
		t.Errorf("%+v", row)
	}
	if got := k.answer(); !strings.Contains(got, row.ResultBill) {
		t.Errorf("answer %q", got)
	}
	other := map[string]string{"answer": `{"customer":"C-0002","lines":[{"product":"P-0001","quantity":"3"}]}`}
	if p := li.refused(http.StatusConflict, "/api/pending/"+f.PendingID+"/answer", other); p.Code != string(fault.NotPending) {
		t.Errorf("a late answer: %+v", p)
	}
}

func TestAFormThatThePersonMayNotFillInIsRefusedToTheModel(t *testing.T) {
	t.Parallel()
	w := scripted(t,
		modeltest.Step{Calls: []modeltest.Call{{ID: "a", Tool: "collect_form", Arguments: `{"form":"product","title":"Please"}`}}},
		modeltest.Step{Calls: []modeltest.Call{{ID: "b", Tool: "collect_form", Arguments: `{"form":"no_such_form","title":"Please"}`}}},
		modeltest.Step{Text: "No."})
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("make a product")
	if e := w.ended(c, 1); e.Status != string(chat.Answered) {
		t.Fatalf("%+v", e)
	}
	denied := 0
	for _, e := range w.journal(c) {
		if e.Type == event.FormAsked {
			t.Error("a form was shown")
		}
		if e.Type == event.ToolFinished && strings.Contains(string(e.Data), string(fault.PermissionDenied)) {
			denied++
		}
	}
	if denied != 2 {
		t.Errorf("%d calls were denied, want 2", denied)
	}
}

func TestAFormIsFilledInInTheConversation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, brisk(t))
	s := w.site()
	tab := browser.Start(t).Tab(t)
	s.enter(tab, "zh")
	ask(tab, "新建报价单")
	tab.See(".asked", "提交给助手")
	tab.Axe("form")
	pick := func(selector, text, hit string) {
		tab.Type(selector, text)
		tab.See(".asked .lookup .choices:not([hidden]) li.at", hit)
		tab.Press("\r")
	}
	pick("#f-customer", "C-0001", "C-0001")
	pick(".asked [data-column=product] input", "P-0001", "P-0001")
	tab.Type(".asked [data-column=quantity] input", "3")
	tab.Until("document.querySelector('.asked .total strong')?.innerText.includes('1,711.20')")
	shoot(tab, "e2e-form")
	tab.Reload() // what was not sent is gone, and the form is still asked for
	tab.See(".asked", "提交给助手")
	pick("#f-customer", "C-0001", "C-0001")
	pick(".asked [data-column=product] input", "P-0001", "P-0001")
	tab.Type(".asked [data-column=quantity] input", "3")
	tab.Until("document.querySelector('.asked .total strong')?.innerText.includes('1,711.20')")
	tab.Click(".asked [data-save=main]")
	tab.See(".asked.q-answered", "已提交")
	tab.Until("document.querySelector('.card [data-verb=approve]')")
	tab.Click("[data-verb=approve]")
	tab.Until("document.querySelector('.card.st-executed .bill')?.innerText.startsWith('QT-')")
	tab.Reload()
	tab.See(".asked.q-answered", "已提交")
}
