package builtin_test

import (
	"context"
	"net/url"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/erp/erptest"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	erptest.Run(t, harness)
}

// harness is a fresh copy of the demo companies.
func harness(t *testing.T) erptest.Harness {
	t.Helper()
	url := pgtest.NewDemoDatabase(t)
	w := &world{t: t, url: url, tenant: demo.Tenants()[0].String()}
	account := func(i int, user string) erptest.Account {
		return erptest.Account{Tenant: demo.Tenants()[i], UserID: user, Username: user, Password: demo.Password}
	}
	h := erptest.Harness{
		Connector: builtin.New(open(t, url)),
		Clerk:     account(0, "li"), Manager: account(0, "wang"), Guest: account(0, "guest"), Foreign: account(2, "li"),
		Customer: "C-0001", Products: [2]string{"P-0001", "P-0002"}, Warehouse: "WH-01",
		Retired: w.one("SELECT min(code) FROM erp.product WHERE tenant_id = $1 AND status = 'discontinued'"),
		Idle:    w.one("SELECT min(code) FROM erp.customer WHERE tenant_id = $1 AND NOT active"),
		Open:    w.one("SELECT max(number) FROM erp.sales_order WHERE tenant_id = $1 AND status = 'submitted'"),
		Closed:  w.one("SELECT min(number) FROM erp.sales_order WHERE tenant_id = $1 AND status = 'closed'"),
		Hold:    w.hold,
		CutCommit: func(t *testing.T, done bool) erp.Connector {
			return builtin.New(open(t, cutProxy(t, url, done)))
		},
	}
	c, _ := h.Connector.(*builtin.Connector)
	user, grants, err := c.User(context.Background(), demo.Tenants()[0], "wang")
	if err != nil {
		t.Fatal(err)
	}
	h.Cases = caseMaker{c, erp.Identity{User: user, Grants: grants}}.cases()
	h.Chain, h.History = []string{"sales_order", "delivery", "receivable", "receipt"}, c.History
	h.Loose = w.one("SELECT min(p.code) FROM erp.product p JOIN erp.stock s ON s.tenant_id = p.tenant_id AND s.product = p.code WHERE p.tenant_id = $1 AND quantity_scale = 3 AND status = 'on_sale' AND warehouse = 'WH-01' AND available > 10")
	h.Disturb = w.disturb()
	h.Drafts = w.drafts()
	return h
}

func open(t *testing.T, url string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// world reaches the clerk's tenant behind the connector's back, as superuser.
type world struct {
	t      *testing.T
	url    string
	tenant string
}

// exec runs a statement on a connection of its own; $1 is the tenant.
func (w *world) exec(ctx context.Context, sql string, args ...any) error {
	conn, err := pgx.Connect(ctx, w.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, append([]any{w.tenant}, args...)...)
	return err
}

func (w *world) one(sql string) string {
	w.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	defer conn.Close(ctx)
	var s string
	if err := conn.QueryRow(ctx, sql, w.tenant).Scan(&s); err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) disturb() erptest.Disturb {
	return erptest.Disturb{
		Price: func(ctx context.Context, product, price string) error {
			return w.exec(ctx, "UPDATE erp.product SET base_price = $3::text::numeric, version = version + 1 WHERE tenant_id = $1 AND code = $2", product, price)
		},
		ProductName: func(ctx context.Context, product, name string) error {
			return w.exec(ctx, "UPDATE erp.product SET name = $3, version = version + 1 WHERE tenant_id = $1 AND code = $2", product, name)
		},
		Discontinue: func(ctx context.Context, product string) error {
			return w.exec(ctx, "UPDATE erp.product SET status = 'discontinued', version = version + 1 WHERE tenant_id = $1 AND code = $2", product)
		},
		Discount: func(ctx context.Context, customer, product, percent string) error {
			return w.exec(ctx, `INSERT INTO erp.customer_discount (tenant_id, customer, product, percent) VALUES ($1, $2, $3, $4::text::numeric)
				ON CONFLICT (tenant_id, key) DO UPDATE SET percent = excluded.percent, version = erp.customer_discount.version + 1`, customer, product, percent)
		},
		Stock: func(ctx context.Context, product, quantity string) error {
			return w.exec(ctx, "INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason) VALUES ($1, $2, 'WH-01', $3::text::numeric, 'adjustment')", product, quantity)
		},
		Phone: func(ctx context.Context, customer, phone string) error {
			return w.exec(ctx, "UPDATE erp.customer SET phone = $3, version = version + 1 WHERE tenant_id = $1 AND code = $2", customer, phone)
		},
		Deactive: func(ctx context.Context, customer string) error {
			return w.exec(ctx, "UPDATE erp.customer SET active = false, version = version + 1 WHERE tenant_id = $1 AND code = $2", customer)
		},
		Close: func(ctx context.Context, order string) error {
			return w.exec(ctx, "UPDATE erp.sales_order SET status = 'closed', version = version + 1 WHERE tenant_id = $1 AND number = $2", order)
		},
		Revoke: func(ctx context.Context, userID, form, action string) error {
			return w.exec(ctx, "DELETE FROM erp.grants WHERE tenant_id = $1 AND user_id = $2 AND form = $3 AND action IN ($4, '*')", userID, form, action)
		},
		Grant: func(ctx context.Context, userID, form, _ string) error {
			return w.exec(ctx, "INSERT INTO erp.grants (tenant_id, user_id, form, action) VALUES ($1, $2, $3, '*') ON CONFLICT DO NOTHING", userID, form)
		},
		AddCustomer: func(ctx context.Context, code string) error {
			return w.exec(ctx, "INSERT INTO erp.customer (tenant_id, code, name, region, currency) VALUES ($1, $2, '来去匆匆', 'east', 'CNY')", code)
		},
		RemoveCustomer: func(ctx context.Context, code string) error {
			return w.exec(ctx, "DELETE FROM erp.customer WHERE tenant_id = $1 AND code = $2", code)
		},
		Dismiss: func(ctx context.Context, userID string) error {
			return w.exec(ctx, "UPDATE erp.users SET active = false WHERE tenant_id = $1 AND user_id = $2", userID)
		},
	}
}

func (w *world) drafts() erptest.Drafts {
	revise := `INSERT INTO draft_revisions (tenant_id, draft_id, revision, payload, quote, valid_until, created_by)
		SELECT tenant_id, draft_id, revision, '{}', '{}', clock_timestamp() + interval '1 day', user_id FROM drafts WHERE tenant_id = $1 AND draft_id = $2`
	return erptest.Drafts{
		New: func(ctx context.Context) (string, error) {
			draft, conversation := uuid.NewString(), uuid.NewString()
			if err := w.exec(ctx, "INSERT INTO conversations (tenant_id, conversation_id, user_id) VALUES ($1, $2, 'li')", conversation); err != nil {
				return "", err
			}
			if err := w.exec(ctx, "INSERT INTO drafts (tenant_id, draft_id, conversation_id, user_id, form, revision) VALUES ($1, $2, $3, 'li', 'sales_order', 1)",
				draft, conversation); err != nil {
				return "", err
			}
			return draft, w.exec(ctx, revise, draft)
		},
		Revise: func(ctx context.Context, draft string) error {
			if err := w.exec(ctx, "UPDATE drafts SET revision = revision + 1 WHERE tenant_id = $1 AND draft_id = $2", draft); err != nil {
				return err
			}
			return w.exec(ctx, revise, draft)
		},
		Lapse: func(ctx context.Context, draft string) error {
			return w.exec(ctx, "UPDATE draft_revisions SET valid_until = clock_timestamp() - interval '1 second' WHERE tenant_id = $1 AND draft_id = $2", draft)
		},
	}
}

// held keeps a product locked in an open transaction.
type held struct {
	conn, admin *pgx.Conn
	pid         uint32
	once        sync.Once
}

func (w *world) hold(t *testing.T, product string) erptest.Held {
	t.Helper()
	ctx := context.Background()
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(ctx, w.url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(ctx) })
		return conn
	}
	h := &held{conn: connect(), admin: connect()}
	h.pid = h.conn.PgConn().PID()
	if _, err := h.conn.Exec(ctx, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.conn.Exec(ctx, "SELECT 1 FROM erp.product WHERE tenant_id = $1 AND code = $2 FOR UPDATE", w.tenant, product); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Release)
	return h
}

func (h *held) Waiting(ctx context.Context) (n int, err error) {
	err = h.admin.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0").Scan(&n)
	return n, err
}

func (h *held) Kill(ctx context.Context) error {
	_, err := h.admin.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND $1::int = ANY(pg_blocking_pids(pid))", int32(h.pid))
	return err
}

func (h *held) Release() {
	h.once.Do(func() { _, _ = h.conn.Exec(context.Background(), "ROLLBACK") })
}

// asUser is the same database for another role; the test server trusts all.
func asUser(t *testing.T, base, user string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.User(user)
	return u.String()
}

func inDatabase(t *testing.T, base, name string) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
