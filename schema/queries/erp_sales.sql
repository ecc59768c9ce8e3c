-- What documents rely on that is not of the ERP itself. Everything else of documents
-- is read and written by statements that the engine puts together. The order of
-- locks is the same in every write: draft, sources, own document, partner,
-- currencies, taxes, products, stock, counter.

-- name: ErpHoldDraft :one
SELECT revision FROM drafts WHERE tenant_id = $1 AND draft_id = $2 AND user_id = $3 AND form = $4 FOR SHARE;

-- name: ErpDraftValidity :one
SELECT valid_until FROM draft_revisions WHERE tenant_id = $1 AND draft_id = $2 AND revision = $3;

-- name: ErpToday :one
SELECT (clock_timestamp() AT TIME ZONE t.time_zone)::date::text FROM tenants t WHERE t.tenant_id = $1;
