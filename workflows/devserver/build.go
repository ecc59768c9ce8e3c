//go:build unix

package devserver

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync/atomic"
	"syscall"
	"time"
)

// cliModule is the module of the CLI; deploy/temporal/go.mod pins its version.
const cliModule = "github.com/temporalio/cli"

// progressEvery is how often a long build says that it still goes on.
const progressEvery = 10 * time.Second

// Ensure is Find, and builds the pinned binary where nothing is found. The first
// build takes minutes, so it says on log how far it is.
func Ensure(ctx context.Context, dir string, log io.Writer) (string, error) {
	if log == nil {
		log = io.Discard
	}
	path, err := Find(dir)
	if err == nil {
		return path, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return "", err
	}
	root, ok := ModuleRoot(dir)
	if !ok {
		return "", errors.New("no `temporal` of version 1.5 or newer is on PATH: install it from https://docs.temporal.io/cli, " +
			"or start from Erpilot's repository, where it can be built")
	}
	return build(ctx, root, log)
}

// build makes the binary under a lock, so that two that start at once do not
// build it twice.
func build(ctx context.Context, root string, log io.Writer) (string, error) {
	target, _ := BuiltPath(root)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { // Binaries are no secret.
		return "", err
	}
	lock, err := os.OpenFile(target+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if built(root, target) == nil {
		return target, nil
	}
	fmt.Fprintln(log, "Temporal: building the pinned server; this happens once and takes a few minutes")
	fresh := target + ".new"
	if err := compile(ctx, root, fresh, log); err != nil {
		return "", fmt.Errorf("build Temporal: %w", err)
	}
	return target, os.Rename(fresh, target)
}

func compile(ctx context.Context, root, target string, log io.Writer) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-v", "-ldflags=-s -w", "-o", target, cliModule+"/cmd/temporal")
	cmd.Dir = filepath.Join(root, "deploy", "temporal")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("go (1.26 or newer) is needed: %w", err)
	}
	var packages atomic.Int64
	stop := report(log, &packages)
	tail := readLines(stderr, &packages)
	err = cmd.Wait()
	stop()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, tail)
	}
	return nil
}

// readLines counts the lines of `go build -v`, one for each package, and keeps
// the last ones, which say what went wrong.
func readLines(r io.Reader, n *atomic.Int64) string {
	var tail []string
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		n.Add(1)
		if tail = append(tail, lines.Text()); len(tail) > 10 {
			tail = tail[1:]
		}
	}
	text := ""
	for _, line := range tail {
		text += line + "\n"
	}
	return text
}

func report(log io.Writer, packages *atomic.Int64) (stop func()) {
	begin, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				fmt.Fprintf(log, "Temporal: still building, %d packages in %s\n", packages.Load(), time.Since(begin).Round(time.Second))
			}
		}
	}()
	return func() { close(done); <-ended }
}

var pinned = regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(cliModule) + ` (v\S+)`)

// built checks that the binary is the one that deploy/temporal pins now.
func built(root, path string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(root, "deploy", "temporal", "go.mod"))
	if err != nil {
		return err
	}
	want := pinned.FindSubmatch(mod)
	if want == nil {
		return fmt.Errorf("deploy/temporal/go.mod does not pin %s", cliModule)
	}
	// The CLI's module counts as the binary's main module, as its main package
	// lies there.
	if info.Main.Path == cliModule && info.Main.Version == string(want[1]) {
		return nil
	}
	return fmt.Errorf("%s is not %s %s", path, cliModule, want[1])
}
