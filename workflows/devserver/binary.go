//go:build unix

package devserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// EnvBinary names the temporal binary to use. If it is set, no other is tried.
const EnvBinary = "ERPILOT_TEMPORAL_BIN"

// minServer is the oldest server inside the CLI that has what Erpilot uses
// (CLI 1.5.1 carries 1.29.1).
var minServer = [3]int{1, 29, 0}

// BuildCommand builds the pinned binary to where Find looks for it.
const BuildCommand = "go tool task temporal"

// ErrNotFound means that no usable temporal binary exists; BuildCommand makes one.
var ErrNotFound = errors.New("no temporal binary found")

// BuiltPath is where the pinned binary is kept: below the state directory of the
// module that encloses dir. ok is false outside of the repository.
func BuiltPath(dir string) (path string, ok bool) {
	root, ok := ModuleRoot(dir)
	if !ok {
		return "", false
	}
	return filepath.Join(root, ".erpilot", "bin", "temporal"), true
}

// ModuleRoot is the directory, dir or above it, that holds deploy/temporal.
func ModuleRoot(dir string) (string, bool) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "deploy", "temporal", "go.mod")); err == nil {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Find returns the binary to use, looking from dir upwards: the one that
// ERPILOT_TEMPORAL_BIN names, a new enough one on PATH, the one that was built.
// The error is ErrNotFound, or says what is wrong with the named one.
func Find(dir string) (string, error) {
	if named := os.Getenv(EnvBinary); named != "" {
		if err := usable(named); err != nil {
			return "", fmt.Errorf("%s: %w", EnvBinary, err)
		}
		return named, nil
	}
	if onPath, err := exec.LookPath("temporal"); err == nil && usable(onPath) == nil {
		return onPath, nil
	}
	if root, ok := ModuleRoot(dir); ok {
		if path, ok := BuiltPath(root); ok && built(root, path) == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: build it once (a few minutes) with:  %s", ErrNotFound, BuildCommand)
}

var serverText = regexp.MustCompile(`\(Server (\d+)\.(\d+)\.(\d+)`)

// usable asks the binary for its version.
func usable(path string) error {
	cmd := exec.Command(path, "--version")
	cmd.Env = cleanEnv()
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", path, err)
	}
	return newEnough(path, string(out))
}

func newEnough(path, version string) error {
	m := serverText.FindStringSubmatch(version)
	if m == nil {
		return fmt.Errorf("%s --version says %q", path, strings.TrimSpace(version))
	}
	for i, least := range minServer {
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return err
		}
		if n != least {
			if n > least {
				return nil
			}
			return fmt.Errorf("%s carries Temporal server %s.%s.%s, at least %d.%d.%d is needed",
				path, m[1], m[2], m[3], minServer[0], minServer[1], minServer[2])
		}
	}
	return nil
}

// cleanEnv leaves out the TEMPORAL_* variables and profiles, which are meant for
// clients of some other server.
func cleanEnv() []string {
	var env []string
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TEMPORAL_") {
			env = append(env, kv)
		}
	}
	return env
}
