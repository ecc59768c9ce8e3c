//go:build unix

package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Config says what to bring up and where. Empty fields mean the defaults.
type Config struct {
	// StateDir holds everything that outlives the process.
	StateDir string
	// DatabaseURL is a database to use instead of a private cluster.
	DatabaseURL string
	// TemporalAddress is a server to use instead of a private one.
	TemporalAddress string
	// TemporalNamespace, for a server of one's own; empty means "default".
	TemporalNamespace string
	// GatewayAddr is host:port, the host a loopback one. Empty: the remembered
	// port, else DefaultGatewayPort, else a free one.
	GatewayAddr string
	// TemporalPort and TemporalUIPort: 0 as for GatewayAddr.
	TemporalPort, TemporalUIPort int
	// Reset removes all state first.
	Reset bool
	// Install allows to install PostgreSQL with the system's package manager.
	Install bool
	// Out receives what is going on, for people.
	Out io.Writer
}

// Env is what the parts of the product need to know of their surroundings.
type Env struct {
	StateDir          string
	DatabaseURL       string
	TemporalAddress   string
	TemporalNamespace string
	// TemporalUI is empty for a server of one's own.
	TemporalUI string
	// TemporalCLI is how to call the temporal command.
	TemporalCLI string
	// GatewayAddr is where to listen, GatewayURL what to open.
	GatewayAddr, GatewayURL string
	// Secret is a random key of this state directory, 64 hex digits.
	Secret string
}

// Parts are what the product does in its surroundings, in this order.
type Parts struct {
	// Migrate brings the database to the newest schema.
	Migrate func(context.Context, Env) error
	// Demo loads the demo data unless they are there.
	Demo func(context.Context, Env) error
	// Serve runs worker and gateway until the context ends; it calls ready once
	// both accept work.
	Serve func(ctx context.Context, env Env, ready func()) error
	// Logins are the lines about demo accounts, printed at the end.
	Logins []string
}

// serveLimit bounds how long worker and gateway may take to drain.
const serveLimit = 25 * time.Second

// Run brings everything up and keeps it up until the context ends, which is no
// error. All servers are stopped when it returns.
func Run(ctx context.Context, cfg Config, parts Parts) (err error) {
	begin := time.Now()
	out := &console{w: cfg.Out}
	if cfg.GatewayAddr != "" {
		if err := loopback(cfg.GatewayAddr); err != nil {
			return err
		}
	}
	state, err := openState(cfg.StateDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.close()) }()
	if cfg.Reset {
		if err := reset(state, cfg, out); err != nil {
			return err
		}
	}
	s := &servers{cfg: cfg, state: state, out: out}
	defer func() { err = errors.Join(err, s.stop()) }()
	env, err := s.start(ctx, parts)
	if err != nil {
		return unlessDone(ctx, err)
	}
	return unlessDone(ctx, serve(ctx, env, s, parts, func() {
		if err := errors.Join(state.announce(env.GatewayURL), state.publish(env)); err != nil {
			out.line("Another start will not know where this one is: %v", err)
		}
		banner(out, env, parts, time.Since(begin))
	}))
}

// unlessDone drops an error that came because a person pressed Ctrl-C: whatever
// was being started then ended in some error of its own.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// serve runs the product until the context ends or one of the servers dies.
func serve(ctx context.Context, env Env, s *servers, parts Parts, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- parts.Serve(ctx, env, ready) }()
	var err error
	select {
	case err = <-done:
		if err == nil && ctx.Err() == nil {
			err = errors.New("worker and gateway ended by themselves")
		}
		return err
	case err = <-s.died:
	case <-ctx.Done():
		s.out.line("Stopping; press Ctrl-C again to kill")
	}
	cancel()
	select {
	case serveErr := <-done:
		return errors.Join(err, serveErr)
	case <-time.After(serveLimit):
		return errors.Join(err, fmt.Errorf("worker and gateway did not end within %s", serveLimit))
	}
}

// loopback refuses addresses that other machines could reach.
func loopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("ERPILOT_GATEWAY_ADDR: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("ERPILOT_GATEWAY_ADDR: %s is no loopback address, and `dev` with its demo logins listens on no other; "+
			"use `erpilot gateway` for that", host)
	}
	return nil
}

func banner(out *console, env Env, parts Parts, took time.Duration) {
	out.line("")
	out.line("Erpilot is ready (%s)", took.Round(100*time.Millisecond))
	out.line("")
	out.line("  Page          %s", env.GatewayURL)
	if env.TemporalUI != "" {
		out.line("  Temporal UI   %s", env.TemporalUI)
	}
	out.line("  Temporal CLI  %s --address %s workflow list", env.TemporalCLI, env.TemporalAddress)
	out.line("  Database      %s", redact(env.DatabaseURL))
	if abs, err := filepath.Abs(env.StateDir); err == nil {
		out.line("  State, logs   %s", abs)
	}
	for i, login := range parts.Logins {
		label := "             "
		if i == 0 {
			label = "Demo logins  "
		}
		out.line("  %s %s", label, login)
	}
	out.line("")
	out.line("Ctrl-C stops everything; the next start finds it all again. --reset begins anew.")
}

// reset removes all state but the binaries. The caller holds the lock, so no
// other `up` is alive.
func reset(st *state, cfg Config, out *console) error {
	if cfg.DatabaseURL != "" || cfg.TemporalAddress != "" {
		return errors.New("--reset removes private servers only: with ERPILOT_DATABASE_URL or ERPILOT_TEMPORAL_ADDRESS set, " +
			"empty that database and that namespace yourself, or unset the variable")
	}
	out.line("Removing the state in %s", st.dir)
	if err := stopOrphans(st, out); err != nil {
		return err
	}
	if err := removeCluster(st, out); err != nil {
		return err
	}
	for _, name := range []string{"temporal", "pids", "ports.json", "secret"} {
		if err := os.RemoveAll(st.path(name)); err != nil {
			return err
		}
	}
	return nil
}
