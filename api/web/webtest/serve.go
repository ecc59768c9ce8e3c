package webtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

// people are the demo logins; the password of each is "demo".
var people = map[string]string{"lin": "林小红", "chen": "陈大文"}

func (g *Gateway) api(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/login/options", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"model": g.Model, "demo": g.Demo,
			"tenants": []map[string]any{
				{"tenant_id": "lanhai.east", "brand_id": "lanhai", "subsidiary_id": "east", "name": erp.Label{Zh: "蓝海贸易 · 华东公司", En: "Blue Ocean Trading, East"}},
				{"tenant_id": "lanhai.south", "brand_id": "lanhai", "subsidiary_id": "south", "name": erp.Label{Zh: "蓝海贸易 · 华南公司", En: "Blue Ocean Trading, South"}}},
			"demo_logins": []map[string]string{
				{"tenant": "lanhai.east", "username": "lin", "password": "demo", "name": "林小红"},
				{"tenant": "lanhai.east", "username": "chen", "password": "demo", "name": "陈大文"}}})
	})
	mux.HandleFunc("POST /api/login", g.login)
	own := func(pattern string, h func(w http.ResponseWriter, r *http.Request, user string)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			g.mu.Lock()
			user, ok := g.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
			g.requests = append(g.requests, Request{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), r.Header.Get("Last-Event-ID"), string(body)})
			lost := g.lost(r)
			g.mu.Unlock()
			if !ok {
				problem(w, 401, "unauthenticated", nil)
				return
			}
			if lost {
				h(httptest.NewRecorder(), r, user)
				problem(w, 502, "unavailable", nil)
				return
			}
			h(w, r, user)
		})
	}
	one := func(pattern string, h func(w http.ResponseWriter, r *http.Request, c *Conversation)) {
		own(pattern, func(w http.ResponseWriter, r *http.Request, _ string) {
			for _, c := range g.Conversations() {
				if c.ID == r.PathValue("id") {
					h(w, r, c)
					return
				}
			}
			problem(w, 404, "not_found", nil)
		})
	}
	own("POST /api/logout", func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusNoContent) })
	own("GET /api/conversations", func(w http.ResponseWriter, _ *http.Request, _ string) {
		list := []chat.Conversation{}
		for _, c := range g.Conversations() {
			list = append(list, c.State().Conversation)
		}
		slices.Reverse(list)
		reply(w, 200, map[string]any{"conversations": list})
	})
	own("POST /api/conversations", func(w http.ResponseWriter, _ *http.Request, _ string) {
		reply(w, 201, g.Start("").State().Conversation)
	})
	one("PATCH /api/conversations/{id}", func(w http.ResponseWriter, r *http.Request, c *Conversation) {
		var b event.Title
		_ = json.NewDecoder(r.Body).Decode(&b)
		c.Append(event.Titled, "", b)
		reply(w, 200, c.State().Conversation)
	})
	one("DELETE /api/conversations/{id}", func(w http.ResponseWriter, r *http.Request, c *Conversation) {
		if n := c.State().Conversation.PendingCount; n > 0 && r.URL.Query().Get("cancel_pending") == "" {
			problem(w, 409, "pending_open", map[string]string{"count": strconv.Itoa(n)})
			return
		}
		g.mu.Lock()
		g.conversations = slices.DeleteFunc(g.conversations, func(x *Conversation) bool { return x == c })
		g.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	})
	one("GET /api/conversations/{id}/state", func(w http.ResponseWriter, _ *http.Request, c *Conversation) { reply(w, 200, c.State()) })
	one("GET /api/conversations/{id}/events", g.stream)
	one("POST /api/conversations/{id}/messages", g.message)
	one("POST /api/conversations/{id}/stop", func(w http.ResponseWriter, _ *http.Request, c *Conversation) {
		for _, t := range c.State().Turns {
			if t.Status == chat.Running {
				c.End(t.TurnID, "stopped", "stopped")
			}
		}
		reply(w, 202, map[string]any{})
	})
	one("POST /api/conversations/{id}/resume", func(w http.ResponseWriter, _ *http.Request, c *Conversation) {
		turns := c.State().Turns
		last := turns[len(turns)-1].TurnID
		c.Append(event.TurnResumed, last, event.Run{Segment: 2})
		c.Say(last, "继续完成了。")
		c.End(last, "answered", "")
		reply(w, 202, map[string]any{})
	})
	own("POST /api/pending/{id}/answer", func(w http.ResponseWriter, r *http.Request, _ string) {
		var b struct {
			Answer string `json:"answer"`
		}
		_ = json.NewDecoder(r.Body).Decode(&b)
		for _, c := range g.Conversations() {
			for _, p := range c.State().Pending {
				if p.PendingID == r.PathValue("id") {
					c.Answered(p, b.Answer)
					reply(w, 202, map[string]any{})
					return
				}
			}
		}
		problem(w, 404, "not_found", nil)
	})
	own("GET /api/op", func(w http.ResponseWriter, _ *http.Request, _ string) {
		cards := []operation.Card{}
		for _, c := range g.Conversations() {
			for _, card := range c.State().Cards {
				if card.Status == operation.AwaitingApproval {
					cards = append(cards, card)
				}
			}
		}
		reply(w, 200, map[string]any{"operations": cards})
	})
	own("GET /api/op/{op}", func(w http.ResponseWriter, r *http.Request, _ string) {
		if _, card, ok := g.find(r.PathValue("op")); ok {
			reply(w, 200, card)
			return
		}
		problem(w, 404, "not_found", nil)
	})
	own("POST /api/op/{op}/{verb}", g.decide)
	g.records(own)
	g.drafts(own)
}

// Answered settles a question and lets its turn go on.
func (c *Conversation) Answered(p chat.Pending, answer string) {
	c.Append(event.PendingAnswered, p.TurnID, event.Answer{PendingID: p.PendingID, CallID: p.CallID, Status: "answered", Answer: answer})
	c.Append(event.ToolFinished, p.TurnID, event.ToolDone{CallID: p.CallID, Tool: "ask_user", Status: "answered"})
	c.Append(event.TurnResumed, p.TurnID, event.Run{Segment: 2})
	c.Say(p.TurnID, "好的，按「"+answer+"」继续。")
	c.End(p.TurnID, "answered", "")
}

func (g *Gateway) find(opID string) (*Conversation, operation.Card, bool) {
	for _, c := range g.Conversations() {
		if card, ok := c.Card(opID); ok {
			return c, card, true
		}
	}
	return nil, operation.Card{}, false
}

func (g *Gateway) login(w http.ResponseWriter, r *http.Request) {
	var b struct {
		Brand      string `json:"brand"`
		Subsidiary string `json:"subsidiary"`
		Username   string `json:"username"`
		Password   string `json:"password"`
	}
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil || people[b.Username] == "" || b.Password != "demo" {
		problem(w, 401, "bad_credentials", nil)
		return
	}
	g.mu.Lock()
	g.logins++
	token := fmt.Sprintf("token-%d", g.logins)
	g.tokens[token] = b.Username
	g.mu.Unlock()
	reply(w, 200, map[string]any{"token": token, "user": identity.User{Tenant: identity.Tenant{BrandID: b.Brand, SubsidiaryID: b.Subsidiary}, UserID: b.Username,
		Username: b.Username, DisplayName: people[b.Username], TimeZone: "Asia/Shanghai"}})
}

func (g *Gateway) message(w http.ResponseWriter, r *http.Request, c *Conversation) {
	var b struct {
		Text    string `json:"text"`
		Answers string `json:"answers"`
	}
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil || b.Text == "" {
		problem(w, 400, "invalid", map[string]string{"detail": "text is missing"})
		return
	}
	key := c.ID + r.Header.Get("Idempotency-Key")
	g.mu.Lock()
	id, again := g.keys[key]
	g.mu.Unlock()
	for _, p := range c.State().Pending {
		if b.Answers == p.PendingID && !again {
			c.Answered(p, b.Text)
			reply(w, 202, map[string]any{"turn_id": p.TurnID})
			return
		}
	}
	if !again {
		id = c.Turn(b.Text, "")
		g.mu.Lock()
		g.keys[key] = id
		g.mu.Unlock()
		go g.Say(c, id, b.Text)
	}
	reply(w, 202, map[string]any{"turn_id": id})
}

func (g *Gateway) decide(w http.ResponseWriter, r *http.Request, user string) {
	c, card, ok := g.find(r.PathValue("op"))
	if !ok {
		problem(w, 404, "not_found", nil)
		return
	}
	var answer Reply
	switch verb := r.PathValue("verb"); verb {
	case "confirm", "cancel":
		var d operation.Decision
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			problem(w, 400, "invalid", map[string]string{"detail": "no decision"})
			return
		}
		d.Decision, d.Actor = operation.Approve, people[user]
		if verb == "cancel" {
			d.Decision = operation.Cancel
		}
		answer = g.Decide(c, card, d)
	default:
		answer = g.Repropose(c, card, verb)
	}
	if answer.Code != "" {
		problem(w, answer.Status, answer.Code, answer.Params)
		return
	}
	reply(w, answer.Status, answer.Body)
}

// stream is the event log over SSE, as the gateway sends it.
func (g *Gateway) stream(w http.ResponseWriter, r *http.Request, c *Conversation) {
	g.mu.Lock()
	refused := g.refuse > 0
	if refused {
		g.refuse--
	}
	cut := g.cut
	g.mu.Unlock()
	if refused {
		problem(w, 503, "unavailable", nil)
		return
	}
	after, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	if r.Header.Get("Last-Event-ID") == "" {
		after, _ = strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	rc := http.NewResponseController(w)
	fmt.Fprint(w, "retry: 400\n: connected\n\n")
	c.mu.Lock()
	at := len(c.items)
	backlog := slices.Clone(c.items)
	open := slices.Clone(c.state.Streaming)
	c.mu.Unlock()
	for _, i := range backlog {
		if i.event != nil && i.event.Seq > after {
			send(w, i)
		}
	}
	for _, m := range open {
		frame(w, event.Frame{"type": "TEXT_MESSAGE_START", "messageId": m.MessageID, "role": "assistant"}, 0)
		frame(w, event.WireDelta(event.Delta{TurnID: m.TurnID, MessageID: m.MessageID, Text: m.Text, Attempt: 1}), 0)
	}
	for {
		if rc.Flush() != nil {
			return
		}
		c.mu.Lock()
		news := slices.Clone(c.items[at:])
		at = len(c.items)
		wake := c.wake
		c.mu.Unlock()
		for _, i := range news {
			send(w, i)
		}
		if len(news) > 0 {
			continue
		}
		select {
		case <-wake:
		case <-cut:
			panic(http.ErrAbortHandler) // a cut in the middle, not a clean end
		case <-r.Context().Done():
			return
		}
	}
}

func send(w io.Writer, i item) {
	if i.delta != nil {
		frame(w, event.WireDelta(*i.delta), 0)
		return
	}
	frames, err := event.Wire(*i.event)
	if err != nil {
		panic(err)
	}
	for n, f := range frames {
		id := int64(0)
		if n == len(frames)-1 {
			id = i.event.Seq
		}
		frame(w, f, id)
	}
}

func frame(w io.Writer, f event.Frame, id int64) {
	raw, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	if id > 0 {
		fmt.Fprintf(w, "id: %d\n", id)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, code string, params map[string]string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "code": code, "params": params})
}
