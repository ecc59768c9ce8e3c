//go:build unix

package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Record names one process for good: a number is given out again, a number
// with its start time is not.
type Record struct {
	PID int `json:"pid"`
	// Started is opaque, compared for equality only.
	Started string `json:"started"`
	// What is for people: "temporal".
	What string `json:"what"`
}

// NewRecord describes a process that runs now.
func NewRecord(pid int, what string) (Record, error) {
	started, err := startTime(pid)
	if err != nil {
		return Record{}, err
	}
	return Record{PID: pid, Started: started, What: what}, nil
}

// Alive says whether exactly this process still runs. Zombies do not.
func (r Record) Alive() bool {
	if r.PID <= 1 || r.Started == "" {
		return false
	}
	started, err := startTime(r.PID)
	return err == nil && started == r.Started
}

// Stop ends the recorded process if it is still the same: sig, then SIGKILL
// after grace. It does nothing to a stranger with the same number.
func (r Record) Stop(sig syscall.Signal, grace time.Duration) error {
	if !r.Alive() {
		return nil
	}
	if err := syscall.Kill(r.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop %s (process %d): %w", r.What, r.PID, err)
	}
	if r.waitGone(grace) {
		return nil
	}
	if err := syscall.Kill(r.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("kill %s (process %d): %w", r.What, r.PID, err)
	}
	if !r.waitGone(5 * time.Second) {
		return fmt.Errorf("%s (process %d) survives SIGKILL", r.What, r.PID)
	}
	return nil
}

func (r Record) waitGone(limit time.Duration) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); <-tick.C {
		if !r.Alive() {
			return true
		}
	}
	return !r.Alive()
}

// Write stores the record, atomically and for the owner's eyes only.
func (r Record) Write(file string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	tmp := file + ".new"
	if err := os.WriteFile(tmp, append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}

// ReadRecord returns the stored record; ok is false where there is none or it
// cannot be understood (a half-written file of a machine that lost power).
func ReadRecord(file string) (r Record, ok bool, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, false, nil
	}
	if err != nil {
		return Record{}, false, err
	}
	ok = json.Unmarshal(data, &r) == nil
	return r, ok, nil
}
