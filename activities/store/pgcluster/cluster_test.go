//go:build unix

package pgcluster_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgcluster"
)

// With this variable set the test binary starts a cluster there, prints its
// process number and waits to be killed.
const runMode = "ERPILOT_PGCLUSTER_TEST_RUN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(runMode); dir != "" {
		c, err := pgcluster.Start(context.Background(), pgcluster.Config{Dir: dir})
		if err != nil {
			panic(err)
		}
		fmt.Println(c.Child().PID())
		select {}
	}
	os.Exit(m.Run())
}

// passable is a directory below which an unprivileged account can work.
func passable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "erpilot-pgcluster-") //nolint:usetesting // Nobody else may pass through t.TempDir.
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func start(t *testing.T, dir string) *pgcluster.Cluster {
	t.Helper()
	c, err := pgcluster.Start(t.Context(), pgcluster.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
		if err := pgcluster.Remove(dir, nil); err != nil {
			t.Error(err)
		}
	})
	return c
}

func ask(t *testing.T, url, sql string) (answer string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestTheClusterIsUTF8AndListensOnItsSocketOnly(t *testing.T) {
	t.Parallel()
	c := start(t, filepath.Join(passable(t), "pg"))
	for sql, want := range map[string]string{
		"SHOW server_encoding":  "UTF8",
		"SHOW listen_addresses": "",
		"SHOW timezone":         "UTC",
		"SHOW fsync":            "off",
		"SELECT (datctype LIKE '%UTF-8')::text FROM pg_database WHERE datname = 'postgres'": "true",
	} {
		if got := ask(t, c.URL("postgres"), sql); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
	socket := ask(t, c.URL("postgres"), "SHOW unix_socket_directories")
	info, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the socket's directory has mode %o, want 700", info.Mode().Perm())
	}
}

func TestDataSurvivesAStopAndIsGoneAfterRemove(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(passable(t), "pg")
	c := start(t, dir)
	for range 2 {
		if err := c.CreateDatabase(t.Context(), "kept"); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	c = start(t, dir)
	if got := ask(t, c.URL("kept"), "SELECT current_database()::text"); got != "kept" {
		t.Errorf("connected to %q", got)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := pgcluster.Remove(dir, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range c.Paths() {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
}

func TestARepositoryThatTheServersAccountCannotReachWorks(t *testing.T) {
	t.Parallel()
	home := passable(t)
	if err := os.Chmod(home, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "repository", "pg")
	c := start(t, dir)
	if got := ask(t, c.URL("postgres"), "SELECT 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
	info, err := os.Stat(home)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the home directory was opened to %o", info.Mode().Perm())
	}
	// The second start must find the first one's data.
	if err := c.CreateDatabase(t.Context(), "kept"); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	c = start(t, dir)
	if got := ask(t, c.URL("kept"), "SELECT 'there'"); got != "there" {
		t.Errorf("got %q", got)
	}
}

func TestAPathTooLongForASocketWorks(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(passable(t), strings.Repeat("long/", 30)+"pg")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir)
	if got := ask(t, c.URL("postgres"), "SELECT 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
}

// orphan starts a cluster from another process, kills that with -9 after
// freezing the server, so that the server cannot follow it.
func orphan(t *testing.T, dir string) {
	t.Helper()
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), runMode+"="+dir)
	parent.Stderr = os.Stderr
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // It was killed: the error says so.
}

func TestTheOrphanOfAKilledRunDoesNotHinderTheNext(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(passable(t), "pg")
	orphan(t, dir)
	c := start(t, dir)
	if got := ask(t, c.URL("postgres"), "SELECT 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestAServerThatStillRunsIsStoppedAndReplaced(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(passable(t), "pg")
	first := start(t, dir)
	second := start(t, dir)
	select {
	case <-first.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the first server still runs")
	}
	if got := ask(t, second.URL("postgres"), "SELECT 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
}

func TestAStrangerNamedByAStalePidFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(passable(t), "pg")
	c := start(t, dir)
	data := ask(t, c.URL("postgres"), "SHOW data_directory")
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	stranger := exec.Command("/bin/sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	pid := fmt.Sprintf("%d\n%s\n", stranger.Process.Pid, data)
	if err := os.WriteFile(filepath.Join(data, "postmaster.pid"), []byte(pid), 0o600); err != nil {
		t.Fatal(err)
	}
	c = start(t, dir)
	if got := ask(t, c.URL("postgres"), "SELECT 'here'"); got != "here" {
		t.Errorf("got %q", got)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the stranger is gone: %v", err)
	}
}

func TestADirectoryOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	dir, owner := "/usr", "belongs to user 0"
	if os.Geteuid() == 0 {
		dir, owner = filepath.Join(passable(t), "pg"), "belongs to user 4242"
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, 4242, 4242)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pgcluster.Start(t.Context(), pgcluster.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), owner) {
		t.Errorf("got %v, want a refusal that names the owner", err)
	}
}

func TestAMissingServerNamesTheCommandToInstall(t *testing.T) {
	t.Parallel()
	err := &pgcluster.InstallError{}
	if !strings.Contains(err.Error(), pgcluster.InstallCommand()) {
		t.Errorf("%q does not hold the command", err)
	}
	old := &pgcluster.InstallError{Found: []string{"13 in /opt/pg13"}}
	if !strings.Contains(old.Error(), "13 in /opt/pg13") {
		t.Errorf("%q does not say what was found", old)
	}
}
