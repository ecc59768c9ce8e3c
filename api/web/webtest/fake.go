package webtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/erpilot/erpilot/api/web"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/operation"
)

// Gateway is the fake. Its zero value is not usable; see New.
type Gateway struct {
	// Say is called, in a goroutine of its own, with each message of a person.
	Say func(c *Conversation, turnID, text string)
	// Decide answers a decision: the HTTP status and, for refusals, the code and
	// params. It may append events.
	Decide func(c *Conversation, card operation.Card, d operation.Decision) Reply
	// Repropose answers a wish for a fresh preview or a retry ("repropose", "retry").
	Repropose func(c *Conversation, card operation.Card, how string) Reply
	// Model and Demo label who answers.
	Model string
	Demo  bool
	// Shop is the ERP.
	Shop *Shop

	mu            sync.Mutex
	conversations []*Conversation
	tokens        map[string]string // token → username
	logins        int
	keys          map[string]string // Idempotency-Key → turn id
	requests      []Request
	refuse        int // the next streams to refuse with 503
	lose          map[string]int
	cut           chan struct{}
	now           func() time.Time
}

// Reply is an HTTP answer; Code makes it a problem.
type Reply struct {
	Status int
	Code   string
	Params map[string]string
	Body   any
}

// Request is what the page asked for, as far as tests care.
type Request struct {
	Method, Path, Key, LastEventID string
	Body                           string
}

// New returns a gateway that plays the tour.
func New() *Gateway {
	g := &Gateway{Model: "demo planner", Demo: true, tokens: map[string]string{}, keys: map[string]string{}, lose: map[string]int{}, cut: make(chan struct{}), now: time.Now, Shop: newShop()}
	g.Say, g.Decide, g.Repropose = Tour, Execute, Again
	return g
}

// Handler serves page and API.
func (g *Gateway) Handler() http.Handler {
	mux := http.NewServeMux()
	files := http.FileServerFS(web.Page())
	index := func(w http.ResponseWriter, r *http.Request) {
		headers(w)
		http.ServeFileFS(w, r, web.Page(), "index.html")
	}
	mux.HandleFunc("GET /{$}", index)
	mux.HandleFunc("GET /inbox", index)
	mux.HandleFunc("GET /c/{id}", index)
	mux.HandleFunc("GET /erp/{$}", index)
	mux.HandleFunc("GET /erp/todos", index)
	mux.HandleFunc("GET /erp/form/{form}", index)
	mux.HandleFunc("GET /assets/", func(w http.ResponseWriter, r *http.Request) {
		headers(w)
		files.ServeHTTP(w, r)
	})
	g.api(mux)
	return mux
}

// policy is the gateway's own, and stricter: no Trusted Types policy at all.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

func headers(w http.ResponseWriter) {
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Cache-Control", "no-cache")
}

// Start makes a conversation without a person's message.
func (g *Gateway) Start(title string) *Conversation {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &Conversation{ID: fmt.Sprintf("conv-%d", len(g.conversations)+1), gateway: g, wake: make(chan struct{})}
	c.state.Conversation = chat.Conversation{ConversationID: c.ID, Title: title, CreatedAt: g.now(), UpdatedAt: g.now()}
	g.conversations = append(g.conversations, c)
	return c
}

// Conversations are all there are, oldest first.
func (g *Gateway) Conversations() []*Conversation {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]*Conversation(nil), g.conversations...)
}

// CutStreams breaks every open stream in the middle and refuses the next n.
func (g *Gateway) CutStreams(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refuse = n
	close(g.cut)
	g.cut = make(chan struct{})
}

// ExpireLogins makes every token unknown.
func (g *Gateway) ExpireLogins() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tokens = map[string]string{}
}

// Lose carries out the next n requests whose path has the suffix, but answers
// 502 instead of what became of them.
func (g *Gateway) Lose(method, suffix string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lose[method+" "+suffix] = n
}

// lost tells whether the answer to the request gets lost; g.mu is held.
func (g *Gateway) lost(r *http.Request) bool {
	for key, n := range g.lose {
		method, suffix, _ := strings.Cut(key, " ")
		if n > 0 && r.Method == method && strings.HasSuffix(r.URL.Path, suffix) {
			g.lose[key]--
			return true
		}
	}
	return false
}

// Requests are the API calls so far whose path has the suffix.
func (g *Gateway) Requests(method, suffix string) []Request {
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []Request
	for _, r := range g.requests {
		if r.Method == method && strings.HasSuffix(r.Path, suffix) {
			found = append(found, r)
		}
	}
	return found
}
