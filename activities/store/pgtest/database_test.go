package pgtest_test

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/store/pgtest"
)

var migrations, demoLoads atomic.Int32

func TestMain(m *testing.M) {
	migrate := pgtest.Migrate
	pgtest.Migrate = func(ctx context.Context, url string) error {
		migrations.Add(1)
		if err := migrate(ctx, url); err != nil {
			return err
		}
		return execute(ctx, url, "CREATE TABLE thing (name text PRIMARY KEY)")
	}
	pgtest.LoadDemo = func(ctx context.Context, url string) error {
		demoLoads.Add(1)
		return execute(ctx, url, "INSERT INTO thing VALUES ('demo')")
	}
	os.Exit(m.Run())
}

func execute(ctx context.Context, url, sql string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func count(t *testing.T, conn *pgx.Conn, sql string) (n int) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEachTestGetsItsOwnMigratedDatabase(t *testing.T) {
	t.Parallel()
	a, b := connect(t, pgtest.NewDatabase(t)), connect(t, pgtest.NewDatabase(t))
	if _, err := a.Exec(t.Context(), "INSERT INTO thing VALUES ('a')"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, b, "SELECT count(*) FROM thing"); n != 0 {
		t.Errorf("the other database sees %d rows, want none", n)
	}
}

func TestDemoDatabaseHasTheDemoData(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	if n := count(t, conn, "SELECT count(*) FROM thing WHERE name = 'demo'"); n != 1 {
		t.Errorf("found %d demo rows, want 1", n)
	}
}

func TestTemplatesAreBuiltOncePerProcess(t *testing.T) {
	t.Parallel()
	for range 3 {
		pgtest.NewDatabase(t)
		pgtest.NewDemoDatabase(t)
	}
	if m, d := migrations.Load(), demoLoads.Load(); m != 1 || d != 1 {
		t.Errorf("migrated %d times and loaded demo data %d times, want once each", m, d)
	}
}

func TestEmptyDatabaseHasNoSchema(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.NewEmptyDatabase(t))
	if n := count(t, conn, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"); n != 0 {
		t.Errorf("found %d tables, want none", n)
	}
}

func TestDatabaseIsGoneAfterTheTestEvenWithOpenConnections(t *testing.T) {
	t.Parallel()
	var url string
	t.Run("inner", func(t *testing.T) {
		url = pgtest.NewDatabase(t)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn // Left open on purpose: a leak must not keep the database.
	})
	_, err := pgx.Connect(t.Context(), url)
	var connectErr *pgconn.ConnectError
	if !errors.As(err, &connectErr) {
		t.Errorf("connect after the test: %v, want a refusal", err)
	}
}

func TestChineseIsFoundByTrigrams(t *testing.T) {
	t.Parallel()
	conn := connect(t, pgtest.NewDatabase(t))
	if _, err := conn.Exec(t.Context(), "CREATE EXTENSION IF NOT EXISTS pg_trgm"); err != nil {
		t.Fatal(err)
	}
	if n := count(t, conn, "SELECT cardinality(show_trgm('华东贸易有限公司'))"); n < 8 {
		t.Errorf("%d trigrams, want at least 8: the locale does not know that Chinese characters are letters", n)
	}
}
