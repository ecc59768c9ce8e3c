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
// beside it. The URL of a database of one's own may hold a password, so only the
// owner may read the file.
const runningFile = "running.json"

// whereabouts are what runningFile holds.
type whereabouts struct {
	StateDir          string `json:"state_dir"`
	DatabaseURL       string `json:"database_url"`
	TemporalAddress   string `json:"temporal_address"`
	TemporalNamespace string `json:"temporal_namespace"`
	TemporalUI        string `json:"temporal_ui"`
	GatewayURL        string `json:"gateway_url"`
}

// publish lets Running find the environment.
func (s *state) publish(env Env) error {
	raw, err := json.Marshal(whereabouts{env.StateDir, env.DatabaseURL, env.TemporalAddress, env.TemporalNamespace, env.TemporalUI, env.GatewayURL})
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
	raw, err := os.ReadFile(filepath.Join(dir, runningFile))
	if err != nil {
		return Env{}, err
	}
	var w whereabouts
	if err := json.Unmarshal(raw, &w); err != nil {
		return Env{}, err
	}
	env := Env{StateDir: w.StateDir, DatabaseURL: w.DatabaseURL, TemporalAddress: w.TemporalAddress, TemporalNamespace: w.TemporalNamespace,
		TemporalUI: w.TemporalUI, GatewayURL: w.GatewayURL}
	secret, err := os.ReadFile(filepath.Join(dir, "secret"))
	env.Secret = strings.TrimSpace(string(secret))
	return env, err
}
