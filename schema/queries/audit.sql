-- name: InsertAudit :exec
INSERT INTO audit (tenant_id, kind, actor, channel, conversation_id, op_id, data, content_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: ListAudit :many
SELECT * FROM audit
WHERE tenant_id = $1 AND audit_id > sqlc.arg(after)
  AND (sqlc.narg(op_id)::text IS NULL OR op_id = sqlc.narg(op_id))
ORDER BY audit_id LIMIT sqlc.arg(max_rows);
