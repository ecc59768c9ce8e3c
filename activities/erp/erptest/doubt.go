package erptest

import (
	"context"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// doubt: the answer to a write is lost, or has not come yet.
var doubt = map[string]func(*testing.T, *suite){
	"a commit whose answer was lost is found": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		_, err := s.CutCommit(t, true).Execute(context.Background(), s.clerk, x)
		wantCode(t, err, fault.OutcomeUnknown)
		c := s.find(t, x)
		if c.Status != nouns.CommitExecuted || c.Bill == "" || c.Digest != x.Digest {
			t.Fatalf("found %+v", c)
		}
		x.Attempt = 2
		if again := s.executed(t, x); !again.Replayed || again.Bill != c.Bill {
			t.Errorf("the next attempt says %+v", again)
		}
		if got := s.count(t, "sales_order"); got != orders+1 {
			t.Errorf("%d new orders", got-orders)
		}
	},
	"a commit that never arrived is shut out, and the next attempt writes": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		_, err := s.CutCommit(t, false).Execute(context.Background(), s.clerk, x)
		wantCode(t, err, fault.OutcomeUnknown)
		if c := s.find(t, x); c.Status != nouns.CommitFenced {
			t.Fatalf("found %+v", c)
		}
		s.zombie(t, x, orders)
	},
	"an attempt that never began is shut out": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		x.Attempt = 3
		if c := s.find(t, x); c.Status != nouns.CommitFenced {
			t.Fatalf("found %+v", c)
		}
		// Attempts before it are shut out as well.
		x.Attempt = 2
		s.zombie(t, x, orders)
	},
	"asking waits for an attempt that is still open": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		held := s.Hold(t, s.Products[0])
		wrote := s.later(x)
		s.waiting(t, held, 1)
		found := make(chan nouns.Commit, 1)
		go func() {
			c, err := s.Connector.FindCommit(context.Background(), s.clerk, x.ClientToken, x.Attempt)
			if err != nil {
				c.Status = nouns.CommitStatus(err.Error())
			}
			found <- c
		}()
		s.waiting(t, held, 2)
		held.Release()
		w, f := <-wrote, <-found
		if w.err != nil || w.commit.Status != nouns.CommitExecuted || f.Status != nouns.CommitExecuted || f.Bill != w.commit.Bill {
			t.Errorf("written %+v (%v), found %+v", w.commit, w.err, f)
		}
	},
	"an open attempt that dies while somebody asks is shut out": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		held := s.Hold(t, s.Products[0])
		wrote := s.later(x)
		s.waiting(t, held, 1)
		found := make(chan nouns.Commit, 1)
		go func() {
			c, err := s.Connector.FindCommit(context.Background(), s.clerk, x.ClientToken, x.Attempt)
			if err != nil {
				c.Status = nouns.CommitStatus(err.Error())
			}
			found <- c
		}()
		s.waiting(t, held, 2)
		must(t, held.Kill(context.Background()))
		w, f := <-wrote, <-found
		held.Release()
		wantCode(t, w.err, fault.Unavailable)
		if f.Status != nouns.CommitFenced {
			t.Fatalf("found %+v", f)
		}
		s.zombie(t, x, orders)
	},
	"a failed attempt does not block the next": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		held := s.Hold(t, s.Products[0])
		wrote := s.later(x)
		s.waiting(t, held, 1)
		must(t, held.Kill(context.Background()))
		w := <-wrote
		wantCode(t, w.err, fault.Unavailable)
		held.Release()
		x.Attempt = 2
		s.executed(t, x)
	},
	"what is refused is found as refused": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		must(t, s.Disturb.Price(context.Background(), s.Products[0], "7"))
		s.refused(t, x, fault.QuoteChanged)
		c := s.find(t, x)
		if c.Status != nouns.CommitRefused || c.Refusal == nil || c.Refusal.Fact == nil || c.Refusal.New != "7" {
			t.Errorf("found %+v (%+v)", c, c.Refusal)
		}
	},
	"asking without a token is malformed": func(t *testing.T, s *suite) {
		for _, x := range []nouns.Execution{{Attempt: 1}, {ClientToken: "op:x:1"}, {ClientToken: "op:x:1", Attempt: -1}} {
			_, err := s.Connector.FindCommit(context.Background(), s.clerk, x.ClientToken, x.Attempt)
			wantCode(t, err, fault.Invalid)
		}
	},
}

// zombie proves that a shut-out attempt writes nothing and that the one after
// the fence does.
func (s *suite) zombie(t *testing.T, x nouns.Execution, orders int) {
	t.Helper()
	if c := s.execute(t, x); c.Status != nouns.CommitFenced {
		t.Fatalf("the zombie says %+v", c)
	}
	if got := s.count(t, "sales_order"); got != orders {
		t.Fatalf("the zombie wrote: %d orders, want %d", got, orders)
	}
	x.Attempt += 2
	if c := s.executed(t, x); c.Replayed {
		t.Errorf("the next attempt says %+v", c)
	}
	if got := s.count(t, "sales_order"); got != orders+1 {
		t.Errorf("%d orders, want %d", got, orders+1)
	}
}

func (s *suite) find(t *testing.T, x nouns.Execution) nouns.Commit {
	t.Helper()
	c, err := s.Connector.FindCommit(context.Background(), s.clerk, x.ClientToken, x.Attempt)
	must(t, err)
	return c
}

type written struct {
	commit nouns.Commit
	err    error
}

func (s *suite) later(x nouns.Execution) <-chan written {
	done := make(chan written, 1)
	go func() {
		c, err := s.Connector.Execute(context.Background(), s.clerk, x)
		done <- written{c, err}
	}()
	return done
}

func (s *suite) waiting(t *testing.T, h Held, n int) {
	t.Helper()
	eventually(t, "sessions wait for the product", func() (bool, error) {
		got, err := h.Waiting(context.Background())
		return got >= n, err
	})
}
