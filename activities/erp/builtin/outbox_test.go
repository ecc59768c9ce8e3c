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
)

func TestASaveByHandLeavesOneMessageInTheOutboxAndARefusedOneNone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(t)
	c := builtin.New(open(t, url))
	user, grants, err := c.User(ctx, demo.Tenants()[0], "li")
	if err != nil {
		t.Fatal(err)
	}
	id := erp.Identity{User: user, Grants: grants}
	change := nouns.Change{Form: "customer", Action: "update", Target: "C-0001", Payload: json.RawMessage(`{"contact":"手工"}`)}
	p, err := c.Preview(ctx, id, change)
	if err != nil {
		t.Fatal(err)
	}
	change.Payload = p.Payload
	op := uuid.NewString()
	x := nouns.Execution{ClientToken: "op:" + op + ":1", Digest: "d", Change: change, Deadline: time.Now().Add(time.Minute),
		Attempt: 1, OpID: op, DecidedBy: "li", Channel: "native", Handed: true, Completes: op}
	conn := connect(t, url)
	counts := func() (messages, commits, refused int) {
		t.Helper()
		err := conn.QueryRow(ctx, `SELECT (SELECT count(*) FROM erp.outbox WHERE op_id = $1 AND client_token = $2 AND sent_at IS NULL),
			(SELECT count(*) FROM erp.commits WHERE client_token = $2),
			(SELECT count(*) FROM audit WHERE op_id = $1 AND kind = 'execution_refused')`, op, x.ClientToken).Scan(&messages, &commits, &refused)
		if err != nil {
			t.Fatal(err)
		}
		return messages, commits, refused
	}
	if got, err := c.Execute(ctx, id, x); err != nil || got.Status != nouns.CommitRefused { // facts were left out
		t.Fatalf("%+v %v", got, err)
	}
	if messages, commits, refused := counts(); messages != 0 || commits != 0 || refused != 1 {
		t.Errorf("after a refusal: %d messages, %d commits, %d audit rows", messages, commits, refused)
	}
	x.Facts = p.Facts
	for range 2 {
		if got, err := c.Execute(ctx, id, x); err != nil || got.Status != nouns.CommitExecuted {
			t.Fatalf("%+v %v", got, err)
		}
	}
	if messages, commits, _ := counts(); messages != 1 || commits != 1 {
		t.Errorf("after the save and once more: %d messages, %d commits", messages, commits)
	}
}
