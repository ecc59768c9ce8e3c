package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/schema/demo"
)

// Demo is how demo data is loaded; the zero value loads it as tests and `up` do.
type Demo struct {
	// Scale multiplies the documents, 1 to 1000; 0 is 1.
	Scale int
	// Progress is told of each piece that is written; nil tells nobody.
	Progress func(DemoProgress)
}

// DemoProgress tells how far a tenant's year has been written.
type DemoProgress struct {
	Tenant    string
	Documents int
	Day       time.Time
}

// DemoLoaded is what a load did. Documents is 0 where the companies were there
// already; then Forms and Grants count what was brought up to date.
type DemoLoaded struct{ Documents, Forms, Grants int }

// LoadDemo is Demo{}.Load for whoever does not care what it did.
func LoadDemo(ctx context.Context, conn *pgx.Conn) error {
	_, err := Demo{}.Load(ctx, conn)
	return err
}

// Load writes the demo companies, as the owner of the tables, in one transaction.
// Where they are already, their data is left alone: only forms whose files have
// changed, and the grants on them, are brought up to date. So it may be called at every start.
func (d Demo) Load(ctx context.Context, conn *pgx.Conn) (DemoLoaded, error) {
	var done DemoLoaded
	tx, err := conn.Begin(ctx)
	if err != nil {
		return done, fmt.Errorf("load the demo data: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // without effect after Commit
	// Two processes that start at once load it once.
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('erpilot.demo'))"); err != nil {
		return done, fmt.Errorf("load the demo data: %w", err)
	}
	var present bool
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tenants WHERE tenant_id = $1)", demo.Tenants()[0].String()).Scan(&present)
	if err != nil {
		return done, fmt.Errorf("load the demo data: %w", err)
	}
	if !present {
		if err := d.bulk(ctx, tx, "DISABLE"); err != nil {
			return done, err
		}
	}
	for i, t := range demo.Companies(max(d.Scale, 1)) {
		l := demoLoader{ctx: ctx, tx: tx, t: t, first: i == 0, tenant: t.Tenant.String(), progress: d.Progress, done: &done}
		step := l.load
		if present {
			step = l.refresh
		}
		if err := step(); err != nil {
			return done, fmt.Errorf("load the demo data of %s: %w", l.tenant, err)
		}
	}
	if !present {
		if err := d.bulk(ctx, tx, "ENABLE"); err != nil {
			return done, err
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return done, fmt.Errorf("load the demo data: %w", err)
	}
	if !present {
		err = d.analyze(ctx, conn)
	}
	return done, err
}

// bulk switches the triggers off and on that would go through a year row by row:
// the load brings balances and stock itself, and nobody else prices anything
// in a tenant that is not there yet. A superuser, such as the one of a private
// server, also goes without the checks of foreign keys, which are half of the
// time; loading as any other owner proves that they hold.
func (Demo) bulk(ctx context.Context, tx pgx.Tx, how string) error {
	var sql strings.Builder
	sql.WriteString("ALTER TABLE erp.stock_ledger " + how + " TRIGGER ledger_moves_stock;")
	sql.WriteString("ALTER TABLE erp.customer_discount " + how + " TRIGGER discount_locks_customer;")
	sql.WriteString("ALTER TABLE erp.exchange_rate " + how + " TRIGGER rate_locks_currency;")
	for _, t := range []string{"customer_price", "product_unit", "supplier_price", "bill_of_material"} {
		sql.WriteString("ALTER TABLE erp." + t + " " + how + " TRIGGER price_locks_product;")
	}
	sql.WriteString("SELECT set_config('session_replication_role', 'replica', true) WHERE current_setting('is_superuser')::boolean")
	if _, err := tx.Exec(ctx, sql.String()); err != nil {
		return fmt.Errorf("load the demo data: %w", err)
	}
	return nil
}

// analyze lets the planner know what was loaded. A small load is looked at
// briefly, because every test database waits for it.
func (d Demo) analyze(ctx context.Context, conn *pgx.Conn) error {
	tables := "erp.stock, erp.stock_ledger, erp.customer, erp.product, erp.customer_price, erp.customer_discount, erp.supplier, erp.supplier_price"
	for _, f := range demo.Documents {
		tables += ", erp." + f + ", erp." + f + "_line"
	}
	sql := "ANALYZE " + tables
	if d.Scale <= 1 {
		sql = "SET default_statistics_target = 20; " + sql + "; RESET default_statistics_target"
	}
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("analyse the demo data: %w", err)
	}
	return nil
}

type demoLoader struct {
	ctx      context.Context
	tx       pgx.Tx
	t        demo.Tenant
	tenant   string
	first    bool
	progress func(DemoProgress)
	done     *DemoLoaded
}

func (l demoLoader) say(p DemoProgress) {
	if l.progress != nil {
		l.progress(p)
	}
}

func (l demoLoader) enter() error {
	_, err := l.tx.Exec(l.ctx, "SELECT set_config('erpilot.tenant', $1, true)", l.tenant)
	return err
}

func (l demoLoader) load() error {
	t := l.t
	if err := l.enter(); err != nil {
		return err
	}
	_, err := l.tx.Exec(l.ctx, "INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		l.tenant, t.Tenant.BrandID, t.Tenant.SubsidiaryID, t.NameZh, t.NameEn, t.Currency, t.TimeZone)
	if err != nil {
		return err
	}
	forms, err := updateForms(l.ctx, l.tx, t.Tenant)
	if err != nil {
		return err
	}
	if err := l.people(forms); err != nil {
		return err
	}
	if err := l.masters(); err != nil {
		return err
	}
	n, err := l.year()
	l.done.Documents += n
	return err
}

// refresh brings forms and grants of a company up to date that is there already.
func (l demoLoader) refresh() error {
	if err := l.enter(); err != nil {
		return err
	}
	forms, err := updateForms(l.ctx, l.tx, l.t.Tenant)
	if err != nil {
		return err
	}
	l.done.Forms += len(forms)
	n, err := l.grants(forms)
	l.done.Grants += n
	return err
}

// demoHash is the one hash of the one demo password, which stands in the README:
// a salt of its own for each user would protect nothing.
var demoHash = sync.OnceValue(func() string { return hashWith([]byte("erpilot-demo-pwd"), demo.Password) })

func (l demoLoader) people(forms []string) error {
	users := rowsOf("users", "tenant_id, user_id, username, name_zh, name_en, password_hash, roles, locale, time_zone")
	for _, u := range l.t.Users {
		users.text(l.tenant, u.UserID, u.UserID, u.NameZh, u.NameEn, demoHash(), "{"+strings.Join(u.Roles, ",")+"}", string(u.Locale), l.t.TimeZone).end()
	}
	if err := l.write(users); err != nil {
		return err
	}
	_, err := l.grants(forms)
	return err
}

// grants adds the rights that are missing on some forms, for the people that are
// still there. Rights on other forms are left as somebody may have changed them.
func (l demoLoader) grants(forms []string) (int, error) {
	var users, names, actions []string
	for _, u := range l.t.Users {
		for _, g := range u.Grants {
			if slices.Contains(forms, g.Form) {
				users, names, actions = append(users, u.UserID), append(names, g.Form), append(actions, g.Action)
			}
		}
	}
	tag, err := l.tx.Exec(l.ctx, `INSERT INTO erp.grants (tenant_id, user_id, form, action)
		SELECT $1, g.user_id, g.form, g.action FROM unnest($2::text[], $3::text[], $4::text[]) g(user_id, form, action)
		  JOIN erp.users u ON u.tenant_id = $1 AND u.user_id = g.user_id
		ON CONFLICT DO NOTHING`, l.tenant, users, names, actions)
	return int(tag.RowsAffected()), err
}

func (l demoLoader) write(tables ...*copyRows) error {
	for _, c := range tables {
		if err := c.load(l.ctx, l.tx); err != nil {
			return err
		}
	}
	return nil
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
