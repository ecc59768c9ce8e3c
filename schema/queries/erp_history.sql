-- name: ErpAddHistory :exec
INSERT INTO erp.record_history (tenant_id, form, key, version, actor, channel, action, op_id, comment, diffs)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: ErpHistory :many
SELECT h.*, coalesce(u.name_zh, '')::text AS actor_zh, coalesce(u.name_en, '')::text AS actor_en FROM erp.record_history h
LEFT JOIN erp.users u ON u.tenant_id = h.tenant_id AND u.user_id = h.actor
WHERE h.tenant_id = $1 AND h.form = $2 AND h.key = $3 ORDER BY h.history_id DESC LIMIT $4;
