-- name: ErpFormStamps :many
SELECT form, stamp::text AS stamp FROM erp.forms WHERE tenant_id = $1 AND form = ANY(@forms::text[]) ORDER BY position;

-- A form with its fields and actions, in one round trip; the keys of the JSON are
-- the columns.
-- name: ErpForms :many
SELECT sqlc.embed(f), f.stamp::text AS stamp_text,
  (SELECT coalesce(jsonb_agg(to_jsonb(x) ORDER BY x.parent, x.position), '[]') FROM erp.form_fields x
    WHERE x.tenant_id = f.tenant_id AND x.form = f.form)::jsonb AS fields,
  (SELECT coalesce(jsonb_agg(to_jsonb(a) ORDER BY a.position), '[]') FROM erp.form_actions a
    WHERE a.tenant_id = f.tenant_id AND a.form = f.form)::jsonb AS actions
FROM erp.forms f WHERE f.tenant_id = $1 AND f.form = ANY(@forms::text[]) ORDER BY f.position;

-- name: ErpUpsertForm :exec
INSERT INTO erp.forms (tenant_id, form, position, label_zh, label_en, domain, key_field, name_zh_field, name_en_field, source, base_table,
  kind, help_zh, help_en)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
ON CONFLICT (tenant_id, form) DO UPDATE SET position = excluded.position, label_zh = excluded.label_zh,
  label_en = excluded.label_en, domain = excluded.domain, key_field = excluded.key_field,
  name_zh_field = excluded.name_zh_field, name_en_field = excluded.name_en_field, source = excluded.source,
  base_table = excluded.base_table, kind = excluded.kind, help_zh = excluded.help_zh, help_en = excluded.help_en;

-- name: ErpClearFormFields :exec
DELETE FROM erp.form_fields WHERE tenant_id = $1 AND form = $2;

-- name: ErpClearFormActions :exec
DELETE FROM erp.form_actions WHERE tenant_id = $1 AND form = $2;

-- name: ErpInsertFormField :exec
INSERT INTO erp.form_fields (tenant_id, form, parent, field, position, label_zh, label_en, type, required, read_only,
  filter, sort, listed, lookup, link_form, options, max_length, min_value, max_value, scale, pattern, lines_source,
  control, default_value, hidden, help_zh, help_en, ungoverned, fixed)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29);

-- name: ErpInsertFormAction :exec
INSERT INTO erp.form_actions (tenant_id, form, action, position, label_zh, label_en, write, batch, manual, states, danger)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);
