package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/identity"
)

func TestOneSeesTheRowsOfItsTenantOnly(t *testing.T) {
	t.Parallel()
	db := setup(t)
	for _, tenant := range []identity.Tenant{ours, theirs} {
		err := db.One(t.Context(), tenant, func(ctx context.Context, q *pgdb.Queries) error {
			row, err := q.ConversationByID(ctx, pgdb.ConversationByIDParams{TenantID: tenant.String(), ConversationID: "c"})
			if err != nil || row.TenantID != tenant.String() {
				t.Errorf("%s reads %+v, %v", tenant, row, err)
			}
			heads, err := q.JournalHeads(ctx, pgdb.JournalHeadsParams{TenantID: tenant.String(), Conversations: []string{"c"}})
			if err != nil || len(heads) != 1 {
				t.Errorf("%s reads %d heads, %v", tenant, len(heads), err)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err := db.One(t.Context(), ours, func(ctx context.Context, q *pgdb.Queries) error {
		_, err := q.ConversationByID(ctx, pgdb.ConversationByIDParams{TenantID: theirs.String(), ConversationID: "c"})
		return err
	})
	if !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("another tenant's row answers %v, want no rows", err)
	}
}

func TestOneLeavesNoTenantBehindOnItsConnection(t *testing.T) {
	t.Parallel()
	db := setup(t)
	for range 3 { // the pool hands out the same connection again
		if err := db.One(t.Context(), ours, func(ctx context.Context, q *pgdb.Queries) error {
			_, err := q.JournalHead(ctx, pgdb.JournalHeadParams{TenantID: ours.String(), ConversationID: "c"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, theirs, "SELECT count(*) FROM conversations WHERE tenant_id = 'one.east'"); n != 0 {
			t.Errorf("the next transaction sees %d rows of another tenant", n)
		}
		if err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error {
			_, err := pgdb.New(tx).CountTurn(ctx, pgdb.CountTurnParams{TenantID: ours.String(), ConversationID: "c", Title: "x"})
			return err
		}); err != nil {
			t.Errorf("the next transaction cannot write: %v", err)
		}
	}
}

func TestOneRefusesToWrite(t *testing.T) {
	t.Parallel()
	db := setup(t)
	err := db.One(t.Context(), ours, func(ctx context.Context, q *pgdb.Queries) error {
		_, err := q.CountTurn(ctx, pgdb.CountTurnParams{TenantID: ours.String(), ConversationID: "c", Title: "x"})
		return err
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "25006" {
		t.Errorf("a writing query answers %v, want read_only_sql_transaction", err)
	}
	err = db.One(t.Context(), ours, func(ctx context.Context, q *pgdb.Queries) error {
		_, err := q.DeleteConversation(ctx, pgdb.DeleteConversationParams{TenantID: ours.String(), ConversationID: "c", UserID: "li"})
		return err
	})
	if err == nil {
		t.Error("an Exec is let through")
	}
	if n := count(t, db, ours, "SELECT turn_count FROM conversations WHERE deleted_at IS NULL"); n != 0 {
		t.Errorf("%d turns were counted", n)
	}
}
