-- name: InsertTurn :one
INSERT INTO turns (tenant_id, turn_id, conversation_id, user_id, n, status, queued_at, locale, idempotency_key, request_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING *;

-- name: TurnByKey :one
SELECT * FROM turns WHERE tenant_id = $1 AND conversation_id = $2 AND idempotency_key = $3;

-- name: Turn :one
SELECT * FROM turns WHERE tenant_id = $1 AND turn_id = $2;

-- name: ListTurns :many
SELECT * FROM turns WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY n;

-- name: NewestTurn :one
SELECT * FROM turns WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY n DESC LIMIT 1;

-- name: RunningTurn :one
SELECT * FROM turns WHERE tenant_id = $1 AND conversation_id = $2 AND status = 'running';

-- name: NextInLine :one
-- Who has queued longest, unless someone runs.
SELECT * FROM turns t WHERE t.tenant_id = $1 AND t.conversation_id = $2 AND t.status = 'waiting' AND t.queued_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM turns r WHERE r.tenant_id = t.tenant_id AND r.conversation_id = t.conversation_id AND r.status = 'running')
ORDER BY t.queued_at, t.n LIMIT 1;

-- name: SetTurnRunning :execrows
UPDATE turns SET status = 'running', queued_at = NULL WHERE tenant_id = $1 AND turn_id = $2 AND status = 'waiting';

-- name: SetTurnWaiting :execrows
UPDATE turns SET status = 'waiting', queued_at = sqlc.narg(queued_at), segment = segment + 1
WHERE tenant_id = $1 AND turn_id = $2 AND status = 'running';

-- name: QueueTurn :execrows
UPDATE turns SET queued_at = coalesce(queued_at, clock_timestamp())
WHERE tenant_id = $1 AND turn_id = $2 AND status = 'waiting';

-- name: EndTurn :execrows
UPDATE turns SET status = sqlc.arg(status), queued_at = NULL, ended_at = clock_timestamp(),
  error_code = sqlc.narg(error_code), error_params = sqlc.narg(error_params)
WHERE tenant_id = $1 AND turn_id = $2 AND status IN ('running','waiting');

-- name: ReopenTurn :execrows
UPDATE turns SET status = sqlc.arg(status), queued_at = sqlc.narg(queued_at), ended_at = NULL, error_code = NULL,
  error_params = NULL, segment = segment + 1, workflow_run = workflow_run + 1
WHERE tenant_id = $1 AND turn_id = $2 AND status IN ('failed','limit');

-- name: InsertMessage :exec
INSERT INTO messages (tenant_id, message_id, conversation_id, turn_id, role, step, text, reasoning, answers)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, message_id) DO NOTHING;

-- name: ListMessages :many
SELECT m.*, t.n, coalesce(r.model, '')::text AS model
FROM messages m JOIN turns t USING (tenant_id, turn_id)
LEFT JOIN replies r ON r.tenant_id = m.tenant_id AND r.message_id = m.message_id AND r.turn_id = m.turn_id
WHERE m.tenant_id = $1 AND m.conversation_id = $2 ORDER BY t.n, m.step, m.created_at;

-- name: InsertReply :execrows
INSERT INTO replies (tenant_id, turn_id, step, message_id, text, finish, model, input_tokens, output_tokens)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (tenant_id, turn_id, step) DO NOTHING;

-- name: Reply :one
SELECT * FROM replies WHERE tenant_id = $1 AND turn_id = $2 AND step = $3;

-- name: LastReply :one
SELECT * FROM replies WHERE tenant_id = $1 AND turn_id = $2 ORDER BY step DESC LIMIT 1;

-- name: ListReplies :many
SELECT r.*, t.n FROM replies r JOIN turns t USING (tenant_id, turn_id)
WHERE t.tenant_id = $1 AND t.conversation_id = $2 ORDER BY t.n, r.step;

-- name: InsertCall :exec
INSERT INTO calls (tenant_id, call_id, conversation_id, turn_id, step, position, provider_id, tool, effect, risk, arguments,
  arguments_fingerprint, tool_schema_version, status, result, failed, finished_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
ON CONFLICT (tenant_id, turn_id, step, position) DO NOTHING;

-- name: Call :one
SELECT * FROM calls WHERE tenant_id = $1 AND call_id = $2;

-- name: CallsOfStep :many
SELECT * FROM calls WHERE tenant_id = $1 AND turn_id = $2 AND step = $3 ORDER BY position;

-- name: ListCalls :many
SELECT c.*, t.n FROM calls c JOIN turns t USING (tenant_id, turn_id)
WHERE c.tenant_id = $1 AND c.conversation_id = $2 ORDER BY t.n, c.step, c.position;

-- name: FinishCall :execrows
UPDATE calls SET status = 'finished', result = $3, failed = $4, finished_at = clock_timestamp()
WHERE tenant_id = $1 AND call_id = $2 AND status <> 'finished';

-- name: CorrectCallResult :execrows
-- A retried operation settles again; the newest outcome is the call's result.
UPDATE calls SET result = $3, failed = $4, finished_at = clock_timestamp()
WHERE tenant_id = $1 AND call_id = $2 AND status = 'finished';

-- name: SetCallStatus :execrows
UPDATE calls SET status = $3 WHERE tenant_id = $1 AND call_id = $2 AND status <> 'finished';

-- name: SetCallPending :execrows
UPDATE calls SET status = 'pending', pending_id = $3, approval_created_at = $4, approval_expires_at = $5,
  client_token = sqlc.narg(client_token)
WHERE tenant_id = $1 AND call_id = $2 AND status <> 'finished';
