//go:build unix

package pgcluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/erpilot/erpilot/activities/store/process"
)

// locale sorts by code point and knows the letters of every language. macOS has
// no C.UTF-8 and calls the same character table UTF-8.
func locale() string {
	if runtime.GOOS == "darwin" {
		return "en_US.UTF-8"
	}
	return "C.UTF-8"
}

// initialise runs initdb into a directory of its own and renames it when it is
// whole, so that an interrupted first start leaves nothing half made.
func initialise(bin binaries, pl place, cfg Config) error {
	if _, err := os.Stat(filepath.Join(pl.data(), "PG_VERSION")); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	fmt.Fprintf(cfg.Log, "PostgreSQL %d: making a new cluster in %s\n", bin.major, pl.home)
	if pl.home != pl.wanted {
		fmt.Fprintf(cfg.Log, "  (the account %s cannot reach %s)\n", pl.user.Name, pl.wanted)
	}
	fresh := pl.data() + ".new"
	for _, dir := range []string{fresh, pl.data()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	args := []string{"-D", fresh, "-U", Superuser, "-E", "UTF8", "--locale=" + locale(), "--lc-messages=C",
		"--auth-local=trust", "--auth-host=reject"}
	if runtime.GOOS == "darwin" {
		args = append(args, "--lc-collate=C")
	}
	if !cfg.Fsync {
		args = append(args, "--no-sync")
	}
	out, err := process.Run(process.Spec{
		Path: filepath.Join(bin.dir, "initdb"), Args: args, Dir: pl.home, Env: serverEnv(), User: pl.user,
	})
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return os.Rename(fresh, pl.data())
}

// logTail is the end of the server's own log, to stand behind an error.
func logTail(file string) string {
	data, err := os.ReadFile(file)
	if err != nil || len(data) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) > 8 {
		lines = lines[len(lines)-8:]
	}
	return fmt.Sprintf("\n%s ends with:\n  %s", file, strings.Join(lines, "\n  "))
}
