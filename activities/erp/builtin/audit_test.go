package builtin_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

func TestExecutionsAndRefusalsAreAuditedWithTheWrite(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(t)
	c := builtin.New(open(t, url))
	user, grants, err := c.User(ctx, demo.Tenants()[0], "li")
	if err != nil {
		t.Fatal(err)
	}
	id := erp.Identity{User: user, Grants: grants}
	change := nouns.Change{Form: "customer", Action: "update", Target: "C-0001", Payload: json.RawMessage(`{"contact":"审计"}`)}
	p, err := c.Preview(ctx, id, change)
	if err != nil {
		t.Fatal(err)
	}
	change.Payload = p.Payload
	op := uuid.NewString()
	for i, want := range []nouns.CommitStatus{nouns.CommitExecuted, nouns.CommitRefused} {
		x := nouns.Execution{ClientToken: "op:" + op + ":" + string(rune('1'+i)), Digest: "d", Change: change, Facts: p.Facts, Deadline: time.Now().Add(time.Minute),
			Attempt: 1, OpID: op, DecidedBy: "wang", Channel: "terminal"}
		got, err := c.Execute(ctx, id, x)
		if err != nil || got.Status != want {
			t.Fatalf("%+v %v", got, err)
		}
	}
	rows, err := connect(t, url).Query(ctx, "SELECT kind, actor, channel, data->>'decided_by', data->>'bill', coalesce(data->'refusal'->>'code', '') FROM audit WHERE op_id = $1 ORDER BY audit_id", op)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got [][6]string
	for rows.Next() {
		var r [6]string
		if err := rows.Scan(&r[0], &r[1], &r[2], &r[3], &r[4], &r[5]); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	want := [][6]string{{"execution", "li", "terminal", "wang", "C-0001", ""}, {"execution_refused", "li", "terminal", "wang", "", "record_changed"}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("audit %v, want %v", got, want)
	}
}

func TestWhatOnlyTheTablesRefuseIsARefusalToo(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(t)
	w := &world{t: t, url: url, tenant: demo.Tenants()[0].String()}
	if err := w.disturb().Price(ctx, "P-0001", "99999999999999"); err != nil {
		t.Fatal(err)
	}
	c := builtin.New(open(t, url))
	user, grants, err := c.User(ctx, demo.Tenants()[0], "li")
	if err != nil {
		t.Fatal(err)
	}
	id := erp.Identity{User: user, Grants: grants}
	order := func(quantity string) nouns.Change {
		return nouns.Change{Form: "sales_order", Action: "create", Payload: json.RawMessage(`{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"` + quantity + `"}]}`)}
	}
	p, err := c.Preview(ctx, id, order("1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Preview(ctx, id, order("400")); fault.CodeOf(err) != fault.ValidationFailed {
		t.Errorf("a total that no column holds: %v", err)
	}
	x := nouns.Execution{ClientToken: "op:x:1", Digest: "d", Change: order("400"), Facts: p.Facts, Deadline: time.Now().Add(time.Minute), Attempt: 1}
	for _, replayed := range []bool{false, true} {
		got, err := c.Execute(ctx, id, x)
		if err != nil || got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.ValidationFailed) || got.Replayed != replayed {
			t.Fatalf("%+v %v", got, err)
		}
	}
}

func TestACommittedAnswerNeverChanges(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	for _, sql := range []string{
		"SET ROLE erpilot_app",
		"SELECT set_config('erpilot.tenant', 'yunfan.shanghai', false)",
		"INSERT INTO erp.commits (tenant_id, client_token, attempt, outcome, digest) VALUES ('yunfan.shanghai', 'op:x:1', 1, 'executed', 'd')",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	tag, err := conn.Exec(ctx, "UPDATE erp.commits SET bill = 'SO-000001' WHERE client_token = 'op:x:1'")
	if err != nil || tag.RowsAffected() != 0 {
		t.Errorf("%d rows changed, %v", tag.RowsAffected(), err)
	}
}
