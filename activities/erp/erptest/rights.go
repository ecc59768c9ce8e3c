package erptest

import (
	"context"
	"slices"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

var rights = map[string]func(*testing.T, *suite){
	"what is not granted cannot be read, and looks like what does not exist": func(t *testing.T, s *suite) {
		ctx := context.Background()
		for _, form := range []string{"sales_order", "stock", "no_such_form", "users", "sales_order; DROP TABLE x"} {
			_, err := s.Connector.Read(ctx, s.guest, nouns.Query{Form: form})
			wantCode(t, err, fault.PermissionDenied)
			_, err = s.Connector.Schema(ctx, s.guest, form)
			wantCode(t, err, fault.PermissionDenied)
			_, err = s.Connector.Lookup(ctx, s.guest, form, "x", 5)
			wantCode(t, err, fault.PermissionDenied)
			_, err = s.Connector.Actions(ctx, s.guest, form)
			wantCode(t, err, fault.PermissionDenied)
			_, err = s.Connector.Preview(ctx, s.guest, nouns.Change{Form: form, Action: "create", Payload: raw(map[string]any{})})
			wantCode(t, err, fault.PermissionDenied)
		}
		forms, err := s.Connector.Forms(ctx, s.guest)
		must(t, err)
		if len(forms) != 1 || forms[0].Form != "customer" || slices.ContainsFunc(forms[0].Actions, func(a nouns.Action) bool { return a.Write }) {
			t.Errorf("the guest sees %+v", forms)
		}
	},
	"an action needs its own grant": func(t *testing.T, s *suite) {
		c := nouns.Change{Form: "product", Action: "update", Target: s.Products[0], Payload: raw(map[string]any{"base_price": "99"})}
		_, err := s.Connector.Preview(context.Background(), s.clerk, c)
		wantCode(t, err, fault.PermissionDenied)
		p, err := s.Connector.Preview(context.Background(), s.manager, c)
		must(t, err)
		// Whoever executes is asked again: the manager's preview does not help the clerk.
		s.refused(t, confirm(c, p), fault.PermissionDenied)
		got, err := s.Connector.Execute(context.Background(), s.manager, confirm(c, p))
		must(t, err)
		if got.Status != nouns.CommitExecuted || s.record(t, "product", s.Products[0])["base_price"] != "99" {
			t.Errorf("%+v", got)
		}
	},
	"an unknown action is refused": func(t *testing.T, s *suite) {
		_, err := s.Connector.Preview(context.Background(), s.manager, nouns.Change{Form: "sales_order", Action: "explode", Target: s.Open, Payload: raw(map[string]any{})})
		wantCode(t, err, fault.ValidationFailed)
	},
	"a right that was taken away meanwhile refuses the write": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("1", "1"))
		must(t, s.Disturb.Revoke(context.Background(), s.Clerk.UserID, "sales_order", "create"))
		s.refused(t, x, fault.PermissionDenied)
	},
	"a person who left cannot write, read or log in": func(t *testing.T, s *suite) {
		ctx := context.Background()
		_, x := s.preview(t, s.order("1", "1"))
		must(t, s.Disturb.Dismiss(ctx, s.Clerk.UserID))
		s.refused(t, x, fault.PermissionDenied)
		_, err := s.Connector.Login(ctx, s.Clerk.Tenant, s.Clerk.Username, s.Clerk.Password)
		wantCode(t, err, fault.BadCredentials)
		_, _, err = s.Connector.User(ctx, s.Clerk.Tenant, s.Clerk.UserID)
		wantCode(t, err, fault.NotFound)
	},
	"what one tenant has does not exist for another": func(t *testing.T, s *suite) {
		ctx := context.Background()
		const code = "C-ONLY-HERE"
		must(t, s.Disturb.AddCustomer(ctx, code))
		c := s.order("1", "1")
		c.Payload = raw(map[string]any{"customer": code, "lines": []any{map[string]any{"product": s.Products[0], "quantity": "1"}}})
		p, x := s.preview(t, c)
		_, err := s.Connector.Read(ctx, s.foreign, nouns.Query{Form: "customer", Mode: nouns.Record, ID: code})
		wantCode(t, err, fault.NotFound)
		rows, err := s.Connector.Lookup(ctx, s.foreign, "customer", code, 5)
		must(t, err)
		if len(rows) != 0 {
			t.Errorf("the other tenant finds %v", rows)
		}
		_, err = s.Connector.Preview(ctx, s.foreign, c)
		wantCode(t, err, fault.ValidationFailed)
		_, err = s.Connector.Preview(ctx, s.foreign, nouns.Change{Form: "customer", Action: "update", Target: code, Payload: raw(map[string]any{"contact": "x"})})
		wantCode(t, err, fault.NotFound)
		orders := s.count(t, "sales_order")
		got, err := s.Connector.Execute(ctx, s.foreign, x)
		if err != nil || got.Status != nouns.CommitRefused {
			t.Errorf("the other tenant executes it: %+v %v", got, err)
		}
		if n := s.count(t, "sales_order"); n != orders {
			t.Errorf("%d new orders", n-orders)
		}
		// Nor does the other's answer under the token count here.
		if c := s.executed(t, x); c.Replayed || p.Total == "" {
			t.Errorf("%+v", c)
		}
		if s.History == nil {
			return
		}
		y := s.previewAs(t, s.clerk, nouns.Change{Form: "customer", Action: "update", Target: code, Payload: raw(map[string]any{"contact": "x"})})
		s.executed(t, y)
		if mine, err := s.History(ctx, s.clerk, "customer", code); err != nil || len(mine) == 0 || mine[0].Actor != s.Clerk.UserID {
			t.Errorf("the history is %+v %v", mine, err)
		}
		if theirs, err := s.History(ctx, s.foreign, "customer", code); len(theirs) != 0 {
			t.Errorf("the other tenant reads %+v %v", theirs, err)
		}
		_, err = s.History(ctx, s.guest, "sales_order", s.Open)
		wantCode(t, err, fault.PermissionDenied)
	},
	"a token of one tenant means nothing to another": func(t *testing.T, s *suite) {
		ctx := context.Background()
		_, x := s.preview(t, s.order("1", "1"))
		s.executed(t, x)
		c, err := s.Connector.FindCommit(ctx, s.foreign, x.ClientToken, 1)
		must(t, err)
		if c.Status == nouns.CommitExecuted || c.Bill != "" {
			t.Errorf("the other tenant finds %+v", c)
		}
	},
}
