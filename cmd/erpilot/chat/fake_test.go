package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

const patience = 20 * time.Second

// request is what the fake gateway was asked.
type request struct {
	method, path, key, token, lastID string
	body                             map[string]any
}

// item is a stored event, or frames without an id.
type item struct {
	stored  *event.Event
	passing []event.Frame
}

// fake speaks the gateway's wire (event.Wire) over a journal that tests fill.
type fake struct {
	t      *testing.T
	server *httptest.Server

	mu sync.Mutex
	// items are stored events and passing frames, in the order of the wire.
	items    []item
	head     int64
	changed  chan struct{}
	requests []request
	// handle answers what the fake does not know; the map is by "METHOD /path".
	handle map[string]func(w http.ResponseWriter, r request)
	// token is the one that counts.
	token                  string
	logins, streams, turns int
	// cutAfter drops the first connection after so many bytes; 0 never.
	cutAfter int
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, changed: make(chan struct{}), handle: map[string]func(http.ResponseWriter, request){}}
	f.server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	return f
}

var li = identity.User{Tenant: identity.Tenant{BrandID: "yunfan", SubsidiaryID: "shanghai"}, UserID: "li", Username: "li", DisplayName: "李娜",
	Locale: identity.English, TimeZone: "Asia/Shanghai"}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func refuse(w http.ResponseWriter, status int, code fault.Code, pairs ...string) {
	answer(w, status, map[string]any{"code": code, "params": fault.New(code, pairs...).Params, "status": status})
}

func (f *fake) serve(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	q := request{method: r.Method, path: r.URL.Path, key: r.Header.Get("Idempotency-Key"), token: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
		lastID: r.Header.Get("Last-Event-ID")}
	_ = json.Unmarshal(raw, &q.body)
	f.mu.Lock()
	f.requests = append(f.requests, q)
	handle := f.handle[q.method+" "+q.path]
	token := f.token
	f.mu.Unlock()
	switch {
	case handle != nil:
		handle(w, q)
		return
	case q.path == "/api/login":
		f.login(w, q)
		return
	case token == "" || q.token != token:
		refuse(w, http.StatusUnauthorized, fault.Unauthenticated)
		return
	}
	switch q.method + " " + q.path {
	case "GET /api/me":
		answer(w, 200, map[string]any{"user": li, "model": "demo planner", "demo": true})
	case "GET /api/conversations":
		answer(w, 200, map[string]any{"conversations": []chat.Conversation{{ConversationID: "c1", Title: "华东客户", PendingCount: 1, NearestDeadline: &deadline}}})
	case "POST /api/conversations":
		answer(w, 201, chat.Conversation{ConversationID: "c1"})
	case "GET /api/conversations/c1/state":
		answer(w, 200, chat.State{Head: f.head, ServerNow: time.Now(), Model: "demo planner", Demo: true})
	case "GET /api/conversations/c1/events":
		f.events(w, r)
	default:
		refuse(w, http.StatusNotFound, fault.NotFound)
	}
}

func (f *fake) login(w http.ResponseWriter, q request) {
	if q.body["password"] != "demo1234" {
		refuse(w, http.StatusUnauthorized, fault.BadCredentials)
		return
	}
	f.mu.Lock()
	f.logins++
	f.token = "token-" + strconv.Itoa(f.logins)
	token := f.token
	f.mu.Unlock()
	answer(w, 200, map[string]any{"token": token, "user": li})
}

// events sends the journal after the cursor, then deltas and what is added.
func (f *fake) events(w http.ResponseWriter, r *http.Request) {
	after, _ := strconv.ParseInt(r.Header.Get("Last-Event-ID"), 10, 64)
	f.mu.Lock()
	f.streams++
	cut := 0
	if f.streams == 1 {
		cut = f.cutAfter
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "retry: 10\n: connected\n\n")
	flush := http.NewResponseController(w).Flush
	_ = flush()
	at, written := f.position(after), 0
	for {
		f.mu.Lock()
		items, changed := f.items, f.changed
		f.mu.Unlock()
		var out bytes.Buffer
		for ; at < len(items); at++ {
			frames, id := items[at].passing, int64(0)
			if e := items[at].stored; e != nil {
				var err error
				if frames, err = event.Wire(*e); err != nil {
					f.t.Error(err)
				}
				id = e.Seq
			}
			for i, x := range frames {
				raw, _ := json.Marshal(x)
				if id > 0 && i == len(frames)-1 {
					fmt.Fprintf(&out, "id: %d\n", id)
				}
				fmt.Fprintf(&out, "data: %s\n\n", raw)
			}
		}
		if cut > 0 && written+out.Len() > cut {
			_, _ = w.Write(out.Bytes()[:cut-written])
			_ = flush()
			panic(http.ErrAbortHandler)
		}
		written += out.Len()
		_, _ = w.Write(out.Bytes())
		if flush() != nil {
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// position is the first item after an event.
func (f *fake) position(after int64) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, x := range f.items {
		if x.stored != nil && x.stored.Seq == after {
			return i + 1
		}
	}
	return 0
}

// add stores an event; its seq is the next.
func (f *fake) add(typ event.Type, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	f.head++
	e := event.Event{ConversationID: "c1", Seq: f.head, TurnID: "t" + strconv.Itoa(f.turns), Type: typ, Data: raw, At: time.Now()}
	f.mu.Unlock()
	f.tell(item{stored: &e})
}

// delta sends passing frames.
func (f *fake) delta(frames ...event.Frame) { f.tell(item{passing: frames}) }

func (f *fake) tell(x item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, x)
	close(f.changed)
	f.changed = make(chan struct{})
}

// on answers a request of the client.
func (f *fake) on(what string, handle func(w http.ResponseWriter, r request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.handle[what] = handle
}

// onMessage answers each posted message with a turn and does the rest.
func (f *fake) onMessage(do func(text string)) {
	f.on("POST /api/conversations/c1/messages", func(w http.ResponseWriter, r request) {
		text, _ := r.body["text"].(string)
		f.mu.Lock()
		f.turns++
		n := f.turns
		f.mu.Unlock()
		answer(w, 202, map[string]any{"turn_id": "t" + strconv.Itoa(n)})
		f.add(event.TurnStarted, event.Started{N: n, MessageID: "m-" + r.key, Text: text})
		do(text)
	})
}

// asked are the requests to a path, in order.
func (f *fake) asked(method, path string) (found []request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if r.method == method && r.path == path {
			found = append(found, r)
		}
	}
	return found
}

func (f *fake) end(status chat.TurnStatus) {
	f.add(event.TurnEnded, event.Ended{Segment: 1, Status: string(status)})
}

var deadline = time.Date(2099, 12, 1, 3, 0, 0, 0, time.UTC)

func cardOf(opID string, status operation.Status) operation.Card {
	return operation.Card{OpID: opID, PendingID: "p-" + opID, ConversationID: "c1", TurnID: "t1", CallID: "call-1", Revision: 1, Digest: "digest-" + opID,
		Status: status, Risk: "confirm", Policy: "self", RequesterID: "li", RequesterName: "李娜", Reason: "asked for", Deadline: deadline,
		Capabilities: erp.Capabilities{DryRun: true, IdempotentExecute: true, Fence: true, FactsUnderLock: true},
		Preview: erp.Preview{Form: "sales_order", FormLabel: erp.Label{Zh: "销售订单", En: "sales order"}, Action: "create",
			ActionLabel: erp.Label{Zh: "新建", En: "Create"}, Object: "上海晨光贸易有限公司 (C-0001)", Total: "1280.00", Currency: "CNY",
			Diffs: []erp.Diff{{Field: "status", Label: erp.Label{Zh: "状态", En: "Status"}, Before: "old\x1b[2Jvalue", After: "new"},
				{Field: "quantity", Label: erp.Label{Zh: "库存", En: "Stock"}, Object: "龙井绿茶 (P-1)", Before: "120", After: "110", Derived: true},
				{Field: "credit", Label: erp.Label{Zh: "可用额度", En: "Credit left"}, Before: "5000", After: "3720", Derived: true}},
			Lines: []erp.Line{
				{Product: "P-1", ProductName: "龙井绿茶", Unit: "箱", Quantity: "10", BasePrice: "100.00", Discount: "5", UnitPrice: "95.00", Amount: "950.00",
					Warehouse: "WH1", StockBefore: "120", StockAfter: "110"},
				{Product: "P-22", ProductName: "Tea", Unit: "箱", Quantity: "5", BasePrice: "66.00", Discount: "0", UnitPrice: "66.00", Amount: "330.00",
					Warehouse: "WH1", StockBefore: "9", StockAfter: "4"}},
			Notes: []erp.Label{{Zh: "不收款", En: "Takes no payment"}}}}
}

// propose adds the events of a proposal that waits.
func (f *fake) propose(c operation.Card) {
	f.add(event.ToolStarted, event.Tool{CallID: c.CallID, Tool: "propose_write", Arguments: "{}"})
	staged := c
	staged.Status = operation.Draft // as the worker stages it before its workflow runs
	f.add(event.WriteProposal, staged)
	f.add(event.OperationChanged, event.OpState{OpID: c.OpID, PendingID: c.PendingID, CallID: c.CallID, Status: operation.AwaitingApproval})
	f.add(event.ApprovalPending, event.Approval{PendingID: c.PendingID, OpID: c.OpID, CallID: c.CallID, Deadline: c.Deadline})
	f.add(event.TurnSuspended, event.Suspended{Segment: 1, Waiting: []event.WaitingFor{{PendingID: c.PendingID, Kind: "approval", OpID: c.OpID, Deadline: c.Deadline}}})
}

// outcome adds the events of a decided operation and of the end of its turn.
func (f *fake) outcome(c operation.Card, refusal *erp.Refusal) {
	f.add(event.ApprovalResolved, event.Resolved{PendingID: c.PendingID, OpID: c.OpID, CallID: c.CallID, Decision: operation.Approved, By: "li", ByName: "李娜",
		Channel: operation.ChannelTerminal, At: time.Now()})
	status, bill := operation.Executed, "SO-1"
	if refusal != nil {
		status, bill = operation.Refused, ""
	}
	f.add(event.ToolExecuting, event.Executing{CallID: c.CallID, OpID: c.OpID, Attempt: 1})
	f.add(event.OperationResult, event.OpState{OpID: c.OpID, PendingID: c.PendingID, CallID: c.CallID, Status: status, Bill: bill, Link: link(bill), Refusal: refusal})
	f.add(event.ToolFinished, event.ToolDone{CallID: c.CallID, Tool: "propose_write", Status: string(status), Summary: bill})
	f.add(event.TurnResumed, event.Run{Segment: 2})
	f.end(chat.Answered)
}

func link(bill string) string {
	if bill == "" {
		return ""
	}
	return "/erp/form/sales_order?bill=" + bill
}

// screen collects what is printed; a wait on it is a wait for a text.
type screen struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{}
}

func newScreen() *screen { return &screen{changed: make(chan struct{})} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for a text on the screen.
func (s *screen) until(t *testing.T, part string) {
	t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		text, changed := s.text.String(), s.changed
		s.mu.Unlock()
		if strings.Contains(text, part) {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("%q never came to the screen:\n%s", part, text)
		}
	}
}

// command is what the tests start.
func (f *fake) command() Command {
	return Command{URL: f.server.URL + "/", Brand: "yunfan", Subsidiary: "shanghai", User: "li"}
}

func (f *fake) env(in io.Reader, out io.Writer) env {
	return env{in: in, out: out, now: time.Now, config: f.t.TempDir(), password: func(string) (string, error) { return "demo1234", nil }}
}

// pipe runs the chat over lines and returns what it printed.
func (f *fake) pipe(input string) (string, error) {
	f.t.Helper()
	var out bytes.Buffer
	c := f.command()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	err := c.run(ctx, f.env(strings.NewReader(input), &out))
	return out.String(), err
}

// person is somebody at a terminal.
type person struct {
	*screen
	keys       *io.PipeWriter
	interrupts chan os.Signal
	left       chan error
}

// sit runs the chat interactively; the person types and looks.
func (f *fake) sit(change func(*Command, *env)) *person {
	f.t.Helper()
	in, keys := io.Pipe()
	p := &person{screen: newScreen(), keys: keys, interrupts: make(chan os.Signal, 4), left: make(chan error, 1)}
	c := f.command()
	e := f.env(in, p.screen)
	e.interactive, e.interrupts = true, p.interrupts
	if change != nil {
		change(&c, &e)
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	f.t.Cleanup(cancel)
	go func() { p.left <- c.run(ctx, e) }()
	return p
}

func (p *person) types(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.keys, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (p *person) leaves(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.left:
		return err
	case <-time.After(patience):
		t.Fatalf("the chat never ends:\n%s", p.String())
		return nil
	}
}

func has(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(out, p) {
			t.Errorf("%q is missing in:\n%s", p, out)
		}
	}
}
