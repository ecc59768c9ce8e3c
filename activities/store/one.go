package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/identity"
)

// One runs reads of a single statement: each sees the rows of one tenant, in a
// read-only transaction of its own, and costs one round trip where Tx costs three.
// Two statements in fn are two transactions and may see different data.
//
// Codes: as Tx, but never fault.OutcomeUnknown. Exec is an error.
func (db *DB) One(ctx context.Context, tenant identity.Tenant, fn func(context.Context, *pgdb.Queries) error) error {
	id, err := identity.ParseTenant(tenant.String())
	if err != nil {
		return err
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer conn.Release()
	return unavailable(ctx, fn(ctx, pgdb.New(&single{conn: conn.Conn(), tenant: id.String()})))
}

// single sends each statement behind the one that scopes it. Both go out
// together and end together: what is sent before one Sync is one transaction.
type single struct {
	conn   *pgx.Conn
	tenant string
}

const scope = "SELECT set_config('erpilot.tenant', $1, true), set_config('transaction_read_only', 'on', true)"

func (s *single) send(ctx context.Context, sql string, args []any) (pgx.BatchResults, error) {
	b := &pgx.Batch{}
	b.Queue(scope, s.tenant)
	b.Queue(sql, args...)
	results := s.conn.SendBatch(ctx, b)
	if _, err := results.Exec(); err != nil {
		return nil, errors.Join(err, results.Close())
	}
	return results, nil
}

var errReadsOnly = errors.New("store: One is for reads")

func (s *single) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return pgconn.CommandTag{}, errReadsOnly
}

func (s *single) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	results, err := s.send(ctx, sql, args)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		return nil, errors.Join(err, results.Close())
	}
	return &oneRows{Rows: rows, results: results}, nil
}

func (s *single) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	results, err := s.send(ctx, sql, args)
	return oneRow{results: results, err: err}
}

// oneRows ends the batch with its rows.
type oneRows struct {
	pgx.Rows
	results pgx.BatchResults
}

func (r *oneRows) Close() {
	r.Rows.Close()
	_ = r.results.Close() // what went wrong stands in Err
}

// oneRow ends the batch with its scan.
type oneRow struct {
	results pgx.BatchResults
	err     error
}

func (r oneRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	err := r.results.QueryRow().Scan(dest...)
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	return err
}
