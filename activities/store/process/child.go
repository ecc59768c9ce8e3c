//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Spec says how to start a child.
type Spec struct {
	// Path is the executable, Args what follows it.
	Path string
	Args []string
	// Dir is the working directory; empty means the parent's.
	Dir string
	// Env is the whole environment; nil means the parent's.
	Env []string
	// Output receives stdout and stderr; nil discards them. A file and not a
	// writer, so that the child does not depend on the parent's copying.
	Output *os.File
	// User is whom the child runs as; nil means the parent's user.
	User *User
	// Death is the signal the child gets when the parent dies (Linux only).
	// Zero means SIGKILL.
	Death syscall.Signal
}

// User is an account by number.
type User struct {
	Name     string
	UID, GID uint32
}

// Child is a started process. Its methods may be called from any goroutine.
type Child struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// Start starts the child and returns once it runs.
func Start(spec Spec) (*Child, error) {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	if spec.Output != nil {
		cmd.Stdout, cmd.Stderr = spec.Output, spec.Output
	}
	death := spec.Death
	if death == 0 {
		death = syscall.SIGKILL
	}
	cmd.SysProcAttr = attributes(spec.User, death)
	c := &Child{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		// The thread is given up only with the goroutine, after the child: the
		// parent-death signal fires when the forking thread ends.
		runtime.LockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		c.err = cmd.Wait()
		close(c.done)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Path, err)
	}
	if err := c.arrangeDeath(death); err != nil {
		return nil, errors.Join(err, c.Stop(death, time.Second))
	}
	return c, nil
}

// PID is the process number.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err says how the child ended; nil before the end and after exit code 0.
func (c *Child) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Stop sends sig, waits up to grace, then kills the child's whole process
// group. It returns when the child is gone and never fails on one that already
// was.
func (c *Child) Stop(sig syscall.Signal, grace time.Duration) error {
	if err := c.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("signal %d: %w", c.PID(), err)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.done:
		return nil
	case <-timer.C:
	}
	_ = syscall.Kill(-c.PID(), syscall.SIGKILL)
	<-c.done
	return fmt.Errorf("process %d did not end within %s and was killed", c.PID(), grace)
}

// Run runs the child to its end and returns everything it printed.
func Run(spec Spec) ([]byte, error) {
	cmd := exec.Command(spec.Path, spec.Args...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.SysProcAttr = attributes(spec.User, 0)
	return cmd.CombinedOutput()
}
