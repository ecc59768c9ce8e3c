-- Partners, prices, tax, currencies and units, and stock that is promised.
-- Prices include tax, as is usual in domestic trade: tax is a part of an amount,
-- amount × rate ÷ (100 + rate), and never adds to it.

CREATE TABLE erp.currency (
  tenant_id text NOT NULL REFERENCES tenants,
  code      text NOT NULL CHECK (code ~ '^[A-Z]{3}$'),
  name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_en   text NOT NULL DEFAULT '' CHECK (length(name_en) <= 100),
  -- digits is the number of decimals of an amount: yuan 2, yen 0 (ISO 4217).
  digits    smallint NOT NULL DEFAULT 2 CHECK (digits BETWEEN 0 AND 4),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code)
);

-- rate is the worth of one unit in the tenant's own currency, from that day on.
CREATE TABLE erp.exchange_rate (
  tenant_id  text NOT NULL,
  code       text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  currency   text NOT NULL,
  valid_from date NOT NULL,
  rate       numeric(18,8) NOT NULL CHECK (rate > 0),
  version    bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code),
  UNIQUE (tenant_id, currency, valid_from),
  FOREIGN KEY (tenant_id, currency) REFERENCES erp.currency
);

CREATE TABLE erp.tax (
  tenant_id text NOT NULL REFERENCES tenants,
  code      text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  name      text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  name_en   text NOT NULL DEFAULT '' CHECK (length(name_en) <= 100),
  rate      numeric(5,2) NOT NULL CHECK (rate >= 0 AND rate < 100),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code)
);

ALTER TABLE erp.customer
  ADD payment_days int NOT NULL DEFAULT 30 CHECK (payment_days BETWEEN 0 AND 365),
  ADD tax_exempt   boolean NOT NULL DEFAULT false;
ALTER TABLE erp.product
  -- tax is NULL for what is not taxed.
  ADD tax  text,
  -- made says that the product is produced here, by its bill of material.
  ADD made boolean NOT NULL DEFAULT false,
  ADD FOREIGN KEY (tenant_id, tax) REFERENCES erp.tax;
ALTER TABLE erp.warehouse ADD active boolean NOT NULL DEFAULT true, ADD version bigint NOT NULL DEFAULT 1 CHECK (version > 0);

-- Other units of a product: 1 unit is factor base units (a case of 12 boxes).
CREATE TABLE erp.product_unit (
  tenant_id text NOT NULL,
  key       text GENERATED ALWAYS AS (product || '/' || unit) STORED,
  product   text NOT NULL,
  unit      text NOT NULL CHECK (length(unit) BETWEEN 1 AND 20 AND unit !~ '/'),
  unit_en   text NOT NULL DEFAULT '' CHECK (length(unit_en) <= 20),
  factor    numeric(12,3) NOT NULL CHECK (factor > 0),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, key),
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product
);

-- A price list: for one customer or, customer NULL, for all; from a quantity on
-- (in base units), between two days. The customer's own wins over the general
-- one, then the largest min_quantity, then the newest valid_from. Discounts are
-- taken off whichever price holds.
CREATE TABLE erp.customer_price (
  tenant_id    text NOT NULL REFERENCES tenants,
  code         text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  customer     text,
  product      text NOT NULL,
  min_quantity numeric(18,3) NOT NULL DEFAULT 0 CHECK (min_quantity >= 0),
  price        numeric(18,4) NOT NULL CHECK (price >= 0),
  valid_from   date NOT NULL,
  valid_until  date,
  version      bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code),
  UNIQUE NULLS NOT DISTINCT (tenant_id, customer, product, min_quantity, valid_from),
  FOREIGN KEY (tenant_id, customer) REFERENCES erp.customer,
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
  CHECK (valid_until IS NULL OR valid_until >= valid_from)
);
CREATE INDEX customer_price_of_product ON erp.customer_price (tenant_id, product);

-- "No price in the list" is a fact that a quote relies on, and cannot be locked.
-- So whoever changes what prices a product locks the product, and whoever prices
-- holds it in share mode. The same for rates and their currency.
CREATE FUNCTION erp.price_locks_product() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM erp.product
    WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id) AND code IN (NEW.product, OLD.product) ORDER BY code
    FOR NO KEY UPDATE;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER price_locks_product BEFORE INSERT OR UPDATE OR DELETE ON erp.customer_price
  FOR EACH ROW EXECUTE FUNCTION erp.price_locks_product();
CREATE TRIGGER price_locks_product BEFORE INSERT OR UPDATE OR DELETE ON erp.product_unit
  FOR EACH ROW EXECUTE FUNCTION erp.price_locks_product();
CREATE FUNCTION erp.rate_locks_currency() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM erp.currency
    WHERE tenant_id = coalesce(NEW.tenant_id, OLD.tenant_id) AND code IN (NEW.currency, OLD.currency) ORDER BY code
    FOR NO KEY UPDATE;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE TRIGGER rate_locks_currency BEFORE INSERT OR UPDATE OR DELETE ON erp.exchange_rate
  FOR EACH ROW EXECUTE FUNCTION erp.rate_locks_currency();

CREATE TABLE erp.supplier (
  tenant_id    text NOT NULL REFERENCES tenants,
  code         text NOT NULL CHECK (code ~ '^[A-Z0-9][A-Z0-9-]{0,31}$'),
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  name_en      text NOT NULL DEFAULT '' CHECK (length(name_en) <= 200),
  contact      text NOT NULL DEFAULT '' CHECK (length(contact) <= 100),
  phone        text NOT NULL DEFAULT '' CHECK (length(phone) <= 40),
  email        text NOT NULL DEFAULT '' CHECK (length(email) <= 200),
  currency     text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  payment_days int NOT NULL DEFAULT 30 CHECK (payment_days BETWEEN 0 AND 365),
  active       boolean NOT NULL DEFAULT true,
  version      bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, code)
);

-- What a supplier asks for a base unit, in the supplier's currency.
CREATE TABLE erp.supplier_price (
  tenant_id text NOT NULL,
  key       text GENERATED ALWAYS AS (supplier || '/' || product) STORED,
  supplier  text NOT NULL,
  product   text NOT NULL,
  price     numeric(18,4) NOT NULL CHECK (price >= 0),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, key),
  FOREIGN KEY (tenant_id, supplier) REFERENCES erp.supplier,
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product
);
CREATE TRIGGER price_locks_product BEFORE INSERT OR UPDATE OR DELETE ON erp.supplier_price
  FOR EACH ROW EXECUTE FUNCTION erp.price_locks_product();

-- What goes into one base unit of a product that is made.
CREATE TABLE erp.bill_of_material (
  tenant_id text NOT NULL,
  key       text GENERATED ALWAYS AS (product || '/' || material) STORED,
  product   text NOT NULL,
  material  text NOT NULL,
  quantity  numeric(18,6) NOT NULL CHECK (quantity > 0),
  version   bigint NOT NULL DEFAULT 1 CHECK (version > 0),
  PRIMARY KEY (tenant_id, key),
  FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
  FOREIGN KEY (tenant_id, material) REFERENCES erp.product,
  CHECK (product <> material)
);
CREATE TRIGGER price_locks_product BEFORE INSERT OR UPDATE OR DELETE ON erp.bill_of_material
  FOR EACH ROW EXECUTE FUNCTION erp.price_locks_product();

-- quantity is what lies in the warehouse; allocated is promised to orders that
-- are not delivered; available is what may still be promised.
ALTER TABLE erp.stock
  ADD allocated numeric(18,3) NOT NULL DEFAULT 0,
  ADD available numeric(18,3) GENERATED ALWAYS AS (quantity - allocated) STORED,
  ADD CONSTRAINT stock_allocation CHECK (allocated >= 0 AND allocated <= quantity);

ALTER TABLE erp.stock_ledger
  DROP CONSTRAINT stock_ledger_reason_check,
  ADD CONSTRAINT stock_ledger_reason_check CHECK (reason IN
    ('opening','receipt','sale','sale_cancelled','adjustment','transfer','production','consumption','allocation')),
  -- form is the kind of the document, '' for opening balances and what came before.
  ADD form     text NOT NULL DEFAULT '',
  -- reversal: an earlier row taken back (unexamine).
  ADD reversal boolean NOT NULL DEFAULT false,
  -- balance is the level of product and warehouse after the row.
  ADD balance  numeric(18,3);
CREATE INDEX stock_ledger_of_document ON erp.stock_ledger (tenant_id, document) WHERE document <> '';

-- Now row by row, so that each row knows the level after it. Rows are inserted in
-- key order by callers that hold their locks in that order already. A bulk load
-- brings balance and stock itself and switches the trigger off.
DROP TRIGGER ledger_moves_stock ON erp.stock_ledger;
DROP FUNCTION erp.ledger_moves_stock();
CREATE FUNCTION erp.ledger_moves_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- The UPDATE comes first: an INSERT checks its row before it finds the conflict,
  -- and what is taken away is no level.
  UPDATE erp.stock s SET quantity = s.quantity + NEW.quantity, version = s.version + 1
    WHERE s.tenant_id = NEW.tenant_id AND s.product = NEW.product AND s.warehouse = NEW.warehouse
    RETURNING s.quantity INTO NEW.balance;
  IF NOT FOUND THEN
    INSERT INTO erp.stock AS s (tenant_id, product, warehouse, quantity)
      VALUES (NEW.tenant_id, NEW.product, NEW.warehouse, NEW.quantity)
      ON CONFLICT (tenant_id, product, warehouse) DO UPDATE SET quantity = s.quantity + NEW.quantity, version = s.version + 1
      RETURNING s.quantity INTO NEW.balance;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_moves_stock BEFORE INSERT ON erp.stock_ledger FOR EACH ROW EXECUTE FUNCTION erp.ledger_moves_stock();

ALTER TABLE erp.stock_ledger DISABLE TRIGGER ledger_append_only;
-- Owners are held to row-level security too, so each tenant is walked by itself.
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT tenant_id FROM tenants LOOP
    PERFORM set_config('erpilot.tenant', t, true);
    UPDATE erp.stock_ledger l SET balance = x.balance
      FROM (SELECT tenant_id, ledger_id, sum(quantity) OVER (PARTITION BY product, warehouse ORDER BY ledger_id) AS balance
              FROM erp.stock_ledger WHERE tenant_id = t) x
     WHERE x.tenant_id = l.tenant_id AND x.ledger_id = l.ledger_id;
  END LOOP;
END $$;
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE erp.stock_ledger ENABLE TRIGGER ledger_append_only;
ALTER TABLE erp.stock_ledger ALTER balance SET NOT NULL;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['currency','exchange_rate','tax','product_unit','customer_price','supplier','supplier_price','bill_of_material'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
GRANT DELETE ON erp.customer, erp.product, erp.warehouse TO erpilot_app;

-- What readers see of masters: names beside codes.
DROP VIEW erp.v_stock;
CREATE VIEW erp.v_stock WITH (security_invoker = true) AS
  SELECT s.tenant_id, s.key, s.product, p.name AS product_name, p.name_en AS product_name_en, p.unit, p.unit_en,
         s.warehouse, w.name AS warehouse_name, w.name_en AS warehouse_name_en, s.quantity, s.allocated, s.available, s.version
    FROM erp.stock s
    LEFT JOIN erp.product p ON p.tenant_id = s.tenant_id AND p.code = s.product
    LEFT JOIN erp.warehouse w ON w.tenant_id = s.tenant_id AND w.code = s.warehouse;

CREATE VIEW erp.v_product_unit WITH (security_invoker = true) AS
  SELECT u.tenant_id, u.key, u.product, p.name AS product_name, p.name_en AS product_name_en, u.unit, u.unit_en, u.factor,
         p.unit AS base_unit, p.unit_en AS base_unit_en, u.version
    FROM erp.product_unit u
    LEFT JOIN erp.product p ON p.tenant_id = u.tenant_id AND p.code = u.product;

CREATE VIEW erp.v_customer_price WITH (security_invoker = true) AS
  SELECT x.tenant_id, x.code, x.customer, c.name AS customer_name, c.name_en AS customer_name_en,
         x.product, p.name AS product_name, p.name_en AS product_name_en, x.min_quantity, x.price, p.currency, p.unit, p.unit_en,
         x.valid_from, x.valid_until, x.version
    FROM erp.customer_price x
    LEFT JOIN erp.customer c ON c.tenant_id = x.tenant_id AND c.code = x.customer
    LEFT JOIN erp.product p ON p.tenant_id = x.tenant_id AND p.code = x.product;

CREATE VIEW erp.v_supplier_price WITH (security_invoker = true) AS
  SELECT x.tenant_id, x.key, x.supplier, s.name AS supplier_name, s.name_en AS supplier_name_en,
         x.product, p.name AS product_name, p.name_en AS product_name_en, x.price, s.currency, p.unit, p.unit_en, x.version
    FROM erp.supplier_price x
    LEFT JOIN erp.supplier s ON s.tenant_id = x.tenant_id AND s.code = x.supplier
    LEFT JOIN erp.product p ON p.tenant_id = x.tenant_id AND p.code = x.product;

CREATE VIEW erp.v_bill_of_material WITH (security_invoker = true) AS
  SELECT b.tenant_id, b.key, b.product, p.name AS product_name, p.name_en AS product_name_en,
         b.material, m.name AS material_name, m.name_en AS material_name_en, b.quantity, m.unit, m.unit_en, b.version
    FROM erp.bill_of_material b
    LEFT JOIN erp.product p ON p.tenant_id = b.tenant_id AND p.code = b.product
    LEFT JOIN erp.product m ON m.tenant_id = b.tenant_id AND m.code = b.material;

CREATE VIEW erp.v_exchange_rate WITH (security_invoker = true) AS
  SELECT x.tenant_id, x.code, x.currency, c.name AS currency_name, c.name_en AS currency_name_en, x.valid_from, x.rate, x.version
    FROM erp.exchange_rate x
    LEFT JOIN erp.currency c ON c.tenant_id = x.tenant_id AND c.code = x.currency;

GRANT SELECT ON erp.v_stock, erp.v_product_unit, erp.v_customer_price, erp.v_supplier_price, erp.v_bill_of_material, erp.v_exchange_rate TO erpilot_app;
