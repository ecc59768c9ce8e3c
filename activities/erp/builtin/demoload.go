package builtin

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

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
	users := rowsOf("users", "tenant_id, user_id, username, name_zh, name_en, password_hash, roles, locale, time_zone")
	grants := rowsOf("grants", "tenant_id, user_id, form, action")
	for _, u := range l.t.Users {
		users.text(l.tenant, u.UserID, u.UserID, u.NameZh, u.NameEn, demoHash(), "{"+strings.Join(u.Roles, ",")+"}", string(u.Locale), l.t.TimeZone).end()
		for _, g := range u.Grants {
			grants.text(l.tenant, u.UserID, g.Form, g.Action).end()
		}
	}
	return l.write(users, grants)
}

func (l demoLoader) write(tables ...*copyRows) error {
	for _, c := range tables {
		if err := c.load(l.ctx, l.tx); err != nil {
			return err
		}
	}
	return nil
}

func (l demoLoader) sales() error {
	orders := rowsOf("sales_order", "tenant_id, number, customer, warehouse, order_date, delivery_date, status, total, tax_total, currency, exchange_rate, created_by, created_at, cancelled_at, closed_at")
	lines := rowsOf("sales_order_line", "tenant_id, number, line_no, product, product_name, unit, quantity, base_price, discount, unit_price, amount, tax_rate, tax_amount, drawn, drawn_amount, drawn_tax")
	for _, o := range l.t.Orders {
		var cancelled, closed time.Time
		switch o.Status {
		case "cancelled":
			cancelled = o.OrderDate.AddDate(0, 0, 1)
		case "closed":
			closed = o.OrderDate.Add(orderEntered)
		}
		orders.text(l.tenant, o.Number, o.Customer, o.Warehouse).day(o.OrderDate).day(o.DeliveryDate).text(o.Status).fixed(o.Total, 2).fixed(o.Tax, 2).
			text(o.Currency).fixed(o.Rate, 8).text(o.CreatedBy).moment(o.OrderDate.Add(orderEntered)).moment(cancelled).moment(closed).end()
		for i, x := range o.Lines {
			lines.text(l.tenant, o.Number).integer(i+1).text(x.Product, x.ProductName, x.Unit).fixed(x.Quantity, 0).fixed(x.Base, 4).fixed(x.Discount, 0).
				fixed(x.UnitPrice, 4).fixed(x.Amount, 2).fixed(x.TaxRate, 2).fixed(x.Tax, 2)
			if o.Status == "closed" {
				lines.fixed(x.Quantity, 0).fixed(x.Amount, 2).fixed(x.Tax, 2).end()
			} else {
				lines.integer(0).integer(0).integer(0).end()
			}
		}
	}
	counters := rowsOf("counters", "tenant_id, counter, last")
	counters.text(l.tenant, "sales_order").integer(len(l.t.Orders)).end()
	counters.text(l.tenant, "stock_adjustment").integer(1).end()
	counters.text(l.tenant, "goods_receipt").integer(len(l.t.Ledger)).end()
	return l.write(orders, lines, counters)
}

// orderEntered is the time of day (UTC) at which demo orders were keyed in.
const orderEntered = 4 * time.Hour

// ledger brings balances and stock itself: the trigger that keeps them would go
// through a year row by row.
func (l demoLoader) ledger() error {
	ledger := rowsOf("stock_ledger", "tenant_id, product, warehouse, quantity, reason, form, document, balance, at")
	for _, m := range l.t.Ledger {
		ledger.text(l.tenant, m.Product, m.Warehouse).fixed(m.Quantity, 0).text(m.Reason, m.Form, m.Document).fixed(m.Balance, 0).moment(m.At).end()
	}
	stock := rowsOf("stock", "tenant_id, product, warehouse, quantity, allocated")
	for _, s := range l.t.Stock {
		stock.text(l.tenant, s.Product, s.Warehouse).fixed(s.Quantity, 0).fixed(s.Allocated, 0).end()
	}
	if _, err := l.tx.Exec(l.ctx, "ALTER TABLE erp.stock_ledger DISABLE TRIGGER ledger_moves_stock"); err != nil {
		return err
	}
	if err := l.write(ledger, stock); err != nil {
		return err
	}
	_, err := l.tx.Exec(l.ctx, "ALTER TABLE erp.stock_ledger ENABLE TRIGGER ledger_moves_stock")
	return err
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
