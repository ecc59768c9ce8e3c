-- name: InsertConversation :one
INSERT INTO conversations (tenant_id, conversation_id, user_id, title) VALUES ($1, $2, $3, $4) RETURNING *;

-- name: Conversation :one
SELECT * FROM conversations
WHERE tenant_id = $1 AND conversation_id = $2 AND user_id = $3 AND deleted_at IS NULL;

-- name: ConversationByID :one
SELECT * FROM conversations WHERE tenant_id = $1 AND conversation_id = $2;

-- name: LockConversation :one
SELECT * FROM conversations WHERE tenant_id = $1 AND conversation_id = $2 FOR NO KEY UPDATE;

-- name: ListConversations :many
SELECT c.conversation_id, c.title, c.created_at, c.updated_at,
       (SELECT count(*) FROM pendings p WHERE p.tenant_id = c.tenant_id AND p.conversation_id = c.conversation_id
          AND p.status = 'open')::int AS pending_count,
       coalesce((SELECT min(p.deadline) FROM pendings p WHERE p.tenant_id = c.tenant_id AND p.conversation_id = c.conversation_id
          AND p.status = 'open'), 'epoch')::timestamptz AS nearest_deadline,
       coalesce((SELECT t.status FROM turns t WHERE t.tenant_id = c.tenant_id AND t.conversation_id = c.conversation_id
          ORDER BY t.n DESC LIMIT 1), '')::text AS run
FROM conversations c
WHERE c.tenant_id = $1 AND c.user_id = $2 AND c.deleted_at IS NULL
ORDER BY c.updated_at DESC LIMIT sqlc.arg(max_rows);

-- name: RenameConversation :execrows
UPDATE conversations SET title = $3, updated_at = clock_timestamp()
WHERE tenant_id = $1 AND conversation_id = $2 AND deleted_at IS NULL;

-- name: DeleteConversation :execrows
UPDATE conversations SET deleted_at = clock_timestamp()
WHERE tenant_id = $1 AND conversation_id = $2 AND user_id = $3 AND deleted_at IS NULL;

-- name: CountTurn :one
-- Counts another turn, names the conversation after its first message, and tells whether another turn runs.
UPDATE conversations c SET turn_count = c.turn_count + 1, updated_at = clock_timestamp(),
  title = CASE WHEN c.title = '' THEN sqlc.arg(title)::text ELSE c.title END
WHERE c.tenant_id = $1 AND c.conversation_id = $2
RETURNING c.turn_count, EXISTS (SELECT 1 FROM turns t
  WHERE t.tenant_id = c.tenant_id AND t.conversation_id = c.conversation_id AND t.status = 'running') AS busy;

-- name: AppendJournal :one
SELECT journal_append(sqlc.arg(tenant_id), sqlc.arg(conversation_id), sqlc.narg(turn_id), sqlc.arg(events))::bigint AS head;

-- name: ReadJournal :many
SELECT seq, turn_id, type, data, at FROM journal
WHERE tenant_id = $1 AND conversation_id = $2 AND seq > $3 ORDER BY seq LIMIT sqlc.arg(max_rows);

-- name: DeleteDeltas :exec
DELETE FROM deltas WHERE tenant_id = $1 AND conversation_id = $2 AND message_id = $3 AND attempt <= $4;

-- name: Notify :exec
SELECT pg_notify(sqlc.arg(channel)::text, sqlc.arg(payload)::text);
