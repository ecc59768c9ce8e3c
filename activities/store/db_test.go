package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

var (
	ours   = identity.Tenant{BrandID: "one", SubsidiaryID: "east"}
	theirs = identity.Tenant{BrandID: "one", SubsidiaryID: "west"}
)

// setup opens a database with two tenants and a conversation of each.
func setup(t *testing.T) *store.DB {
	t.Helper()
	url := pgtest.NewDatabase(t)
	owner, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	for _, tenant := range []identity.Tenant{ours, theirs} {
		if _, err := owner.Exec(t.Context(), `INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone)
			VALUES ($1, $2, $3, 'x', 'x', 'CNY', 'UTC')`, tenant.String(), tenant.BrandID, tenant.SubsidiaryID); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	for _, tenant := range []identity.Tenant{ours, theirs} {
		if err := db.Tx(t.Context(), tenant, func(ctx context.Context, tx pgx.Tx) error {
			_, err := pgdb.New(tx).InsertConversation(ctx, pgdb.InsertConversationParams{TenantID: tenant.String(), ConversationID: "c", UserID: "li"})
			if err != nil {
				return err
			}
			return store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "login", Actor: "li", Data: map[string]any{}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func count(t *testing.T, db *store.DB, tenant identity.Tenant, sql string) (n int) {
	t.Helper()
	if err := db.Tx(t.Context(), tenant, func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, sql).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAStatementThatForgetsTheTenantSeesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	db := setup(t)
	if n := count(t, db, ours, "SELECT count(*) FROM conversations"); n != 1 {
		t.Errorf("%d conversations are seen, want the one of the tenant", n)
	}
	err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO conversations (tenant_id, conversation_id, user_id) VALUES ($1, 'd', 'li')`, theirs.String())
		return err
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42501" {
		t.Errorf("a row of another tenant was written: %v", err)
	}
}

func TestWithoutATenantThereAreNoRows(t *testing.T) {
	t.Parallel()
	db := setup(t)
	if err := db.Tx(t.Context(), identity.Tenant{}, func(context.Context, pgx.Tx) error { return nil }); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a transaction without a tenant began: %v", err)
	}
	err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "RESET erpilot.tenant"); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM conversations").Scan(&n); err != nil || n != 0 {
			t.Errorf("%d rows without a tenant, %v", n, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEveryTableOfTenantsIsUnderForcedRowSecurity(t *testing.T) {
	t.Parallel()
	db := setup(t)
	err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT c.oid::regclass::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
			WHERE c.relkind IN ('r','p') AND c.relname <> 'tenants' AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`)
		if err != nil {
			return err
		}
		open, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if len(open) > 0 {
			t.Errorf("tables without forced row security: %v", open)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAuditAndJournalRowsAreNeverChanged(t *testing.T) {
	t.Parallel()
	db := setup(t)
	for _, sql := range []string{"UPDATE audit SET actor = 'x'", "DELETE FROM audit", "TRUNCATE audit", "UPDATE journal SET data = '{}'", "DELETE FROM journal",
		"UPDATE draft_revisions SET payload = '{}'", "DELETE FROM operations", "UPDATE decisions SET accepted = true"} {
		err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		})
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != "42501" {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestACommitThatMayHaveHappenedIsNeverCalledFailed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want fault.Code
	}{
		"a broken connection":        {errors.New("unexpected EOF"), fault.OutcomeUnknown},
		"a server that shuts down":   {&pgconn.PgError{Code: "57P01", SeverityUnlocalized: "FATAL"}, fault.OutcomeUnknown},
		"a constraint at the commit": {&pgconn.PgError{Code: "23505", SeverityUnlocalized: "ERROR"}, fault.Internal},
		"a rolled back transaction":  {pgx.ErrTxCommitRollback, fault.Internal},
	} {
		if got := fault.CodeOf(store.Committed(c.err)); got != c.want {
			t.Errorf("%s is %s, want %s", name, got, c.want)
		}
	}
}

func TestTextThatPostgresCannotHoldIsInvalidAndNotWorthAnotherTry(t *testing.T) {
	t.Parallel()
	db := setup(t)
	for name, data := range map[string]store.AuditEntry{
		"text":  {Kind: "login", Actor: "a\x00b", Data: map[string]any{}},
		"jsonb": {Kind: "login", Actor: "li", Data: map[string]any{"x": "a\x00b"}},
	} {
		err := db.Tx(t.Context(), ours, func(ctx context.Context, tx pgx.Tx) error { return store.Audit(ctx, tx, ours, data) })
		if code := fault.CodeOf(err); code != fault.Invalid {
			t.Errorf("a NUL in %s is %s: %v", name, code, err)
		}
	}
}

func TestAnUnreachableOrEmptyDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"nothing listens": "postgres://nobody@127.0.0.1:1/none?sslmode=disable", "not migrated": pgtest.NewEmptyDatabase(t),
		"no url": "://"} {
		if db, err := store.Open(t.Context(), store.Config{URL: url}); err == nil {
			db.Close()
			t.Errorf("%s: opened", name)
		}
	}
}

func TestMigratingTwiceAtOnceDoesItOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.NewEmptyDatabase(t)
	done := make(chan error, 2)
	for range 2 {
		go func() {
			_, _, err := store.Migrate(context.Background(), url)
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	from, to, err := store.Migrate(t.Context(), url)
	if err != nil || from != to || to == 0 {
		t.Errorf("from %d to %d, %v", from, to, err)
	}
}
