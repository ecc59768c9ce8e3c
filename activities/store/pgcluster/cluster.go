//go:build unix

package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/process"
)

// Superuser owns the cluster and may do everything in it.
const Superuser = "postgres"

// socketPort only names the socket file: the cluster listens on no TCP port.
const socketPort = "5432"

const (
	startLimit = 60 * time.Second
	stopLimit  = 30 * time.Second
)

// Config says where and how a cluster runs.
type Config struct {
	// Dir is the cluster's directory; it is made where it does not exist.
	Dir string
	// Log receives a line for each thing that takes time; nil is silent.
	Log io.Writer
	// Fsync keeps the data over a power failure. Off only for throw-away data.
	Fsync bool
	// BinDir holds postgres and initdb; empty means that they are looked for.
	BinDir string
	// Settings are further server settings ("max_connections": "300").
	Settings map[string]string
}

// Cluster is a running server. It stops with Stop, and by itself when this
// process dies (Linux; elsewhere the next Start finds and stops it).
type Cluster struct {
	place place
	child *process.Child
	log   *os.File
}

// Start makes the cluster on the first call and starts it; it returns when the
// server answers. The error is an *InstallError where the machine has no usable
// binaries.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	if cfg.Log == nil {
		cfg.Log = io.Discard
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	pl, err := newPlace(dir)
	if err != nil {
		return nil, err
	}
	bin, err := chooseBinaries(cfg.BinDir, pl.data())
	if err != nil {
		return nil, err
	}
	if err := stopOrphan(pl.data(), cfg.Log); err != nil {
		return nil, err
	}
	if err := initialise(bin, pl, cfg); err != nil {
		return nil, err
	}
	c := &Cluster{place: pl}
	if c.log, err = os.OpenFile(pl.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, err
	}
	if err := c.launch(ctx, bin, cfg); err != nil {
		c.log.Close()
		return nil, fmt.Errorf("start PostgreSQL: %w%s", err, logTail(pl.logFile()))
	}
	return c, nil
}

func (c *Cluster) launch(ctx context.Context, bin binaries, cfg Config) error {
	child, err := process.Start(process.Spec{
		Path: filepath.Join(bin.dir, "postgres"), Args: serverArgs(c.place, cfg),
		Dir: c.place.data(), Env: serverEnv(), Output: c.log, User: c.place.user,
		// SIGINT is Postgres' fast, clean shutdown.
		Death: syscall.SIGINT,
	})
	if err != nil {
		return err
	}
	c.child = child
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := c.waitReady(ctx); err != nil {
		return errors.Join(err, child.Stop(syscall.SIGINT, stopLimit))
	}
	return nil
}

func serverArgs(pl place, cfg Config) []string {
	args := []string{"-D", pl.data(), "-k", pl.socket, "-p", socketPort,
		"-c", "listen_addresses=", "-c", "unix_socket_permissions=0700",
		"-c", "timezone=UTC", "-c", "log_timezone=UTC", "-c", "logging_collector=off"}
	if !cfg.Fsync {
		args = append(args, "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off")
	}
	for name, value := range cfg.Settings {
		args = append(args, "-c", name+"="+value)
	}
	return args
}

// serverEnv leaves the caller's PG* and LC_* variables out.
func serverEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=" + locale(), "TZ=UTC"}
}

func (c *Cluster) waitReady(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, c.URL("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer: %w", err)
		case <-c.child.Done():
			return fmt.Errorf("the server ended at once: %w", c.child.Err())
		case <-tick.C:
		}
	}
}

// URL connects the superuser to a database of the cluster.
func (c *Cluster) URL(database string) string { return c.URLAs(Superuser, database) }

// URLAs connects a role to a database of the cluster.
func (c *Cluster) URLAs(role, database string) string {
	query := url.Values{"host": {c.place.socket}, "port": {socketPort}, "sslmode": {"disable"}}
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: query.Encode()}
	return u.String()
}

// CreateDatabase makes the database unless it exists.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	return err
}

// Child is the server process, to be watched by a process.Guard.
func (c *Cluster) Child() *process.Child { return c.child }

// Done is closed when the server has ended, for whatever reason.
func (c *Cluster) Done() <-chan struct{} { return c.child.Done() }

// Paths are all places that hold something of the cluster, to be removed with it.
func (c *Cluster) Paths() []string { return c.place.all() }

// Stop ends all sessions and shuts the server down cleanly.
func (c *Cluster) Stop() error {
	err := c.child.Stop(syscall.SIGINT, stopLimit)
	return errors.Join(err, c.log.Close())
}

// Remove deletes the cluster of a directory and everything in it; an orphaned
// server is stopped first. A directory without a cluster is no error.
func Remove(dir string, log io.Writer) error {
	if log == nil {
		log = io.Discard
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	pl, err := newPlace(dir)
	if err != nil {
		return err
	}
	if err := stopOrphan(pl.data(), log); err != nil {
		return err
	}
	var errs []error
	for _, path := range pl.all() {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}
