package builtin_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func TestThereIsEnoughToAskAbout(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	for what, sql := range map[string]string{
		"masters and orders": `SELECT count(*) FROM tenants t WHERE
			(SELECT count(*) FROM erp.customer c WHERE c.tenant_id = t.tenant_id) < 220 OR
			(SELECT count(*) FROM erp.product c WHERE c.tenant_id = t.tenant_id) < 320 OR
			(SELECT count(*) FROM erp.sales_order c WHERE c.tenant_id = t.tenant_id) < 600`,
		"amounts are rounded products": `SELECT count(*) FROM erp.sales_order_line JOIN erp.sales_order USING (tenant_id, number)
			WHERE amount <> round(quantity * unit_price, CASE currency WHEN 'JPY' THEN 0 ELSE 2 END)`,
		"invoices are overdue": `SELECT count(*) FROM tenants t WHERE
			(SELECT count(*) FROM erp.receivable r WHERE r.tenant_id = t.tenant_id AND r.status = 'examined' AND r.due_date < '2026-11-30') < 5`,
		"the next order of the tour": `SELECT count(*) FROM erp.counters WHERE tenant_id = 'yunfan.shanghai' AND counter = 'sales_order' AND last <> 5200`,
	} {
		var broken int
		if err := conn.QueryRow(ctx, sql).Scan(&broken); err != nil || broken != 0 {
			t.Errorf("%s: %d, %v", what, broken, err)
		}
	}
}

func TestLoadingTheDemoTwiceDoesNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	sum := func() (s string) {
		err := conn.QueryRow(ctx, "SELECT (SELECT count(*) FROM erp.sales_order) || '/' || (SELECT count(*) FROM erp.stock_ledger) || '/' || (SELECT count(*) FROM tenants)").Scan(&s)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := sum()
	if err := builtin.LoadDemo(ctx, conn); err != nil {
		t.Fatal(err)
	}
	if after := sum(); after != before {
		t.Errorf("before %s, after %s", before, after)
	}
}

func TestAnOlderDemoGetsNewFormsAndRightsAndKeepsItsData(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	for _, sql := range []string{
		"DELETE FROM erp.forms WHERE form = 'delivery'",
		"UPDATE erp.forms SET digest = '' WHERE form = 'sales_order'",
		"DELETE FROM erp.grants WHERE form = 'sales_order' AND action <> 'read'",
		"UPDATE erp.forms SET label_zh = '往来单位' WHERE form = 'customer'",
		"DELETE FROM erp.grants WHERE form = 'customer' AND action = 'update'",
		"UPDATE erp.customer SET phone = '1' WHERE code = 'C-0001'",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	done, err := builtin.Demo{}.Load(ctx, conn)
	if err != nil || done.Documents != 0 || done.Forms != 8 || done.Grants == 0 {
		t.Fatalf("%+v %v", done, err)
	}
	for what, sql := range map[string]string{
		"a form that is new is read":           "SELECT count(*) = 4 * 3 FROM erp.grants WHERE form = 'delivery' AND action IN ('read', '*')",
		"a form that changed is granted whole": "SELECT count(*) = 4 * 2 FROM erp.grants WHERE form = 'sales_order' AND action = 'examine'",
		"a label of one's own stays":           "SELECT count(*) = 4 FROM erp.forms WHERE form = 'customer' AND label_zh = '往来单位'",
		"a right that was taken stays taken":   "SELECT count(*) = 0 FROM erp.grants WHERE form = 'customer' AND action = 'update'",
		"data stays":                           "SELECT count(*) = 4 FROM erp.customer WHERE code = 'C-0001' AND phone = '1'",
	} {
		var holds bool
		if err := conn.QueryRow(ctx, sql).Scan(&holds); err != nil || !holds {
			t.Errorf("%s: %v %v", what, holds, err)
		}
	}
	if done, err := (builtin.Demo{}).Load(ctx, conn); err != nil || done != (builtin.DemoLoaded{}) {
		t.Errorf("the second time %+v %v", done, err)
	}
}

// The owner of a real installation is no superuser, and row-level security is
// FORCEd on it too.
func TestAnOwnerWithoutSuperpowersMigratesAndLoads(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	owner := "erpilot_test_owner_" + uuid.NewString()[:8]
	var url string
	// Registered first, so that it runs when the database of the role is gone.
	t.Cleanup(func() {
		conn, err := pgx.Connect(ctx, inDatabase(t, url, "postgres"))
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "DROP ROLE IF EXISTS "+owner); err != nil {
			t.Error(err)
		}
	})
	url = pgtest.NewEmptyDatabase(t)
	super := connect(t, url)
	for _, sql := range []string{
		"CREATE ROLE " + owner + " LOGIN CREATEROLE",
		"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO " + owner + "', current_database()); END $$",
		"ALTER SCHEMA public OWNER TO " + owner,
	} {
		if _, err := super.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	owned := asUser(t, url, owner)
	if _, _, err := store.Migrate(ctx, owned); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := builtin.LoadDemo(ctx, connect(t, owned)); err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %s", time.Since(start))
	c := builtin.New(open(t, owned))
	if _, err := c.Login(ctx, demo.Tenants()[0], "li", demo.Password); err != nil {
		t.Error(err)
	}
}

func TestEveryTableIsScopedByTenant(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	conn := connect(t, pgtest.NewDemoDatabase(t))
	rows, err := conn.Query(ctx, `SELECT c.relname::text, c.relrowsecurity AND c.relforcerowsecurity,
		EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid),
		(SELECT a.attname = 'tenant_id' FROM pg_index i JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0] WHERE i.indrelid = c.oid AND i.indisprimary)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'erp' AND c.relkind = 'r'`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n := 0
	for rows.Next() {
		var table string
		var forced, policy, keyed bool
		if err := rows.Scan(&table, &forced, &policy, &keyed); err != nil {
			t.Fatal(err)
		}
		n++
		if !forced || !policy || !keyed {
			t.Errorf("erp.%s: forced row security %v, policy %v, tenant first in its key %v", table, forced, policy, keyed)
		}
	}
	if n < 14 {
		t.Errorf("%d tables", n)
	}
	// Without a tenant the app sees nothing at all, in tables and views alike.
	if _, err := conn.Exec(ctx, "SET ROLE erpilot_app"); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"users", "grants", "customer", "v_stock", "v_sales_order", "v_sales_order_line", "v_customer_discount", "commits"} {
		var count int
		if err := conn.QueryRow(ctx, "SELECT count(*) FROM erp."+table).Scan(&count); err != nil || count != 0 {
			t.Errorf("erp.%s shows %d rows without a tenant (%v)", table, count, err)
		}
	}
	// The app changes neither people, rights, forms nor the past.
	for _, sql := range []string{"UPDATE erp.users SET active = true", "INSERT INTO erp.grants VALUES ('a.b', 'x', 'y', 'z')", "UPDATE erp.forms SET source = 'users'",
		"UPDATE erp.stock_ledger SET quantity = 1", "DELETE FROM erp.stock_ledger", "DELETE FROM erp.record_history", "DELETE FROM erp.commits"} {
		if _, err := conn.Exec(ctx, sql); err == nil || !strings.Contains(err.Error(), "42501") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
