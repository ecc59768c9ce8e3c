//go:build unix

package process_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/erpilot/erpilot/activities/store/process"
)

// The test binary is its own parent process: with this variable set it starts a
// child, prints its number and waits to be killed.
const parentMode = "ERPILOT_PROCESS_TEST_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentMode); dir != "" {
		beParent(dir)
		return
	}
	os.Exit(m.Run())
}

func beParent(dir string) {
	guard, err := process.NewGuard("TERM", dir)
	if err != nil {
		panic(err)
	}
	child, err := process.Start(process.Spec{Path: "/bin/sleep", Args: []string{"600"}})
	if err != nil {
		panic(err)
	}
	if err := guard.Watch(child); err != nil {
		panic(err)
	}
	fmt.Println(child.PID())
	select {}
}

func sleeper(t *testing.T) *process.Child {
	t.Helper()
	c, err := process.Start(process.Spec{Path: "/bin/sleep", Args: []string{"600"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop(syscall.SIGKILL, time.Second) })
	return c
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-tick.C {
		if ok() {
			return
		}
	}
	t.Fatalf("not within 20 s: %s", what)
}

func TestAKilledParentTakesItsChildAndItsDirectoryAlong(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentMode+"="+dir)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := process.NewRecord(pid, "sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // It was killed: the error says so.
	eventually(t, "the child is gone", func() bool { return !rec.Alive() })
	eventually(t, "the directory is gone", func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) })
}

func TestStopEndsAChildThatIgnoresTheSignal(t *testing.T) {
	t.Parallel()
	ready := filepath.Join(t.TempDir(), "ready")
	c, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", `trap "" TERM; : >"$0"; while :; do sleep 1; done`, ready}})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the trap is set", func() bool { _, err := os.Stat(ready); return err == nil })
	if err := c.Stop(syscall.SIGTERM, 50*time.Millisecond); err == nil {
		t.Error("Stop says nothing about having killed the child")
	}
	select {
	case <-c.Done():
	default:
		t.Error("Stop returned before the child was gone")
	}
}

func TestStopOfAnEndedChildIsNoError(t *testing.T) {
	t.Parallel()
	c, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", ":"}})
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	if err := c.Stop(syscall.SIGTERM, time.Second); err != nil {
		t.Error(err)
	}
}

func TestARecordSurvivesTheDiskAndStopsItsProcess(t *testing.T) {
	t.Parallel()
	c := sleeper(t)
	rec, err := process.NewRecord(c.PID(), "sleep")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pids", "sleep.json")
	if err := rec.Write(file); err != nil {
		t.Fatal(err)
	}
	got, ok, err := process.ReadRecord(file)
	if err != nil || !ok || got != rec {
		t.Fatalf("read back %+v, %t, %v; want %+v", got, ok, err, rec)
	}
	if err := got.Stop(syscall.SIGTERM, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if got.Alive() {
		t.Error("the process still runs")
	}
}

func TestAStrangerWithTheSameNumberIsLeftAlone(t *testing.T) {
	t.Parallel()
	c := sleeper(t)
	stranger := process.Record{PID: c.PID(), Started: "some other time", What: "sleep"}
	if stranger.Alive() {
		t.Error("a process with another start time counts as the recorded one")
	}
	if err := stranger.Stop(syscall.SIGKILL, time.Second); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.Done():
		t.Error("the stranger was killed")
	default:
	}
}

func TestATornRecordIsNoRecord(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "torn.json")
	if err := os.WriteFile(file, []byte(`{"pid": 12`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := process.ReadRecord(file); ok || err != nil {
		t.Errorf("got ok %t and %v, want neither", ok, err)
	}
}

func TestAReleasedGuardRemovesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	guard, err := process.NewGuard("TERM", dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := guard.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}

func TestOnlyTheListenerItselfListens(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, text, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	if !process.Listens(os.Getpid(), port) {
		t.Error("this process listens, and it is denied")
	}
	if process.Listens(sleeper(t).PID(), port) {
		t.Error("another process is said to listen")
	}
}
