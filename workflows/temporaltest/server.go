//go:build unix

package temporaltest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/erpilot/erpilot/activities/store/process"
	"github.com/erpilot/erpilot/workflows/devserver"
)

const startLimit = 90 * time.Second

// Server is the Temporal server of this test process.
type Server struct {
	// Address is the frontend's host:port.
	Address string
	// Binary is the temporal CLI, for tests of the command line.
	Binary string
	// LogFile holds the server's output while the process lives.
	LogFile string

	guard  *process.Guard
	server *devserver.Server
}

var (
	once   sync.Once
	shared *Server
	errOf  error
)

// Start returns the server, starting it for the first test that asks. Tests
// share it and so must use their own task queue or namespace.
func Start(t testing.TB) *Server {
	t.Helper()
	once.Do(func() { shared, errOf = start() })
	if errOf != nil {
		t.Fatalf("temporaltest: %v", errOf)
	}
	return shared
}

func start() (*Server, error) {
	binary, err := devserver.Find(".")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "erpilot-temporaltest-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	s := &Server{Binary: binary, LogFile: filepath.Join(dir, "temporal.log")}
	if err := s.launch(ctx, dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

// launch tries a few ports: one that is free now may be taken a moment later by
// another test process.
func (s *Server) launch(ctx context.Context, dir string) error {
	var errs []error
	for range 3 {
		port, err := devserver.FreePort()
		if err != nil {
			return err
		}
		s.server, err = devserver.Start(ctx, devserver.Config{Binary: s.Binary, Port: port, LogFile: s.LogFile})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		s.Address = s.server.Address()
		if s.guard, err = process.NewGuard("TERM", dir); err != nil {
			return err
		}
		return s.guard.Watch(s.server.Child())
	}
	return errors.Join(errs...)
}

// Client returns a client of the namespace "default" that is closed when the
// test ends.
func (s *Server) Client(t testing.TB) client.Client {
	t.Helper()
	return s.ClientOf(t, client.Options{})
}

// ClientOf is Client with options; the address is filled in.
func (s *Server) ClientOf(t testing.TB, opts client.Options) client.Client {
	t.Helper()
	opts.HostPort = s.Address
	if opts.Logger == nil {
		opts.Logger = devserver.Silent
	}
	c, err := client.DialContext(t.Context(), opts)
	if err != nil {
		t.Fatalf("temporaltest: dial %s: %v", s.Address, err)
	}
	t.Cleanup(c.Close)
	return c
}

// TaskQueue returns a name that no other test uses.
func TaskQueue(t testing.TB) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == ' ' {
			return '-'
		}
		return r
	}, t.Name())
	return fmt.Sprintf("%.60s-%s", name, uuid.NewString()[:8])
}

// Namespace makes a namespace with Erpilot's search attributes for this test
// alone: for tests that list workflows or use the product's own task queue.
func (s *Server) Namespace(t testing.TB) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	name := "test-" + uuid.NewString()[:13]
	c := s.Client(t)
	_, err := c.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(24 * time.Hour),
	})
	if err != nil {
		t.Fatalf("temporaltest: register namespace: %v", err)
	}
	if err := s.awaitNamespace(ctx, name); err != nil {
		t.Fatalf("temporaltest: namespace %s: %v", name, err)
	}
	return name
}

// awaitNamespace waits until every part of the server has noticed the new
// namespace, then registers the search attributes.
func (s *Server) awaitNamespace(ctx context.Context, name string) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := s.prepare(ctx, name)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

func (s *Server) prepare(ctx context.Context, name string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.Address, Namespace: name, Logger: devserver.Silent})
	if err != nil {
		return err
	}
	defer c.Close()
	try, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return devserver.EnsureSearchAttributes(try, c, name)
}

// Port is the number in Address.
func (s *Server) Port() string {
	_, port, err := net.SplitHostPort(s.Address)
	if err != nil {
		return ""
	}
	return port
}
