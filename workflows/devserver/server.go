//go:build unix

package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/erpilot/erpilot/activities/store/process"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	startLimit = 60 * time.Second
	stopLimit  = 20 * time.Second
)

// Host is the only address the server listens on.
const Host = "127.0.0.1"

// Config says how the server runs.
type Config struct {
	// Binary is what Find returned.
	Binary string
	// Port is the frontend's gRPC port; UIPort the page's, 0 for no page.
	Port, UIPort int
	// DBFile is the SQLite file; empty keeps everything in memory.
	DBFile string
	// LogFile receives the server's output; empty discards it.
	LogFile string
	// LogLevel is debug, info, warn or error; empty means warn.
	LogLevel string
	// Namespace is made beside "default"; empty for none.
	Namespace string
}

// Server is a running development server. It stops with Stop, and by itself
// when this process dies (Linux).
type Server struct {
	child *process.Child
	log   *os.File
	port  int
}

// ErrPortTaken says that another process got the port first.
var ErrPortTaken = errors.New("another process listens on the port")

// Start starts the server and returns when its search attributes are usable.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	s := &Server{port: cfg.Port}
	if cfg.LogFile != "" {
		var err error
		if s.log, err = os.OpenFile(cfg.LogFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return nil, err
		}
	}
	var err error
	s.child, err = process.Start(process.Spec{
		Path: cfg.Binary, Args: serverArgs(cfg), Env: cleanEnv(), Output: s.log, Death: syscall.SIGTERM,
	})
	if err != nil {
		return nil, errors.Join(err, s.closeLog())
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := s.waitReady(ctx, cfg); errors.Is(err, ErrPortTaken) {
		return nil, errors.Join(fmt.Errorf("start Temporal on port %d: %w", cfg.Port, err), s.Stop())
	} else if err != nil {
		return nil, errors.Join(fmt.Errorf("start Temporal: %w%s", err, logTail(cfg.LogFile)), s.Stop())
	}
	return s, nil
}

func serverArgs(cfg Config) []string {
	level := cfg.LogLevel
	if level == "" {
		level = "warn"
	}
	args := []string{"server", "start-dev", "--ip", Host, "--port", strconv.Itoa(cfg.Port), "--log-level", level,
		"--disable-config-file", "--disable-config-env",
		"--dynamic-config-value", "frontend.enableServerVersionCheck=false",
		// One partition a queue: with more, a task that arrives while no worker is up
		// may wait in one that nobody polls for up to a minute.
		"--dynamic-config-value", "matching.numTaskqueueReadPartitions=1",
		"--dynamic-config-value", "matching.numTaskqueueWritePartitions=1",
		// Without this the server hands tasks on at most 20 times a second.
		"--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000"}
	if cfg.UIPort == 0 {
		args = append(args, "--headless")
	} else {
		args = append(args, "--ui-ip", Host, "--ui-port", strconv.Itoa(cfg.UIPort))
	}
	if cfg.DBFile != "" {
		args = append(args, "--db-filename", cfg.DBFile, "--sqlite-pragma", "journal_mode=wal")
	}
	if cfg.Namespace != "" && cfg.Namespace != client.DefaultNamespace {
		args = append(args, "--namespace", cfg.Namespace)
	}
	for _, a := range contract.SearchAttributes {
		args = append(args, "--search-attribute", a.Name+"="+a.Type)
	}
	return args
}

// waitReady dials until the server answers, then sees to the search attributes.
func (s *Server) waitReady(ctx context.Context, cfg Config) error {
	namespaces := []string{client.DefaultNamespace}
	if cfg.Namespace != "" && cfg.Namespace != client.DefaultNamespace {
		namespaces = append(namespaces, cfg.Namespace)
	}
	for _, ns := range namespaces {
		c, err := s.dial(ctx, ns)
		if err != nil {
			return err
		}
		err = EnsureSearchAttributes(ctx, c, ns)
		c.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) dial(ctx context.Context, namespace string) (client.Client, error) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		c, err := client.DialContext(try, client.Options{HostPort: s.Address(), Namespace: namespace, Logger: Silent})
		cancel()
		if err == nil && !process.Listens(s.child.PID(), s.port) {
			// Somebody else was faster: our server is about to end.
			c.Close()
			err = ErrPortTaken
		}
		if err == nil {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no answer at %s: %w", s.Address(), err)
		case <-s.child.Done():
			if errors.Is(err, ErrPortTaken) {
				return nil, err
			}
			return nil, fmt.Errorf("the server ended at once: %w", s.child.Err())
		case <-tick.C:
		}
	}
}

// Address is the frontend's host:port.
func (s *Server) Address() string { return net.JoinHostPort(Host, strconv.Itoa(s.port)) }

// Child is the server process, to be watched by a process.Guard.
func (s *Server) Child() *process.Child { return s.child }

// Done is closed when the server has ended, for whatever reason.
func (s *Server) Done() <-chan struct{} { return s.child.Done() }

// Stop ends the server cleanly.
func (s *Server) Stop() error {
	return errors.Join(s.child.Stop(syscall.SIGTERM, stopLimit), s.closeLog())
}

func (s *Server) closeLog() error {
	if s.log == nil {
		return nil
	}
	return s.log.Close()
}

// FreePort asks the system for a loopback port that nobody uses now.
func FreePort() (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(Host, "0"))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	addr, ok := l.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("unexpected address %s", l.Addr())
	}
	return addr.Port, nil
}

// logTail is the end of the server's log, to stand behind an error.
func logTail(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > 2000 {
		_, _ = f.Seek(-2000, io.SeekEnd)
	}
	data, err := io.ReadAll(f)
	if err != nil || len(data) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	return fmt.Sprintf("\n%s ends with:\n  %s", file, strings.Join(lines, "\n  "))
}
