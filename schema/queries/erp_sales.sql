-- Everything that a sales order relies on, read under lock. The order of locks
-- is the same in every write: draft, order, customer, product, stock, counter.

-- name: ErpHoldDraft :one
SELECT revision FROM drafts WHERE tenant_id = $1 AND draft_id = $2 AND user_id = $3 AND form = $4 FOR SHARE;

-- name: ErpDraftValidity :one
SELECT valid_until FROM draft_revisions WHERE tenant_id = $1 AND draft_id = $2 AND revision = $3;

-- name: ErpHoldCustomer :one
SELECT * FROM erp.customer WHERE tenant_id = $1 AND code = $2 FOR SHARE;

-- name: ErpHoldProducts :many
SELECT * FROM erp.product WHERE tenant_id = $1 AND code = ANY(@codes::text[]) ORDER BY code FOR SHARE;

-- Read under the lock of the customer, which every change of a discount takes.
-- name: ErpDiscounts :many
SELECT product, percent FROM erp.customer_discount
WHERE tenant_id = $1 AND customer = $2 AND (product IS NULL OR product = ANY(@codes::text[]));

-- name: ErpWarehouse :one
SELECT * FROM erp.warehouse WHERE tenant_id = $1 AND code = $2;

-- name: ErpDefaultWarehouse :one
SELECT * FROM erp.warehouse WHERE tenant_id = $1 AND is_default;

-- name: ErpLockStock :many
SELECT product, quantity FROM erp.stock
WHERE tenant_id = $1 AND warehouse = $2 AND product = ANY(@codes::text[]) ORDER BY product FOR NO KEY UPDATE;

-- name: ErpStock :many
SELECT product, quantity FROM erp.stock
WHERE tenant_id = $1 AND warehouse = $2 AND product = ANY(@codes::text[]) ORDER BY product;

-- name: ErpToday :one
SELECT (clock_timestamp() AT TIME ZONE t.time_zone)::date::text FROM tenants t WHERE t.tenant_id = $1;

-- Number, order, lines and ledger in one statement: the counter is the last lock
-- of a write and the most wanted one, so nothing may dawdle behind it.
-- name: ErpWriteOrder :one
WITH c AS (
  INSERT INTO erp.counters (tenant_id, counter, last) VALUES (@tenant_id::text, 'sales_order', 1)
  ON CONFLICT (tenant_id, counter) DO UPDATE SET last = erp.counters.last + 1 RETURNING last
), n AS (
  SELECT 'SO-' || lpad(last::text, greatest(6, length(last::text)), '0') AS number FROM c
), o AS (
  INSERT INTO erp.sales_order (tenant_id, number, customer, warehouse, order_date, delivery_date, status, total, currency, remark, created_by)
  SELECT @tenant_id::text, n.number, @customer::text, @warehouse::text, (@order_date::text)::date, (@delivery_date::text)::date, 'submitted',
         @total::numeric, @currency::text, @remark::text, @created_by::text FROM n
  RETURNING number
), l AS (
  INSERT INTO erp.sales_order_line (tenant_id, number, line_no, product, product_name, unit, quantity, base_price, discount, unit_price, amount)
  SELECT @tenant_id::text, n.number, x.line_no, x.product, x.product_name, x.unit, x.quantity, x.base_price, x.discount, x.unit_price, x.amount
  FROM n, jsonb_to_recordset(@lines::jsonb) AS x(line_no int, product text, product_name text, unit text, quantity numeric,
       base_price numeric, discount numeric, unit_price numeric, amount numeric)
), m AS (
  INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, document)
  SELECT @tenant_id::text, x.product, @warehouse::text, -x.quantity, 'sale', n.number
  FROM n, jsonb_to_recordset(@lines::jsonb) AS x(product text, quantity numeric) ORDER BY x.product
)
SELECT o.number FROM o;

-- name: ErpOrderLines :many
SELECT l.*, p.name_en AS product_name_en, p.unit_en FROM erp.sales_order_line l
JOIN erp.product p ON p.tenant_id = l.tenant_id AND p.code = l.product
WHERE l.tenant_id = $1 AND l.number = $2 ORDER BY l.line_no;

-- name: ErpLockOrder :one
SELECT * FROM erp.sales_order WHERE tenant_id = $1 AND number = $2 FOR NO KEY UPDATE;

-- name: ErpCancelOrder :exec
UPDATE erp.sales_order SET status = 'cancelled', cancelled_at = clock_timestamp(), cancel_reason = $3, version = version + 1
WHERE tenant_id = $1 AND number = $2;

-- name: ErpMoveStock :exec
INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, document)
SELECT @tenant_id::text, m.product, @warehouse::text, m.quantity, @reason::text, @document::text
FROM jsonb_to_recordset(@moves::jsonb) AS m(product text, quantity numeric) ORDER BY m.product;
