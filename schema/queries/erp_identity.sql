-- name: ErpUserByName :one
SELECT * FROM erp.users WHERE tenant_id = $1 AND username = $2;

-- The grants are "form action", in the order of the forms.
-- name: ErpUser :one
SELECT sqlc.embed(u), ARRAY(SELECT g.form || ' ' || g.action FROM erp.grants g JOIN erp.forms f USING (tenant_id, form)
  WHERE g.tenant_id = u.tenant_id AND g.user_id = u.user_id ORDER BY f.position, g.action)::text[] AS grants
FROM erp.users u WHERE u.tenant_id = $1 AND u.user_id = $2 AND u.active;
