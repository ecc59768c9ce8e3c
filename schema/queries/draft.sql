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

-- name: DraftOfUser :one
-- A draft of one of the person's own conversations, with its newest revision.
SELECT sqlc.embed(d), sqlc.embed(r) FROM drafts d
JOIN conversations c ON c.tenant_id = d.tenant_id AND c.conversation_id = d.conversation_id
JOIN draft_revisions r ON r.tenant_id = d.tenant_id AND r.draft_id = d.draft_id AND r.revision = d.revision
WHERE d.tenant_id = $1 AND d.draft_id = $2 AND c.user_id = $3 AND c.deleted_at IS NULL;

-- name: DraftsOfConversation :many
SELECT sqlc.embed(d), sqlc.embed(r) FROM drafts d
JOIN draft_revisions r ON r.tenant_id = d.tenant_id AND r.draft_id = d.draft_id AND r.revision = d.revision
WHERE d.tenant_id = $1 AND d.conversation_id = $2 ORDER BY d.updated_at DESC, d.draft_id LIMIT sqlc.arg(max_rows);

-- name: DraftRevisions :many
SELECT * FROM draft_revisions WHERE tenant_id = $1 AND draft_id = $2 ORDER BY revision DESC LIMIT sqlc.arg(max_rows);

-- name: OperationsOfOlderRevisions :many
-- What still waits with an older revision of a draft.
SELECT op_id FROM operations
WHERE tenant_id = $1 AND draft_id = $2 AND draft_revision < sqlc.arg(revision)::int AND status IN ('draft','awaiting_approval');

-- name: NewestRevision :one
SELECT revision FROM drafts WHERE tenant_id = $1 AND draft_id = $2;

-- name: SetRefusal :exec
-- Why an operation ended without a write, where it was not the ERP that refused.
UPDATE operations SET refusal = sqlc.arg(refusal) WHERE tenant_id = $1 AND op_id = $2 AND refusal IS NULL;

-- name: ReplaceSuperseded :many
-- The proposal that takes the place of those that a newer revision superseded.
UPDATE operations SET replaced_by = sqlc.arg(replaced_by)
WHERE tenant_id = $1 AND draft_id = $2 AND status = 'cancelled' AND replaced_by IS NULL AND refusal->>'code' = 'draft_changed'
RETURNING *;
