-- Sales orders. A submitted order has taken its goods from the warehouse; a
-- cancelled one has given them back. Prices and discounts are copied into the
-- lines, because the order must read the same when the price list moves on.

-- One row a tenant and kind of document: numbers are gapless per tenant, at the
-- price of one short lock at the very end of each writing transaction.
CREATE TABLE erp.counters (
  tenant_id text NOT NULL REFERENCES tenants,
  counter   text NOT NULL,
  last      bigint NOT NULL CHECK (last >= 0),
  PRIMARY KEY (tenant_id, counter)
);

CREATE TABLE erp.sales_order (
  tenant_id     text NOT NULL REFERENCES tenants,
  number        text NOT NULL CHECK (number ~ '^SO-[0-9]{6,}$'),
  customer      text NOT NULL,
  warehouse     text NOT NULL,
  order_date    date NOT NULL,
  delivery_date date NOT NULL,
  status        text NOT NULL CHECK (status IN ('submitted','closed','cancelled')),
  total         numeric(18,2) NOT NULL CHECK (total >= 0),
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  remark        text NOT NULL DEFAULT '' CHECK (length(remark) <= 500),
  cancel_reason text NOT NULL DEFAULT '' CHECK (length(cancel_reason) <= 200),
  created_by    text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  cancelled_at  timestamptz,
  version       bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, number),
  FOREIGN KEY (tenant_id, customer) REFERENCES erp.customer,
  FOREIGN KEY (tenant_id, warehouse) REFERENCES erp.warehouse,
  FOREIGN KEY (tenant_id, created_by) REFERENCES erp.users,
  CHECK (delivery_date >= order_date),
  CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL))
);
CREATE INDEX sales_order_of_customer ON erp.sales_order (tenant_id, customer, number);
CREATE INDEX sales_order_by_date ON erp.sales_order (tenant_id, order_date, number);

CREATE TABLE erp.sales_order_line (
  tenant_id    text NOT NULL,
  number       text NOT NULL,
  line_no      int NOT NULL CHECK (line_no BETWEEN 1 AND 100),
  product      text NOT NULL,
  product_name text NOT NULL,
  unit         text NOT NULL,
  quantity     numeric(18,3) NOT NULL CHECK (quantity > 0),
  base_price   numeric(18,4) NOT NULL CHECK (base_price >= 0),
  discount     numeric(5,2) NOT NULL CHECK (discount >= 0 AND discount <= 100),
  unit_price   numeric(18,4) NOT NULL,
  amount       numeric(18,2) NOT NULL,
  PRIMARY KEY (tenant_id, number, line_no),
  -- One product, one line: two would make the stock picture ambiguous.
  UNIQUE (tenant_id, number, product),
  FOREIGN KEY (tenant_id, number) REFERENCES erp.sales_order,
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
  CHECK (unit_price = round(base_price * (100 - discount) / 100, 4)),
  -- Amounts are rounded to the currency's own unit (yen 0, yuan 2 decimals).
  CHECK (abs(amount - quantity * unit_price) <= 0.5)
);
CREATE INDEX sales_order_line_of_product ON erp.sales_order_line (tenant_id, product);

CREATE VIEW erp.v_sales_order WITH (security_invoker = true) AS
  SELECT o.tenant_id, o.number, o.customer, c.name AS customer_name, c.name_en AS customer_name_en, c.region,
         o.warehouse, o.order_date, o.delivery_date, o.status, o.total, o.currency, o.remark, o.cancel_reason,
         o.created_by, o.created_at, o.version
    FROM erp.sales_order o
    JOIN erp.customer c ON c.tenant_id = o.tenant_id AND c.code = o.customer;

CREATE VIEW erp.v_sales_order_line WITH (security_invoker = true) AS
  SELECT l.tenant_id, l.number, l.line_no, l.product, l.product_name, p.name_en AS product_name_en, l.unit, p.unit_en,
         l.quantity, l.base_price, l.discount, l.unit_price, l.amount
    FROM erp.sales_order_line l
    JOIN erp.product p ON p.tenant_id = l.tenant_id AND p.code = l.product;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['counters','sales_order','sales_order_line'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
GRANT UPDATE ON erp.counters, erp.sales_order TO erpilot_app;
GRANT SELECT ON erp.v_sales_order, erp.v_sales_order_line TO erpilot_app;
