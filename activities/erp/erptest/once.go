package erptest

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

const crowd = 64

var once = map[string]func(*testing.T, *suite){
	"the second execution is told of the first": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		first := s.executed(t, x)
		x.Attempt = 2
		// Even after the deadline: the token is looked up first.
		x.Deadline = time.Now().Add(-time.Hour)
		again := s.executed(t, x)
		if !again.Replayed || first.Replayed || again.Bill != first.Bill || !again.At.Equal(first.At) {
			t.Errorf("first %+v, then %+v", first, again)
		}
		if got := s.count(t, "sales_order"); got != orders+1 {
			t.Errorf("%d orders, want %d", got, orders+1)
		}
	},
	"a token with another digest is an error": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		s.executed(t, x)
		x.Digest = "another"
		_, err := s.Connector.Execute(context.Background(), s.clerk, x)
		wantCode(t, err, fault.TokenReused)
		x.Attempt = 2
		_, err = s.Connector.Execute(context.Background(), s.clerk, x)
		wantCode(t, err, fault.TokenReused)
	},
	"an execution without its parts is malformed": func(t *testing.T, s *suite) {
		_, good := s.preview(t, s.order("1", "1"))
		for name, spoil := range map[string]func(*nouns.Execution){
			"token": func(x *nouns.Execution) { x.ClientToken = "" }, "digest": func(x *nouns.Execution) { x.Digest = "" },
			"attempt": func(x *nouns.Execution) { x.Attempt = 0 }, "deadline": func(x *nouns.Execution) { x.Deadline = time.Time{} },
		} {
			x := good
			spoil(&x)
			_, err := s.Connector.Execute(context.Background(), s.clerk, x)
			if fault.CodeOf(err) != fault.Invalid {
				t.Errorf("no %s: %v", name, err)
			}
		}
	},
	"64 executions of one token at once make one document": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("3", "2"))
		commits := s.crowd(t, func(i int) nouns.Execution {
			y := x
			y.Attempt = 1 + i%4
			return y
		})
		fresh := 0
		for _, c := range commits {
			if c.Status != nouns.CommitExecuted || c.Bill != commits[0].Bill {
				t.Fatalf("%+v beside %+v", c, commits[0])
			}
			if !c.Replayed {
				fresh++
			}
		}
		if got := s.count(t, "sales_order"); fresh != 1 || got != orders+1 {
			t.Errorf("%d executions say that they wrote it, there are %d new orders", fresh, got-orders)
		}
	},
	"64 writes at once, over the same products in any order, end without deadlock": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, a := s.preview(t, s.order("1", "1"))
		swapped := s.order("1", "1")
		swapped.Payload = raw(map[string]any{"customer": s.Customer, "warehouse": s.Warehouse, "lines": []map[string]string{
			{"product": s.Products[1], "quantity": "1"}, {"product": s.Products[0], "quantity": "1"}}})
		_, b := s.preview(t, swapped)
		_, cancel := s.preview(t, nouns.Change{Form: "sales_order", Action: "cancel", Target: s.Open, Payload: raw(map[string]any{})})
		commits := s.crowd(t, func(i int) nouns.Execution {
			x := []nouns.Execution{a, b, cancel}[i%3]
			x.ClientToken += "-" + strconv.Itoa(i)
			return x
		})
		written := 0
		for i, c := range commits {
			if c.Status == nouns.CommitExecuted && i%3 != 2 {
				written++
			}
		}
		// Whoever comes second finds another stock than was shown.
		if got := s.count(t, "sales_order"); written != 1 || got != orders+written {
			t.Errorf("%d say executed, there are %d new orders", written, got-orders)
		}
	},
}

// crowd executes 64 times at once; no error is allowed.
func (s *suite) crowd(t *testing.T, of func(i int) nouns.Execution) []nouns.Commit {
	t.Helper()
	commits, errs := make([]nouns.Commit, crowd), make([]error, crowd)
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for i := range crowd {
		wg.Go(func() {
			<-gate
			commits[i], errs[i] = s.Connector.Execute(context.Background(), s.clerk, of(i))
		})
	}
	close(gate)
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("execution %d: %v", i, err)
		}
	}
	return commits
}
