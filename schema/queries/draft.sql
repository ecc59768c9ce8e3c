-- name: InsertDraft :exec
INSERT INTO drafts (tenant_id, draft_id, conversation_id, user_id, form, revision) VALUES ($1, $2, $3, $4, $5, 1)
ON CONFLICT DO NOTHING;

-- name: LockDraft :one
SELECT * FROM drafts WHERE tenant_id = $1 AND draft_id = $2 AND conversation_id = $3 FOR NO KEY UPDATE;

-- name: Draft :one
SELECT * FROM drafts WHERE tenant_id = $1 AND draft_id = $2 AND conversation_id = $3;

-- name: NextDraftRevision :one
UPDATE drafts SET revision = revision + 1, updated_at = clock_timestamp()
WHERE tenant_id = $1 AND draft_id = $2 RETURNING revision;

-- name: InsertDraftRevision :exec
INSERT INTO draft_revisions (tenant_id, draft_id, revision, payload, quote, valid_until, created_by, call_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: DraftRevision :one
SELECT * FROM draft_revisions WHERE tenant_id = $1 AND draft_id = $2 AND revision = $3;

-- name: DraftRevisionOfCall :one
SELECT * FROM draft_revisions WHERE tenant_id = $1 AND call_id = $2;
