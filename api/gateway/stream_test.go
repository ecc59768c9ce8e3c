package gateway_test

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/schema/event"
)

func TestStreamBeginsAtOnceWithTheRightHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	resp, err := http.DefaultClient.Do(b.request(t.Context(), b.token, "GET", "/api/conversations/"+conv+"/events", nil, "Accept-Encoding", "gzip"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for name, want := range map[string]string{"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache, no-transform",
		"X-Accel-Buffering": "no", "Content-Encoding": ""} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	begin := make([]byte, len("retry: 2000\n: connected\n\n"))
	if _, err := resp.Body.Read(begin); err != nil || string(begin) != "retry: 2000\n: connected\n\n" {
		t.Errorf("begins with %q, %v", begin, err)
	}
}

// Many readers resume again and again while events are stored: each sees each
// event once and in order.
func TestResumeLosesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	const total = 300
	var all sync.WaitGroup
	for range 3 {
		all.Add(1)
		go func() {
			defer all.Done()
			b.append(conv, 1, total/3)
		}()
	}
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			last := 0
			for last < total {
				s := b.stream(conv, "Last-Event-ID", strconv.Itoa(last))
				for read := 0; read < 37 && last < total; {
					f, ok := s.next()
					if !ok {
						break
					}
					if f.id == "" {
						continue
					}
					if n, _ := strconv.Atoi(f.id); n != last+1 {
						t.Errorf("got %d after %d", n, last)
						return
					}
					last++
					read++
				}
				s.cancel()
			}
		}()
	}
	all.Wait()
}

func TestIDStandsOnTheLastFrameOfAnEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	b.do("POST", "/api/conversations/"+conv+"/messages", map[string]string{"text": "hi"}, "Idempotency-Key", "k")
	s := b.stream(conv)
	first, second := s.until("erpilot.user_message"), s.until("RUN_STARTED")
	if first.id != "" || second.id != "1" {
		t.Errorf("ids %q and %q, want none and 1", first.id, second.id)
	}
}

func TestCursorAheadOfTheHeadGetsResync(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	b.append(conv, 1, 2)
	s := b.stream(conv, "Last-Event-ID", "99")
	if f := s.until("erpilot.resync"); f.id != "2" {
		t.Errorf("id %q, want 2", f.id)
	}
	b.append(conv, 3, 3)
	if f := s.until("erpilot.titled"); f.id != "3" {
		t.Errorf("then got %q, want 3", f.id)
	}
	after := b.streamAt("/api/conversations/" + conv + "/events?after=2")
	if f := after.until("erpilot.titled"); f.id != "3" {
		t.Errorf("?after=2 gives %q, want 3", f.id)
	}
	for _, bad := range []string{"-1", "x", "1.5", "99999999999999999999"} {
		if a := b.do("GET", "/api/conversations/"+conv+"/events?after="+bad, nil); a.code() != "invalid" {
			t.Errorf("after=%s: %d %s", bad, a.status, a.body)
		}
	}
}

func TestReloadMidMessageGetsStartAndTheWholeTextSoFar(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	say := func(attempt, offset int, text string) {
		b.hub.Publish(context.Background(), east, event.Delta{ConversationID: conv, TurnID: "t1", MessageID: "m1", Attempt: attempt, Offset: offset, Text: text})
	}
	say(1, 0, "one ")
	say(1, 4, "two ")
	s := b.stream(conv)
	if f := s.until("TEXT_MESSAGE_START"); f.id != "" || !strings.Contains(f.data, `"messageId":"m1"`) {
		t.Errorf("start: %+v", f)
	}
	if f := s.until("TEXT_MESSAGE_CONTENT"); !strings.Contains(f.data, `"delta":"one two "`) || f.id != "" {
		t.Errorf("so far: %+v", f)
	}
	say(1, 8, "three")
	if f := s.until("TEXT_MESSAGE_CONTENT"); !strings.Contains(f.data, `"delta":"three"`) || !strings.Contains(f.data, `"offset":8`) {
		t.Errorf("then: %+v", f)
	}
	say(2, 0, "anew")
	if f := s.until("erpilot.message_reset"); !strings.Contains(f.data, `"attempt":2`) {
		t.Errorf("reset: %+v", f)
	}
	s.until("TEXT_MESSAGE_CONTENT")
}

func TestLateDeltasOfAStoredMessageAreDropped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	turn := b.turn(conv, time.Now())
	b.hub.Publish(context.Background(), east, event.Delta{ConversationID: conv, TurnID: turn.TurnID, MessageID: "m1", Attempt: 1, Text: "half"})
	err := b.db.Tx(context.Background(), east, func(ctx context.Context, tx pgx.Tx) error {
		err := pgdb.New(tx).InsertMessage(ctx, pgdb.InsertMessageParams{TenantID: east.String(), MessageID: "m1", ConversationID: conv,
			TurnID: turn.TurnID, Role: "assistant", Step: 1, Text: "half of it"})
		if err != nil {
			return err
		}
		_, err = journal.Append(ctx, tx, east, conv, turn.TurnID, journal.Entry{Type: event.MessageStored, Key: "m1",
			Data: event.Message{MessageID: "m1", Step: 1, Text: "half of it"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The writer has not said Forget yet: neither a new reader nor one that
	// resumes behind the message may take it for open.
	for cursor, want := range map[string]int{"0": 1, "1": 0} { // the one START is of the stored message
		s := b.stream(conv, "Last-Event-ID", cursor)
		b.append(conv, 1, 1)
		starts := 0
		for {
			f, ok := s.next()
			if !ok {
				t.Fatal("the stream ended")
			}
			if f.name() == "TEXT_MESSAGE_START" {
				starts++
			}
			if f.name() == "erpilot.titled" {
				break
			}
		}
		if starts != want {
			t.Errorf("cursor %s: %d starts, want %d", cursor, starts, want)
		}
		s.cancel()
	}
}

func TestHeartbeatsAndBye(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *gateway.Config) {
		c.Stream.Heartbeat, c.Stream.MaxAge = 20*time.Millisecond, time.Second
	})
	s := b.stream(b.conversation())
	s.until(": hb")
	s.until(": hb")
	if f := s.until("bye"); f.data != `{"reason":"reconnect"}` {
		t.Errorf("bye: %+v", f)
	}
	if f, ok := s.next(); ok {
		t.Errorf("after bye: %+v", f)
	}
}

func TestLogoutEndsTheStream(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *gateway.Config) { c.Stream.Heartbeat = 20 * time.Millisecond })
	conv := b.conversation()
	s := b.stream(conv)
	s.until(": hb")
	if a := b.do("POST", "/api/logout", nil); a.status != http.StatusNoContent {
		t.Fatalf("logout: %d %s", a.status, a.body)
	}
	s.until("erpilot.login_expired")
	s.until("bye")
	if a := b.do("GET", "/api/conversations/"+conv+"/events", nil); a.status != http.StatusUnauthorized {
		t.Errorf("again: %d", a.status)
	}
}

func TestExpiredLoginEndsTheStream(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *gateway.Config) { c.SessionTTL = 700 * time.Millisecond })
	s := b.stream(b.conversation())
	s.until("erpilot.login_expired")
	if f := s.until("bye"); f.data != `{"reason":"login_expired"}` {
		t.Errorf("bye: %+v", f)
	}
}

// A reader that does not read is closed, the writer of the text never waits, and
// the stream can be taken up again.
func TestSlowReaderIsClosed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *gateway.Config) { c.Stream.WriteTimeout = 300 * time.Millisecond })
	conv := b.conversation()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.http.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, err = conn.Write([]byte("GET /api/conversations/" + conv + "/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + b.token + "\r\n\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	ended := func() bool {
		return strings.Contains(b.logs.String(), "route=/api/conversations/:id/events status=200")
	}
	text := strings.Repeat("x", 4096)
	sent := 0
	slowest := time.Duration(0)
	eventually(t, "the stream is closed", func() bool {
		for range 200 {
			begun := time.Now()
			b.hub.Publish(context.Background(), east, event.Delta{ConversationID: conv, TurnID: "t", MessageID: "m" + strconv.Itoa(sent/200), Attempt: 1,
				Offset: sent % 200 * len(text), Text: text})
			slowest = max(slowest, time.Since(begun))
			sent++
		}
		return ended()
	})
	if slowest > time.Second {
		t.Errorf("a publisher waited %v", slowest)
	}
	b.append(conv, 1, 1)
	b.stream(conv).until("erpilot.titled")
}

func TestShutdownEndsStreamsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- b.Serve(ctx, l) }()
	b.http.URL = "http://" + l.Addr().String()
	s := b.stream(conv)
	s.until(": connected")
	begun := time.Now()
	stop()
	if f := s.until("bye"); f.data != `{"reason":"shutdown"}` {
		t.Errorf("bye: %+v", f)
	}
	if err := <-served; err != nil || time.Since(begun) > 2*time.Second {
		t.Errorf("shutdown: %v after %v", err, time.Since(begun))
	}
}

func TestTooManyStreamsOfOneUserAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *gateway.Config) { c.Stream.PerUser = 2 })
	conv := b.conversation()
	one, two := b.stream(conv), b.stream(conv)
	one.until(": connected")
	two.until(": connected")
	if a := b.do("GET", "/api/conversations/"+conv+"/events", nil); a.status != http.StatusTooManyRequests || a.code() != "rate_limited" {
		t.Errorf("third: %d %s", a.status, a.body)
	}
	one.cancel()
	eventually(t, "the place is free again", func() bool {
		s := b.stream(conv)
		defer s.cancel()
		return s.status == http.StatusOK
	})
}

func TestEveryBodyOfAStreamIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	b.exec(`INSERT INTO journal (tenant_id, conversation_id, seq, type, data, natural_key)
		SELECT 'acme.east', $1, n, 'titled', '{"title":"x"}', n::text FROM generate_series(1, 6000) n`, conv)
	b.exec("UPDATE conversations SET head_seq = 6000 WHERE conversation_id = $1", conv)
	if f := b.stream(conv).until("erpilot.resync"); f.id != "6000" {
		t.Errorf("resync with id %q, want 6000", f.id)
	}
	s := b.stream(conv, "Last-Event-ID", "1500")
	for want := 1501; want <= 6000; want++ {
		if f := s.until("erpilot.titled"); f.id != strconv.Itoa(want) {
			t.Fatalf("got %s, want %d", f.id, want)
		}
	}
}
