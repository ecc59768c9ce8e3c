-- name: InsertSession :exec
INSERT INTO sessions (tenant_id, session_id, user_id, token_hash, expires_at) VALUES ($1, $2, $3, $4, $5);

-- name: SessionByToken :one
SELECT session_id, user_id, expires_at FROM sessions
WHERE tenant_id = $1 AND token_hash = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp();

-- name: RevokeSession :execrows
UPDATE sessions SET revoked_at = clock_timestamp()
WHERE tenant_id = $1 AND session_id = $2 AND revoked_at IS NULL;

-- name: HasLiveSession :one
SELECT EXISTS (SELECT 1 FROM sessions
WHERE tenant_id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > clock_timestamp());

-- name: ListTenants :many
SELECT * FROM tenants ORDER BY tenant_id;

-- name: Tenant :one
SELECT * FROM tenants WHERE tenant_id = $1;
