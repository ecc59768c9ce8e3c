package builtin_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

func TestAMasterIsMadeFromTheDraftThatWasShown(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := context.Background()
	draft, conversation := uuid.NewString(), uuid.NewString()
	exec := func(sql string, args ...any) {
		t.Helper()
		if err := d.w.exec(ctx, sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO conversations (tenant_id, conversation_id, user_id) VALUES ($1, $2, 'wang')", conversation)
	exec("INSERT INTO drafts (tenant_id, draft_id, conversation_id, user_id, form, revision) VALUES ($1, $2, $3, 'wang', 'tax', 1)", draft, conversation)
	revision := func(n int) {
		t.Helper()
		exec(`INSERT INTO draft_revisions (tenant_id, draft_id, revision, payload, quote, valid_until, created_by)
			VALUES ($1, $2, $3, '{}', '{}', clock_timestamp() + interval '1 day', 'wang')`, draft, n)
	}
	revision(1)
	c := change("tax", "create", "", `{"code":"T-D","name":"x","rate":"1"}`)
	c.DraftID, c.DraftRevision = draft, 1
	_, x := d.execution(t, c)
	revision(2)
	exec("UPDATE drafts SET revision = 2 WHERE tenant_id = $1 AND draft_id = $2", draft)
	if _, err := d.Preview(ctx, d.id, c); fault.CodeOf(err) != fault.DraftChanged {
		t.Errorf("an older revision: %v", err)
	}
	got, err := d.Execute(ctx, d.id, x)
	if err != nil || got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.DraftChanged) {
		t.Errorf("%+v %v", got, err)
	}
	c.DraftRevision = 2
	_, x = d.execution(t, c)
	exec("UPDATE draft_revisions SET valid_until = clock_timestamp() - interval '1 second' WHERE tenant_id = $1 AND draft_id = $2", draft)
	got, err = d.Execute(ctx, d.id, x)
	if err != nil || got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.QuoteChanged) {
		t.Errorf("%+v %v", got, err)
	}
	revision(3)
	exec("UPDATE drafts SET revision = 3 WHERE tenant_id = $1 AND draft_id = $2", draft)
	c.DraftRevision = 3
	if _, made := d.do(t, c); made.Bill != "T-D" {
		t.Errorf("%+v", made)
	}
	c.DraftID = uuid.NewString()
	if _, err := d.Preview(ctx, d.id, c); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("an unknown draft: %v", err)
	}
}
