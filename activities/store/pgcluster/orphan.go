//go:build unix

package pgcluster

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"github.com/erpilot/erpilot/activities/store/process"
)

// stopOrphan ends a server that still runs on the data directory, and removes a
// pid file that Postgres itself would take for a living server because its
// number was given to somebody else since.
func stopOrphan(data string, log io.Writer) error {
	file := filepath.Join(data, "postmaster.pid")
	pid, err := postmasterPID(file)
	if err != nil || pid == 0 {
		return err
	}
	rec, err := process.NewRecord(pid, "orphaned PostgreSQL")
	if err != nil {
		return removeStale(file)
	}
	if !isPostmaster(pid, data) {
		return removeStale(file)
	}
	fmt.Fprintf(log, "PostgreSQL: stopping process %d, which an earlier run left behind\n", pid)
	return rec.Stop(syscall.SIGINT, stopLimit)
}

// removeStale is for a pid file without its server.
func removeStale(file string) error {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// postmasterPID reads the first line; 0 means that there is no usable file.
func postmasterPID(file string) (int, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	line, err := bufio.NewReader(f).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		pid = 0 // A file without a number is a torn write: Postgres overwrites it.
	}
	return max(pid, -pid), nil
}

// isPostmaster says whether the process is a postgres that was started by this
// package on exactly this data directory.
func isPostmaster(pid int, data string) bool {
	command, err := commandLine(pid)
	return err == nil && strings.Contains(command, "/postgres -D "+data+" -k ")
}

func commandLine(pid int) (string, error) {
	if runtime.GOOS == "linux" {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return strings.ReplaceAll(string(raw), "\x00", " "), err
	}
	out, err := exec.Command("ps", "-ww", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	return string(out), err
}
