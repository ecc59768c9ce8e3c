-- The row of a series of numbers, locked: made where it is missing, unchanged where it is not.
-- name: ErpHoldCounter :exec
INSERT INTO erp.counters AS c (tenant_id, counter, last) VALUES ($1, $2, 0)
ON CONFLICT (tenant_id, counter) DO UPDATE SET last = c.last;

-- name: ErpRaiseCounter :one
UPDATE erp.counters SET last = greatest(last, @highest::bigint) + 1 WHERE tenant_id = $1 AND counter = $2 RETURNING last;
