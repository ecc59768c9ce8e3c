package pgtest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgcluster"
	"github.com/erpilot/erpilot/activities/store/process"
)

// EnvURL names a server to test on: a superuser's URL. If it is set and the
// server does not answer, tests fail; nothing falls back to another server.
const EnvURL = "ERPILOT_TEST_DATABASE_URL"

// commonPrefix starts the name of every database of this package.
const commonPrefix = "erpilot_test_"

// server is where this process has its databases.
type server struct {
	base   string
	prefix string
	// strategy is how a template is copied.
	strategy string

	mu    sync.Mutex
	admin *pgx.Conn
}

var (
	serverOnce sync.Once
	serverOf   *server
	serverErr  error
)

// theServer is one per test process.
func theServer(ctx context.Context) (*server, error) {
	serverOnce.Do(func() { serverOf, serverErr = newServer(ctx) })
	return serverOf, serverErr
}

func newServer(ctx context.Context) (*server, error) {
	s := &server{base: os.Getenv(EnvURL), strategy: "WAL_LOG"}
	private := s.base == ""
	if private {
		base, err := startPrivate(ctx)
		if err != nil {
			return nil, err
		}
		// Copying files needs two checkpoints, which cost nothing without fsync.
		s.base, s.strategy = base, "FILE_COPY"
	}
	s.prefix = commonPrefix + strings.ReplaceAll(uuid.NewString(), "-", "")[:12] + "_"
	if _, err := withDatabase(s.base, "x"); err != nil {
		return nil, fmt.Errorf("%s: %w", EnvURL, err)
	}
	var err error
	if s.admin, err = pgx.Connect(ctx, s.base); err != nil {
		return nil, fmt.Errorf("the server of %s does not answer: %w", EnvURL, err)
	}
	if private {
		return s, nil
	}
	return s, s.sweep(ctx)
}

// startPrivate starts a throw-away cluster that dies with this process.
func startPrivate(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "erpilot-pgtest-")
	if err != nil {
		return "", err
	}
	// The server may run as another account: it must be able to pass.
	if err := os.Chmod(dir, 0o711); err != nil { // Passing is all that others may do here.
		return "", err
	}
	cluster, err := pgcluster.Start(ctx, pgcluster.Config{
		Dir: filepath.Join(dir, "pg"),
		Settings: map[string]string{
			"max_connections": "400", "shared_buffers": "256MB", "wal_level": "minimal", "max_wal_senders": "0",
			"max_wal_size": "4GB", "autovacuum_naptime": "30s", "log_min_messages": "fatal",
		},
	})
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	// QUIT ends at once; nobody will read the data again.
	guard, err := process.NewGuard("QUIT", append(cluster.Paths(), dir)...)
	if err == nil {
		err = guard.Watch(cluster.Child())
	}
	if err != nil {
		return "", errors.Join(err, cluster.Stop(), os.RemoveAll(dir))
	}
	keep = append(keep, guard, cluster)
	return cluster.URL("postgres"), nil
}

// keep holds what must not be collected: the finaliser of the guard's pipe
// would close it and so stop the cluster.
var keep []any

func (s *server) url(database string) string {
	u, err := withDatabase(s.base, database)
	if err != nil {
		panic(err) // newServer has parsed the same base.
	}
	return u
}

func (s *server) create(ctx context.Context, name, from string) error {
	return s.exec(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s STRATEGY %s",
		pgx.Identifier{name}.Sanitize(), pgx.Identifier{from}.Sanitize(), s.strategy))
}

func (s *server) drop(ctx context.Context, name string) error {
	return s.exec(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", pgx.Identifier{name}.Sanitize()))
}

func (s *server) exec(ctx context.Context, sql string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.admin.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

// sweep locks this process's prefix for as long as its connection lives, and
// drops the databases of processes whose connection is gone.
func (s *server) sweep(ctx context.Context) error {
	if _, err := s.admin.Exec(ctx, "SELECT pg_advisory_lock($1)", lockOf(s.prefix)); err != nil {
		return err
	}
	rows, err := s.admin.Query(ctx, "SELECT datname FROM pg_database WHERE datname LIKE $1", commonPrefix+"%")
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.sweepOne(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) sweepOne(ctx context.Context, name string) error {
	at := strings.LastIndexByte(name, '_')
	if at < len(commonPrefix) || strings.HasPrefix(name, s.prefix) {
		return nil
	}
	lock := lockOf(name[:at+1])
	var free bool
	if err := s.admin.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", lock).Scan(&free); err != nil || !free {
		return err
	}
	if err := s.drop(ctx, name); err != nil {
		return err
	}
	_, err := s.admin.Exec(ctx, "SELECT pg_advisory_unlock($1)", lock)
	return err
}

func lockOf(prefix string) int64 {
	h := fnv.New64a()
	h.Write([]byte(prefix))
	return int64(h.Sum64()) // Wrapping is wanted: any 64 bits name a lock.
}
