package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

var (
	east = identity.Tenant{BrandID: "acme", SubsidiaryID: "east"}
	west = identity.Tenant{BrandID: "acme", SubsidiaryID: "west"}
)

// people is an ERP's login with a few users, all with password "pw".
type people struct{}

var known = map[string]identity.User{
	"acme.east/u1":   {Tenant: east, UserID: "u1", Username: "li", DisplayName: "李雷", Locale: identity.Chinese, Roles: []string{"clerk"}},
	"acme.east/u2":   {Tenant: east, UserID: "u2", Username: "han", DisplayName: "韩梅", Locale: identity.Chinese, Roles: []string{"clerk"}},
	"acme.east/boss": {Tenant: east, UserID: "boss", Username: "boss", DisplayName: "Boss", Locale: identity.English, Roles: []string{"approver"}},
	"acme.west/u1":   {Tenant: west, UserID: "u1", Username: "li", DisplayName: "West Li", Locale: identity.English, Roles: []string{"clerk"}},
}

func (people) Login(_ context.Context, tenant identity.Tenant, username, password string) (identity.User, error) {
	for _, u := range known {
		if u.Tenant == tenant && u.Username == username && password == "pw" {
			return u, nil
		}
	}
	return identity.User{}, fault.New(fault.BadCredentials)
}

func (people) User(_ context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error) {
	u, ok := known[tenant.String()+"/"+userID]
	if !ok {
		return u, nil, fault.New(fault.NotFound)
	}
	return u, identity.Grants{{Form: "customer", Action: "read"}}, nil
}

// bundle is a gateway over a real database.
type bundle struct {
	t    *testing.T
	url  string
	db   *store.DB
	hub  *journal.Hub
	logs *lockedBuffer
	*gateway.Server
	http  *httptest.Server
	token string
}

var proofKey = []byte("0123456789abcdef0123456789abcdef")

// setup serves with a Temporal that does not answer; change may put one in.
func setup(t *testing.T, change ...func(*gateway.Config)) *bundle {
	t.Helper()
	b := &bundle{t: t, url: pgtest.NewDatabase(t), hub: journal.NewHub(), logs: &lockedBuffer{}}
	b.exec("INSERT INTO tenants VALUES ('acme.east','acme','east','东区','East','CNY','Asia/Shanghai')," +
		"('acme.west','acme','west','西区','West','CNY','Asia/Shanghai')")
	var err error
	if b.db, err = store.Open(context.Background(), store.Config{URL: b.url, MaxConns: 16}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.db.Close)
	config := gateway.Config{DB: b.db, Carrier: b.hub, Auth: people{}, ProofKey: proofKey, Model: "demo", Demo: true,
		DemoLogins: []gateway.DemoLogin{{Tenant: "acme.east", Username: "li", Password: "pw", Name: "李雷"}},
		Log:        slog.New(slog.NewTextHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Page: fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>Erpilot</title>")},
			"app.js": {Data: []byte("1")}, "chunk-ABCDEFGH.js": {Data: []byte("2")}}}
	for _, f := range change {
		f(&config)
	}
	if config.Temporal == nil {
		c, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: silent{}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		config.Temporal = c
	}
	if b.Server, err = gateway.New(config); err != nil {
		t.Fatal(err)
	}
	b.http = httptest.NewServer(b.Handler())
	t.Cleanup(func() {
		b.Close()
		b.http.Close()
	})
	b.token = b.login("east", "li")
	return b
}

type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *bundle) exec(sql string, args ...any) {
	b.t.Helper()
	conn, err := pgx.Connect(context.Background(), b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), sql, args...); err != nil {
		b.t.Fatal(err)
	}
}

// count is one number from the database, as superuser.
func (b *bundle) count(sql string, args ...any) (n int) {
	b.t.Helper()
	conn, err := pgx.Connect(context.Background(), b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(context.Background(), sql, args...).Scan(&n); err != nil {
		b.t.Fatal(err)
	}
	return n
}

// answer is a response, read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	v := map[string]any{}
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return v
}

// code is the code of a problem, "" when it is none.
func (a answer) code() string {
	var p struct{ Code string }
	if a.header.Get("Content-Type") != "application/problem+json; charset=utf-8" || json.Unmarshal(a.body, &p) != nil {
		return ""
	}
	return p.Code
}

// do sends a request as the bundle's user; headers come in pairs.
func (b *bundle) do(method, path string, body any, headers ...string) answer {
	b.t.Helper()
	return b.as(b.token, method, path, body, headers...)
}

func (b *bundle) as(token, method, path string, body any, headers ...string) answer {
	b.t.Helper()
	resp, err := http.DefaultClient.Do(b.request(context.Background(), token, method, path, body, headers...))
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, raw}
}

func (b *bundle) request(ctx context.Context, token, method, path string, body any, headers ...string) *http.Request {
	b.t.Helper()
	var reader io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(v)
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			b.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	r, err := http.NewRequestWithContext(ctx, method, b.http.URL+path, reader)
	if err != nil {
		b.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (b *bundle) login(subsidiary, username string) string {
	b.t.Helper()
	a := b.as("", "POST", "/api/login", map[string]string{"brand": "acme", "subsidiary": subsidiary, "username": username, "password": "pw"})
	if a.status != http.StatusOK {
		b.t.Fatalf("login: %d %s", a.status, a.body)
	}
	token, _ := a.json(b.t)["token"].(string)
	return token
}

func (b *bundle) conversation() string {
	b.t.Helper()
	a := b.do("POST", "/api/conversations", nil)
	if a.status != http.StatusCreated {
		b.t.Fatalf("create: %d %s", a.status, a.body)
	}
	id, _ := a.json(b.t)["conversation_id"].(string)
	return id
}

// append stores events with texts "from".."to".
func (b *bundle) append(conv string, from, to int) {
	b.t.Helper()
	for i := from; i <= to; i++ {
		err := b.db.Tx(context.Background(), east, func(ctx context.Context, tx pgx.Tx) error {
			_, err := journal.Append(ctx, tx, east, conv, "", journal.Entry{Type: event.Titled, Key: uuid.NewString(), Data: event.Title{Title: "x"}})
			return err
		})
		if err != nil {
			b.t.Error(err)
			return
		}
		b.hub.Wake(east, conv)
	}
}

// stream is an open event stream, read frame by frame.
type stream struct {
	t      *testing.T
	status int
	frames chan frame
	cancel context.CancelFunc
}

type frame struct {
	id, event, data, comment string
}

func (f frame) name() string {
	var v struct{ Type, Name string }
	_ = json.Unmarshal([]byte(f.data), &v)
	if v.Type == "CUSTOM" {
		return v.Name
	}
	return v.Type
}

func (b *bundle) stream(conv string, headers ...string) *stream {
	b.t.Helper()
	return b.streamAt("/api/conversations/"+conv+"/events", headers...)
}

func (b *bundle) streamAt(path string, headers ...string) *stream {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	resp, err := http.DefaultClient.Do(b.request(ctx, b.token, "GET", path, nil, headers...)) //nolint:bodyclose // The goroutine below closes it.
	if err != nil {
		cancel()
		b.t.Fatal(err)
	}
	s := &stream{t: b.t, status: resp.StatusCode, frames: make(chan frame, 4096), cancel: cancel}
	go func() {
		defer close(s.frames)
		defer resp.Body.Close()
		scan := bufio.NewScanner(resp.Body)
		scan.Buffer(nil, 4<<20)
		var f frame
		for scan.Scan() {
			key, value, _ := strings.Cut(scan.Text(), ": ")
			switch {
			case scan.Text() == "":
				if f != (frame{}) {
					s.frames <- f
				}
				f = frame{}
			case key == "id":
				f.id = value
			case key == "event":
				f.event = value
			case key == "data":
				f.data = value
			default:
				f.comment = scan.Text()
			}
		}
	}()
	b.t.Cleanup(cancel)
	return s
}

// next returns the next frame; ok is false when the stream has ended.
func (s *stream) next() (frame, bool) {
	s.t.Helper()
	select {
	case f, ok := <-s.frames:
		return f, ok
	case <-time.After(15 * time.Second):
		s.t.Fatal("no frame for 15 s")
		return frame{}, false
	}
}

// until skips frames up to one of that name (or event, or comment).
func (s *stream) until(name string) frame {
	s.t.Helper()
	for {
		f, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %q", name)
		}
		if f.name() == name || f.event == name || f.comment == name {
			return f
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("waited in vain: %s", what)
		case <-tick.C:
		}
	}
}

// turn makes a row of a turn, running.
func (b *bundle) turn(conv string, started time.Time) pgdb.Turn {
	b.t.Helper()
	var row pgdb.Turn
	err := b.db.Tx(context.Background(), east, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		n, err := q.CountTurn(ctx, pgdb.CountTurnParams{TenantID: east.String(), ConversationID: conv})
		if err != nil {
			return err
		}
		row, err = q.InsertTurn(ctx, pgdb.InsertTurnParams{TenantID: east.String(), TurnID: uuid.NewString(), ConversationID: conv, UserID: "u1", N: n.TurnCount,
			Status: "running", Locale: "zh", IdempotencyKey: uuid.NewString(), RequestHash: "x"})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.exec("UPDATE turns SET started_at = $1 WHERE turn_id = $2", started, row.TurnID)
	return row
}
