package e2e

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

var built atomic.Bool

// binary is erpilot itself, built once for the tests that kill it.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "erpilot-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "erpilot")
	out, err := exec.Command("go", "build", "-o", path, "github.com/erpilot/erpilot/cmd/erpilot").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build erpilot: %w: %s", err, out)
	}
	built.Store(true)
	return path, nil
})

// removeBinary is called when all tests are done.
func removeBinary() {
	if built.Load() {
		path, _ := binary()
		_ = os.RemoveAll(filepath.Dir(path))
	}
}

// process is a running erpilot command.
type process struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan struct{}
	log  *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs an erpilot command against this world. It is killed when the test ends.
func (w *world) start(args ...string) *process {
	w.t.Helper()
	path, err := binary()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &process{t: w.t, cmd: exec.Command(path, args...), done: make(chan struct{}), log: &lockedBuffer{}}
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Env = append(os.Environ(), w.env()...)
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() { defer close(p.done); _ = p.cmd.Wait() }()
	w.t.Cleanup(func() {
		p.kill()
		if w.t.Failed() {
			w.t.Logf("erpilot %v said:\n%s", args, p.log)
		}
	})
	return p
}

// env points an erpilot process at this world.
func (w *world) env() []string {
	unsigned := "deny"
	if w.parts.Operation.AllowUnsigned {
		unsigned = "allow"
	}
	return []string{"ERPILOT_DATABASE_URL=" + w.url, "ERPILOT_TEMPORAL_ADDRESS=" + w.address, "ERPILOT_TEMPORAL_NAMESPACE=" + w.parts.Namespace,
		"ERPILOT_SECRET_KEY=" + hex.EncodeToString(w.parts.Key), "ERPILOT_MODEL_PROVIDER=demo", "ERPILOT_DEMO=1", "ERPILOT_UNSIGNED_DECISIONS=" + unsigned}
}

// kill is kill -9: nothing gets the chance to say goodbye.
func (p *process) kill() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}
