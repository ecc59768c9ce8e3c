-- name: InsertAudit :exec
INSERT INTO audit (tenant_id, kind, actor, channel, conversation_id, op_id, data, content_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);
