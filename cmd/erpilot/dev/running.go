//go:build unix

package dev

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// runningFile says where the servers of a running `up` are, for the commands
// beside it. It holds no secret.
const runningFile = "running.json"

// publish lets Running find the environment.
func (s *state) publish(env Env) error {
	env.Secret = ""
	raw, err := json.Marshal(env)
	if err != nil {
		return err
	}
	return os.WriteFile(s.path(runningFile), raw, 0o600)
}

// Running returns the environment of the `up` that runs in a state directory,
// with its secret, so that `chat` and `approvals` beside it need no settings. The
// error says when none runs there, or another person owns it.
func Running(dir string) (Env, error) {
	lock, err := os.Open(filepath.Join(dir, "up.lock"))
	if err != nil {
		return Env{}, err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB); err == nil {
		return Env{}, errors.New("no erpilot runs in " + dir)
	}
	raw, err := os.ReadFile(filepath.Join(dir, runningFile)) //nolint:gosec // The person's own directory.
	if err != nil {
		return Env{}, err
	}
	var env Env
	if err := json.Unmarshal(raw, &env); err != nil {
		return Env{}, err
	}
	secret, err := os.ReadFile(filepath.Join(dir, "secret")) //nolint:gosec // As above.
	env.Secret = strings.TrimSpace(string(secret))
	return env, err
}
