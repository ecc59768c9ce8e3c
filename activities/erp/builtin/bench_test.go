package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

func bench(b *testing.B) (*builtin.Connector, erp.Identity) {
	b.Helper()
	ctx := context.Background()
	url := pgtest.NewDemoDatabase(b)
	// Enough stock for as many rounds as the benchmark likes.
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason)
		SELECT tenant_id, product, warehouse, 1000000, 'adjustment' FROM erp.stock WHERE product <= 'P-0020'`)
	if err != nil {
		b.Fatal(err)
	}
	db, err := store.Open(ctx, store.Config{URL: url})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	c := builtin.New(db)
	user, grants, err := c.User(ctx, demo.Tenants()[0], "li")
	if err != nil {
		b.Fatal(err)
	}
	return c, erp.Identity{User: user, Grants: grants}
}

func BenchmarkListOfFifty(b *testing.B) {
	c, id := bench(b)
	for b.Loop() {
		p, err := c.Read(context.Background(), id, nouns.Query{Form: "sales_order", Limit: 50, Sort: []nouns.Sort{{Field: "order_date", Desc: true}},
			Filters: []nouns.Filter{{Field: "customer", Op: nouns.Eq, Value: json.RawMessage(`"C-0001"`)}}})
		if err != nil || len(p.Rows) == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	c, id := bench(b)
	for b.Loop() {
		if _, err := c.Read(context.Background(), id, nouns.Query{Form: "sales_order", Mode: nouns.Record, ID: "SO-000100"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkExecute is one order with two lines, preview not counted.
func BenchmarkExecute(b *testing.B) {
	c, id := bench(b)
	benchOrder(b, c, id, `{"product":"P-0001","quantity":1},{"product":"P-0002","quantity":1}`)
}

// BenchmarkExecuteTwentyLines is one order with twenty lines, preview not counted.
func BenchmarkExecuteTwentyLines(b *testing.B) {
	c, id := bench(b)
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf(`{"product":"P-%04d","quantity":1}`, i+1))
	}
	benchOrder(b, c, id, strings.Join(lines, ","))
}

func benchOrder(b *testing.B, c *builtin.Connector, id erp.Identity, lines string) {
	b.Helper()
	ctx := context.Background()
	change := nouns.Change{Form: "sales_order", Action: "create", Payload: json.RawMessage(`{"customer":"C-0001","lines":[` + lines + `]}`)}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		p, err := c.Preview(ctx, id, change)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		x := nouns.Execution{ClientToken: "bench:" + strconv.Itoa(i), Digest: "d", Change: change, Facts: p.Facts, Deadline: time.Now().Add(time.Hour), Attempt: 1}
		x.Change.Payload = p.Payload
		got, err := c.Execute(ctx, id, x)
		if err != nil || got.Status != nouns.CommitExecuted {
			b.Fatalf("%+v %v", got, err)
		}
	}
}
