-- Business documents. Each kind has a table and a table of lines, and all share
-- the columns by which one engine drives them:
--   header: number, status, version, who and when;
--   line:   line_no, quantity, what has been drawn of it by the next document,
--           and the line of the document before, that it draws from.
-- draft → submitted → examined → closed, or cancelled. A submitted document has
-- its number and its promises (an order allocates stock, a delivery draws its
-- order); an examined one has its effects (stock moves, balances).
-- The last part that is drawn takes the rest of amount and tax, so the parts
-- always add up to the whole.

ALTER TABLE erp.sales_order
  DROP CONSTRAINT sales_order_status_check,
  ADD CONSTRAINT sales_order_status_check CHECK (status IN ('draft','submitted','examined','closed','cancelled')),
  ADD tax_total     numeric(18,2) NOT NULL DEFAULT 0 CHECK (tax_total >= 0 AND tax_total <= total),
  ADD exchange_rate numeric(18,8) NOT NULL DEFAULT 1 CHECK (exchange_rate > 0),
  ADD examined_by   text,
  ADD examined_at   timestamptz,
  ADD closed_at     timestamptz;
ALTER TABLE erp.sales_order_line
  -- factor is how many base units one unit of the line is.
  ADD factor       numeric(12,3) NOT NULL DEFAULT 1 CHECK (factor > 0),
  ADD tax_rate     numeric(5,2) NOT NULL DEFAULT 0 CHECK (tax_rate >= 0 AND tax_rate < 100),
  ADD tax_amount   numeric(18,2) NOT NULL DEFAULT 0 CHECK (tax_amount >= 0),
  ADD drawn        numeric(18,3) NOT NULL DEFAULT 0,
  ADD drawn_amount numeric(18,2) NOT NULL DEFAULT 0,
  ADD drawn_tax    numeric(18,2) NOT NULL DEFAULT 0,
  ADD source       text,
  ADD source_line  int,
  ADD CONSTRAINT sales_order_line_drawn CHECK (drawn >= 0 AND drawn <= quantity AND drawn_amount >= 0 AND drawn_amount <= amount
    AND drawn_tax >= 0 AND drawn_tax <= tax_amount),
  ADD CONSTRAINT sales_order_line_source CHECK ((source IS NULL) = (source_line IS NULL));
-- Two lines of one product are welcome when they come from two quotations.
ALTER TABLE erp.sales_order_line DROP CONSTRAINT sales_order_line_tenant_id_number_product_key;
CREATE UNIQUE INDEX sales_order_line_product ON erp.sales_order_line (tenant_id, number, product, unit, coalesce(source, ''), coalesce(source_line, 0));
CREATE INDEX sales_order_line_of_source ON erp.sales_order_line (tenant_id, source, source_line) WHERE source IS NOT NULL;
CREATE INDEX sales_order_open ON erp.sales_order (tenant_id, status, number);
CREATE INDEX sales_order_by_total ON erp.sales_order (tenant_id, total, number);

-- Orders of before took their goods when they were submitted. What is still open
-- gives them back and promises them instead. What is closed keeps what it took, with
-- nothing drawn: there is no delivery that drew it.
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT tenant_id FROM tenants LOOP
    PERFORM set_config('erpilot.tenant', t, true);
    INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, form, document)
      SELECT t, l.product, o.warehouse, sum(l.quantity), 'allocation', 'sales_order', o.number
        FROM erp.sales_order o JOIN erp.sales_order_line l ON l.tenant_id = o.tenant_id AND l.number = o.number
       WHERE o.tenant_id = t AND o.status = 'submitted' GROUP BY l.product, o.warehouse, o.number ORDER BY l.product, o.warehouse, o.number;
    UPDATE erp.stock s SET allocated = s.allocated + x.quantity
      FROM (SELECT l.product, o.warehouse, sum(l.quantity) AS quantity
              FROM erp.sales_order o JOIN erp.sales_order_line l ON l.tenant_id = o.tenant_id AND l.number = o.number
             WHERE o.tenant_id = t AND o.status = 'submitted' GROUP BY 1, 2) x
     WHERE s.tenant_id = t AND s.product = x.product AND s.warehouse = x.warehouse;
    UPDATE erp.sales_order SET closed_at = created_at WHERE tenant_id = t AND status = 'closed';
  END LOOP;
END $$;

-- make_document makes the tables of one kind; it is dropped at the end of this file.
CREATE FUNCTION erp.make_document(form text, prefix text, header text, partner text, priced boolean, warehouse boolean) RETURNS void LANGUAGE plpgsql AS $f$
DECLARE money text := ''; line_money text := ''; who text := '';
BEGIN
  IF partner <> '' THEN
    who := format($q$ %1$I text NOT NULL, FOREIGN KEY (tenant_id, %1$I) REFERENCES erp.%1$I, currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
      exchange_rate numeric(18,8) NOT NULL DEFAULT 1 CHECK (exchange_rate > 0), $q$, partner);
    money := $q$ total numeric(18,2) NOT NULL CHECK (total >= 0), $q$;
  END IF;
  IF priced THEN
    money := money || $q$ tax_total numeric(18,2) NOT NULL DEFAULT 0 CHECK (tax_total >= 0 AND tax_total <= total), $q$;
    line_money := $q$ base_price numeric(18,4) NOT NULL CHECK (base_price >= 0), discount numeric(5,2) NOT NULL DEFAULT 0 CHECK (discount BETWEEN 0 AND 100),
      unit_price numeric(18,4) NOT NULL CHECK (unit_price >= 0), amount numeric(18,2) NOT NULL CHECK (amount >= 0),
      tax_rate numeric(5,2) NOT NULL DEFAULT 0 CHECK (tax_rate >= 0 AND tax_rate < 100), tax_amount numeric(18,2) NOT NULL DEFAULT 0 CHECK (tax_amount BETWEEN 0 AND amount),
      drawn_amount numeric(18,2) NOT NULL DEFAULT 0 CHECK (drawn_amount BETWEEN 0 AND amount),
      drawn_tax numeric(18,2) NOT NULL DEFAULT 0 CHECK (drawn_tax BETWEEN 0 AND tax_amount), $q$;
  END IF;
  IF warehouse THEN
    who := who || ' warehouse text NOT NULL, FOREIGN KEY (tenant_id, warehouse) REFERENCES erp.warehouse, ';
  END IF;
  EXECUTE format($q$
    CREATE TABLE erp.%1$I (
      tenant_id     text NOT NULL REFERENCES tenants,
      number        text NOT NULL CHECK (number ~ '^%2$s-[0-9]{6,}$'),
      status        text NOT NULL CHECK (status IN ('draft','submitted','examined','closed','cancelled')),
      %3$s %4$s %5$s
      remark        text NOT NULL DEFAULT '' CHECK (length(remark) <= 500),
      cancel_reason text NOT NULL DEFAULT '' CHECK (length(cancel_reason) <= 200),
      created_by    text NOT NULL,
      created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
      examined_by   text,
      examined_at   timestamptz,
      closed_at     timestamptz,
      cancelled_at  timestamptz,
      version       bigint NOT NULL DEFAULT 1 CHECK (version > 0),
      PRIMARY KEY (tenant_id, number),
      FOREIGN KEY (tenant_id, created_by) REFERENCES erp.users,
      CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
      CHECK (status <> 'examined' OR examined_at IS NOT NULL)
    )$q$, form, prefix, who, header, money);
  EXECUTE format($q$
    CREATE TABLE erp.%1$I (
      tenant_id   text NOT NULL,
      number      text NOT NULL,
      line_no     int NOT NULL CHECK (line_no BETWEEN 1 AND 500),
      product     text NOT NULL,
      product_name text NOT NULL,
      unit        text NOT NULL,
      factor      numeric(12,3) NOT NULL DEFAULT 1 CHECK (factor > 0),
      quantity    numeric(18,3) NOT NULL CHECK (quantity <> 0),
      %2$s
      drawn       numeric(18,3) NOT NULL DEFAULT 0,
      source      text,
      source_line int,
      PRIMARY KEY (tenant_id, number, line_no),
      FOREIGN KEY (tenant_id, number) REFERENCES erp.%3$I ON DELETE CASCADE,
      FOREIGN KEY (tenant_id, product) REFERENCES erp.product,
      CHECK (drawn >= 0 AND drawn <= abs(quantity)),
      CHECK ((source IS NULL) = (source_line IS NULL))
    )$q$, form || '_line', line_money, form);
  EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, status, number)', form || '_by_status', form);
  EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, product)', form || '_line_of_product', form || '_line');
  EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, source, source_line) WHERE source IS NOT NULL', form || '_line_of_source', form || '_line');
  IF partner <> '' THEN
    EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, %I, number)', form || '_of_partner', form, partner);
  END IF;
END $f$;

SELECT erp.make_document('quotation', 'QT', $h$
  quotation_date date NOT NULL, valid_until date NOT NULL, CHECK (valid_until >= quotation_date), $h$, 'customer', true, false);
SELECT erp.make_document('delivery', 'DN', $h$ delivery_date date NOT NULL, $h$, 'customer', true, true);
SELECT erp.make_document('receivable', 'AR', $h$
  invoice_date date NOT NULL, due_date date NOT NULL, CHECK (due_date >= invoice_date),
  -- settled is what examined receipts have paid.
  settled numeric(18,2) NOT NULL DEFAULT 0 CHECK (settled >= 0 AND settled <= total),
  open_amount numeric(18,2) GENERATED ALWAYS AS (total - settled) STORED, $h$, 'customer', true, false);
SELECT erp.make_document('purchase_order', 'PO', $h$
  order_date date NOT NULL, expected_date date NOT NULL, CHECK (expected_date >= order_date), $h$, 'supplier', true, true);
SELECT erp.make_document('goods_receipt', 'GR', $h$ receipt_date date NOT NULL, $h$, 'supplier', true, true);
SELECT erp.make_document('payable', 'AP', $h$
  invoice_date date NOT NULL, due_date date NOT NULL, CHECK (due_date >= invoice_date),
  settled numeric(18,2) NOT NULL DEFAULT 0 CHECK (settled >= 0 AND settled <= total),
  open_amount numeric(18,2) GENERATED ALWAYS AS (total - settled) STORED, $h$, 'supplier', true, false);
-- Quantities of an adjustment are signed; all others are positive.
SELECT erp.make_document('stock_adjustment', 'SA', $h$
  adjustment_date date NOT NULL, reason text NOT NULL CHECK (reason IN ('count','damage','sample','correction')), $h$, '', false, true);
SELECT erp.make_document('stock_transfer', 'ST', $h$
  transfer_date date NOT NULL, to_warehouse text NOT NULL, FOREIGN KEY (tenant_id, to_warehouse) REFERENCES erp.warehouse,
  CHECK (to_warehouse <> warehouse), $h$, '', false, true);
SELECT erp.make_document('production_order', 'MO', $h$
  start_date date NOT NULL, due_date date NOT NULL, CHECK (due_date >= start_date), $h$, '', false, true);
SELECT erp.make_document('production_report', 'MR', $h$ report_date date NOT NULL, $h$, '', false, true);
DROP FUNCTION erp.make_document;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['quotation','delivery','receivable','purchase_order','goods_receipt','payable','stock_transfer','production_order','production_report'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ADD CHECK (quantity > 0)', t || '_line');
  END LOOP;
END $$;
CREATE INDEX quotation_by_date ON erp.quotation (tenant_id, quotation_date, number);
CREATE INDEX delivery_by_date ON erp.delivery (tenant_id, delivery_date, number);
CREATE INDEX purchase_order_by_date ON erp.purchase_order (tenant_id, order_date, number);
CREATE INDEX goods_receipt_by_date ON erp.goods_receipt (tenant_id, receipt_date, number);
CREATE INDEX receivable_open ON erp.receivable (tenant_id, due_date, number) WHERE status = 'examined' AND settled < total;
CREATE INDEX payable_open ON erp.payable (tenant_id, due_date, number) WHERE status = 'examined' AND settled < total;

-- Money that came in or went out, and what it settles.
DO $d$
DECLARE k record;
BEGIN
  FOR k IN SELECT * FROM (VALUES ('receipt','RC','customer','receivable'), ('payment','PY','supplier','payable')) v(form, prefix, partner, settles) LOOP
    EXECUTE format($q$
      CREATE TABLE erp.%1$I (
        tenant_id     text NOT NULL REFERENCES tenants,
        number        text NOT NULL CHECK (number ~ '^%2$s-[0-9]{6,}$'),
        status        text NOT NULL CHECK (status IN ('draft','submitted','examined','closed','cancelled')),
        %3$I          text NOT NULL,
        currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
        exchange_rate numeric(18,8) NOT NULL DEFAULT 1 CHECK (exchange_rate > 0),
        %1$s_date     date NOT NULL,
        method        text NOT NULL CHECK (method IN ('transfer','cash','card','bill')),
        reference     text NOT NULL DEFAULT '' CHECK (length(reference) <= 100),
        total         numeric(18,2) NOT NULL CHECK (total > 0),
        remark        text NOT NULL DEFAULT '' CHECK (length(remark) <= 500),
        cancel_reason text NOT NULL DEFAULT '' CHECK (length(cancel_reason) <= 200),
        created_by    text NOT NULL,
        created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        examined_by   text,
        examined_at   timestamptz,
        closed_at     timestamptz,
        cancelled_at  timestamptz,
        version       bigint NOT NULL DEFAULT 1 CHECK (version > 0),
        PRIMARY KEY (tenant_id, number),
        FOREIGN KEY (tenant_id, created_by) REFERENCES erp.users,
        FOREIGN KEY (tenant_id, %3$I) REFERENCES erp.%3$I,
        CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
        CHECK (status <> 'examined' OR examined_at IS NOT NULL)
      )$q$, k.form, k.prefix, k.partner);
    EXECUTE format($q$
      CREATE TABLE erp.%1$I (
        tenant_id text NOT NULL,
        number    text NOT NULL,
        line_no   int NOT NULL CHECK (line_no BETWEEN 1 AND 500),
        source    text NOT NULL,
        amount    numeric(18,2) NOT NULL CHECK (amount > 0),
        PRIMARY KEY (tenant_id, number, line_no),
        UNIQUE (tenant_id, number, source),
        FOREIGN KEY (tenant_id, number) REFERENCES erp.%2$I ON DELETE CASCADE,
        FOREIGN KEY (tenant_id, source) REFERENCES erp.%3$I
      )$q$, k.form || '_line', k.form, k.settles);
    EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, source)', k.form || '_line_of_source', k.form || '_line');
    EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, status, number)', k.form || '_by_status', k.form);
    EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, %I, number)', k.form || '_of_partner', k.form, k.partner);
    EXECUTE format('CREATE INDEX %I ON erp.%I (tenant_id, %I, number)', k.form || '_by_date', k.form, k.form || '_date');
  END LOOP;
END $d$;

-- Which document a line may draw from.
ALTER TABLE erp.sales_order_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.quotation_line;
ALTER TABLE erp.delivery_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.sales_order_line;
ALTER TABLE erp.receivable_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.delivery_line;
ALTER TABLE erp.goods_receipt_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.purchase_order_line;
ALTER TABLE erp.payable_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.goods_receipt_line;
ALTER TABLE erp.production_report_line ADD FOREIGN KEY (tenant_id, source, source_line) REFERENCES erp.production_order_line;

DO $$
DECLARE d text; t text;
BEGIN
  FOREACH d IN ARRAY ARRAY['quotation','delivery','receivable','receipt','purchase_order','goods_receipt','payable','payment',
      'stock_adjustment','stock_transfer','production_order','production_report'] LOOP
    FOREACH t IN ARRAY ARRAY[d, d || '_line'] LOOP
      EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
      EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
      EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON erp.%I TO erpilot_app', t);
    END LOOP;
  END LOOP;
END $$;
GRANT UPDATE, DELETE ON erp.sales_order_line TO erpilot_app;
GRANT DELETE ON erp.sales_order TO erpilot_app;
