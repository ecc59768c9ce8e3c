package gateway_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestLoginAndLogout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	me := b.do("GET", "/api/me", nil)
	v := me.json(t)
	if me.status != 200 || v["user"].(map[string]any)["user_id"] != "u1" || v["demo"] != true || v["tenant"].(map[string]any)["name"].(map[string]any)["zh"] != "东区" {
		t.Errorf("me: %d %s", me.status, me.body)
	}
	if !strings.HasPrefix(b.token, "acme.east.") || len(b.token) != len("acme.east.")+43 {
		t.Errorf("token %q", b.token)
	}
	for _, body := range []map[string]string{
		{"brand": "acme", "subsidiary": "east", "username": "li", "password": "wrong"},
		{"brand": "acme", "subsidiary": "east", "username": "nobody", "password": "pw"},
		{"brand": "acme", "subsidiary": "nowhere", "username": "li", "password": "pw"},
		{"brand": "", "subsidiary": "", "username": "", "password": ""},
	} {
		if a := b.as("", "POST", "/api/login", body); a.status != http.StatusUnauthorized || a.code() != "bad_credentials" {
			t.Errorf("%v: %d %s", body, a.status, a.body)
		}
	}
	if n := b.count("SELECT count(*) FROM audit WHERE kind = 'login_refused'"); n != 2 {
		t.Errorf("%d refused logins in the audit, want 2", n)
	}
	if n := b.count("SELECT count(*) FROM audit WHERE kind = 'login' AND actor = 'u1'"); n != 1 {
		t.Errorf("%d logins in the audit, want 1", n)
	}
	b.do("POST", "/api/logout", nil)
	if a := b.do("GET", "/api/me", nil); a.code() != "unauthenticated" {
		t.Errorf("after logout: %d %s", a.status, a.body)
	}
	if strings.Contains(b.logs.String(), b.token) || strings.Contains(b.logs.String(), "wrong") {
		t.Error("the log holds a token or a password")
	}
	if b.count("SELECT count(*) FROM sessions WHERE encode(token_hash, 'escape') LIKE '%' || $1 || '%'", b.token) != 0 {
		t.Error("the token itself is stored")
	}
}

func TestGuessingIsSlowedDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := map[string]string{"brand": "acme", "subsidiary": "east", "username": "han", "password": "wrong"}
	for range 10 {
		b.as("", "POST", "/api/login", body)
	}
	body["password"] = "pw"
	if a := b.as("", "POST", "/api/login", body); a.code() != "rate_limited" {
		t.Errorf("the eleventh try: %d %s", a.status, a.body)
	}
	b.login("east", "boss") // others are not concerned
}

func TestManyGuessesAtOnceAreNoWayAround(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := map[string]string{"brand": "acme", "subsidiary": "east", "username": "han", "password": "wrong"}
	var all sync.WaitGroup
	var checked atomic.Int32
	for range 30 {
		all.Go(func() {
			if a := b.as("", "POST", "/api/login", body); a.code() == "bad_credentials" {
				checked.Add(1)
			}
		})
	}
	all.Wait()
	if n := checked.Load(); n != 10 {
		t.Errorf("%d of 30 guesses at once were checked, want 10", n)
	}
}

func TestOnlyALiveTokenOpensAnything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec("INSERT INTO sessions SELECT tenant_id, 'old', user_id, sha256(convert_to('acme.east.' || $1, 'UTF8')), now(), now() - interval '1 s' FROM sessions", strings.Repeat("o", 43))
	for name, token := range map[string]string{"none": "", "rubbish": "x", "another secret": "acme.east." + strings.Repeat("a", 43),
		"expired": "acme.east." + strings.Repeat("o", 43), "another tenant": strings.Replace(b.token, "east", "west", 1), "quoted": "acme.ea'st." + strings.Repeat("a", 43)} {
		for _, path := range []string{"/api/me", "/api/conversations", "/api/op", "/api/conversations/x/events"} {
			a := b.as(token, "GET", path, nil)
			if a.status != http.StatusUnauthorized || a.code() != "unauthenticated" {
				t.Errorf("%s: GET %s: %d %s", name, path, a.status, a.body)
			}
		}
	}
}

func TestIDsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	op := b.operation(conv, "u1", "self", time.Hour)
	pending := uuid.NewString()
	b.exec(`INSERT INTO pendings (tenant_id, pending_id, conversation_id, user_id, kind, status, prompt, deadline)
		VALUES ('acme.east', $1, $2, 'u1', 'question', 'open', '{"question":"?","allow_free_text":true}', now() + interval '1 h')`, pending, conv)
	decision := map[string]any{"pending_id": op.PendingID, "revision": 1, "digest": op.Digest, "decision_id": "d1"}
	routes := []struct {
		method, path string
		body         any
	}{
		{"GET", "/api/conversations/" + conv, nil},
		{"PATCH", "/api/conversations/" + conv, map[string]string{"title": "mine"}},
		{"DELETE", "/api/conversations/" + conv + "?cancel_pending=1", nil},
		{"GET", "/api/conversations/" + conv + "/state", nil},
		{"GET", "/api/conversations/" + conv + "/events", nil},
		{"POST", "/api/conversations/" + conv + "/messages", map[string]string{"text": "hi"}},
		{"POST", "/api/conversations/" + conv + "/stop", nil},
		{"POST", "/api/conversations/" + conv + "/resume", nil},
		{"POST", "/api/pending/" + pending + "/answer", map[string]string{"answer": "yes"}},
		{"GET", "/api/op/" + op.OpID, nil},
		{"GET", "/api/op/" + op.OpID + "/status", nil},
		{"POST", "/api/op/" + op.OpID + "/confirm", decision},
		{"POST", "/api/op/" + op.OpID + "/cancel", decision},
		{"POST", "/api/op/" + op.OpID + "/revise", map[string]any{"revision_id": "r1", "revision": 1, "payload": map[string]any{}}},
		{"POST", "/api/op/" + op.OpID + "/repropose", nil},
		{"POST", "/api/op/" + op.OpID + "/retry", nil},
		{"POST", "/api/op/" + op.OpID + "/settle", map[string]string{"status": "executed"}},
	}
	for who, token := range map[string]string{"another user": b.login("east", "han"), "another tenant": b.login("west", "li")} {
		for _, r := range routes {
			a := b.as(token, r.method, r.path, r.body, "Idempotency-Key", "k")
			if a.status != http.StatusNotFound || a.code() != "not_found" {
				t.Errorf("%s: %s %s: %d %s", who, r.method, r.path, a.status, a.body)
			}
		}
		if a := b.as(token, "GET", "/api/op", nil); strings.Contains(string(a.body), op.OpID) {
			t.Errorf("%s: the inbox shows it", who)
		}
		a := b.as(token, "POST", "/api/op/decisions", map[string]any{"decisions": []any{map[string]any{"op_id": op.OpID, "decision": "approve",
			"pending_id": op.PendingID, "revision": 1, "digest": op.Digest, "decision_id": "d1"}}})
		if !strings.Contains(string(a.body), `"code":"not_found"`) {
			t.Errorf("%s: batch: %s", who, a.body)
		}
	}
	for _, r := range routes { // ids that nobody can have made
		for _, id := range []string{"nothing", "%00", "%27%20OR%201=1", strings.Repeat("x", 300), "..%2f..", "%E2%80%8B"} {
			path := strings.NewReplacer(conv, id, op.OpID, id, pending, id).Replace(r.path)
			if a := b.do(r.method, path, r.body, "Idempotency-Key", "k"); a.status != http.StatusNotFound || a.code() != "not_found" {
				t.Errorf("%s %s: %d %s", r.method, path, a.status, a.body)
			}
		}
	}
	if n := b.count("SELECT count(*) FROM decisions") + b.count("SELECT count(*) FROM messages"); n != 0 {
		t.Errorf("%d rows were written", n)
	}
}

func TestBadBodiesAreProblemsWithACode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	messages := "/api/conversations/" + conv + "/messages"
	for name, c := range map[string]struct {
		path, body string
		status     int
		code       string
	}{
		"no JSON":             {messages, `{"text":`, 400, "invalid"},
		"empty":               {messages, ``, 400, "invalid"},
		"another type":        {messages, `{"text":5}`, 400, "invalid"},
		"an array":            {messages, `[]`, 400, "invalid"},
		"unknown field":       {messages, `{"text":"a","tenant":"acme.west"}`, 400, "invalid"},
		"trailing data":       {messages, `{"text":"a"} {"text":"b"}`, 400, "invalid"},
		"NUL":                 {messages, `{"text":"a\u0000b"}`, 400, "invalid"},
		"no UTF-8":            {messages, "{\"text\":\"a\xff\"}", 400, "invalid"},
		"too large":           {messages, `{"text":"` + strings.Repeat("x", 65<<10) + `"}`, 413, "too_large"},
		"text too long":       {messages, `{"text":"` + strings.Repeat("长", 8001) + `"}`, 400, "invalid"},
		"empty text":          {messages, `{"text":""}`, 400, "invalid"},
		"deep nesting":        {messages, strings.Repeat("[", 20000), 400, "invalid"},
		"title too long":      {"/api/conversations", `{"title":"` + strings.Repeat("x", 201) + `"}`, 400, "invalid"},
		"login without names": {"/api/login", `{}`, 401, "bad_credentials"},
		"empty batch":         {"/api/op/decisions", `{"decisions":[]}`, 400, "invalid"},
		"batch of 51":         {"/api/op/decisions", `{"decisions":[` + strings.TrimSuffix(strings.Repeat(`{"op_id":"x"},`, 51), ",") + `]}`, 400, "invalid"},
	} {
		a := b.do("POST", c.path, c.body, "Idempotency-Key", "k")
		if a.status != c.status || a.code() != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, a.status, a.body, c.status, c.code)
		}
		if strings.Contains(string(a.body), "json:") || strings.Contains(string(a.body), "gateway.") {
			t.Errorf("%s: the problem speaks of our insides: %s", name, a.body)
		}
	}
	if a := b.do("POST", messages, `{"text":"a \\u0000 b"}`); a.code() != "invalid" || !strings.Contains(string(a.body), "Idempotency-Key") {
		t.Errorf("an escaped backslash is text; only the key is missing: %s", a.body)
	}
	if a := b.do("GET", "/api/op?status=nonsense", nil); a.code() != "invalid" {
		t.Errorf("status: %d %s", a.status, a.body)
	}
}

func TestUnknownRoutesAndMethodsAreProblems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, want := range map[string]int{"POST /api/nothing": 404, "GET /nothing": 404, "GET /api": 404, "PUT /api/me": 405, "DELETE /api/login": 405, "POST /": 405} {
		method, path, _ := strings.Cut(path, " ")
		a := b.do(method, path, nil)
		if a.status != want || a.code() == "" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
		}
	}
}

func TestProblemsSpeakTheCallersLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for lang, want := range map[string]string{"zh-CN,zh;q=0.9": "没有找到", "en-GB,en;q=0.8": "Not found", "fr, en": "Not found", "": "没有找到"} {
		a := b.do("GET", "/api/conversations/x", nil, "Accept-Language", lang)
		if title, _ := a.json(t)["title"].(string); !strings.Contains(title, want) {
			t.Errorf("%q: %s", lang, a.body)
		}
	}
}

func TestResentPostIsOneMessageAndTheRowOutlivesTemporal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := "/api/conversations/" + b.conversation() + "/messages"
	for range 2 {
		a := b.do("POST", path, map[string]string{"text": "hi"}, "Idempotency-Key", "k1")
		if a.status != http.StatusServiceUnavailable || a.code() != "unavailable" || a.header.Get("Retry-After") == "" {
			t.Errorf("without Temporal: %d %s", a.status, a.body)
		}
	}
	if a := b.do("POST", path, map[string]string{"text": "other"}, "Idempotency-Key", "k1"); a.status != 409 || a.code() != "idempotency_mismatch" {
		t.Errorf("other content: %d %s", a.status, a.body)
	}
	if n := b.count("SELECT count(*) FROM turns"); n != 1 {
		t.Errorf("%d turns, want 1", n)
	}
}

func TestConversationsAreListedRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	b.operation(conv, "u1", "self", time.Hour)
	if a := b.do("PATCH", "/api/conversations/"+conv, map[string]string{"title": " Orders "}); a.status != 200 || a.json(t)["title"] != "Orders" {
		t.Errorf("rename: %d %s", a.status, a.body)
	}
	list := b.do("GET", "/api/conversations", nil)
	if first := list.json(t)["conversations"].([]any)[0].(map[string]any); first["title"] != "Orders" || first["pending_count"] != 1.0 || first["nearest_deadline"] == nil {
		t.Errorf("list: %s", list.body)
	}
	if a := b.do("DELETE", "/api/conversations/"+conv, nil); a.status != 409 || a.code() != "pending_open" || !strings.Contains(string(a.body), `"count":"1"`) {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	if a := b.do("DELETE", "/api/conversations/"+conv+"?cancel_pending=1", nil); a.status != http.StatusNoContent {
		t.Errorf("delete along: %d %s", a.status, a.body)
	}
	if a := b.do("GET", "/api/conversations/"+conv+"/state", nil); a.status != http.StatusNotFound {
		t.Errorf("after: %d", a.status)
	}
}

func TestStateHoldsCardsAndTheHead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	op := b.operation(conv, "u1", "self", time.Hour)
	b.append(conv, 1, 3)
	v := b.do("GET", "/api/conversations/"+conv+"/state", nil).json(t)
	card := v["cards"].([]any)[0].(map[string]any)
	if v["head"] != 3.0 || card["op_id"] != op.OpID || card["requester_name"] != "李雷" || card["digest"] != op.Digest || v["model"] != "demo" || v["server_now"] == nil {
		t.Errorf("state: %v", v)
	}
}

func TestPageIsServedWithETagAndPolicy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/", "/c/018f-x", "/inbox", "/app.js", "/chunk-ABCDEFGH.js"} {
		a := b.as("", "GET", path, nil)
		etag, cache := a.header.Get("ETag"), a.header.Get("Cache-Control")
		immutable := strings.HasPrefix(path, "/chunk")
		if a.status != 200 || etag == "" || immutable != strings.Contains(cache, "immutable") || !immutable && cache != "no-cache" {
			t.Errorf("%s: %d etag %q cache %q", path, a.status, etag, cache)
		}
		if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") || !strings.Contains(csp, "require-trusted-types-for 'script'") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if again := b.as("", "GET", path, nil, "If-None-Match", etag); again.status != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.status)
		}
	}
	if a := b.as("", "GET", "/", nil, "Origin", "https://evil.example"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("CORS is allowed")
	}
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if a := b.as("", "GET", "/healthz", nil); a.status != 200 {
		t.Errorf("healthz: %d", a.status)
	}
	a := b.as("", "GET", "/readyz", nil)
	if v := a.json(t); a.status != 503 || v["database"] != "ok" || v["temporal"] != "unavailable" {
		t.Errorf("readyz: %d %s", a.status, a.body)
	}
	if o := b.as("", "GET", "/api/login/options", nil); o.status != 200 || !strings.Contains(string(o.body), fmt.Sprintf("%q", "acme.west")) ||
		!strings.Contains(string(o.body), `"username":"li"`) {
		t.Errorf("options: %d %s", o.status, o.body)
	}
}
