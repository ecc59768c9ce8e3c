-- name: ErpUserByName :one
SELECT * FROM erp.users WHERE tenant_id = $1 AND username = $2;

-- name: ErpUser :one
SELECT * FROM erp.users WHERE tenant_id = $1 AND user_id = $2 AND active;

-- name: ErpGrants :many
SELECT g.form, g.action FROM erp.grants g JOIN erp.forms f USING (tenant_id, form)
WHERE g.tenant_id = $1 AND g.user_id = $2 ORDER BY f.position, g.action;
