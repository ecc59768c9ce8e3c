package erptest

import (
	"context"
	"testing"
	"time"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// handed: a person saves in the native form, under one token and attempt.
var handed = map[string]func(*testing.T, *suite){
	"a refused save is not kept, and the mended one is written once": func(t *testing.T, s *suite) {
		ctx := context.Background()
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		x.Handed = true
		wrong := x
		wrong.Facts = nil // whatever the person saw, it was not this
		c := s.execute(t, wrong)
		if c.Status != nouns.CommitRefused || c.Refusal == nil {
			t.Fatalf("facts that have moved: %+v", c)
		}
		_, err := s.Connector.FindCommitted(ctx, s.clerk, x.ClientToken)
		wantCode(t, err, fault.NotFound)
		late := x
		late.Deadline = time.Now().Add(-time.Hour)
		if c := s.execute(t, late); c.Status != nouns.CommitRefused || c.Refusal.Code != string(fault.Expired) {
			t.Fatalf("after the deadline: %+v", c)
		}
		first := s.executed(t, x)
		if again := s.executed(t, late); !again.Replayed || again.Bill != first.Bill {
			t.Errorf("the same save again: %+v, at first %+v", again, first)
		}
		other := x
		other.Digest = "other values"
		_, err = s.Connector.Execute(ctx, s.clerk, other)
		wantCode(t, err, fault.TokenReused)
		if got := s.count(t, "sales_order"); got != orders+1 {
			t.Errorf("%d new orders", got-orders)
		}
	},
	"a committed write is found without shutting anything out": func(t *testing.T, s *suite) {
		ctx := context.Background()
		_, x := s.preview(t, s.order("1", "1"))
		for range 2 {
			_, err := s.Connector.FindCommitted(ctx, s.clerk, x.ClientToken)
			wantCode(t, err, fault.NotFound)
		}
		done := s.executed(t, x) // the very attempt that was asked about
		c, err := s.Connector.FindCommitted(ctx, s.clerk, x.ClientToken)
		must(t, err)
		if c.Status != nouns.CommitExecuted || c.Bill != done.Bill || c.Link != done.Link || c.Digest != x.Digest || !c.At.Equal(done.At) {
			t.Errorf("found %+v, written %+v", c, done)
		}
		_, err = s.Connector.FindCommitted(ctx, s.foreign, x.ClientToken)
		wantCode(t, err, fault.NotFound)
		_, err = s.Connector.FindCommitted(ctx, s.clerk, "")
		wantCode(t, err, fault.Invalid)
	},
	"a refusal that is final is found too": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		x.Deadline = time.Now().Add(-time.Hour)
		s.refused(t, x, fault.Expired)
		c, err := s.Connector.FindCommitted(context.Background(), s.clerk, x.ClientToken)
		must(t, err)
		if c.Status != nouns.CommitRefused || c.Refusal == nil || c.Refusal.Code != string(fault.Expired) {
			t.Errorf("found %+v", c)
		}
	},
}

// left: the form is given up while it may be saved at the same moment.
var left = map[string]func(*testing.T, *suite){
	"a save that comes after the fence writes nothing": func(t *testing.T, s *suite) {
		orders := s.count(t, "sales_order")
		_, x := s.preview(t, s.order("1", "1"))
		x.Handed = true
		if c := s.find(t, x); c.Status != nouns.CommitFenced {
			t.Fatalf("found %+v", c)
		}
		if c := s.execute(t, x); c.Status != nouns.CommitFenced {
			t.Fatalf("saved after all: %+v", c)
		}
		if got := s.count(t, "sales_order"); got != orders {
			t.Errorf("%d new orders", got-orders)
		}
	},
}
