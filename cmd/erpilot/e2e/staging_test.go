package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/modeltest"
	opact "github.com/erpilot/erpilot/activities/operation"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// proposing is a world whose model proposes each of the changes in turn, each
// after the one before has an outcome, and then says that it is done. Changes of
// customers are finished in the native form; all others execute by themselves.
func proposing(t *testing.T, handoff time.Duration, changes ...string) *world {
	t.Helper()
	var script []modeltest.Step
	for i, c := range changes {
		script = append(script, modeltest.Step{Text: "请确认。", Calls: []modeltest.Call{{ID: "call-" + strconv.Itoa(i), Tool: "propose_write", Arguments: c}}})
	}
	server := modeltest.Start(append(script, modeltest.Step{Text: "办好了。"})...)
	t.Cleanup(server.Close)
	m, err := model.New(model.Config{Provider: model.ProviderOpenAI, BaseURL: server.URL(modeltest.OpenAI), APIKey: "sk-x", Model: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, withModel(m), func(w *world) { w.parts.Operation.HandoffTTL = handoff })
	w.manual("customer", "update", true)
	w.manual("product", "update", false)
	w.relay()
	return w
}

// manual says, as the owner of the database, who finishes an action.
func (w *world) manual(form, action string, manual bool) {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(w.t.Context()))
	tag, err := conn.Exec(w.t.Context(), `UPDATE erp.form_actions SET manual = $3 WHERE form = $1 AND action = $2`, form, action, manual)
	if err != nil || tag.RowsAffected() == 0 {
		w.t.Fatalf("%s %s was not made manual: %v", form, action, err)
	}
}

// relay carries the outbox in this process until the test ends.
func (w *world) relay() {
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		opact.NewRelay(w.parts.Operations(), w.parts.Log).Run(ctx)
	}()
	w.t.Cleanup(func() { cancel(); <-done })
}

// telephone proposes another telephone number of a customer.
func telephone(customer, number string) string {
	return `{"form":"customer","action":"update","target":"` + customer + `","changes":{"phone":"` + number + `"},"reason":"test"}`
}

// proposed begins a conversation and returns the nth operation that waits in it.
func (p person) proposed(c string, n int) operation.Card {
	p.s.w.t.Helper()
	var a event.Approval
	if err := json.Unmarshal(p.s.w.event(c, event.ApprovalPending, n).Data, &a); err != nil {
		p.s.w.t.Fatal(err)
	}
	p.s.w.status(a.OpID, operation.AwaitingApproval)
	return p.card(a.OpID)
}

// handed proposes and confirms what the native form takes over.
func (p person) handed(c string) operation.Card {
	p.s.w.t.Helper()
	card := p.proposed(c, 1)
	p.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, uuid.NewString()), nil)
	p.s.w.status(card.OpID, operation.HandedOff)
	return p.card(card.OpID)
}

// saving is what the native page sends for an update of a customer.
func saving(card operation.Card, version, phone string) map[string]any {
	return map[string]any{"action": "update", "target": card.Preview.Target, "payload": map[string]string{"phone": phone}, "version": version,
		"token": uuid.NewString(), "staging": card.OpID}
}

const customerRecords = "/erp/api/forms/customer/records"

// customer reads a customer as its page shows it.
func (p person) customer(code string) (phone, version string) {
	p.s.w.t.Helper()
	var page struct {
		Record map[string]any `json:"record"`
	}
	p.ok("POST", "/erp/api/forms/customer/read", map[string]any{"mode": "record", "id": code}, &page)
	raw, err := json.Marshal(page.Record["version"])
	if err != nil {
		p.s.w.t.Fatal(err)
	}
	phone, _ = page.Record["phone"].(string)
	return phone, strings.Trim(string(raw), `"`)
}

// refused sends what must be refused, and returns why.
func (p person) refused(status int, path string, body any) problem {
	p.s.w.t.Helper()
	got, raw := p.do("POST", path, body)
	if got != status {
		p.s.w.t.Fatalf("%s: %d %s, want %d", path, got, raw, status)
	}
	return problemOf(p.s.w.t, raw)
}

func (w *world) result(opID string) string {
	w.t.Helper()
	var result string
	w.tx(func(q *pgdb.Queries) error {
		call, err := q.Call(w.t.Context(), pgdb.CallParams{TenantID: w.tenant.String(), CallID: *w.op(opID).CallID})
		result = string(call.Result)
		return err
	})
	return result
}

// count counts rows of the tenant.
func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	err := w.parts.DB.Tx(w.t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&n)
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

func TestAManualChangeIsSavedInTheNativeFormAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	old, version := li.customer("C-0001")
	c := li.begin("改电话")
	card := li.proposed(c, 1)
	if !card.Manual || card.Open != "" {
		t.Fatalf("before it is confirmed: manual %v, open %q", card.Manual, card.Open)
	}
	staging := "/erp/api/staging/" + card.OpID
	if p := li.refused(409, customerRecords, saving(card, version, "021-1111")); p.Code != "not_pending" {
		t.Errorf("saved before it was confirmed: %+v", p)
	}
	if p := li.refused(409, staging+"/execute", nil); p.Code != "not_pending" {
		t.Errorf("executed before it was confirmed: %+v", p)
	}
	card = li.handed(c)
	if card.Open != "/erp/form/customer?staging="+card.OpID || time.Until(card.Deadline) < 6*24*time.Hour {
		t.Errorf("handed off: open %q until %s", card.Open, card.Deadline)
	}
	// What the page asks for, once and once more after a reload.
	for range 2 {
		var s operation.Staging
		li.ok("GET", staging, nil, &s)
		if !s.Editable || s.Status != operation.HandedOff || s.State != operation.TodoOpen || !strings.Contains(string(s.Payload), "021-1111") || s.Target != "C-0001" {
			t.Fatalf("staging %+v", s)
		}
	}
	var todos struct {
		Todos []operation.Todo `json:"todos"`
	}
	li.ok("GET", "/erp/api/todos?state=todo", nil, &todos)
	if len(todos.Todos) != 1 || todos.Todos[0].Open != card.Open || todos.Todos[0].Title.En == "" {
		t.Errorf("todos %+v", todos)
	}
	// A mistake is told field by field, and can be mended.
	status, raw := li.do("POST", customerRecords, saving(card, version, "call me"))
	if status != 422 || !strings.Contains(string(raw), `"problems":[{"field":"phone"`) {
		t.Fatalf("a mistake: %d %s", status, raw)
	}
	save := saving(card, version, "021-1111")
	var saved operation.NativeSaved
	li.ok("POST", customerRecords, save, &saved)
	if saved.Status != operation.Executed || saved.Bill != "C-0001" || saved.Link == "" || saved.Replayed {
		t.Fatalf("saved %+v", saved)
	}
	row := w.status(card.OpID, operation.Completed)
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Fatalf("the turn ended %+v", e)
	}
	if r := w.result(card.OpID); !strings.Contains(r, "C-0001") || !strings.Contains(r, saved.Link) || strings.Contains(r, "changed_by_person") {
		t.Errorf("the model reads %s", r)
	}
	phone, after := li.customer("C-0001")
	if phone != "021-1111" || phone == old || after == version || row.ExecutedAt == nil {
		t.Errorf("%s became %s, version %s became %s", old, phone, version, after)
	}
	// The same save again is the same save; another is told what became of it.
	li.ok("POST", customerRecords, save, &saved)
	if !saved.Replayed || saved.Bill != "C-0001" {
		t.Errorf("again: %+v", saved)
	}
	if p := li.refused(409, customerRecords, saving(card, after, "021-2222")); p.Code != "already_decided" || p.Params["bill"] != "C-0001" || p.Params["link"] == "" {
		t.Errorf("another save: %+v", p)
	}
	var state struct {
		Status, State, Bill string
	}
	li.ok("POST", staging+"/execute", nil, &state)
	if state.Status != "completed" || state.State != "done" || state.Bill != "C-0001" {
		t.Errorf("executed: %+v", state)
	}
	if n := w.count(`SELECT count(*) FROM audit WHERE op_id = $1 AND kind = 'execution' AND channel = 'native'`, card.OpID); n != 1 {
		t.Errorf("%d audit rows of the write", n)
	}
	w.eventually("the outbox to be empty", func() bool { return w.count(`SELECT count(*) FROM erp.outbox WHERE sent_at IS NULL`) == 0 })
}

func TestNobodyElseSeesOrSavesAStaging(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	s := w.site()
	li := s.as("yunfan", "shanghai", "li")
	card := li.handed(li.begin("改电话"))
	for name, other := range map[string]person{"a colleague": s.as("yunfan", "shanghai", "wang"), "another company": s.as("yunfan", "shenzhen", "li")} {
		if status, raw := other.do("GET", "/erp/api/staging/"+card.OpID, nil); status != 404 {
			t.Errorf("%s sees it: %d %s", name, status, raw)
		}
		for _, path := range []string{customerRecords, "/erp/api/staging/" + card.OpID + "/execute"} {
			var body any
			if path == customerRecords {
				body = saving(card, "1", "021-9999")
			}
			if status, raw := other.do("POST", path, body); status != 404 {
				t.Errorf("%s %s: %d %s", name, path, status, raw)
			}
		}
	}
	if status, _ := (person{s: s}).do("GET", "/erp/api/staging/"+card.OpID, nil); status != http.StatusUnauthorized {
		t.Errorf("nobody in particular: %d", status)
	}
	wrong := saving(card, "1", "021-1111")
	wrong["target"] = "C-0002"
	if p := li.refused(400, customerRecords, wrong); p.Code != "invalid" {
		t.Errorf("another target: %+v", p)
	}
}

func TestTwoTabsThatSaveAtOnceWriteOnce(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	card := li.handed(li.begin("改电话"))
	was, err := strconv.Atoi(version)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	told := map[string]int{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			status, raw := li.do("POST", customerRecords, saving(card, version, []string{"021-1111", "021-2222"}[i%2]))
			mu.Lock()
			defer mu.Unlock()
			if status == http.StatusOK {
				told["saved"]++
				return
			}
			told[problemOf(t, raw).Code]++
		})
	}
	all.Wait()
	w.status(card.OpID, operation.Completed)
	_, now := li.customer("C-0001")
	if now != strconv.Itoa(was+1) || told["saved"] != 6 || told["already_decided"]+told["record_changed"] != 6 {
		t.Errorf("version %s became %s; told %v", version, now, told)
	}
}

func TestAForgedCompletionChangesNothing(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("改电话")
	card := li.handed(c)
	for _, arg := range []any{nil, map[string]any{"bill": "C-9999", "status": "completed"}} {
		if err := w.parts.Temporal.SignalWorkflow(t.Context(), contract.OperationWorkflowID(card.OpID), "", contract.SignalCompleted, arg); err != nil {
			t.Fatal(err)
		}
	}
	w.event(c, event.DecisionRefused, 1)
	if row := w.op(card.OpID); row.Status != string(operation.HandedOff) || row.ResultBill != "" {
		t.Fatalf("it became %s %s", row.Status, row.ResultBill)
	}
	_, version := li.customer("C-0001")
	li.ok("POST", customerRecords, saving(card, version, "021-1111"), nil)
	w.status(card.OpID, operation.Completed)
}

func TestAFormThatIsNotSavedInTimeIsAbandoned(t *testing.T) {
	t.Parallel()
	w := proposing(t, 2*time.Second, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	old, version := li.customer("C-0001")
	c := li.begin("改电话")
	card := li.handed(c)
	w.status(card.OpID, operation.Abandoned)
	if p := li.refused(409, customerRecords, saving(card, version, "021-1111")); p.Code != "expired" || p.Params["status"] != "abandoned" {
		t.Errorf("a save of what is abandoned: %+v", p)
	}
	if e := w.ended(c, 1); e.Status != "answered" || !strings.Contains(w.result(card.OpID), "abandoned") {
		t.Errorf("the turn ended %+v, the model reads %s", e, w.result(card.OpID))
	}
	if phone, now := li.customer("C-0001"); phone != old || now != version {
		t.Errorf("%s became %s", old, phone)
	}
	status, raw := li.do("POST", "/api/op/"+card.OpID+"/repropose", nil)
	if status != http.StatusCreated {
		t.Errorf("proposed again: %d %s", status, raw)
	}
}

func TestAnOpenFormOfACancelledOperationIsNotSaved(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	old, version := li.customer("C-0001")
	c := li.begin("改电话")
	card := li.handed(c)
	var after operation.Card
	li.ok("POST", "/api/op/"+card.OpID+"/cancel", confirmation(card, uuid.NewString()), &after)
	if after.Status != operation.Cancelled {
		t.Fatalf("cancelled: %+v", after)
	}
	if p := li.refused(409, customerRecords, saving(card, version, "021-1111")); p.Code != "already_decided" || p.Params["status"] != "cancelled" || p.Params["by"] != "li" {
		t.Errorf("a save of what is cancelled: %+v", p)
	}
	// Even a save that had looked before the cancellation comes too late: the ERP itself has shut it out.
	if n := w.count(`SELECT count(*) FROM erp.commits WHERE client_token = $1 AND outcome = 'fenced'`, w.op(card.OpID).ClientToken); n != 1 {
		t.Errorf("%d tombstones", n)
	}
	if phone, _ := li.customer("C-0001"); phone != old {
		t.Errorf("%s became %s", old, phone)
	}
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Errorf("the turn ended %+v", e)
	}
}

func TestACancellationAfterTheSaveIsToldOfTheSave(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	card := li.handed(li.begin("改电话"))
	// The message of the save does not come through for a while.
	outbox := w.hold(`SELECT FROM operations WHERE op_id = '` + card.OpID + `' FOR UPDATE`)
	li.ok("POST", customerRecords, saving(card, version, "021-1111"), nil)
	type answer struct {
		status int
		raw    []byte
	}
	cancelled := make(chan answer, 1)
	go func() {
		status, raw := li.do("POST", "/api/op/"+card.OpID+"/cancel", confirmation(card, uuid.NewString()))
		cancelled <- answer{status, raw}
	}()
	outbox()
	// Refused, or (on a busy machine) queued as a signal that is refused later.
	if a := <-cancelled; a.status != http.StatusAccepted && (a.status != http.StatusConflict || problemOf(t, a.raw).Code == "") {
		t.Errorf("cancelled after the save: %d %s", a.status, a.raw)
	}
	w.status(card.OpID, operation.Completed)
}

func TestManualAndAutomaticStepsChain(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"),
		`{"form":"customer_discount","action":"none","changes":{"x":"1"},"reason":"nothing of the kind"}`, telephone("C-0002", "021-2222"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	c := li.begin("改两个电话")
	card := li.handed(c)
	w.manual("customer", "update", false) // the next one executes by itself
	li.ok("POST", customerRecords, saving(card, version, "021-1111"), nil)
	next := li.proposed(c, 2)
	if next.Manual || next.Preview.Target != "C-0002" {
		t.Fatalf("the next step is %+v", next)
	}
	li.ok("POST", "/api/op/"+next.OpID+"/confirm", confirmation(next, uuid.NewString()), nil)
	w.status(next.OpID, operation.Executed)
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Fatalf("the turn ended %+v", e)
	}
	for code, want := range map[string]string{"C-0001": "021-1111", "C-0002": "021-2222"} {
		if phone, _ := li.customer(code); phone != want {
			t.Errorf("%s has %s", code, phone)
		}
	}
}

func TestARecordThatMovedBeforeTheHandOffRefusesIt(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	c := li.begin("改电话")
	card := li.proposed(c, 1)
	w.exec(`UPDATE erp.customer SET contact = 'x', version = version + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'C-0001'`)
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(card, uuid.NewString()), nil)
	row := w.status(card.OpID, operation.Refused)
	if r := refusal(t, row); r.Code != "record_changed" || r.Old == r.New {
		t.Errorf("refused with %+v", r)
	}
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Errorf("the turn ended %+v", e)
	}
}

func TestARecordThatMovedWhileTheFormWasOpenIsShownInBothVersions(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	card := li.handed(li.begin("改电话"))
	w.exec(`UPDATE erp.customer SET contact = 'x', version = version + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'C-0001'`)
	_, now := li.customer("C-0001")
	for _, shown := range []string{version, ""} {
		if p := li.refused(409, customerRecords, saving(card, shown, "021-1111")); p.Code != "record_changed" || p.Params["old"] != version || p.Params["new"] != now {
			t.Errorf("shown %q: %+v", shown, p)
		}
	}
	li.ok("POST", customerRecords, saving(card, now, "021-1111"), nil) // having seen both
	w.status(card.OpID, operation.Completed)
}

func TestOtherValuesUnderAnotherPolicyNeedAnotherApproval(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	old, version := li.customer("C-0001")
	c := li.begin("改电话")
	card := li.proposed(c, 1)
	w.exec(`UPDATE operations SET policy = 'role:manager' WHERE op_id = $1`, card.OpID)
	card = li.handed(c)
	token := w.op(card.OpID).ClientToken
	status, raw := li.do("POST", customerRecords, saving(card, version, "021-7777"))
	if status != http.StatusAccepted || !strings.Contains(string(raw), `"awaiting_approval"`) {
		t.Fatalf("another number: %d %s", status, raw)
	}
	row := w.status(card.OpID, operation.AwaitingApproval)
	if phone, _ := li.customer("C-0001"); phone != old || row.Revision != 2 || row.DecidedBy != nil {
		t.Fatalf("phone %s, revision %d, decided by %v", phone, row.Revision, row.DecidedBy)
	}
	if n := w.count(`SELECT count(*) FROM erp.commits WHERE client_token = $1 AND outcome = 'fenced'`, token); n != 1 {
		t.Errorf("the old revision can still be saved: %d tombstones", n)
	}
	if p := li.refused(409, customerRecords, saving(card, version, "021-7777")); p.Code != "not_pending" {
		t.Errorf("a save that nobody approved: %+v", p)
	}
	fresh := li.card(card.OpID)
	li.ok("POST", "/api/op/"+card.OpID+"/confirm", confirmation(fresh, uuid.NewString()), nil)
	w.status(card.OpID, operation.HandedOff)
	li.ok("POST", customerRecords, saving(card, version, "021-7777"), nil)
	w.status(card.OpID, operation.Completed)
	if phone, _ := li.customer("C-0001"); phone != "021-7777" {
		t.Errorf("phone %s", phone)
	}
	if e := w.ended(c, 1); e.Status != "answered" {
		t.Errorf("the turn ended %+v", e)
	}
}

func TestOtherValuesUnderPolicySelfAreSavedAndTheModelIsTold(t *testing.T) {
	t.Parallel()
	w := proposing(t, 0, telephone("C-0001", "021-1111"))
	li := w.site().as("yunfan", "shanghai", "li")
	_, version := li.customer("C-0001")
	card := li.handed(li.begin("改电话"))
	li.ok("POST", customerRecords, saving(card, version, "021-7777"), nil)
	w.status(card.OpID, operation.Completed)
	if r := w.result(card.OpID); !strings.Contains(r, `"changed_by_person": true`) && !strings.Contains(r, `"changed_by_person":true`) {
		t.Errorf("the model reads %s", r)
	}
}
