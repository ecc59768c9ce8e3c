package erptest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// suite is a harness with its people logged in.
type suite struct {
	Harness
	clerk, manager, guest, foreign erp.Identity
}

const patience = 30 * time.Second

func start(t *testing.T, h Harness) *suite {
	t.Helper()
	s := &suite{Harness: h}
	s.clerk = s.login(t, h.Clerk)
	s.manager = s.login(t, h.Manager)
	s.guest = s.login(t, h.Guest)
	s.foreign = s.login(t, h.Foreign)
	return s
}

func (s *suite) login(t *testing.T, a Account) erp.Identity {
	t.Helper()
	ctx := context.Background()
	u, err := s.Connector.Login(ctx, a.Tenant, a.Username, a.Password)
	if err != nil {
		t.Fatalf("login as %s: %v", a.Username, err)
	}
	if u.UserID != a.UserID {
		t.Fatalf("login as %s gives the user id %q, want %q", a.Username, u.UserID, a.UserID)
	}
	u, g, err := s.Connector.User(ctx, a.Tenant, u.UserID)
	if err != nil {
		t.Fatalf("read the user %s: %v", a.Username, err)
	}
	return erp.Identity{User: u, Grants: g}
}

// order is a change that orders quantities of the harness's two products.
func (s *suite) order(first, second string) nouns.Change {
	return nouns.Change{Form: "sales_order", Action: "create", OpType: nouns.OpCreate, Payload: raw(map[string]any{
		"customer": s.Customer, "warehouse": s.Warehouse,
		"lines": []map[string]string{{"product": s.Products[0], "quantity": first}, {"product": s.Products[1], "quantity": second}},
	})}
}

func (s *suite) preview(t *testing.T, c nouns.Change) (nouns.Preview, nouns.Execution) {
	t.Helper()
	p, err := s.Connector.Preview(context.Background(), s.clerk, c)
	if err != nil {
		t.Fatalf("preview: %v", err)
	}
	return p, confirm(c, p)
}

// confirm is what the layers above make of a preview that a person confirmed.
func confirm(c nouns.Change, p nouns.Preview) nouns.Execution {
	c.Payload = p.Payload
	op := uuid.NewString()
	return nouns.Execution{
		ClientToken: "op:" + op + ":1", Digest: "digest-of-" + op, Change: c, Facts: p.Facts,
		Deadline: time.Now().Add(time.Hour), Attempt: 1, OpID: op, DecidedBy: "clerk", Channel: "web",
	}
}

func (s *suite) execute(t *testing.T, x nouns.Execution) nouns.Commit {
	t.Helper()
	c, err := s.Connector.Execute(context.Background(), s.clerk, x)
	if err != nil {
		t.Fatalf("execute: %v", err)
	}
	return c
}

func (s *suite) executed(t *testing.T, x nouns.Execution) nouns.Commit {
	t.Helper()
	c := s.execute(t, x)
	if c.Status != nouns.CommitExecuted || c.Bill == "" || c.Link == "" || c.Digest != x.Digest || c.At.IsZero() {
		t.Fatalf("execute: %+v (refusal %+v), want executed with bill, link, digest and time", c, c.Refusal)
	}
	return c
}

// refused also checks that nothing was written.
func (s *suite) refused(t *testing.T, x nouns.Execution, code fault.Code) *nouns.Refusal {
	t.Helper()
	orders := s.count(t, "sales_order")
	c := s.execute(t, x)
	if c.Status != nouns.CommitRefused || c.Refusal == nil || c.Refusal.Code != string(code) {
		t.Fatalf("execute: %+v (refusal %+v), want refused with %s", c, c.Refusal, code)
	}
	if n := s.count(t, "sales_order"); n != orders {
		t.Fatalf("a refused write left %d orders instead of %d", n, orders)
	}
	again := s.execute(t, x)
	if again.Status != nouns.CommitRefused || !again.Replayed {
		t.Fatalf("a refusal must be final: the second execution says %+v", again)
	}
	return c.Refusal
}

func (s *suite) count(t *testing.T, form string) int {
	t.Helper()
	p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: form, Mode: nouns.Count})
	if err != nil {
		t.Fatalf("count %s: %v", form, err)
	}
	return p.Total
}

func (s *suite) record(t *testing.T, form, key string) nouns.Row {
	t.Helper()
	p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: form, Mode: nouns.Record, ID: key})
	if err != nil {
		t.Fatalf("read %s %s: %v", form, key, err)
	}
	return p.Record
}

// stock is what is available of a product in the harness's warehouse.
func (s *suite) stock(t *testing.T, product string) string {
	t.Helper()
	p, err := s.Connector.Read(context.Background(), s.clerk, nouns.Query{Form: "stock", Filters: []nouns.Filter{
		{Field: "product", Op: nouns.Eq, Value: raw(product)}, {Field: "warehouse", Op: nouns.Eq, Value: raw(s.Warehouse)}}})
	if err != nil || len(p.Rows) != 1 {
		t.Fatalf("read the stock of %s: %d rows, %v", product, len(p.Rows), err)
	}
	q, _ := p.Rows[0]["available"].(string)
	return q
}

func raw(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Fatalf("error %v has the code %q, want %q", err, fault.CodeOf(err), code)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, cond func() (bool, error)) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for {
		ok, err := cond()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if ok {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not within %s", what, patience)
		}
	}
}
