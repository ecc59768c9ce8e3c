package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/erpilot/erpilot/activities/store"
)

// Build fills an empty database, to be the template of the tests' databases.
type Build func(ctx context.Context, url string) error

// Migrate makes the schema; NewDatabase copies what it built. It is read once,
// by the first call.
var Migrate Build = func(ctx context.Context, url string) error {
	_, _, err := store.Migrate(ctx, url)
	return err
}

// LoadDemo adds the demo data to a migrated database, for NewDemoDatabase.
var LoadDemo Build

const buildLimit = 2 * time.Minute

var counter atomic.Int64

// NewDatabase returns the URL of a fresh, migrated database, as superuser. It is
// dropped when the test ends.
func NewDatabase(t testing.TB) string {
	t.Helper()
	return newDatabase(t, &migrated)
}

// NewDemoDatabase is NewDatabase with the demo data in it.
func NewDemoDatabase(t testing.TB) string {
	t.Helper()
	return newDatabase(t, &demo)
}

// NewEmptyDatabase returns the URL of a database without any schema, for the
// tests of the migrations themselves.
func NewEmptyDatabase(t testing.TB) string {
	t.Helper()
	return newDatabase(t, &empty)
}

// template is built by the first test that needs it.
type template struct {
	name   string
	parent *template
	build  func() Build
	once   sync.Once
	err    error
}

var (
	empty    = template{name: "template0"}
	migrated = template{name: "migrated", build: func() Build { return Migrate }}
	demo     = template{name: "demo", parent: &migrated, build: func() Build { return LoadDemo }}
)

// database is the name on the server; template0 is everybody's.
func (tpl *template) database(s *server) string {
	if tpl.build == nil {
		return tpl.name
	}
	return s.prefix + tpl.name
}

func (tpl *template) ready(ctx context.Context, s *server) error {
	if tpl.build == nil {
		return nil
	}
	tpl.once.Do(func() {
		from := &empty
		if tpl.parent != nil {
			from = tpl.parent
			if tpl.err = from.ready(ctx, s); tpl.err != nil {
				return
			}
		}
		tpl.err = tpl.make(ctx, s, from)
	})
	return tpl.err
}

func (tpl *template) make(ctx context.Context, s *server, from *template) error {
	name := tpl.database(s)
	if err := s.create(ctx, name, from.database(s)); err != nil {
		return err
	}
	build := tpl.build()
	if build == nil {
		return fmt.Errorf("nothing builds the template database %q", tpl.name)
	}
	if err := build(ctx, s.url(name)); err != nil {
		return fmt.Errorf("build the template database %q: %w", tpl.name, err)
	}
	return nil
}

func newDatabase(t testing.TB, tpl *template) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	s, err := theServer(ctx)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	if err := tpl.ready(ctx, s); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	name := fmt.Sprintf("%s%d", s.prefix, counter.Add(1))
	if err := s.create(ctx, name, tpl.database(s)); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
		defer cancel()
		if err := s.drop(ctx, name); err != nil {
			t.Errorf("pgtest: drop the test's database: %v", err)
		}
	})
	return s.url(name)
}

// withDatabase replaces the database of a URL.
func withDatabase(base, name string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
}
