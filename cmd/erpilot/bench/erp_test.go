//go:build unix

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

const (
	// erpSamples bounds each measure of the ERP, which also ends with erpTime.
	erpSamples = 200
	erpTime    = 30 * time.Second
	// linesOfOrder is how long the orders are that are previewed and written.
	linesOfOrder = 20
)

// million is how many orders the first company has besides those of the demo;
// ERPILOT_BENCH_ORDERS makes it another number.
func million(b *testing.B) int {
	b.Helper()
	n := 1_000_000
	if s := os.Getenv("ERPILOT_BENCH_ORDERS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 100_000 || n > 10_000_000 {
			b.Fatalf("ERPILOT_BENCH_ORDERS: %q is not within 100000 and 10000000", s)
		}
	}
	return n
}

// BenchmarkERP measures reading and writing of the built-in ERP among a million
// orders and 100,000 unpaid invoices, and prints one table.
func BenchmarkERP(b *testing.B) {
	e := newERP(b)
	for range b.N {
		fmt.Fprintln(os.Stdout)
		fmt.Fprintln(os.Stdout, e.report(b.Context()))
	}
}

// erpPlace is the connector over a private database.
type erpPlace struct {
	place
	c  *builtin.Connector
	id erp.Identity
	db *pgx.Conn
	// orders besides those of the demo.
	orders int
	// products that may be sold.
	products []string
}

func newERP(b *testing.B) *erpPlace {
	b.Helper()
	ctx := b.Context()
	root, err := os.MkdirTemp("", "erpilot-bench-") //nolint:usetesting // The server may run as an account that cannot pass b.TempDir.
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(root) })
	if err := os.Chmod(root, 0o711); err != nil { // passing is all that others may do here
		b.Fatal(err)
	}
	e := &erpPlace{place: place{b: b}, orders: million(b)}
	url := e.postgres(filepath.Join(root, "postgres"))
	e.db, err = pgx.Connect(ctx, url)
	e.must(err)
	b.Cleanup(func() { _ = e.db.Close(context.WithoutCancel(ctx)) })
	e.fill(ctx)
	db, err := store.Open(ctx, store.Config{URL: url})
	e.must(err)
	b.Cleanup(db.Close)
	e.c = builtin.New(db)
	user, grants, err := e.c.User(ctx, demo.Tenants()[0], "li")
	e.must(err)
	e.id = erp.Identity{User: user, Grants: grants}
	for _, p := range demo.Companies(1)[0].Products {
		if p.Status == "on_sale" {
			e.products = append(e.products, p.Code)
		}
	}
	e.machine = e.hardware(url)
	return e
}

// fill makes a million orders and a tenth of invoices; checks of foreign keys are
// left out, as everything refers to what is there.
func (e *erpPlace) fill(ctx context.Context) {
	e.b.Helper()
	tenant := demo.Tenants()[0].String()
	// Without this, most of the time goes into checkpoints.
	e.setting(ctx, "SET max_wal_size = '8GB'")
	tx, err := e.db.Begin(ctx)
	e.must(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	for _, sql := range []string{
		"SET LOCAL session_replication_role = replica",
		fmt.Sprintf(`INSERT INTO erp.sales_order (tenant_id, number, customer, warehouse, order_date, delivery_date, status, total, currency, created_by, examined_at, closed_at)
			SELECT '%[1]s', 'SO-' || 1000000 + i, 'C-' || lpad((1 + i %% 220)::text, 4, '0'), 'WH-01', date '2025-12-01' + i %% 360, date '2025-12-05' + i %% 360,
			       CASE WHEN i %% 50 = 0 THEN 'examined' ELSE 'closed' END, 100 + i %% 90000, 'CNY', 'li', now(), CASE WHEN i %% 50 = 0 THEN NULL ELSE now() END
			  FROM generate_series(1, %[2]d) i`, tenant, e.orders),
		fmt.Sprintf(`INSERT INTO erp.sales_order_line (tenant_id, number, line_no, product, product_name, unit, quantity, base_price, discount, unit_price, amount)
			SELECT '%[1]s', 'SO-' || 1000000 + i, 1, 'P-' || lpad((1 + i %% 320)::text, 4, '0'), 'x', '箱', 1, 100 + i %% 90000, 0, 100 + i %% 90000, 100 + i %% 90000
			  FROM generate_series(1, %[2]d) i`, tenant, e.orders),
		fmt.Sprintf(`INSERT INTO erp.receivable (tenant_id, number, status, customer, currency, invoice_date, due_date, total, created_by, examined_at)
			SELECT '%[1]s', 'AR-' || 1000000 + i, 'examined', 'C-' || lpad((1 + i %% 220)::text, 4, '0'), 'CNY', date '2026-06-01' + i %% 180, date '2026-07-01' + i %% 180, 100 + i %% 5000, 'li', now()
			  FROM generate_series(1, %[2]d) i`, tenant, e.orders/10),
		"UPDATE erp.counters SET last = 3000000 WHERE counter = 'sales_order'",
		"UPDATE erp.stock SET quantity = quantity + 10000000",
	} {
		_, err := tx.Exec(ctx, sql)
		e.must(err)
	}
	e.must(tx.Commit(ctx))
	_, err = e.db.Exec(ctx, "VACUUM ANALYZE erp.sales_order, erp.sales_order_line, erp.receivable, erp.stock")
	e.must(err)
	_, err = e.db.Exec(ctx, "CHECKPOINT")
	e.must(err)
	e.setting(ctx, "RESET max_wal_size")
}

func (e *erpPlace) setting(ctx context.Context, what string) {
	e.b.Helper()
	for _, sql := range []string{"ALTER SYSTEM " + what, "SELECT pg_reload_conf()"} {
		_, err := e.db.Exec(ctx, sql)
		e.must(err)
	}
}

func (e *erpPlace) report(ctx context.Context) string {
	e.b.Helper()
	before := load()
	var r report
	n := 0
	query := func(q nouns.Query) func() time.Duration {
		return func() time.Duration {
			began := time.Now()
			p, err := e.c.Read(ctx, e.id, q)
			took := time.Since(began)
			e.must(err)
			if len(p.Rows) == 0 && q.Mode != nouns.Record {
				e.b.Fatal("nothing was read")
			}
			return took
		}
	}
	filter := func(field, value string) []nouns.Filter {
		return []nouns.Filter{{Field: field, Op: nouns.Eq, Value: json.RawMessage(strconv.Quote(value))}}
	}
	write := func(count func(preview, execute time.Duration)) {
		c := e.order()
		began := time.Now()
		p, err := e.c.Preview(ctx, e.id, c)
		previewed := time.Since(began)
		e.must(err)
		n++
		c.Payload = p.Payload
		began = time.Now()
		got, err := e.c.Execute(ctx, e.id, nouns.Execution{ClientToken: fmt.Sprintf("bench:%d", n), Digest: "d", Change: c, Facts: p.Facts,
			Deadline: time.Now().Add(time.Hour), Attempt: 1})
		executed := time.Since(began)
		e.must(err)
		if got.Status != nouns.CommitExecuted {
			e.b.Fatalf("%+v", got)
		}
		count(previewed, executed)
	}
	var previews, executions samples
	rows := []row{
		{name: "round trip to the database", s: e.sample(func() time.Duration {
			began := time.Now()
			_, err := e.db.Exec(ctx, "SELECT 1")
			e.must(err)
			return time.Since(began)
		})},
		{name: "list of 50, orders of a customer, newest first", s: e.sample(query(nouns.Query{Form: "sales_order", Limit: 50, Filters: filter("customer", "C-0042"),
			Sort: []nouns.Sort{{Field: "order_date", Desc: true}}}))},
		{name: "list of 50, closed orders, largest first", s: e.sample(query(nouns.Query{Form: "sales_order", Limit: 50, Filters: filter("status", "closed"),
			Sort: []nouns.Sort{{Field: "total", Desc: true}}}))},
		{name: "list of 50, examined orders by number", s: e.sample(query(nouns.Query{Form: "sales_order", Limit: 50, Filters: filter("status", "examined"),
			Sort: []nouns.Sort{{Field: "number", Desc: true}}}))},
		{name: "record", s: e.sample(query(nouns.Query{Form: "sales_order", Mode: nouns.Record, ID: fmt.Sprintf("SO-%d", 1_000_000+e.orders/2)}))},
		{name: "ageing report", s: e.sample(query(nouns.Query{Form: "ar_ageing", Limit: 50, Sort: []nouns.Sort{{Field: "total", Desc: true}}}))},
	}
	e.sample(func() time.Duration {
		write(func(p, x time.Duration) { previews, executions = append(previews, p), append(executions, x) })
		return 0
	})
	rows = append(rows, row{name: fmt.Sprintf("preview of an order of %d lines", linesOfOrder), s: previews[warmUp:]},
		row{name: fmt.Sprintf("execution of an order of %d lines", linesOfOrder), s: executions[warmUp:]})
	r.line("| measure of the ERP | p50 ms | p95 ms | p50 ÷ round trip | samples |")
	r.line("|---|---:|---:|---:|---:|")
	for _, x := range rows {
		r.line("| %s | %s | %s | %s | %d |", x.name, ms(x.s.at(.5)), ms(x.s.at(.95)), ratio(x.s.at(.5), rows[0].s.at(.5)), len(x.s))
	}
	r.line("")
	r.line("%s, %d orders, %d unpaid invoices; the connector alone, without HTTP. Load average %s before and %s after.", e.machine, e.orders, e.orders/10, before, load())
	return r.String()
}

// sample repeats one measure, bounded in number and time.
func (e *erpPlace) sample(measure func() time.Duration) (s samples) {
	e.b.Helper()
	for range warmUp {
		measure()
	}
	for end := time.Now().Add(erpTime); len(s) < erpSamples && (len(s) < warmUp || time.Now().Before(end)); {
		s = append(s, measure())
	}
	return s
}

// order is a change of twenty products, others each time.
func (e *erpPlace) order() nouns.Change {
	e.b.Helper()
	lines := make([]map[string]string, 0, linesOfOrder)
	for _, i := range rand.Perm(len(e.products))[:linesOfOrder] {
		lines = append(lines, map[string]string{"product": e.products[i], "quantity": strconv.Itoa(1 + rand.IntN(9))})
	}
	payload, err := json.Marshal(map[string]any{"customer": "C-0001", "lines": lines})
	e.must(err)
	return nouns.Change{Form: "sales_order", Action: "create", Payload: payload}
}
