package erpweb_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/api/erpweb"
	"github.com/erpilot/erpilot/schema/fault"
)

const (
	read   = "/erp/api/forms/:form/read"
	export = "/erp/api/forms/:form/export"
)

func TestTheFormOfThePathWins(t *testing.T) {
	t.Parallel()
	e := &fakeERP{}
	w, err := call(t, e, nil, http.MethodPost, read, "customer", "", `{"form":"secret","mode":"record","id":"C-1"}`, "li")
	if err != nil || len(e.queries) != 1 || e.queries[0].Form != "customer" || e.queries[0].ID != "C-1" {
		t.Fatalf("asked %+v, error %v", e.queries, err)
	}
	if !strings.Contains(w.Body.String(), `"asked_by":"li"`) || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("answer %s, headers %v", w.Body, w.Header())
	}
}

func TestABodyThatIsNoQueryReachesNoERP(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]fault.Code{
		``: fault.Invalid, `[]`: fault.Invalid, `{"mode":1}`: fault.Invalid, `{"sql":"1=1"}`: fault.Invalid, `{} {}`: fault.Invalid,
		`{"id":"` + strings.Repeat("x", 65<<10) + `"}`: fault.TooLarge,
	} {
		for _, path := range []string{read, export} {
			e := &fakeERP{}
			_, err := call(t, e, nil, http.MethodPost, path, "customer", "", body, "li")
			if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != want || len(e.queries) != 0 {
				t.Errorf("%s %.20q: error %v, want %s, and %d queries", path, body, err, want, len(e.queries))
			}
		}
	}
}

func TestEveryRouteNeedsAPersonThatTheERPKnows(t *testing.T) {
	t.Parallel()
	for _, route := range erpweb.New(erpweb.Config{ERP: &fakeERP{}}).Routes() {
		e := &fakeERP{}
		_, err := call(t, e, &fakeStaging{}, route.Method, route.Path, "op-1", "?key=C-1",
			`{}`, "gone")
		if strings.HasSuffix(route.Path, "/preview") || strings.HasSuffix(route.Path, "/records") {
			_, err = call(t, e, nil, route.Method, route.Path, "customer", "", `{"action":"create"`+token(route.Path)+`}`, "gone")
		}
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.LoginExpired || len(e.queries)+len(e.changes)+len(e.executions) != 0 {
			t.Errorf("%s: error %v", route.Path, err)
		}
	}
}

// token is the key of a body that is a save.
func token(path string) string {
	if strings.HasSuffix(path, "/records") {
		return `,"token":"` + press + `"`
	}
	return ""
}

func TestFormsAndSchemasAreThoseOfTheERP(t *testing.T) {
	t.Parallel()
	w, err := call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms", "", "", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `{"forms":[{"form":"customer"`) {
		t.Errorf("forms %v %s", err, w.Body)
	}
	if w, err = call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/schema", "customer", "", "", "li"); err != nil || !strings.Contains(w.Body.String(), `"form":"customer"`) {
		t.Errorf("schema %v %s", err, w.Body)
	}
	_, err = call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/schema", "secret", "", "", "li")
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Code != fault.PermissionDenied {
		t.Errorf("a foreign form: %v", err)
	}
}

func TestLookupAndHistoryAnswerLists(t *testing.T) {
	t.Parallel()
	w, err := call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/lookup", "customer", "?q=sun&limit=5", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `{"rows":[{"form":"customer","limit":5,"text":"sun"}]}`) {
		t.Errorf("lookup %v %s", err, w.Body)
	}
	for _, query := range []string{"?limit=0", "?limit=51", "?limit=x"} {
		if _, err := call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/lookup", "customer", query, "", "li"); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("lookup%s: %v", query, err)
		}
	}
	w, err = call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/history", "customer", "?key=C-1", "", "li")
	if err != nil || !strings.Contains(w.Body.String(), `{"entries":[{"version":2`) {
		t.Errorf("history %v %s", err, w.Body)
	}
	if _, err := call(t, &fakeERP{}, nil, http.MethodGet, "/erp/api/forms/:form/history", "customer", "", "", "li"); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a history of nothing: %v", err)
	}
}

func TestAnExportIsAFileForSpreadsheets(t *testing.T) {
	t.Parallel()
	w, err := call(t, &fakeERP{rows: 120}, nil, http.MethodPost, export, "customer", "", `{"fields":["code","balance","active","remark"],"limit":3}`, "li")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(w.Body.String(), "\r\n")
	if len(lines) != 122 || lines[0] != "\ufeffCode,Balance,Status,Remark" || lines[120] != `C-00120,-1.50,Active,"'=HYPERLINK(""x"")"` {
		t.Errorf("%d lines, first %q, last %q", len(lines), lines[0], lines[len(lines)-2])
	}
	if h := w.Header(); h.Get("X-Truncated") != "false" || h.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(h.Get("Content-Disposition"), "customer.csv") {
		t.Errorf("headers %v", h)
	}
	w, err = call(t, &fakeERP{rows: 10_001}, nil, http.MethodPost, export, "customer", "", `{}`, "li")
	if n := strings.Count(w.Body.String(), "\r\n"); err != nil || n != 10_001 || w.Header().Get("X-Truncated") != "true" {
		t.Errorf("%d lines, %v, truncated %s", n, err, w.Header().Get("X-Truncated"))
	}
	if !strings.HasPrefix(w.Body.String(), "\ufeffCode,Balance,Status\r\n") {
		t.Errorf("the columns of a list: %.60s", w.Body)
	}
	for form, body := range map[string]string{"secret": `{}`, "customer": `{"fields":["lines"]}`} {
		if w, err := call(t, &fakeERP{}, nil, http.MethodPost, export, form, "", body, "li"); err == nil || w.Body.Len() > 0 {
			t.Errorf("%s %s was exported", form, body)
		}
	}
}
