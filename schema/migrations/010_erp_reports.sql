-- Reports: views that answer a prebuilt question. Each has its tenant first and a
-- text key that stays the same from page to page. Every one is grouped by the
-- tenant, so the reader's condition goes down to the indexes. "Today" is the
-- tenant's date. Amounts of different currencies are never added up.

-- Names are joined by LEFT JOIN on a key: a count, which shows none, leaves the
-- join out.
-- All of it stands in a block because the tables of documents are made in one,
-- which tools that read this schema do not look into.
DO $reports$
BEGIN
  -- What a report is asked by is a column and no expression: under row-level security
  -- an index is not entered by what a function that may leak (lpad, ||) makes of a row.
  ALTER TABLE erp.stock_ledger ADD key text GENERATED ALWAYS AS (lpad(ledger_id::text, 12, '0')) STORED;
  CREATE UNIQUE INDEX stock_ledger_by_key ON erp.stock_ledger (tenant_id, key);
  CREATE INDEX stock_ledger_by_time ON erp.stock_ledger (tenant_id, at, key);
  ALTER TABLE erp.sales_order_line ADD key text GENERATED ALWAYS AS (number || '/' || line_no::text) STORED;
  CREATE UNIQUE INDEX sales_order_line_by_key ON erp.sales_order_line (tenant_id, key);
  ALTER TABLE erp.production_order_line ADD key text GENERATED ALWAYS AS (number || '/' || line_no::text) STORED;
  CREATE UNIQUE INDEX production_order_line_by_key ON erp.production_order_line (tenant_id, key);
  ALTER TABLE erp.delivery ADD delivery_year int GENERATED ALWAYS AS (extract(year FROM delivery_date)::int) STORED;
  CREATE INDEX delivery_by_year ON erp.delivery (tenant_id, delivery_year, customer);

  DECLARE k record;
  BEGIN
    FOR k IN SELECT * FROM (VALUES ('ar_ageing','receivable','customer'), ('ap_ageing','payable','supplier')) v(report, document, partner) LOOP
      -- What is settled is not read: the condition is the one of the partial index.
      EXECUTE format($q$
        CREATE VIEW erp.%I WITH (security_invoker = true) AS
          SELECT r.tenant_id, r.%3$I || '/' || r.currency AS key, r.%3$I, p.name AS %4$I, p.name_en AS %5$I, r.currency,
                 count(*) AS documents,
                 coalesce(sum(r.total - r.settled) FILTER (WHERE r.due_date >= d.today), 0) AS not_due,
                 coalesce(sum(r.total - r.settled) FILTER (WHERE d.today - r.due_date BETWEEN 1 AND 30), 0) AS days_1_30,
                 coalesce(sum(r.total - r.settled) FILTER (WHERE d.today - r.due_date BETWEEN 31 AND 60), 0) AS days_31_60,
                 coalesce(sum(r.total - r.settled) FILTER (WHERE d.today - r.due_date BETWEEN 61 AND 90), 0) AS days_61_90,
                 coalesce(sum(r.total - r.settled) FILTER (WHERE d.today - r.due_date > 90), 0) AS days_over_90,
                 sum(r.total - r.settled) AS total
            FROM erp.%2$I r
            JOIN tenants n ON n.tenant_id = r.tenant_id
            CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE n.time_zone)::date AS today) d
            LEFT JOIN erp.%3$I p ON p.tenant_id = r.tenant_id AND p.code = r.%3$I
           WHERE r.status = 'examined' AND r.settled < r.total
           GROUP BY r.tenant_id, r.%3$I, r.currency, p.name, p.name_en
        $q$, 'v_' || k.report, k.document, k.partner, k.partner || '_name', k.partner || '_name_en');
    END LOOP;
  END;

  CREATE VIEW erp.v_overdue_receivables WITH (security_invoker = true) AS
    SELECT r.tenant_id, r.number AS key, r.number AS receivable, r.customer, c.name AS customer_name, c.name_en AS customer_name_en,
           c.contact, c.phone, r.invoice_date, r.due_date, d.today - r.due_date AS days_overdue,
           r.total, r.settled, r.total - r.settled AS open_amount, r.currency
      FROM erp.receivable r
      JOIN tenants n ON n.tenant_id = r.tenant_id
      CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE n.time_zone)::date AS today) d
      LEFT JOIN erp.customer c ON c.tenant_id = r.tenant_id AND c.code = r.customer
     WHERE r.status = 'examined' AND r.settled < r.total AND r.due_date < d.today;

  CREATE VIEW erp.v_stock_on_hand WITH (security_invoker = true) AS
    SELECT s.tenant_id, s.key, s.product, p.name AS product_name, p.name_en AS product_name_en, p.category,
           s.warehouse, w.name AS warehouse_name, w.name_en AS warehouse_name_en, s.quantity, s.allocated, s.available, p.unit, p.unit_en,
           p.base_price, round(s.quantity * p.base_price, 2) AS value, p.currency
      FROM erp.stock s
      LEFT JOIN erp.product p ON p.tenant_id = s.tenant_id AND p.code = s.product
      LEFT JOIN erp.warehouse w ON w.tenant_id = s.tenant_id AND w.code = s.warehouse;

  CREATE VIEW erp.v_stock_ledger WITH (security_invoker = true) AS
    SELECT l.tenant_id, l.key, l.at, l.product, p.name AS product_name, p.name_en AS product_name_en,
           l.warehouse, w.name AS warehouse_name, w.name_en AS warehouse_name_en, l.reason, l.reversal, l.quantity, l.balance, p.unit, p.unit_en,
           nullif(l.form, '') AS document_form, nullif(l.document, '') AS document
      FROM erp.stock_ledger l
      LEFT JOIN erp.product p ON p.tenant_id = l.tenant_id AND p.code = l.product
      LEFT JOIN erp.warehouse w ON w.tenant_id = l.tenant_id AND w.code = l.warehouse;

  -- Delivered is what examined deliveries took: what is drawn, less what waits in
  -- deliveries that are not examined.
  CREATE VIEW erp.v_order_progress WITH (security_invoker = true) AS
    SELECT x.tenant_id, x.key, x.sales_order, x.line_no, x.customer, c.name AS customer_name, c.name_en AS customer_name_en,
           x.product, p.name AS product_name, p.name_en AS product_name_en, x.unit,
           coalesce(u.unit_en, p.unit_en) AS unit_en, x.status, x.order_date, x.delivery_date,
           x.ordered, x.delivered, x.invoiced, x.remaining,
           trunc(x.delivered * 100 / x.ordered, 1) AS percent,
           (x.remaining > 0 AND x.delivery_date < x.today) AS late
      FROM (SELECT o.tenant_id, l.key, o.number AS sales_order, l.line_no, o.customer, l.product, l.unit,
                   o.status, o.order_date, o.delivery_date, d.today, l.quantity AS ordered, f.delivered, i.invoiced,
                   CASE WHEN o.status = 'closed' THEN 0 ELSE l.quantity - f.delivered END AS remaining
              FROM erp.sales_order_line l
              JOIN erp.sales_order o ON o.tenant_id = l.tenant_id AND o.number = l.number
              JOIN tenants n ON n.tenant_id = l.tenant_id
              CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE n.time_zone)::date AS today) d
              LEFT JOIN LATERAL (
                SELECT l.drawn - coalesce(sum(dl.quantity), 0) AS delivered
                  FROM erp.delivery_line dl JOIN erp.delivery h ON h.tenant_id = dl.tenant_id AND h.number = dl.number AND h.status IN ('draft','submitted')
                 WHERE dl.tenant_id = l.tenant_id AND dl.source = l.number AND dl.source_line = l.line_no) f ON true
              LEFT JOIN LATERAL (
                SELECT coalesce(sum(rl.quantity), 0) AS invoiced
                  FROM erp.delivery_line dl
                  JOIN erp.receivable_line rl ON rl.tenant_id = dl.tenant_id AND rl.source = dl.number AND rl.source_line = dl.line_no
                  JOIN erp.receivable h ON h.tenant_id = rl.tenant_id AND h.number = rl.number AND h.status IN ('examined','closed')
                 WHERE dl.tenant_id = l.tenant_id AND dl.source = l.number AND dl.source_line = l.line_no) i ON true
             WHERE o.status IN ('submitted','examined','closed')) x
      LEFT JOIN erp.customer c ON c.tenant_id = x.tenant_id AND c.code = x.customer
      LEFT JOIN erp.product p ON p.tenant_id = x.tenant_id AND p.code = x.product
      LEFT JOIN erp.product_unit u ON u.tenant_id = x.tenant_id AND u.key = x.product || '/' || x.unit;

  CREATE VIEW erp.v_production_progress WITH (security_invoker = true) AS
    SELECT x.tenant_id, x.key, x.production_order, x.line_no, x.product, p.name AS product_name, p.name_en AS product_name_en, x.unit,
           coalesce(u.unit_en, p.unit_en) AS unit_en, x.warehouse, x.status, x.start_date, x.due_date, x.ordered, x.produced, x.remaining,
           trunc(x.produced * 100 / x.ordered, 1) AS percent,
           (x.remaining > 0 AND x.due_date < x.today) AS late
      FROM (SELECT o.tenant_id, l.key, o.number AS production_order, l.line_no, l.product, l.unit, o.warehouse,
                   o.status, o.start_date, o.due_date, d.today, l.quantity AS ordered, f.produced,
                   CASE WHEN o.status = 'closed' THEN 0 ELSE l.quantity - f.produced END AS remaining
              FROM erp.production_order_line l
              JOIN erp.production_order o ON o.tenant_id = l.tenant_id AND o.number = l.number
              JOIN tenants n ON n.tenant_id = l.tenant_id
              CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE n.time_zone)::date AS today) d
              LEFT JOIN LATERAL (
                SELECT l.drawn - coalesce(sum(rl.quantity), 0) AS produced
                  FROM erp.production_report_line rl
                  JOIN erp.production_report h ON h.tenant_id = rl.tenant_id AND h.number = rl.number AND h.status IN ('draft','submitted')
                 WHERE rl.tenant_id = l.tenant_id AND rl.source = l.number AND rl.source_line = l.line_no) f ON true
             WHERE o.status IN ('submitted','examined','closed')) x
      LEFT JOIN erp.product p ON p.tenant_id = x.tenant_id AND p.code = x.product
      LEFT JOIN erp.product_unit u ON u.tenant_id = x.tenant_id AND u.key = x.product || '/' || x.unit;

  -- What was sold is what was delivered: examined deliveries, closed ones among them.
  -- Codes are added up first and named afterwards: a few groups fit in memory, where
  -- sorting every delivery with its names does not.
  CREATE VIEW erp.v_sales_by_customer WITH (security_invoker = true) AS
    SELECT g.tenant_id, g.year::text || '/' || g.customer || '/' || g.currency AS key, g.year, g.customer, c.name AS customer_name, c.name_en AS customer_name_en,
           c.region, g.currency, g.deliveries, g.amount, g.tax, g.amount - g.tax AS net, g.last_delivery
      FROM (SELECT d.tenant_id, d.delivery_year AS year, d.customer, d.currency, count(*) AS deliveries, sum(d.total) AS amount, sum(d.tax_total) AS tax,
                   max(d.delivery_date) AS last_delivery
              FROM erp.delivery d
             WHERE d.status IN ('examined','closed')
             GROUP BY d.tenant_id, d.delivery_year, d.customer, d.currency) g
      LEFT JOIN erp.customer c ON c.tenant_id = g.tenant_id AND c.code = g.customer;

  CREATE VIEW erp.v_sales_by_product WITH (security_invoker = true) AS
    SELECT g.tenant_id, g.year::text || '/' || g.product || '/' || g.currency AS key, g.year, g.product, p.name AS product_name, p.name_en AS product_name_en,
           p.category, g.currency, g.lines, g.quantity, p.unit, p.unit_en, g.amount, g.tax, g.amount - g.tax AS net
      FROM (SELECT d.tenant_id, d.delivery_year AS year, l.product, d.currency, count(*) AS lines, sum(l.quantity * l.factor) AS quantity,
                   sum(l.amount) AS amount, sum(l.tax_amount) AS tax
              FROM erp.delivery d
              JOIN erp.delivery_line l ON l.tenant_id = d.tenant_id AND l.number = d.number
             WHERE d.status IN ('examined','closed')
             GROUP BY d.tenant_id, d.delivery_year, l.product, d.currency) g
      LEFT JOIN erp.product p ON p.tenant_id = g.tenant_id AND p.code = g.product;

  CREATE VIEW erp.v_sales_by_month WITH (security_invoker = true) AS
    SELECT g.tenant_id, m.month || '/' || g.currency AS key, m.month, g.year, g.currency, g.deliveries, g.customers, g.amount, g.tax, g.amount - g.tax AS net
      FROM (SELECT e.tenant_id, e.year, e.month, e.currency, sum(e.deliveries)::bigint AS deliveries, count(*) AS customers, sum(e.amount) AS amount, sum(e.tax) AS tax
              FROM (SELECT d.tenant_id, d.delivery_year AS year, extract(month FROM d.delivery_date)::int AS month, d.currency, d.customer,
                           count(*) AS deliveries, sum(d.total) AS amount, sum(d.tax_total) AS tax
                      FROM erp.delivery d
                     WHERE d.status IN ('examined','closed')
                     GROUP BY d.tenant_id, d.delivery_year, extract(month FROM d.delivery_date)::int, d.currency, d.customer) e
             GROUP BY e.tenant_id, e.year, e.month, e.currency) g
      CROSS JOIN LATERAL (SELECT g.year::text || '-' || lpad(g.month::text, 2, '0') AS month) m;

  -- Goods that lie in a warehouse and have not been sold from it for 90 days or more.
  CREATE VIEW erp.v_slow_movers WITH (security_invoker = true) AS
    SELECT s.tenant_id, s.key, s.product, p.name AS product_name, p.name_en AS product_name_en, p.category,
           s.warehouse, w.name AS warehouse_name, w.name_en AS warehouse_name_en, s.quantity, s.available, p.unit, p.unit_en,
           round(s.quantity * p.base_price, 2) AS value, p.currency, x.last_sale, d.today - x.last_sale AS days_idle,
           CASE WHEN x.last_sale IS NULL THEN 'never' WHEN d.today - x.last_sale >= 180 THEN 'over_180' ELSE 'over_90' END AS idle
      FROM erp.stock s
      JOIN tenants n ON n.tenant_id = s.tenant_id
      CROSS JOIN LATERAL (SELECT (now() AT TIME ZONE n.time_zone)::date AS today) d
      CROSS JOIN LATERAL (
        SELECT (max(l.at) AT TIME ZONE n.time_zone)::date AS last_sale FROM erp.stock_ledger l
         WHERE l.tenant_id = s.tenant_id AND l.product = s.product AND l.warehouse = s.warehouse AND l.reason = 'sale' AND NOT l.reversal) x
      LEFT JOIN erp.product p ON p.tenant_id = s.tenant_id AND p.code = s.product
      LEFT JOIN erp.warehouse w ON w.tenant_id = s.tenant_id AND w.code = s.warehouse
     WHERE s.quantity > 0 AND (x.last_sale IS NULL OR d.today - x.last_sale >= 90);
  CREATE INDEX stock_ledger_sales ON erp.stock_ledger (tenant_id, product, warehouse, at) WHERE reason = 'sale' AND NOT reversal;

  GRANT SELECT ON erp.v_ar_ageing, erp.v_ap_ageing, erp.v_overdue_receivables, erp.v_stock_on_hand, erp.v_stock_ledger, erp.v_order_progress,
    erp.v_production_progress, erp.v_sales_by_customer, erp.v_sales_by_product, erp.v_sales_by_month, erp.v_slow_movers TO erpilot_app;

  -- Lists by date, newest first: the key breaks ties in the same direction, so an
  -- index gives the page as it lies, forwards or backwards.
  CREATE INDEX receivable_by_date ON erp.receivable (tenant_id, invoice_date, number);
  CREATE INDEX receivable_by_due ON erp.receivable (tenant_id, due_date, number);
  CREATE INDEX payable_by_date ON erp.payable (tenant_id, invoice_date, number);
  CREATE INDEX payable_by_due ON erp.payable (tenant_id, due_date, number);
  CREATE INDEX sales_order_by_delivery_date ON erp.sales_order (tenant_id, delivery_date, number);
  CREATE INDEX purchase_order_by_expected_date ON erp.purchase_order (tenant_id, expected_date, number);
  CREATE INDEX stock_adjustment_by_date ON erp.stock_adjustment (tenant_id, adjustment_date, number);
  CREATE INDEX stock_transfer_by_date ON erp.stock_transfer (tenant_id, transfer_date, number);
  CREATE INDEX production_order_by_date ON erp.production_order (tenant_id, start_date, number);
  CREATE INDEX production_order_by_due ON erp.production_order (tenant_id, due_date, number);
  CREATE INDEX production_report_by_date ON erp.production_report (tenant_id, report_date, number);
END $reports$;
