//go:build unix

package dev

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// state is the state directory, held by this process alone.
type state struct {
	dir  string
	lock *os.File
}

// holder is what the lock file says about who holds it.
type holder struct {
	PID int    `json:"pid"`
	URL string `json:"url"`
}

// openState makes the directory and takes its lock.
func openState(dir string) (*state, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// As root the database runs as another account, which must be able to pass.
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	if err := os.Chmod(dir, mode); err != nil {
		return nil, err
	}
	s := &state{dir: dir}
	if s.lock, err = os.OpenFile(s.path("up.lock"), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	err = syscall.Flock(int(s.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		defer s.lock.Close()
		return nil, s.running()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", s.lock.Name(), err), s.lock.Close())
	}
	return s, s.announce("")
}

func (s *state) path(name ...string) string {
	return filepath.Join(append([]string{s.dir}, name...)...)
}

// running describes the `up` that holds the lock.
func (s *state) running() error {
	var h holder
	data, err := os.ReadFile(s.lock.Name())
	if err != nil || json.Unmarshal(data, &h) != nil {
		return fmt.Errorf("erpilot already runs in %s", s.dir)
	}
	where := "is starting"
	if h.URL != "" {
		where = "runs at " + h.URL
	}
	return fmt.Errorf("erpilot already %s (process %d, state in %s): stop it first, or choose another directory with ERPILOT_STATE_DIR",
		where, h.PID, s.dir)
}

// announce writes who holds the lock, for the next one who wants it.
func (s *state) announce(url string) error {
	data, err := json.Marshal(holder{PID: os.Getpid(), URL: url})
	if err != nil {
		return err
	}
	if err := s.lock.Truncate(0); err != nil {
		return err
	}
	_, err = s.lock.WriteAt(append(data, '\n'), 0)
	return err
}

func (s *state) close() error { return s.lock.Close() }

// secret returns the directory's random key, making it once.
func (s *state) secret() (string, error) {
	data, err := os.ReadFile(s.path("secret"))
	if err == nil {
		if key := strings.TrimSpace(string(data)); len(key) == 64 {
			return key, nil
		}
		return "", fmt.Errorf("%s is damaged: restore it, or begin anew with --reset", s.path("secret"))
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	text := hex.EncodeToString(key)
	tmp := s.path("secret.new")
	if err := os.WriteFile(tmp, []byte(text+"\n"), 0o600); err != nil {
		return "", err
	}
	return text, os.Rename(tmp, s.path("secret"))
}
