-- Master data and stock. Codes are the keys: they are what people say, they
-- never change, and every reference carries the tenant with it. `version` grows
-- with each change of a row (optimistic concurrency); money and quantities are
-- numeric.

CREATE TABLE erp.customer (
  tenant_id    text NOT NULL REFERENCES tenants,
  code         text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  name_en      text NOT NULL DEFAULT '' CHECK (length(name_en) <= 200),
  region       text NOT NULL CHECK (region IN ('east','south','north','southwest','central','northwest')),
  contact      text NOT NULL DEFAULT '' CHECK (length(contact) <= 100),
  phone        text NOT NULL DEFAULT '' CHECK (length(phone) <= 40),
  email        text NOT NULL DEFAULT '' CHECK (length(email) <= 200),
  credit_limit numeric(18,2) NOT NULL DEFAULT 0 CHECK (credit_limit >= 0),
  currency     text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  active       boolean NOT NULL DEFAULT true,
  version      bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code)
);
CREATE INDEX customer_region ON erp.customer (tenant_id, region, code);

CREATE TABLE erp.product (
  tenant_id  text NOT NULL REFERENCES tenants,
  code       text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  name_en    text NOT NULL DEFAULT '' CHECK (length(name_en) <= 200),
  category   text NOT NULL CHECK (category IN ('tea','coffee','snack','grain','beverage','gift','utensil')),
  unit       text NOT NULL CHECK (length(unit) BETWEEN 1 AND 20),
  unit_en    text NOT NULL DEFAULT '' CHECK (length(unit_en) <= 20),
  -- quantity_scale is the number of decimals of a quantity: boxes 0, kilograms 3.
  quantity_scale smallint NOT NULL DEFAULT 0 CHECK (quantity_scale BETWEEN 0 AND 3),
  status     text NOT NULL CHECK (status IN ('on_sale','discontinued')),
  base_price numeric(18,4) NOT NULL CHECK (base_price >= 0),
  currency   text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  version    bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code)
);

-- A discount is for one product, or for all products of a customer (product is
-- null); the one for the product wins. key is what people and links name it by.
CREATE TABLE erp.customer_discount (
  tenant_id text NOT NULL,
  key       text GENERATED ALWAYS AS (customer || '/' || coalesce(product, '*')) STORED,
  customer  text NOT NULL,
  product   text,
  percent   numeric(5,2) NOT NULL CHECK (percent >= 0 AND percent <= 100),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, key),
  FOREIGN KEY (tenant_id, customer) REFERENCES erp.customer,
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product
);

-- A discount that does not exist cannot be locked, but "no discount" is a fact
-- that a quote relies on. So whoever changes a discount locks the customer first,
-- and whoever writes an order holds that customer in share mode.
CREATE FUNCTION erp.discount_locks_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM erp.customer
    WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id) AND code = coalesce(NEW.customer, OLD.customer)
    FOR NO KEY UPDATE;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER discount_locks_customer BEFORE INSERT OR UPDATE OR DELETE ON erp.customer_discount
  FOR EACH ROW EXECUTE FUNCTION erp.discount_locks_customer();

CREATE TABLE erp.warehouse (
  tenant_id text NOT NULL REFERENCES tenants,
  code      text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  name      text NOT NULL,
  name_en   text NOT NULL DEFAULT '',
  -- Orders that name no warehouse take their goods from the default one.
  is_default boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, code)
);
CREATE UNIQUE INDEX warehouse_one_default ON erp.warehouse (tenant_id) WHERE is_default;

CREATE TABLE erp.stock (
  tenant_id text NOT NULL,
  key       text GENERATED ALWAYS AS (product || '@' || warehouse) STORED,
  product   text NOT NULL,
  warehouse text NOT NULL,
  quantity  numeric(18,3) NOT NULL CHECK (quantity >= 0),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, product, warehouse),
  UNIQUE (tenant_id, key),
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
  FOREIGN KEY (tenant_id, warehouse) REFERENCES erp.warehouse
);

-- Why stock is what it is. Rows are only ever added, and a trigger moves the
-- stock with them: the sum of the ledger cannot drift from the stock on hand.
CREATE TABLE erp.stock_ledger (
  tenant_id text NOT NULL,
  ledger_id bigint GENERATED ALWAYS AS IDENTITY,
  product   text NOT NULL,
  warehouse text NOT NULL,
  quantity  numeric(18,3) NOT NULL CHECK (quantity <> 0),
  reason    text NOT NULL CHECK (reason IN ('opening','receipt','sale','sale_cancelled','adjustment')),
  -- document is the number of what moved it, '' for opening balances.
  document  text NOT NULL DEFAULT '',
  at        timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, ledger_id),
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
  FOREIGN KEY (tenant_id, warehouse) REFERENCES erp.warehouse
);
CREATE INDEX stock_ledger_of_product ON erp.stock_ledger (tenant_id, product, warehouse, ledger_id);

-- Statement-level, so that a bulk load is one pass. Rows are updated in key
-- order; callers that move several rows hold their locks in that order already.
CREATE FUNCTION erp.ledger_moves_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM erp.stock s
    WHERE (s.tenant_id, s.product, s.warehouse) IN (SELECT tenant_id, product, warehouse FROM moved)
    ORDER BY s.tenant_id, s.product, s.warehouse FOR NO KEY UPDATE;
  UPDATE erp.stock s SET quantity = s.quantity + m.quantity, version = s.version + 1
    FROM (SELECT tenant_id, product, warehouse, sum(quantity) AS quantity FROM moved GROUP BY 1, 2, 3) m
    WHERE s.tenant_id = m.tenant_id AND s.product = m.product AND s.warehouse = m.warehouse;
  INSERT INTO erp.stock (tenant_id, product, warehouse, quantity)
    SELECT m.tenant_id, m.product, m.warehouse, sum(m.quantity) FROM moved m
     WHERE NOT EXISTS (SELECT FROM erp.stock s
                        WHERE s.tenant_id = m.tenant_id AND s.product = m.product AND s.warehouse = m.warehouse)
     GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_moves_stock AFTER INSERT ON erp.stock_ledger
  REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION erp.ledger_moves_stock();

CREATE FUNCTION erp.ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger rows are never changed' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON erp.stock_ledger
  FOR EACH ROW EXECUTE FUNCTION erp.ledger_is_append_only();

-- What readers see: names beside codes. security_invoker keeps row-level
-- security in force for whoever asks (Postgres 15 and newer).
CREATE VIEW erp.v_customer_discount WITH (security_invoker = true) AS
  SELECT d.tenant_id, d.key, d.customer, c.name AS customer_name, c.name_en AS customer_name_en,
         d.product, p.name AS product_name, p.name_en AS product_name_en, d.percent, d.version
    FROM erp.customer_discount d
    JOIN erp.customer c ON c.tenant_id = d.tenant_id AND c.code = d.customer
    LEFT JOIN erp.product p ON p.tenant_id = d.tenant_id AND p.code = d.product;

CREATE VIEW erp.v_stock WITH (security_invoker = true) AS
  SELECT s.tenant_id, s.key, s.product, p.name AS product_name, p.name_en AS product_name_en, p.unit, p.unit_en,
         s.warehouse, w.name AS warehouse_name, w.name_en AS warehouse_name_en, s.quantity, s.version
    FROM erp.stock s
    JOIN erp.product p ON p.tenant_id = s.tenant_id AND p.code = s.product
    JOIN erp.warehouse w ON w.tenant_id = s.tenant_id AND w.code = s.warehouse;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['customer','product','customer_discount','warehouse','stock','stock_ledger'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT ON erp.%I TO erpilot_app', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['customer','product','customer_discount','warehouse','stock'] LOOP
    EXECUTE format('GRANT UPDATE ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
GRANT DELETE ON erp.customer_discount TO erpilot_app;
GRANT SELECT ON erp.v_customer_discount, erp.v_stock TO erpilot_app;
