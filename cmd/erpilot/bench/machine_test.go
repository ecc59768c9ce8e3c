//go:build unix

package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/workflowservice/v1"
)

// describe says on what was measured.
func (p *place) describe(url string) string {
	p.b.Helper()
	ctx := p.b.Context()
	info, err := p.app.Temporal.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
	p.must(err)
	return fmt.Sprintf("%s, Temporal development server %s on an SQLite file; worker and gateway in one process.", p.hardware(url), info.GetServerVersion())
}

// hardware says on what the database runs, without naming the machine.
func (p *place) hardware(url string) string {
	p.b.Helper()
	ctx := p.b.Context()
	conn, err := pgx.Connect(ctx, url)
	p.must(err)
	defer conn.Close(context.WithoutCancel(ctx))
	var version, fsync string
	p.must(conn.QueryRow(ctx, "SELECT split_part(current_setting('server_version'), ' ', 1), current_setting('fsync')").Scan(&version, &fsync))
	_, err = conn.Exec(ctx, "CREATE TABLE bench_commit (at timestamptz)")
	p.must(err)
	var commits samples
	for range 50 {
		began := time.Now()
		_, err := conn.Exec(ctx, "INSERT INTO bench_commit VALUES (now())")
		p.must(err)
		commits = append(commits, time.Since(began))
	}
	_, err = conn.Exec(ctx, "DROP TABLE bench_commit")
	p.must(err)
	return fmt.Sprintf("Machine: %d cores, %s %s, %s, PostgreSQL %s (fsync %s; one durable commit: p50 %s ms)", runtime.NumCPU(), runtime.GOOS, kernel(),
		runtime.Version(), version, fsync, ms(commits.at(.5)))
}

func kernel() string {
	raw, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return runtime.GOARCH
	}
	return strings.TrimSpace(string(raw)) + " " + runtime.GOARCH
}

// load is the load average of the last minute, "unknown" where there is none.
func load() string {
	raw, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(raw), " ")
	return first
}
