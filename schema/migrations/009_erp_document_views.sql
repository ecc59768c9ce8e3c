-- What readers see of documents: names beside codes. A view shows every column of
-- its table, so a form may name any of them. Names are joined by LEFT JOIN on a key:
-- a count, which shows none, leaves the join out.

-- Lines that generate makes may be many, and the rest of an amount that the last
-- part takes need not be quantity × price.
ALTER TABLE erp.sales_order_line
  DROP CONSTRAINT sales_order_line_line_no_check,
  ADD CONSTRAINT sales_order_line_line_no_check CHECK (line_no BETWEEN 1 AND 500),
  DROP CONSTRAINT sales_order_line_check1,
  ADD CONSTRAINT sales_order_line_amounts CHECK (amount >= 0 AND tax_amount <= amount);

-- The new columns come last: a view that exists can only grow at its end.
CREATE OR REPLACE VIEW erp.v_sales_order WITH (security_invoker = true) AS
  SELECT o.tenant_id, o.number, o.customer, c.name AS customer_name, c.name_en AS customer_name_en, c.region,
         o.warehouse, o.order_date, o.delivery_date, o.status, o.total, o.currency, o.remark, o.cancel_reason,
         o.created_by, o.created_at, o.version,
         w.name AS warehouse_name, w.name_en AS warehouse_name_en, o.tax_total, o.exchange_rate, o.examined_by, o.examined_at, o.closed_at, o.cancelled_at
    FROM erp.sales_order o
    LEFT JOIN erp.customer c ON c.tenant_id = o.tenant_id AND c.code = o.customer
    LEFT JOIN erp.warehouse w ON w.tenant_id = o.tenant_id AND w.code = o.warehouse;

CREATE OR REPLACE VIEW erp.v_sales_order_line WITH (security_invoker = true) AS
  SELECT l.tenant_id, l.number, l.line_no, l.product, l.product_name, p.name_en AS product_name_en, l.unit,
         coalesce(u.unit_en, p.unit_en) AS unit_en, l.quantity, l.base_price, l.discount, l.unit_price, l.amount,
         l.factor, l.tax_rate, l.tax_amount, l.drawn, l.quantity - l.drawn AS remaining, l.source, l.source_line
    FROM erp.sales_order_line l
    LEFT JOIN erp.product p ON p.tenant_id = l.tenant_id AND p.code = l.product
    LEFT JOIN erp.product_unit u ON u.tenant_id = l.tenant_id AND u.key = l.product || '/' || l.unit;

DO $$
DECLARE
  k record;
  columns text;
  joins text;
BEGIN
  FOR k IN SELECT * FROM (VALUES
      ('quotation', 'customer', false, true), ('delivery', 'customer', true, true), ('receivable', 'customer', false, true),
      ('purchase_order', 'supplier', true, true), ('goods_receipt', 'supplier', true, true), ('payable', 'supplier', false, true),
      ('receipt', 'customer', false, false), ('payment', 'supplier', false, false),
      ('stock_adjustment', '', true, true), ('stock_transfer', '', true, true), ('production_order', '', true, true), ('production_report', '', true, true)
    ) v(form, partner, stored, goods) LOOP
    columns := 'o.*';
    joins := '';
    IF k.partner <> '' THEN
      columns := columns || format(', c.name AS %1$s_name, c.name_en AS %1$s_name_en', k.partner);
      IF k.partner = 'customer' THEN
        columns := columns || ', c.region';
      END IF;
      joins := joins || format(' LEFT JOIN erp.%1$I c ON c.tenant_id = o.tenant_id AND c.code = o.%1$I', k.partner);
    END IF;
    IF k.stored THEN
      columns := columns || ', w.name AS warehouse_name, w.name_en AS warehouse_name_en';
      joins := joins || ' LEFT JOIN erp.warehouse w ON w.tenant_id = o.tenant_id AND w.code = o.warehouse';
    END IF;
    IF k.form = 'stock_transfer' THEN
      columns := columns || ', v.name AS to_warehouse_name, v.name_en AS to_warehouse_name_en';
      joins := joins || ' LEFT JOIN erp.warehouse v ON v.tenant_id = o.tenant_id AND v.code = o.to_warehouse';
    END IF;
    EXECUTE format('CREATE VIEW erp.%I WITH (security_invoker = true) AS SELECT %s FROM erp.%I o%s', 'v_' || k.form, columns, k.form, joins);
    IF k.goods THEN
      EXECUTE format('CREATE VIEW erp.%I WITH (security_invoker = true) AS
        SELECT l.*, abs(l.quantity) - l.drawn AS remaining, p.name_en AS product_name_en, coalesce(u.unit_en, p.unit_en) AS unit_en FROM erp.%I l
          LEFT JOIN erp.product p ON p.tenant_id = l.tenant_id AND p.code = l.product
          LEFT JOIN erp.product_unit u ON u.tenant_id = l.tenant_id AND u.key = l.product || ''/'' || l.unit', 'v_' || k.form || '_line', k.form || '_line');
    ELSE
      EXECUTE format('CREATE VIEW erp.%I WITH (security_invoker = true) AS
        SELECT l.*, s.total AS source_total, s.open_amount AS source_open FROM erp.%I l JOIN erp.%I s ON s.tenant_id = l.tenant_id AND s.number = l.source',
        'v_' || k.form || '_line', k.form || '_line', CASE k.form WHEN 'receipt' THEN 'receivable' ELSE 'payable' END);
    END IF;
    EXECUTE format('GRANT SELECT ON erp.%I, erp.%I TO erpilot_app', 'v_' || k.form, 'v_' || k.form || '_line');
  END LOOP;
END $$;
