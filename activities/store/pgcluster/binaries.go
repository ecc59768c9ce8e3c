//go:build unix

package pgcluster

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// MinVersion is the oldest major version of PostgreSQL that Erpilot runs on.
const MinVersion = 15

// InstallError says that no usable server binaries were found and which one
// command brings them.
type InstallError struct {
	// Found names what was found and is too old; empty for nothing at all.
	Found []string
}

func (e *InstallError) Error() string {
	found := "no PostgreSQL server binaries were found"
	if len(e.Found) > 0 {
		found = fmt.Sprintf("only PostgreSQL older than %d was found (%s)", MinVersion, strings.Join(e.Found, ", "))
	}
	return fmt.Sprintf("%s; install them with:  %s", found, InstallCommand())
}

// InstallCommand is the one command that installs a PostgreSQL server here.
func InstallCommand() string {
	has := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	sudo := "sudo "
	if os.Geteuid() == 0 {
		sudo = ""
	}
	switch {
	case has("apt-get"):
		return sudo + "apt-get install -y --no-install-recommends postgresql"
	case has("brew"), runtime.GOOS == "darwin":
		return "brew install postgresql@17"
	case has("dnf"):
		return sudo + "dnf install -y postgresql-server postgresql-contrib"
	case has("apk"):
		return sudo + "apk add postgresql postgresql-contrib"
	case has("pacman"):
		return sudo + "pacman -S --noconfirm postgresql"
	default:
		return "the package manager of this system (package postgresql or postgresql-server)"
	}
}

// binaries is one installation of the server.
type binaries struct {
	dir   string
	major int
}

// Installed says where usable server binaries are; the error is an *InstallError.
func Installed() (dir string, major int, err error) {
	found, err := find()
	if err != nil {
		return "", 0, err
	}
	return found[0].dir, found[0].major, nil
}

// chooseBinaries prefers, among what is installed, the version that made the
// data: a cluster can be opened by its own major version only.
func chooseBinaries(dir, data string) (binaries, error) {
	found, err := find()
	if dir != "" {
		major, versionErr := serverVersion(dir)
		found, err = []binaries{{dir, major}}, versionErr
	}
	if err != nil {
		return binaries{}, err
	}
	raw, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return found[0], nil
	}
	if err != nil {
		return binaries{}, err
	}
	made, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		return binaries{}, fmt.Errorf("%s: PG_VERSION holds %q", data, raw)
	}
	for _, b := range found {
		if b.major == made {
			return b, nil
		}
	}
	return binaries{}, fmt.Errorf("the data in %s was made by PostgreSQL %d, but only %d is installed: "+
		"install version %d, or begin anew with --reset", data, made, found[0].major, made)
}

// find lists the usable installations, the most wanted first: PATH, pg_config,
// then the usual places, newest first.
func find() ([]binaries, error) {
	var found []binaries
	var old []string
	for _, dir := range candidates() {
		major, err := serverVersion(dir)
		switch {
		case err != nil:
		case major < MinVersion:
			old = append(old, fmt.Sprintf("%d in %s", major, dir))
		case !slices.ContainsFunc(found, func(b binaries) bool { return b.dir == dir }):
			found = append(found, binaries{dir, major})
		}
	}
	if len(found) == 0 {
		return nil, &InstallError{Found: old}
	}
	return found, nil
}

func candidates() []string {
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/lib/postgresql*/bin", "/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin", "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
		"/usr/local/pgsql/bin", "/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			continue // The patterns are constants: Glob fails on malformed ones only.
		}
		slices.SortFunc(matches, func(a, b string) int { return cmp.Compare(numberIn(b), numberIn(a)) })
		dirs = append(dirs, matches...)
	}
	return dirs
}

var digits = regexp.MustCompile(`\d+`)

func numberIn(path string) int {
	n, err := strconv.Atoi(digits.FindString(path))
	if err != nil {
		return 0
	}
	return n
}

var versionText = regexp.MustCompile(`PostgreSQL\) (\d+)`)

// serverVersion asks the binary; libraries alone (libpq-dev) do not count.
func serverVersion(dir string) (int, error) {
	if _, err := exec.LookPath(filepath.Join(dir, "initdb")); err != nil {
		return 0, err
	}
	out, err := exec.Command(filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return 0, err
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return 0, fmt.Errorf("%s/postgres --version says %q", dir, out)
	}
	return strconv.Atoi(string(m[1]))
}
