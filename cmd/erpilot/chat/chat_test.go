package chat

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

func piece(id string, attempt, offset int, text string) event.Frame {
	return event.WireDelta(event.Delta{TurnID: "t1", MessageID: id, Attempt: attempt, Offset: offset, Text: text})
}

func TestAPipeAsksAndPrintsTheStreamedAnswerOnce(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	text := "找到 2 个客户：\n\n| 编号 | 名称 |\n| --- | ---: |\n| C-1 | 晨光 |\n| C-22 | A\\|B |\n\n还有别的吗"
	f.onMessage(func(string) {
		f.add(event.ToolStarted, event.Tool{CallID: "call-1", Tool: "read_form"})
		f.add(event.ToolFinished, event.ToolDone{CallID: "call-1", Tool: "read_form", Status: "ok", Rows: 2, Total: 7, Millis: 35})
		at := 0
		for _, p := range strings.SplitAfter(text, "|") {
			f.delta(piece("m1", 1, at, p))
			at += len(p)
		}
		f.delta(piece("m1", 1, 0, text)) // as after a reconnect: the whole text so far
		f.add(event.MessageStored, event.Message{MessageID: "m1", Step: 1, Text: text, Model: "demo"})
		f.end(chat.Answered)
	})
	out, err := f.pipe("\n华东客户有哪些？\n\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "Hello, 李娜.", "No language model is connected", "> 华东客户有哪些？", "Read records · running", "Read records · done · 2 of 7 rows. · 35 ms",
		"找到 2 个客户：\n", "编号  名称\n────  ────\nC-1   晨光\nC-22   A|B\n", "还有别的吗\n")
	if n := strings.Count(out, "还有别的吗"); n != 1 {
		t.Errorf("the answer is printed %d times:\n%s", n, out)
	}
	posted := f.asked("POST", "/api/conversations/c1/messages")
	if len(posted) != 1 || posted[0].key == "" {
		t.Errorf("posted %+v; an empty line is no message", posted)
	}
}

func TestARetriedModelCallStartsItsTextAnew(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.onMessage(func(string) {
		f.delta(piece("m1", 1, 0, "half an ans"))
		f.delta(event.Custom("message_reset", map[string]any{"message_id": "m1", "attempt": 2}), piece("m1", 2, 0, "a whole"))
		f.delta(piece("m1", 1, 11, " of the old attempt"))
		f.add(event.MessageStored, event.Message{MessageID: "m1", Text: "a whole answer"})
		f.end(chat.Answered)
	})
	out, err := f.pipe("hello\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "half an ans\n(answering anew; disregard the text above)\n\na whole answer\n")
	if strings.Contains(out, "old attempt") {
		t.Errorf("a piece of the old attempt is printed:\n%s", out)
	}
}

func TestTheStoredMessageReplacesAnotherStream(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.onMessage(func(string) {
		f.delta(piece("m1", 1, 0, "one thing"))
		f.add(event.MessageStored, event.Message{MessageID: "m1", Text: "another thing"})
		f.end(chat.Answered)
	})
	out, err := f.pipe("hello\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "one thing\n(answering anew; disregard the text above)\n\nanother thing\n")
}

func TestYConfirmsExactlyWhatTheCardShows(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := cardOf("op-1", operation.AwaitingApproval)
	f.onMessage(func(string) { f.propose(c) })
	f.on("POST /api/op/op-1/confirm", func(w http.ResponseWriter, _ request) {
		after := c
		after.Status = operation.Approved
		answer(w, 200, after)
		f.outcome(c, nil)
	})
	out, err := f.pipe("order\n\n\ny\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "[1] Create sales order — 上海晨光贸易有限公司 (C-0001)", "old[2Jvalue → new",
		"Product         Quantity  Base price  Discount  Unit price  Amount  Stock\n",
		"龙井绿茶 (P-1)     10 箱      100.00  5% off         95.00  950.00  120 → 110 (WH1)\n",
		"Tea (P-22)          5 箱       66.00  none           66.00  330.00  9 → 4 (WH1)\n",
		"Total: 1280.00 CNY", "Credit left  5000 → 3720", "Takes no payment", "Reason (in the assistant's words): asked for", "Requester: 李娜", "Guaranteed: written at most once",
		"Deadline 2099-12-01 11:00 CST (left: ", "Type y to confirm, n to cancel", "Confirmed. Nothing is written yet.", "Confirmed by 李娜, ",
		"Written to the ERP: sales order SO-1 <"+f.server.URL+"/erp/form/sales_order?bill=SO-1>")
	if strings.ContainsRune(out, '\x1b') {
		t.Error("a control character of the ERP's data reaches the terminal")
	}
	asked := f.asked("POST", "/api/op/op-1/confirm")
	if len(asked) != 1 {
		t.Fatalf("confirmed %d times", len(asked))
	}
	id := asked[0].body["decision_id"]
	want := map[string]any{"pending_id": "p-op-1", "revision": 1.0, "digest": "digest-op-1", "decision_id": id}
	if diff := cmp.Diff(want, asked[0].body); diff != "" || id == "" {
		t.Error(diff)
	}
	if n := strings.Count(out, "120 → 110"); n != 1 {
		t.Errorf("the stock is told %d times", n)
	}
	if n := strings.Count(out, "Type y to confirm"); n != 1 {
		t.Errorf("the keys are explained %d times", n)
	}
	if n := len(f.asked("POST", "/api/conversations/c1/messages")); n != 1 {
		t.Errorf("%d messages were sent", n)
	}
}

func TestADecisionKeepsItsIDOverRetries(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := cardOf("op-1", operation.AwaitingApproval)
	f.onMessage(func(string) { f.propose(c) })
	tries := 0
	f.on("POST /api/op/op-1/cancel", func(w http.ResponseWriter, _ request) {
		if tries++; tries < 3 {
			refuse(w, http.StatusServiceUnavailable, fault.Unavailable)
			return
		}
		after := c
		after.Status = operation.Cancelled
		answer(w, 200, after)
		f.end(chat.Answered)
	})
	out, err := f.pipe("order\nn\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "Cancelled; nothing was written.")
	ids := map[any]bool{}
	asked := f.asked("POST", "/api/op/op-1/cancel")
	for _, r := range asked {
		ids[r.body["decision_id"]] = true
	}
	if len(asked) != 3 || len(ids) != 1 {
		t.Errorf("%d requests with %d decision ids", len(asked), len(ids))
	}
}

func TestAQueuedDecisionAndAnEarlierOneAreToldInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		handle func(f *fake) func(w http.ResponseWriter, r request)
		want   []string
	}{
		{"queued", func(*fake) func(http.ResponseWriter, request) {
			return func(w http.ResponseWriter, _ request) {
				answer(w, 202, map[string]any{"status": "queued", "op_id": "op-1", "deadline": deadline})
			}
		}, []string{"Your decision is queued. It counts only if it is processed before 2099-12-01 11:00 CST."}},
		{"decided", func(f *fake) func(http.ResponseWriter, request) {
			return func(w http.ResponseWriter, _ request) {
				refuse(w, 409, fault.AlreadyDecided, "status", "cancelled", "by", "wang", "channel", "web", "at", "2026-12-01T01:00:00Z")
				f.end(chat.Answered)
			}
		}, []string{"wang has already decided (Cancelled) at 2026-12-01 09:00 CST through the web page.", "[1] Cancelled; nothing was written."}},
		{"expired", func(f *fake) func(http.ResponseWriter, request) {
			return func(w http.ResponseWriter, _ request) {
				refuse(w, 409, fault.Expired)
				f.end(chat.Answered)
			}
		}, []string{"The deadline has passed; nothing was written."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.onMessage(func(string) { f.propose(cardOf("op-1", operation.AwaitingApproval)) })
			f.on("POST /api/op/op-1/confirm", c.handle(f))
			f.on("GET /api/op/op-1", func(w http.ResponseWriter, _ request) { answer(w, 200, cardOf("op-1", operation.Cancelled)) })
			out, err := f.pipe("order\ny\n")
			if err != nil {
				t.Fatal(err)
			}
			has(t, out, c.want...)
		})
	}
}

func TestARefusedCardNamesTheFactAndPProposesAgain(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	old, fresh := cardOf("op-1", operation.AwaitingApproval), cardOf("op-2", operation.AwaitingApproval)
	fresh.Replaces = "op-1"
	f.onMessage(func(string) { f.propose(old) })
	f.on("POST /api/op/op-1/confirm", func(w http.ResponseWriter, _ request) {
		after := old
		after.Status = operation.Approved
		answer(w, 200, after)
		f.outcome(old, &erp.Refusal{Code: "quote_changed", Old: "95.00", New: "99.00",
			Fact: &erp.Fact{Kind: erp.FactPrice, Object: "龙井绿茶", Label: erp.Label{Zh: "单价", En: "Unit price"}}})
	})
	f.on("POST /api/op/op-1/repropose", func(w http.ResponseWriter, _ request) {
		answer(w, 201, fresh)
		f.add(event.WriteProposal, fresh)
	})
	out, err := f.pipe("order\ny\np\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "✗ [1] Unit price of 龙井绿茶 changed from 95.00 to 99.00; nothing was written.", "Type p to propose again",
		"[2] Create sales order", "Changed since the last proposal: 龙井绿茶 · Unit price: 95.00 → 99.00")
	if n := strings.Count(out, "[2] Create"); n != 1 {
		t.Errorf("the fresh card is printed %d times", n)
	}
}

func TestAQuestionTakesANumberOrFreeText(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"2": "beta", "gamma": "gamma", "y": "y"} {
		t.Run(typed, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.onMessage(func(string) {
				f.add(event.QuestionAsked, event.Question{PendingID: "q1", CallID: "call-1", Question: "Which one?", Options: []string{"alpha", "beta"},
					AllowFreeText: true, Deadline: deadline})
				f.add(event.TurnSuspended, event.Suspended{Segment: 1, Waiting: []event.WaitingFor{{PendingID: "q1", Kind: "question"}}})
			})
			f.on("POST /api/pending/q1/answer", func(w http.ResponseWriter, r request) {
				answer(w, 202, map[string]any{"turn_id": "t1"})
				f.add(event.PendingAnswered, event.Answer{PendingID: "q1", Status: "answered", Answer: r.body["answer"].(string)})
				f.end(chat.Answered)
			})
			out, err := f.pipe("hello\n" + typed + "\n")
			if err != nil {
				t.Fatal(err)
			}
			has(t, out, "? Which one?", "  1  alpha\n  2  beta\n", "Type a number to choose, or your own answer.", "Answered: "+want)
		})
	}
}

func TestALostStreamGoesOnWhereItWasAndShowsEveryEventOnce(t *testing.T) {
	t.Parallel()
	c := cardOf("op-1", operation.AwaitingApproval)
	for _, cut := range []int{120, 700, 1500, 2600} {
		g := newFake(t)
		g.cutAfter = cut
		g.onMessage(func(string) {
			g.add(event.MessageStored, event.Message{MessageID: "m1", Text: "Here is the order."})
			g.propose(c)
		})
		out, err := g.pipe("order\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, once := range []string{"> order", "Here is the order.", "[1] Create sales order", "Propose a write · running", "waits for a decision"} {
			if n := strings.Count(out, once); n != 1 {
				t.Errorf("cut after %d bytes: %q is printed %d times:\n%s", cut, once, n, out)
			}
		}
		if g.streams < 2 {
			t.Errorf("cut after %d bytes: the stream was opened %d times", cut, g.streams)
		}
	}
}

func TestAnExpiredLoginIsRenewedAndTheChatGoesOn(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.onMessage(func(string) { f.propose(cardOf("op-1", operation.AwaitingApproval)) })
	f.on("POST /api/op/op-1/confirm", func(w http.ResponseWriter, r request) {
		if r.token == "token-1" {
			f.mu.Lock()
			f.token = ""
			f.mu.Unlock()
			refuse(w, 401, fault.Unauthenticated)
			return
		}
		after := cardOf("op-1", operation.Approved)
		answer(w, 200, after)
		f.outcome(after, nil)
	})
	out, err := f.pipe("order\ny\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "Please log in again.", "SO-1")
	asked := f.asked("POST", "/api/op/op-1/confirm")
	if len(asked) != 2 || asked[0].body["decision_id"] != asked[1].body["decision_id"] {
		t.Errorf("asked %+v", asked)
	}
}

func TestAPersonDecidesStopsAndLeaves(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	c := cardOf("op-1", operation.AwaitingApproval)
	f.onMessage(func(text string) {
		if text == "order" {
			f.propose(c)
		}
	})
	f.on("POST /api/op/op-1/confirm", func(w http.ResponseWriter, _ request) {
		after := c
		after.Status = operation.Approved
		answer(w, 200, after)
		f.outcome(c, nil)
	})
	f.on("POST /api/conversations/c1/stop", func(w http.ResponseWriter, _ request) {
		answer(w, 202, map[string]any{"turn_id": "t1"})
		f.end(chat.Stopped)
	})
	clock := make(chan time.Duration, 1)
	clock <- 0
	p := f.sit(func(_ *Command, e *env) {
		e.now = func() time.Time {
			d := <-clock
			clock <- d
			return time.Now().Add(d)
		}
	})
	p.until(t, "Enter alone does nothing")
	p.types(t, "order")
	p.until(t, "Type y to confirm")
	p.types(t, "")
	p.types(t, "y") // at once: nobody has read the card yet
	p.until(t, "This card has only just appeared")
	if n := len(f.asked("POST", "/api/op/op-1/confirm")); n != 0 {
		t.Fatal("a card was confirmed that nobody can have read")
	}
	<-clock
	clock <- readingTime
	p.types(t, "y")
	p.until(t, "SO-1")
	p.types(t, "y")
	p.until(t, "Nothing waits for your word.")

	p.types(t, "long work")
	p.types(t, "s")
	p.until(t, "· Stopped.")
	p.interrupts <- os.Interrupt
	p.until(t, "Press Ctrl-C once more to leave")
	p.interrupts <- os.Interrupt
	if err := p.leaves(t); err != nil {
		t.Fatal(err)
	}
}

func TestTheFirstInterruptStopsTheRunningTurn(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.onMessage(func(string) { f.delta(piece("m1", 1, 0, "thinking about it")) })
	f.on("POST /api/conversations/c1/stop", func(w http.ResponseWriter, _ request) {
		answer(w, 202, map[string]any{"turn_id": "t1"})
		f.end(chat.Stopped)
	})
	p := f.sit(nil)
	p.until(t, "»")
	p.types(t, "long work")
	p.until(t, "thinking about it")
	p.interrupts <- os.Interrupt
	p.until(t, "· Stopped.")
	p.interrupts <- os.Interrupt
	if err := p.leaves(t); err != nil {
		t.Fatal(err)
	}
}

func TestARememberedLoginIsKeptForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dir := t.TempDir()
	passwords := 0
	run := func() string {
		var out strings.Builder
		c := f.command()
		c.Remember, c.List = true, true
		e := f.env(strings.NewReader(""), &out)
		e.config = dir
		e.password = func(string) (string, error) {
			passwords++
			return "demo1234", nil
		}
		if err := c.run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	has(t, run(), "华东客户", "Waiting for a person: 1 · 2099-12-01 11:00 CST", "c1")
	file := filepath.Join(dir, "login.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, mode %v", err, info.Mode())
	}
	run()
	if passwords != 1 {
		t.Errorf("the password was asked for %d times", passwords)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	run()
	if passwords != 2 {
		t.Error("a login that others can read was used")
	}
	f.mu.Lock()
	f.token = "revoked"
	f.mu.Unlock()
	run()
	if passwords != 3 {
		t.Error("a login that no longer holds was not renewed")
	}
}

func TestALineThatFailsInAPipeEndsIt(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("POST /api/conversations/c1/messages", func(w http.ResponseWriter, _ request) {
		refuse(w, http.StatusBadRequest, fault.Invalid, "detail", "too long")
	})
	if _, err := f.pipe("order\ny\n"); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a message that was not taken is told as %v", err)
	}
	c := f.command()
	c.Lang = "en"
	e := f.env(strings.NewReader(""), &strings.Builder{})
	e.password = func(string) (string, error) { return "wrong", nil }
	if err := c.run(t.Context(), e); fault.CodeOf(err) != fault.BadCredentials || err.Error() != "User name or password is wrong." {
		t.Errorf("a wrong password is told as %v", err)
	}
}

func TestSeveralCardsNeedANumber(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.onMessage(func(string) {
		f.add(event.WriteProposal, cardOf("op-1", operation.AwaitingApproval))
		f.propose(cardOf("op-2", operation.AwaitingApproval))
	})
	f.on("POST /api/op/op-2/cancel", func(w http.ResponseWriter, _ request) { answer(w, 200, cardOf("op-2", operation.Cancelled)) })
	out, err := f.pipe("order\ny\nn 2\n")
	if err != nil {
		t.Fatal(err)
	}
	has(t, out, "Several writes wait: type y or n with a number", "name the number, such as y 2. Nothing was done.", "[2] Cancelled")
	if len(f.asked("POST", "/api/op/op-1/confirm"))+len(f.asked("POST", "/api/op/op-2/confirm")) != 0 {
		t.Error("a bare y with two cards confirmed one")
	}
}
