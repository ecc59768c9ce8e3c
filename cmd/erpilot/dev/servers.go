//go:build unix

package dev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/erpilot/erpilot/activities/store/pgcluster"
	"github.com/erpilot/erpilot/activities/store/process"
	"github.com/erpilot/erpilot/workflows/devserver"
)

// database is the name of the product's database in the private cluster.
const database = "erpilot"

// reachLimit is how long a server of one's own may take to answer.
const reachLimit = 10 * time.Second

// servers are Postgres and Temporal.
type servers struct {
	cfg   Config
	state *state
	out   *console
	// died receives the reason when a private server ends by itself.
	died chan error

	postgres *pgcluster.Cluster
	temporal *devserver.Server
	// binary is the temporal that was started; empty for a server of one's own.
	binary string
}

// start brings both servers up side by side, and the database into shape.
func (s *servers) start(ctx context.Context, parts Parts) (Env, error) {
	s.died = make(chan error, 2)
	if err := stopOrphans(s.state, s.out); err != nil {
		return Env{}, err
	}
	p, host, err := choosePorts(s.state, s.cfg, s.out)
	if err != nil {
		return Env{}, err
	}
	env := Env{StateDir: s.state.dir, TemporalNamespace: s.cfg.TemporalNamespace, TemporalCLI: "temporal"}
	if env.TemporalNamespace == "" {
		env.TemporalNamespace = client.DefaultNamespace
	}
	env.GatewayAddr = net.JoinHostPort(host, strconv.Itoa(p.Gateway))
	env.GatewayURL = "http://" + env.GatewayAddr + "/"
	if env.Secret, err = s.state.secret(); err != nil {
		return Env{}, err
	}
	both, bothCtx := errgroup.WithContext(ctx)
	both.Go(func() (err error) {
		if env.DatabaseURL, err = s.startPostgres(bothCtx); err != nil {
			return err
		}
		return s.fill(bothCtx, env, parts)
	})
	var address, ui string
	both.Go(func() (err error) {
		address, ui, err = s.startTemporal(bothCtx, p, env.TemporalNamespace)
		return err
	})
	if err := both.Wait(); err != nil {
		return Env{}, err
	}
	env.TemporalAddress, env.TemporalUI = address, ui
	if _, err := exec.LookPath("temporal"); err != nil && s.binary != "" {
		env.TemporalCLI = s.binary
	}
	return env, nil
}

// fill migrates the database and loads the demo data.
func (s *servers) fill(ctx context.Context, env Env, parts Parts) error {
	s.out.line("Database: migrating")
	if err := parts.Migrate(ctx, env); err != nil {
		return err
	}
	if err := parts.Demo(ctx, env); err != nil {
		return fmt.Errorf("load the demo data: %w", err)
	}
	return nil
}

func (s *servers) startPostgres(ctx context.Context) (string, error) {
	if s.cfg.DatabaseURL != "" {
		return s.cfg.DatabaseURL, reachDatabase(ctx, s.cfg.DatabaseURL)
	}
	if err := ensurePostgres(ctx, s.cfg.Install, s.out); err != nil {
		return "", err
	}
	cluster, err := pgcluster.Start(ctx, pgcluster.Config{
		Dir: s.state.path("postgres"), Log: s.out, Fsync: true,
		Settings: map[string]string{"max_connections": "200"},
	})
	if err != nil {
		return "", err
	}
	s.postgres = cluster
	s.watch("PostgreSQL", cluster.Done(), s.state.path("postgres", "postgres.log"))
	s.out.line("PostgreSQL: running")
	return cluster.URL(database), cluster.CreateDatabase(ctx, database)
}

// reachDatabase proves that the named database answers. The error of pgx holds
// no password.
func reachDatabase(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("ERPILOT_DATABASE_URL is set, but that database does not answer; no other one is used instead. "+
			"Start it, or unset the variable to get a private cluster.\n%w", err)
	}
	return conn.Close(ctx)
}

func (s *servers) startTemporal(ctx context.Context, p ports, namespace string) (address, ui string, err error) {
	if s.cfg.TemporalAddress != "" {
		return s.cfg.TemporalAddress, "", reachTemporal(ctx, s.cfg.TemporalAddress, namespace)
	}
	binary, err := devserver.Ensure(ctx, ".", s.out)
	if err != nil {
		return "", "", err
	}
	s.binary = binary
	if err := os.MkdirAll(s.state.path("temporal"), 0o700); err != nil {
		return "", "", err
	}
	logFile := s.state.path("temporal", "temporal.log")
	server, err := devserver.Start(ctx, devserver.Config{
		Binary: binary, Port: p.Temporal, UIPort: p.TemporalUI,
		DBFile: s.state.path("temporal", "temporal.db"), LogFile: logFile,
		Namespace: namespace,
	})
	if errors.Is(err, devserver.ErrPortTaken) {
		return "", "", fmt.Errorf("%w: start again, or set ERPILOT_TEMPORAL_PORT to another one", err)
	}
	if err != nil {
		return "", "", err
	}
	s.temporal = server
	s.watch("Temporal", server.Done(), logFile)
	rec, err := process.NewRecord(server.Child().PID(), "Temporal")
	if err != nil {
		return "", "", err
	}
	if err := rec.Write(s.state.path("pids", "temporal.json")); err != nil {
		return "", "", err
	}
	s.out.line("Temporal: running")
	return server.Address(), fmt.Sprintf("http://%s/", net.JoinHostPort(devserver.Host, strconv.Itoa(p.TemporalUI))), nil
}

func reachTemporal(ctx context.Context, address, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	c, err := client.DialContext(ctx, client.Options{HostPort: address, Namespace: namespace, Logger: devserver.Silent})
	if err != nil {
		return fmt.Errorf("ERPILOT_TEMPORAL_ADDRESS is set, but %s does not answer; no other server is used instead. "+
			"Start it, or unset the variable to get a private one.\n%w", address, err)
	}
	defer c.Close()
	return devserver.EnsureSearchAttributes(ctx, c, namespace)
}

func (s *servers) watch(name string, done <-chan struct{}, logFile string) {
	go func() {
		<-done
		s.died <- fmt.Errorf("%s has ended by itself; its log is %s", name, logFile)
	}()
}

// stop ends the private servers. Worker and gateway have ended before.
func (s *servers) stop() error {
	var errs []error
	if s.temporal != nil {
		errs = append(errs, s.temporal.Stop(), os.RemoveAll(s.state.path("pids", "temporal.json")))
	}
	if s.postgres != nil {
		errs = append(errs, s.postgres.Stop())
	}
	if s.temporal != nil || s.postgres != nil {
		s.out.line("Stopped; everything is kept in %s", s.state.dir)
	}
	return errors.Join(errs...)
}

// stopOrphans ends a Temporal that an earlier, killed run left behind; Postgres'
// orphan is found by pgcluster.
func stopOrphans(st *state, out *console) error {
	rec, ok, err := process.ReadRecord(st.path("pids", "temporal.json"))
	if err != nil || !ok {
		return err
	}
	if rec.Alive() {
		out.line("Temporal: stopping process %d, which an earlier run left behind", rec.PID)
	}
	if err := rec.Stop(syscall.SIGTERM, 20*time.Second); err != nil {
		return err
	}
	return os.Remove(st.path("pids", "temporal.json"))
}

func removeCluster(st *state, out *console) error { return pgcluster.Remove(st.path("postgres"), out) }
