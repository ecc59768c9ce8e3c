package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// DB is a pool of connections that act as erpilot_app.
type DB struct {
	pool *pgxpool.Pool
	url  string
}

// Config says where the database is.
type Config struct {
	// URL of the database; the role in it must be a member of erpilot_app.
	URL string
	// MaxConns bounds the pool; zero means 20.
	MaxConns int32
	// ConnectTimeout bounds the first connection; zero means 5 s.
	ConnectTimeout time.Duration
}

// Open connects and checks that the database answers and is migrated. It never
// falls back to anything: an unreachable database is an error.
func Open(ctx context.Context, c Config) (*DB, error) {
	pc, err := pgxpool.ParseConfig(c.URL)
	if err != nil {
		// The parse error may quote the URL with its password.
		return nil, errors.New("ERPILOT_DATABASE_URL is not a valid Postgres URL")
	}
	pc.MaxConns = c.MaxConns
	if pc.MaxConns == 0 {
		pc.MaxConns = 20
	}
	pc.ConnConfig.RuntimeParams["application_name"] = "erpilot"
	pc.ConnConfig.RuntimeParams["timezone"] = "UTC"
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SET ROLE erpilot_app")
		return err
	}
	timeout := c.ConnectTimeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	ping, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if _, err := pgdb.New(pool).ListTenants(ping); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the database does not answer, or is not migrated (run `erpilot migrate`): %w", err)
	}
	return &DB{pool: pool, url: c.URL}, nil
}

// Close waits for running transactions and closes the pool.
func (db *DB) Close() { db.pool.Close() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.pool.Ping(ctx) }

// Tenants lists all tenants, for sweeps. The registry is the only table that is
// read without a tenant.
func (db *DB) Tenants(ctx context.Context) ([]pgdb.Tenant, error) {
	return pgdb.New(db.pool).ListTenants(ctx)
}

// Tx runs fn in a transaction that sees the rows of one tenant. It commits when
// fn returns nil, else rolls back and returns fn's error.
//
// Codes: fault.Invalid for a malformed tenant, fault.Unavailable when no
// connection is to be had, fault.OutcomeUnknown when the connection broke
// during COMMIT, fault.Invalid for text that Postgres cannot hold (a NUL).
func (db *DB) Tx(ctx context.Context, tenant identity.Tenant, fn func(context.Context, pgx.Tx) error) error {
	return db.tx(ctx, tenant, "", fn)
}

// FastTx is Tx whose commit does not wait for the disk: a crash of the database
// server may lose it, so it is for what is written again anyway (a phase on the
// screen, the begin of an attempt), never for a decision or a write to the ERP.
func (db *DB) FastTx(ctx context.Context, tenant identity.Tenant, fn func(context.Context, pgx.Tx) error) error {
	return db.tx(ctx, tenant, "; SET LOCAL synchronous_commit = off", fn)
}

// Read is Tx for a single reader of consistent data: read only, repeatable read.
func (db *DB) Read(ctx context.Context, tenant identity.Tenant, fn func(context.Context, pgx.Tx) error) error {
	return db.tx(ctx, tenant, "; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY", fn)
}

func (db *DB) tx(ctx context.Context, tenant identity.Tenant, settings string, fn func(context.Context, pgx.Tx) error) error {
	id, err := identity.ParseTenant(tenant.String())
	if err != nil {
		return err
	}
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return unavailable(ctx, err)
	}
	defer conn.Release()
	// ParseTenant allows only [a-z0-9-.], so the id needs no quoting; one round
	// trip opens the transaction and scopes it.
	begin := "BEGIN" + settings + "; SET LOCAL erpilot.tenant = '" + id.String() + "'"
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return unavailable(ctx, err)
	}
	if err := fn(ctx, tx); err != nil {
		// The rollback must run although ctx may have ended.
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = tx.Rollback(clean) // a broken connection has rolled back by itself
		return unavailable(ctx, err)
	}
	return Committed(tx.Commit(ctx))
}

// Committed turns the error of a COMMIT into a code: a server that refuses has
// surely not committed. A connection that broke, or a server that says FATAL (it
// may be shut down just after it committed), leaves the outcome unknown.
func Committed(err error) error {
	if err == nil {
		return nil
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.SeverityUnlocalized == "ERROR" {
		return err
	}
	if errors.Is(err, pgx.ErrTxCommitRollback) || errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return fault.Wrap(fault.OutcomeUnknown, err)
}

// unavailable gives connection trouble a code and leaves the rest alone.
func unavailable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		if c := pg.Code[:2]; c == "08" || c == "57" || c == "53" {
			return fault.Wrap(fault.Unavailable, err)
		}
		if pg.Code == "22021" || pg.Code == "22P05" { // a NUL, say: trying again cannot help
			return fault.Wrap(fault.Invalid, err, "detail", "the text holds characters that cannot be stored")
		}
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) || errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	if broken(err) {
		return fault.Wrap(fault.Unavailable, err)
	}
	return err
}

// broken reports a connection that was refused, lost or too slow.
func broken(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || pgconn.Timeout(err)
}

// NotFound turns "no rows" into fault.NotFound for the noun and leaves other
// errors alone.
func NotFound(err error, noun string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "noun", noun)
	}
	return err
}

// IsConflict reports a violated unique constraint; name "" matches any.
func IsConflict(err error, name string) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "23505" && (name == "" || pg.ConstraintName == name)
}
