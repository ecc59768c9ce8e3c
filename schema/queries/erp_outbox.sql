-- name: ErpPutOutbox :exec
INSERT INTO erp.outbox (tenant_id, op_id, client_token) VALUES ($1, $2, $3);

-- The next message that nobody else is sending at this moment, behind the given one.
-- name: ErpNextOutbox :one
SELECT * FROM erp.outbox WHERE tenant_id = @tenant_id AND sent_at IS NULL AND outbox_id > @after
ORDER BY outbox_id LIMIT 1 FOR UPDATE SKIP LOCKED;

-- name: ErpMarkSent :exec
UPDATE erp.outbox SET sent_at = clock_timestamp() WHERE tenant_id = $1 AND outbox_id = $2;
