//go:build unix

package bench

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgcluster"
	"github.com/erpilot/erpilot/cmd/erpilot/app"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/workflows/devserver"
)

// patience bounds every wait of the benchmark.
const patience = time.Minute

// place is one installation as `erpilot dev` makes it, and the yardsticks beside it.
type place struct {
	b       *testing.B
	app     *app.App
	base    string
	bare    *bare
	erp     *watchedERP
	machine string
}

// newPlace starts everything; it is stopped and removed when the benchmark ends.
func newPlace(b *testing.B) *place {
	b.Helper()
	root, err := os.MkdirTemp("", "erpilot-bench-") //nolint:usetesting // The server may run as an account that cannot pass b.TempDir.
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o711); err != nil { // passing is all that others may do here
		b.Fatal(err)
	}
	p := &place{b: b}
	url := p.postgres(filepath.Join(root, "postgres"))
	address := p.temporal(root)
	p.app, err = app.Open(b.Context(), app.Settings{DatabaseURL: url, TemporalAddress: address, TemporalNamespace: "default",
		SecretKey: strings.Repeat("07", 32), Together: true, Demo: true, Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.app.Close)
	p.erp = &watchedERP{Connector: p.app.ERP, committed: map[string]time.Time{}}
	p.app.ERP, p.app.Model = p.erp, instant{}
	p.serve()
	p.bare = newBare(b, p.app.Temporal)
	p.machine = p.describe(url)
	return p
}

func (p *place) postgres(dir string) string {
	p.b.Helper()
	ctx := p.b.Context()
	cluster, err := pgcluster.Start(ctx, pgcluster.Config{Dir: dir, Fsync: true, Settings: settings()})
	if err != nil {
		p.b.Fatal(err)
	}
	p.b.Cleanup(func() {
		if err := errors.Join(cluster.Stop(), pgcluster.Remove(dir, nil)); err != nil {
			p.b.Error(err)
		}
	})
	if err := cluster.CreateDatabase(ctx, "erpilot"); err != nil {
		p.b.Fatal(err)
	}
	url := cluster.URL("erpilot")
	if _, _, err := store.Migrate(ctx, url); err != nil {
		p.b.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		p.b.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := builtin.LoadDemo(ctx, conn); err != nil {
		p.b.Fatal(err)
	}
	// Enough stock for as many orders as the benchmark likes.
	if _, err := conn.Exec(ctx, `INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason)
		SELECT tenant_id, product, warehouse, 1000000, 'adjustment' FROM erp.stock WHERE product IN ('P-0001', 'P-0002')`); err != nil {
		p.b.Fatal(err)
	}
	return url
}

// settings are those of `erpilot dev`.
func settings() map[string]string { return map[string]string{"max_connections": "200"} }

func (p *place) temporal(root string) string {
	p.b.Helper()
	binary, err := devserver.Find(".")
	if err != nil {
		p.b.Fatal(err)
	}
	port, err := devserver.FreePort()
	if err != nil {
		p.b.Fatal(err)
	}
	server, err := devserver.Start(p.b.Context(), devserver.Config{Binary: binary, Port: port, DBFile: filepath.Join(root, "temporal.db"),
		LogFile: filepath.Join(root, "temporal.log")})
	if err != nil {
		p.b.Fatal(err)
	}
	p.b.Cleanup(func() {
		if err := server.Stop(); err != nil {
			p.b.Error(err)
		}
	})
	return server.Address()
}

// serve runs worker and gateway in this process.
func (p *place) serve() {
	p.b.Helper()
	l, err := (&net.ListenConfig{}).Listen(p.b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		p.b.Fatal(err)
	}
	p.base = "http://" + l.Addr().String()
	ctx, stop := context.WithCancel(context.WithoutCancel(p.b.Context()))
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- p.app.Serve(ctx, true, l, func() { close(ready) }) }()
	p.b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			p.b.Error(err)
		}
	})
	select {
	case <-ready:
	case err := <-ended:
		ended <- nil
		p.b.Fatal(err)
	}
}

// watchedERP notes when the ERP has acknowledged the commit of an operation.
type watchedERP struct {
	erp.Connector
	mu        sync.Mutex
	committed map[string]time.Time
}

func (w *watchedERP) Execute(ctx context.Context, id erp.Identity, x nouns.Execution) (nouns.Commit, error) {
	c, err := w.Connector.Execute(ctx, id, x)
	if err == nil && c.Status == nouns.CommitExecuted {
		w.mu.Lock()
		w.committed[x.OpID] = time.Now()
		w.mu.Unlock()
	}
	return c, err
}

func (w *watchedERP) at(opID string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.committed[opID]
}
