//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Guard is a shell process that outlives its parent by a moment: when the
// parent is gone, however it went, it stops the guarded child and removes the
// given paths.
type Guard struct {
	pipe *os.File
	cmd  *exec.Cmd
}

// The last line read is the child's number, 0 while there is none. The end of
// the input is the end of the parent, or its word that all is done.
const guardScript = `
sig=$1; shift
pid=0; clean=yes
while read -r line; do
  if [ "$line" = released ]; then clean=no; else pid=$line; fi
done
[ "$clean" = yes ] || exit 0
if [ "$pid" != 0 ] && kill -s "$sig" "$pid" 2>/dev/null; then
  n=0
  while kill -0 "$pid" 2>/dev/null; do
    n=$((n+1))
    if [ "$n" -gt 100 ]; then kill -s KILL "$pid" 2>/dev/null; break; fi
    sleep 0.1
  done
fi
[ $# -eq 0 ] || rm -rf -- "$@"
`

// NewGuard starts a guard. sig is the name of the signal for the child ("TERM"),
// remove the absolute paths to delete after it has ended.
func NewGuard(sig string, remove ...string) (*Guard, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guard: %w", err)
	}
	defer r.Close()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "erpilot-guard", sig}, remove...)...)
	cmd.Dir, cmd.Stdin = "/", r
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, fmt.Errorf("guard: %w", err)
	}
	return &Guard{pipe: w, cmd: cmd}, nil
}

// Watch names the child to stop, and forgets it once it has ended.
func (g *Guard) Watch(c *Child) error {
	if _, err := fmt.Fprintln(g.pipe, c.PID()); err != nil {
		return fmt.Errorf("guard: %w", err)
	}
	go func() {
		<-c.Done()
		_, _ = fmt.Fprintln(g.pipe, 0)
	}()
	return nil
}

// Release ends the guard without any action and waits for it.
func (g *Guard) Release() error {
	_, err := fmt.Fprintln(g.pipe, "released")
	if closeErr := g.pipe.Close(); err == nil {
		err = closeErr
	}
	if waitErr := g.cmd.Wait(); err == nil {
		err = waitErr
	}
	return err
}
