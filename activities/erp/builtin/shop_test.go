package builtin_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/identity"
)

// mall is a database of small companies that all begin alike: each case of a
// property has one of its own, without a database of its own.
type mall struct {
	t    *testing.T
	url  string
	c    *builtin.Connector
	conn *pgx.Conn
	last atomic.Int64
}

// pattern is the company of which the others are copies.
var pattern = identity.Tenant{BrandID: "shop", SubsidiaryID: "pattern"}

// Currencies with 0, 2 and 3 decimals beside the tenant's own, taxes and none,
// discounts, price lists, units with factors above and below one, a product that
// is made of two others, and stock in two warehouses.
const furnish = `
INSERT INTO erp.users (tenant_id, user_id, username, name_zh, name_en, password_hash) VALUES
  ('shop.pattern', 'boss', 'boss', '老板', 'Boss', '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA');
INSERT INTO erp.grants SELECT tenant_id, 'boss', form, '*' FROM erp.forms WHERE tenant_id = 'shop.pattern';
INSERT INTO erp.currency (tenant_id, code, name, digits) VALUES
  ('shop.pattern', 'CNY', '人民币', 2), ('shop.pattern', 'USD', '美元', 2), ('shop.pattern', 'JPY', '日元', 0);
INSERT INTO erp.exchange_rate (tenant_id, code, currency, valid_from, rate) VALUES
  ('shop.pattern', 'USD-1', 'USD', '2020-01-01', 7.12345678), ('shop.pattern', 'JPY-1', 'JPY', '2020-01-01', 0.04711);
INSERT INTO erp.tax (tenant_id, code, name, rate) VALUES ('shop.pattern', 'T13', '13%', 13), ('shop.pattern', 'T6', '6%', 6), ('shop.pattern', 'T99', '99%', 99.99);
INSERT INTO erp.warehouse (tenant_id, code, name, is_default) VALUES ('shop.pattern', 'WH-1', '主仓', true), ('shop.pattern', 'WH-2', '二仓', false);
INSERT INTO erp.customer (tenant_id, code, name, region, currency, payment_days, tax_exempt) VALUES
  ('shop.pattern', 'C-1', '甲', 'east', 'CNY', 30, false), ('shop.pattern', 'C-2', '乙', 'south', 'USD', 0, true), ('shop.pattern', 'C-3', '丙', 'north', 'JPY', 7, false);
INSERT INTO erp.supplier (tenant_id, code, name, currency, payment_days) VALUES ('shop.pattern', 'S-1', '丁', 'CNY', 30), ('shop.pattern', 'S-2', '戊', 'JPY', 0);
INSERT INTO erp.product (tenant_id, code, name, category, unit, quantity_scale, status, base_price, currency, tax, made) VALUES
  ('shop.pattern', 'P-1', '茶', 'tea', '盒', 0, 'on_sale', 33.3333, 'CNY', 'T13', false),
  ('shop.pattern', 'P-2', '豆', 'coffee', '公斤', 3, 'on_sale', 0.0137, 'CNY', NULL, false),
  ('shop.pattern', 'P-3', '礼盒', 'gift', '盒', 0, 'on_sale', 99.99, 'CNY', 'T6', true),
  ('shop.pattern', 'P-4', '杯', 'utensil', '个', 3, 'on_sale', 12.5, 'USD', 'T99', false);
INSERT INTO erp.product_unit (tenant_id, product, unit, factor) VALUES ('shop.pattern', 'P-1', '箱', 12), ('shop.pattern', 'P-2', '袋', 0.25);
INSERT INTO erp.customer_price (tenant_id, code, customer, product, min_quantity, price, valid_from) VALUES
  ('shop.pattern', 'L-1', NULL, 'P-1', 10, 30.1, '2020-01-01'), ('shop.pattern', 'L-2', 'C-2', 'P-1', 0, 31.7, '2020-01-01');
INSERT INTO erp.customer_discount (tenant_id, customer, product, percent) VALUES
  ('shop.pattern', 'C-1', NULL, 7.5), ('shop.pattern', 'C-1', 'P-1', 33.33), ('shop.pattern', 'C-3', 'P-2', 100);
INSERT INTO erp.supplier_price (tenant_id, supplier, product, price) VALUES
  ('shop.pattern', 'S-1', 'P-1', 20.005), ('shop.pattern', 'S-1', 'P-2', 0.0099), ('shop.pattern', 'S-2', 'P-1', 333), ('shop.pattern', 'S-2', 'P-4', 0.5);
INSERT INTO erp.bill_of_material (tenant_id, product, material, quantity) VALUES ('shop.pattern', 'P-3', 'P-1', 2), ('shop.pattern', 'P-3', 'P-2', 1.333333);

-- copy_shop makes a company like the pattern.
CREATE FUNCTION copy_shop(shop text) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE t regclass; columns text;
BEGIN
  INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone) VALUES ('shop.' || shop, 'shop', shop, '小店', 'Shop', 'CNY', 'Asia/Shanghai');
  FOREACH t IN ARRAY ARRAY['erp.users', 'erp.forms', 'erp.form_fields', 'erp.form_actions', 'erp.grants', 'erp.currency', 'erp.exchange_rate', 'erp.tax', 'erp.warehouse',
      'erp.customer', 'erp.supplier', 'erp.product', 'erp.product_unit', 'erp.customer_price', 'erp.customer_discount', 'erp.supplier_price', 'erp.bill_of_material']::regclass[] LOOP
    SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
     WHERE attrelid = t AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = '' AND attname <> 'tenant_id';
    EXECUTE format('INSERT INTO %s (tenant_id, %s) SELECT $1, %s FROM %s WHERE tenant_id = ''shop.pattern''', t, columns, columns, t) USING 'shop.' || shop;
  END LOOP;
  INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason)
    SELECT 'shop.' || shop, p, w, q, 'opening' FROM (VALUES ('P-1', 'WH-1', 200), ('P-1', 'WH-2', 30), ('P-2', 'WH-1', 100.125), ('P-2', 'WH-2', 50), ('P-4', 'WH-1', 9.999)) v(p, w, q) ORDER BY p, w;
END $f$`

func newMall(t *testing.T) *mall {
	t.Helper()
	ctx := context.Background()
	url := pgtest.NewDatabase(t)
	l := &mall{t: t, url: url, c: builtin.New(open(t, url)), conn: connect(t, url)}
	for _, step := range []func(tx pgx.Tx) error{
		func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "INSERT INTO tenants (tenant_id, brand_id, subsidiary_id, name_zh, name_en, currency, time_zone) VALUES ('shop.pattern', 'shop', 'pattern', '样店', 'Pattern', 'CNY', 'Asia/Shanghai')")
			return err
		},
		func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT set_config('erpilot.tenant', 'shop.pattern', true)"); err != nil {
				return err
			}
			return builtin.InstallForms(ctx, tx, pattern)
		},
		func(tx pgx.Tx) error {
			_, err := tx.Conn().PgConn().Exec(ctx, furnish).ReadAll()
			return err
		},
	} {
		if err := pgx.BeginFunc(ctx, l.conn, step); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// shop is one company and the person who does everything there.
type shop struct {
	*mall
	tenant string
	id     erp.Identity
}

// open makes the next company.
func (l *mall) open(ctx context.Context) (*shop, error) {
	tenant := identity.Tenant{BrandID: "shop", SubsidiaryID: fmt.Sprintf("s%d", l.last.Add(1))}
	if _, err := l.conn.Exec(ctx, "SELECT copy_shop($1)", tenant.SubsidiaryID); err != nil {
		return nil, err
	}
	user, grants, err := l.c.User(ctx, tenant, "boss")
	if err != nil {
		return nil, err
	}
	return &shop{mall: l, tenant: tenant.String(), id: erp.Identity{User: user, Grants: grants}}, nil
}
