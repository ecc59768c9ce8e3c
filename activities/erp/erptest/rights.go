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
