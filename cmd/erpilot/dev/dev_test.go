//go:build unix

package dev_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/store/pgcluster"
	"github.com/erpilot/erpilot/activities/store/process"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
	"github.com/erpilot/erpilot/workflows/devserver"
)

// With this variable set the test binary is an `erpilot dev` with parts that do
// next to nothing; its value is the configuration.
const devMode = "ERPILOT_DEV_TEST_CONFIG"

func TestMain(m *testing.M) {
	if raw := os.Getenv(devMode); raw != "" {
		os.Exit(beDev(raw))
	}
	os.Exit(m.Run())
}

func beDev(raw string) int {
	var cfg dev.Config
	if err := json.Unmarshal([]byte(raw), &cfg); err != nil {
		panic(err)
	}
	cfg.Out = os.Stdout
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := dev.Run(ctx, cfg, stubs()); err != nil {
		fmt.Fprintln(os.Stdout, "error:", err)
		return 1
	}
	return 0
}

// stubs keep a count of their starts in the database, so that tests see whether
// the data survive.
func stubs() dev.Parts {
	run := func(ctx context.Context, env dev.Env, sql string) error {
		conn, err := pgx.Connect(ctx, env.DatabaseURL)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, sql)
		return err
	}
	return dev.Parts{
		Migrate: func(ctx context.Context, env dev.Env) error {
			return run(ctx, env, "CREATE TABLE IF NOT EXISTS start (at timestamptz DEFAULT now())")
		},
		Demo: func(ctx context.Context, env dev.Env) error {
			return run(ctx, env, "INSERT INTO start DEFAULT VALUES")
		},
		Serve: func(ctx context.Context, env dev.Env, ready func()) error {
			l, err := net.Listen("tcp", env.GatewayAddr)
			if err != nil {
				return err
			}
			defer l.Close()
			fmt.Println("env:", env.DatabaseURL, env.TemporalAddress, env.Secret)
			ready()
			<-ctx.Done()
			return nil
		},
		Logins: []string{"clerk / demo"},
	}
}

// up is one running `erpilot dev`.
type up struct {
	cmd   *exec.Cmd
	lines chan string
	seen  []string
	took  time.Duration

	database, temporal, secret string
}

// stateDir is a directory below which the database's account can work. Its
// cluster is removed at the end, wherever that is.
func stateDir(t *testing.T) string {
	t.Helper()
	root, err := os.MkdirTemp("", "erpilot-dev-") //nolint:usetesting // Nobody else may pass through t.TempDir.
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(root, 0o711); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "state")
	t.Cleanup(func() {
		if err := errors.Join(pgcluster.Remove(filepath.Join(dir, "postgres"), nil), os.RemoveAll(root)); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// ports keeps parallel tests apart: two that ask the system for a free port at
// the same time may be given the same one.
var ports = struct {
	sync.Mutex
	given map[int]bool
}{given: map[int]bool{}}

func port(t *testing.T) int {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for {
		p, err := devserver.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if !ports.given[p] {
			ports.given[p] = true
			return p
		}
	}
}

// config is a whole surrounding of the test's own.
func config(t *testing.T) dev.Config {
	t.Helper()
	return dev.Config{StateDir: stateDir(t), GatewayAddr: fmt.Sprintf("127.0.0.1:%d", port(t)),
		TemporalPort: port(t), TemporalUIPort: port(t)}
}

// launch starts `erpilot dev` in a process group of its own, as a shell does.
func launch(t *testing.T, cfg dev.Config) *up {
	t.Helper()
	binary, err := devserver.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	u := &up{cmd: exec.Command(os.Args[0]), lines: make(chan string, 1000)}
	u.cmd.Env = append(os.Environ(), devMode+"="+string(raw), devserver.EnvBinary+"="+binary)
	u.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := u.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	u.cmd.Stderr = u.cmd.Stdout
	if err := u.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(u.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			u.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { u.end(t, syscall.SIGTERM) })
	return u
}

// until reads lines to one that contains the text; it fails on the end of output.
func (u *up) until(t *testing.T, text string) string {
	t.Helper()
	limit := time.After(90 * time.Second)
	for {
		select {
		case line, ok := <-u.lines:
			if !ok {
				t.Fatalf("ended without %q:\n%s", text, strings.Join(u.seen, "\n"))
			}
			u.seen = append(u.seen, line)
			if strings.Contains(line, text) {
				return line
			}
		case <-limit:
			t.Fatalf("no %q within 90 s:\n%s", text, strings.Join(u.seen, "\n"))
		}
	}
}

// ready waits until everything runs.
func (u *up) ready(t *testing.T) *up {
	t.Helper()
	begin := time.Now()
	env := strings.Fields(u.until(t, "env: "))
	u.database, u.temporal, u.secret = env[1], env[2], env[3]
	u.until(t, "Ctrl-C stops everything")
	u.took = time.Since(begin)
	return u
}

// end signals the whole process group, as a terminal does, and returns the exit
// code and all output.
func (u *up) end(t *testing.T, sig syscall.Signal) (int, string) {
	t.Helper()
	_ = syscall.Kill(-u.cmd.Process.Pid, sig) // It may have ended already.
	for line := range u.lines {
		u.seen = append(u.seen, line)
	}
	_ = u.cmd.Wait() // The exit code says it.
	return u.cmd.ProcessState.ExitCode(), strings.Join(u.seen, "\n")
}

func (u *up) starts(t *testing.T) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), u.database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM start").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// gone fails unless nobody answers at Postgres and Temporal any more.
func (u *up) gone(t *testing.T) {
	t.Helper()
	if _, err := pgx.Connect(t.Context(), u.database); err == nil {
		t.Error("Postgres still answers")
	}
	if conn, err := net.DialTimeout("tcp", u.temporal, time.Second); err == nil {
		conn.Close()
		t.Error("Temporal still answers")
	}
}

func TestCtrlCStopsEverythingAndTheNextStartFindsItAgain(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	first := launch(t, cfg).ready(t)
	c, err := client.DialContext(t.Context(), client.Options{HostPort: first.temporal, Logger: devserver.Silent})
	if err != nil {
		t.Fatal(err)
	}
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "kept", TaskQueue: "nobody"}, "Nothing")
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	code, out := first.end(t, syscall.SIGINT)
	if code != 0 {
		t.Errorf("exit code %d after Ctrl-C, want 0:\n%s", code, out)
	}
	first.gone(t)

	second := launch(t, cfg).ready(t)
	if second.took > 10*time.Second {
		t.Errorf("the second start took %s, want less than 10 s", second.took)
	}
	if n := second.starts(t); n != 2 {
		t.Errorf("the database remembers %d starts, want 2", n)
	}
	if second.temporal != first.temporal || second.secret != first.secret {
		t.Errorf("Temporal moved from %s to %s, or the secret changed", first.temporal, second.temporal)
	}
	c, err = client.DialContext(t.Context(), client.Options{HostPort: second.temporal, Logger: devserver.Silent})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.DescribeWorkflow(t.Context(), "kept", run.GetRunID()); err != nil {
		t.Errorf("the workflow is lost: %v", err)
	}
}

func TestAKilledRunDoesNotHinderTheNext(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	launch(t, cfg).ready(t).end(t, syscall.SIGKILL)
	second := launch(t, cfg).ready(t)
	if n := second.starts(t); n != 2 {
		t.Errorf("the database remembers %d starts, want 2", n)
	}
}

func TestASecondRunSaysWhereTheFirstIs(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	first := launch(t, cfg).ready(t)
	for _, reset := range []bool{false, true} {
		cfg.Reset = reset
		second := launch(t, cfg)
		line := second.until(t, "already runs")
		code, _ := second.end(t, syscall.SIGTERM)
		if code != 1 || !strings.Contains(line, "http://127.0.0.1:") || !strings.Contains(line, fmt.Sprint(first.cmd.Process.Pid)) {
			t.Errorf("reset %t: code %d and %q; want 1, the address and the process", reset, code, line)
		}
	}
	if n := first.starts(t); n != 1 {
		t.Errorf("the first one remembers %d starts, want 1: it was disturbed", n)
	}
}

func TestResetBeginsAnew(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	first := launch(t, cfg).ready(t)
	first.end(t, syscall.SIGINT)
	cfg.Reset = true
	second := launch(t, cfg).ready(t)
	if n := second.starts(t); n != 1 {
		t.Errorf("the database remembers %d starts, want 1", n)
	}
	if second.secret == first.secret {
		t.Error("the secret outlived the reset")
	}
}

func TestAPortThatWasSetAndIsTakenIsNamedWithItsSetting(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no TCP address")
	}
	u := launch(t, dev.Config{StateDir: stateDir(t), TemporalPort: taken.Port, GatewayAddr: l.Addr().String()})
	u.until(t, "error:")
	code, out := u.end(t, syscall.SIGTERM)
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, want := range []string{fmt.Sprint(taken.Port), "ERPILOT_TEMPORAL_PORT", "ERPILOT_GATEWAY_ADDR"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

func TestAnUnreachableDatabaseIsNeverReplaced(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	u := launch(t, dev.Config{StateDir: dir, DatabaseURL: "postgres://someone:hush@127.0.0.1:1/erp"})
	u.until(t, "error:")
	code, out := u.end(t, syscall.SIGTERM)
	if code != 1 || !strings.Contains(out, "ERPILOT_DATABASE_URL") {
		t.Errorf("code %d:\n%s", code, out)
	}
	if strings.Contains(out, "hush") {
		t.Errorf("the password is shown:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "postgres")); !os.IsNotExist(err) {
		t.Errorf("a cluster was made all the same: %v", err)
	}
}

func TestOtherMachinesCannotBeListenedTo(t *testing.T) {
	t.Parallel()
	err := dev.Run(t.Context(), dev.Config{StateDir: filepath.Join(t.TempDir(), "state"), GatewayAddr: "0.0.0.0:8700"}, stubs())
	if err == nil || !strings.Contains(err.Error(), "loopback") {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestAServerThatDiesEndsTheRunWithTheReason(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	dir := cfg.StateDir
	u := launch(t, cfg).ready(t)
	rec, ok, err := process.ReadRecord(filepath.Join(dir, "pids", "temporal.json"))
	if err != nil || !ok {
		t.Fatalf("no record of Temporal: %v", err)
	}
	if err := rec.Stop(syscall.SIGKILL, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	line := u.until(t, "error:")
	if !regexp.MustCompile(`Temporal has ended by itself.*temporal\.log`).MatchString(line) {
		t.Errorf("got %q", line)
	}
	if code, _ := u.end(t, syscall.SIGTERM); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	u.gone(t)
}

func TestAnOrphanIsStoppedAndAStrangerLeftAlone(t *testing.T) {
	t.Parallel()
	for name, orphan := range map[string]bool{"orphan": true, "stranger": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			dir := cfg.StateDir
			other, err := process.Start(process.Spec{Path: "/bin/sleep", Args: []string{"600"}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = other.Stop(syscall.SIGKILL, time.Second) })
			rec, err := process.NewRecord(other.PID(), "Temporal")
			if err != nil {
				t.Fatal(err)
			}
			if !orphan {
				rec.Started = "at another time"
			}
			if err := rec.Write(filepath.Join(dir, "pids", "temporal.json")); err != nil {
				t.Fatal(err)
			}
			launch(t, cfg).ready(t)
			select {
			case <-other.Done():
				if !orphan {
					t.Error("the stranger was stopped")
				}
			default:
				if orphan {
					t.Error("the orphan still runs")
				}
			}
		})
	}
}
