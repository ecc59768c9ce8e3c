package builtin

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/schema/demo"
)

// LoadDemo writes the demo companies, as the owner of the tables, in one
// transaction. Where they are already it does nothing, so it may be called at
// every start.
func LoadDemo(ctx context.Context, conn *pgx.Conn) error {
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("load the demo data: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // without effect after Commit
	// Two processes that start at once load it once.
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtext('erpilot.demo'))"); err != nil {
		return fmt.Errorf("load the demo data: %w", err)
	}
	var present bool
	err = tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM tenants WHERE tenant_id = $1)", demo.Tenants()[0].String()).Scan(&present)
	if err != nil || present {
		return err
	}
	for _, t := range demo.Generate() {
		l := demoLoader{ctx: ctx, tx: tx, t: t, tenant: t.Tenant.String()}
		if err := l.load(); err != nil {
			return fmt.Errorf("load the demo data of %s: %w", l.tenant, err)
		}
	}
	return tx.Commit(ctx)
}

type demoLoader struct {
	ctx    context.Context
	tx     pgx.Tx
	t      demo.Tenant
	tenant string
}

func (l demoLoader) load() error {
	t := l.t
	if _, err := l.tx.Exec(l.ctx, "SELECT set_config('erpilot.tenant', $1, true)", l.tenant); err != nil {
		return err
	}
	_, err := l.tx.Exec(l.ctx, "INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		l.tenant, t.Tenant.BrandID, t.Tenant.SubsidiaryID, t.NameZh, t.NameEn, t.Currency, t.TimeZone)
	if err != nil {
		return err
	}
	if err := InstallForms(l.ctx, l.tx, t.Tenant); err != nil {
		return err
	}
	steps := []func() error{l.people, l.masters, l.sales, l.ledger}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// demoHash is the one hash of the one demo password, which stands in the README:
// a salt of its own for each user would protect nothing.
var demoHash = sync.OnceValue(func() string { return hashWith([]byte("erpilot-demo-pwd"), demo.Password) })

func (l demoLoader) people() error {
	var users, grants [][]any
	for _, u := range l.t.Users {
		users = append(users, []any{l.tenant, u.UserID, u.UserID, u.NameZh, u.NameEn, demoHash(), notNil(u.Roles), string(u.Locale), l.t.TimeZone})
		for _, g := range u.Grants {
			grants = append(grants, []any{l.tenant, u.UserID, g.Form, g.Action})
		}
	}
	if err := l.insert("users", "tenant_id, user_id, username, name_zh, name_en, password_hash, roles, locale, time_zone", users); err != nil {
		return err
	}
	return l.insert("grants", "tenant_id, user_id, form, action", grants)
}

func (l demoLoader) masters() error {
	var customers, products, discounts, warehouses [][]any
	for _, c := range l.t.Customers {
		customers = append(customers, []any{l.tenant, c.Code, c.Name, c.NameEn, c.Region, c.Contact, c.Phone, c.Email, decimal.NewFromInt(c.CreditLimit), l.t.Currency, c.Active})
	}
	for _, p := range l.t.Products {
		products = append(products, []any{l.tenant, p.Code, p.Name, p.NameEn, p.Category, p.Unit, p.UnitEn, int16(p.Scale), p.Status, decimal.New(p.Price, -2), l.t.Currency})
	}
	for _, d := range l.t.Discounts {
		var product *string
		if d.Product != "" {
			product = &d.Product
		}
		discounts = append(discounts, []any{l.tenant, d.Customer, product, decimal.NewFromInt(d.Percent)})
	}
	for _, w := range l.t.Warehouses {
		warehouses = append(warehouses, []any{l.tenant, w.Code, w.Name, w.NameEn, w.Default})
	}
	if err := l.insert("customer", "tenant_id, code, name, name_en, region, contact, phone, email, credit_limit, currency, active", customers); err != nil {
		return err
	}
	if err := l.insert("product", "tenant_id, code, name, name_en, category, unit, unit_en, quantity_scale, status, base_price, currency", products); err != nil {
		return err
	}
	if err := l.insert("customer_discount", "tenant_id, customer, product, percent", discounts); err != nil {
		return err
	}
	return l.insert("warehouse", "tenant_id, code, name, name_en, is_default", warehouses)
}

func (l demoLoader) sales() error {
	var orders, lines [][]any
	for _, o := range l.t.Orders {
		var cancelled any
		if o.Status == "cancelled" {
			cancelled = o.OrderDate.AddDate(0, 0, 1)
		}
		orders = append(orders, []any{l.tenant, o.Number, o.Customer, o.Warehouse, o.OrderDate, o.DeliveryDate, o.Status, decimal.New(o.Total, -2),
			l.t.Currency, o.CreatedBy, o.OrderDate.Add(orderEntered), cancelled})
		for i, x := range o.Lines {
			lines = append(lines, []any{l.tenant, o.Number, int32(i + 1), x.Product, x.ProductName, x.Unit, decimal.NewFromInt(x.Quantity),
				decimal.New(x.Base, -2), decimal.NewFromInt(x.Discount), decimal.New(x.UnitPrice, -4), decimal.New(x.Amount, -2)})
		}
	}
	err := l.insert("sales_order", "tenant_id, number, customer, warehouse, order_date, delivery_date, status, total, currency, created_by, created_at, cancelled_at", orders)
	if err != nil {
		return err
	}
	err = l.insert("sales_order_line", "tenant_id, number, line_no, product, product_name, unit, quantity, base_price, discount, unit_price, amount", lines)
	if err != nil {
		return err
	}
	return l.insert("counters", "tenant_id, counter, last", [][]any{{l.tenant, "sales_order", int64(len(l.t.Orders))}})
}

// orderEntered is the time of day (UTC) at which demo orders were keyed in.
const orderEntered = 4 * 3600 * 1e9

func (l demoLoader) ledger() error {
	rows := make([][]any, len(l.t.Ledger))
	for i, m := range l.t.Ledger {
		rows[i] = []any{l.tenant, m.Product, m.Warehouse, decimal.NewFromInt(m.Quantity), m.Reason, m.Document, m.At}
	}
	return l.insert("stock_ledger", "tenant_id, product, warehouse, quantity, reason, document, at", rows)
}

// insert copies into a temporary table and inserts from there in one statement:
// COPY does not go into tables with row-level security unless one bypasses it,
// and the owner of these does not.
func (l demoLoader) insert(table, columns string, rows [][]any) error {
	temp := "demo_" + table
	ddl := "CREATE TEMP TABLE IF NOT EXISTS " + temp + " ON COMMIT DROP AS SELECT " + columns + " FROM erp." + table + " WITH NO DATA; TRUNCATE " + temp
	if _, err := l.tx.Exec(l.ctx, ddl); err != nil {
		return err
	}
	if _, err := l.tx.CopyFrom(l.ctx, pgx.Identifier{temp}, strings.Split(columns, ", "), pgx.CopyFromRows(rows)); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	if _, err := l.tx.Exec(l.ctx, "INSERT INTO erp."+table+" ("+columns+") SELECT "+columns+" FROM "+temp); err != nil {
		return fmt.Errorf("%s: %w", table, err)
	}
	return nil
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
