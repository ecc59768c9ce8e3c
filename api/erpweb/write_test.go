package erpweb_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

const (
	records = "/erp/api/forms/:form/records"
	preview = "/erp/api/forms/:form/preview"
	press   = "7b6cfa74-9f0e-4b52-8f0a-5d3a2f1c9e11"
)

func TestAPreviewIsTheERPs(t *testing.T) {
	t.Parallel()
	e := &fakeERP{}
	w, err := call(t, e, nil, http.MethodPost, preview, "customer", "", `{"action":"examine","target":"C-1"}`, "li")
	if err != nil || !strings.Contains(w.Body.String(), `{"preview":{"form":"customer"`) {
		t.Fatalf("%v %s", err, w.Body)
	}
	if c := e.changes[0]; c.OpType != nouns.OpExamine || c.Target != "C-1" || string(c.Payload) != `{}` {
		t.Errorf("asked %+v", c)
	}
	e.previewErr = &fault.Error{Code: fault.ValidationFailed, Problems: []fault.Problem{{Field: "lines[2].quantity", Detail: "x"}}}
	if _, err = call(t, e, nil, http.MethodPost, preview, "customer", "", `{"action":"create","payload":{}}`, "li"); len(fault.ProblemsOf(err)) != 1 {
		t.Errorf("the problems are lost: %v", err)
	}
	for _, body := range []string{`{}`, `{"action":"create","payload":[]}`, `{"action":"create","payload":"x"}`, `{"action":"create","op_type":"delete"}`} {
		if _, err := call(t, e, nil, http.MethodPost, preview, "customer", "", body, "li"); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func save(values string) string {
	return `{"action":"update","target":"C-1","version":"3","token":"` + press + `","payload":` + values + `}`
}

func TestASaveIsWrittenOnceUnderItsToken(t *testing.T) {
	t.Parallel()
	e := &fakeERP{version: "3"}
	w, err := call(t, e, nil, http.MethodPost, records, "customer", "", save(`{"name":"a"}`), "li")
	if err != nil || !strings.Contains(w.Body.String(), `"status":"executed"`) || !strings.Contains(w.Body.String(), `"bill":"C-9"`) {
		t.Fatalf("%v %s", err, w.Body)
	}
	x := e.executions[0]
	if x.ClientToken != "native:li:"+press || !x.Handed || x.Completes != "" || x.Channel != "native" || x.Attempt != 1 || len(x.Facts) != 1 ||
		string(x.Change.Payload) != `{"normalised":true}` {
		t.Errorf("executed %+v", x)
	}
	// The same press again: the first answer, though the change no longer fits.
	e.previewErr = fault.New(fault.ValidationFailed)
	w, err = call(t, e, nil, http.MethodPost, records, "customer", "", save(`{ "name" : "a" }`), "li")
	if err != nil || !strings.Contains(w.Body.String(), `"replayed":true`) || len(e.executions) != 1 {
		t.Errorf("again: %v %s, %d executions", err, w.Body, len(e.executions))
	}
	if _, err = call(t, e, nil, http.MethodPost, records, "customer", "", save(`{"name":"b"}`), "li"); fault.CodeOf(err) != fault.TokenReused {
		t.Errorf("other values under the token: %v", err)
	}
	for _, spelling := range []string{strings.ToUpper(press), "{" + press + "}", "urn:uuid:" + press, strings.ReplaceAll(press, "-", "")} {
		w, err = call(t, e, nil, http.MethodPost, records, "customer", "", strings.Replace(save(`{"name":"a"}`), press, spelling, 1), "li")
		if err != nil || !strings.Contains(w.Body.String(), `"replayed":true`) || len(e.executions) != 1 {
			t.Errorf("%s: %v, %d executions", spelling, err, len(e.executions))
		}
	}
}

func TestASaveOfARecordThatSomeoneElseChangedIsRefusedWithBothVersions(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]*fakeERP{
		"known by its facts": {version: "4"},
		"no longer fits":     {version: "4", previewErr: fault.New(fault.ValidationFailed)},
	} {
		_, err := call(t, e, nil, http.MethodPost, records, "customer", "", save(`{"name":"a"}`), "li")
		if p := fault.ParamsOf(err); fault.CodeOf(err) != fault.RecordChanged || p["old"] != "3" || p["new"] != "4" || p["object"] == "" || len(e.executions) > 0 {
			t.Errorf("%s: %v %v, %d executions", name, err, p, len(e.executions))
		}
	}
}

func TestWhatTheERPRefusesIsToldWithItsFact(t *testing.T) {
	t.Parallel()
	e := &fakeERP{version: "3", refusal: &nouns.Refusal{Code: "stock_changed", Old: "5", New: "4",
		Fact: &nouns.Fact{Form: "product", Key: "P-1", Field: "available", Object: "Tea", Label: nouns.Label{Zh: "可用库存", En: "Available stock"}}}}
	_, err := call(t, e, nil, http.MethodPost, records, "customer", "", save(`{}`), "li")
	if p := fault.ParamsOf(err); fault.CodeOf(err) != fault.StockChanged || p["old"] != "5" || p["new"] != "4" || p["object"] != "Tea" || p["label"] != "Available stock" {
		t.Errorf("%v %v", err, p)
	}
}

func TestAMalformedSaveReachesNoERP(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"action":"create","payload":{}}`,
		`{"action":"create","payload":{},"token":"once"}`,
		`{"payload":{},"token":"` + press + `"}`,
		`{"action":"create","payload":{"name":"\ud800"},"token":"` + press + `"}`,
		`{"action":"create","payload":{"name":"a","name":"b"},"token":"` + press + `"}`,
		`{"action":"create","payload":{},"token":"` + press + `","bUpdate":1}`,
		`{"action":"update","target":"C-1","version":"` + strings.Repeat("9", 50) + `","payload":{},"token":"` + press + `"}`,
		`{"action":"update","target":"` + strings.Repeat("9", 500) + `","payload":{},"token":"` + press + `"}`,
	} {
		e := &fakeERP{}
		if _, err := call(t, e, nil, http.MethodPost, records, "customer", "", body, "li"); fault.CodeOf(err) != fault.Invalid || len(e.changes) > 0 {
			t.Errorf("%.90s: %v, %d changes", body, err, len(e.changes))
		}
	}
	huge := `{"action":"create","token":"` + press + `","payload":{"x":"` + strings.Repeat("x", 2<<20) + `"}}`
	if _, err := call(t, &fakeERP{}, nil, http.MethodPost, records, "customer", "", huge, "li"); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("2 MiB: %v", err)
	}
}

func TestASaveUnderAStagingGoesToTheOperation(t *testing.T) {
	t.Parallel()
	body := `{"action":"create","token":"` + strings.ToUpper(press) + `","staging":"op-1","version":7,"payload":{"name":"a"}}`
	for status, want := range map[operation.Status]int{operation.Executed: http.StatusOK, operation.AwaitingApproval: http.StatusAccepted} {
		e, f := &fakeERP{}, &fakeStaging{saved: operation.NativeSaved{Status: status, OpID: "op-1"}}
		w, err := call(t, e, f, http.MethodPost, records, "customer", "", body, "li")
		if err != nil || w.Code != want || len(e.changes)+len(e.executions) > 0 {
			t.Errorf("%s: %v %d %s", status, err, w.Code, w.Body)
		}
		if n := f.saves[0]; n.Form != "customer" || n.Action != "create" || n.Version != "7" || n.Token != press || string(n.Payload) != `{"name":"a"}` {
			t.Errorf("saved %+v", n)
		}
	}
	if _, err := call(t, &fakeERP{}, nil, http.MethodPost, records, "customer", "", body, "li"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("without stagings: %v", err)
	}
}

func TestExecuteWaitsForWhatIsConfirmedAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	const execute = "/erp/api/staging/:id/execute"
	f := &fakeStaging{staging: operation.Staging{OpID: "op-1", Status: operation.Approved, Bill: "SO-1"}, then: []operation.Status{operation.Executing, operation.Executed}}
	w, err := call(t, &fakeERP{}, f, http.MethodPost, execute, "op-1", "", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `"status":"executed"`) || !strings.Contains(w.Body.String(), `"bill":"SO-1"`) {
		t.Errorf("%v %s", err, w.Body)
	}
	for status, want := range map[operation.Status]fault.Code{operation.Draft: fault.NotPending, operation.AwaitingApproval: fault.NotPending,
		operation.Cancelled: fault.AlreadyDecided, operation.Rejected: fault.AlreadyDecided, operation.Expired: fault.Expired} {
		f := &fakeStaging{staging: operation.Staging{OpID: "op-1", Status: status, Decided: &operation.Outcome{Status: status}}}
		_, err := call(t, &fakeERP{}, f, http.MethodPost, execute, "op-1", "", "", "li")
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != want {
			t.Errorf("%s: %v, want %s", status, err, want)
		}
	}
	for _, id := range []string{"op-2", "../x", strings.Repeat("x", 200)} {
		if _, err := call(t, &fakeERP{}, f, http.MethodPost, execute, id, "", "", "li"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%.20s: %v", id, err)
		}
	}
}

func TestTodosAreFilteredByState(t *testing.T) {
	t.Parallel()
	f := &fakeStaging{}
	w, err := call(t, &fakeERP{}, f, http.MethodGet, "/erp/api/todos", "", "?state=todo", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `"todos":[]`) || f.asked[0] != operation.TodoOpen {
		t.Errorf("%v %s, asked %v", err, w.Body, f.asked)
	}
	if _, err := call(t, &fakeERP{}, f, http.MethodGet, "/erp/api/todos", "", "?state=soon", "", "li"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("an unknown state: %v", err)
	}
}
