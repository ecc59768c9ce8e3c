-- name: JournalHead :one
SELECT head_seq FROM conversations WHERE tenant_id = $1 AND conversation_id = $2;

-- name: JournalHeads :many
SELECT conversation_id, head_seq FROM conversations
WHERE tenant_id = $1 AND conversation_id = ANY (@conversations::text[]);

-- name: InsertDeltas :exec
-- One statement for all the tokens of a few milliseconds.
INSERT INTO deltas (tenant_id, conversation_id, message_id, turn_id, attempt, "offset", reasoning, text)
SELECT @tenant_id::text, d.conversation_id, d.message_id, d.turn_id, d.attempt, d."offset", coalesce(d.reasoning, false), d.text
FROM jsonb_to_recordset(@deltas::jsonb) AS d(conversation_id text, message_id text, turn_id text, attempt int, "offset" int,
     reasoning boolean, text text)
ON CONFLICT DO NOTHING;

-- name: NotifyEach :exec
SELECT pg_notify(sqlc.arg(channel)::text, p) FROM unnest(sqlc.arg(payloads)::text[]) AS p;

-- name: OpenDeltaMessages :many
SELECT DISTINCT message_id FROM deltas WHERE tenant_id = $1 AND conversation_id = $2;

-- name: NewDeltas :many
-- The pieces that a reader does not have yet; known says how far it is, per message.
SELECT d.message_id, d.turn_id, d.attempt, d."offset", d.reasoning, d.text FROM deltas d
WHERE d.tenant_id = @tenant_id AND d.conversation_id = @conversation_id AND NOT EXISTS (
  SELECT 1 FROM jsonb_to_recordset(@known::jsonb) AS k(message_id text, attempt int, reasoning boolean, length int)
  WHERE k.message_id = d.message_id AND (k.attempt > d.attempt
        OR (k.attempt = d.attempt AND k.reasoning = d.reasoning AND d."offset" < k.length)))
ORDER BY d.message_id, d.attempt, d.reasoning, d."offset";

-- name: DeleteDeadDeltas :execrows
-- Nobody writes these messages any more: their turn does not run.
DELETE FROM deltas d WHERE d.tenant_id = @tenant_id AND d.at < @before::timestamptz AND NOT EXISTS (
  SELECT 1 FROM turns t WHERE t.tenant_id = d.tenant_id AND t.turn_id = d.turn_id AND t.status = 'running');

-- name: StoredMessages :many
SELECT message_id FROM messages WHERE tenant_id = $1 AND message_id = ANY (@messages::text[]);

-- name: MessageByID :one
SELECT * FROM messages WHERE tenant_id = $1 AND message_id = $2;

-- name: ToolsFinished :many
SELECT data FROM journal WHERE tenant_id = $1 AND conversation_id = $2 AND type = 'tool_finished' ORDER BY seq;

-- name: AnswerPending :execrows
UPDATE pendings SET status = 'answered', answer = @answer::text, closed_at = clock_timestamp()
WHERE tenant_id = @tenant_id AND pending_id = @pending_id AND status = 'open' AND deadline > clock_timestamp();

-- name: DatabaseClock :one
SELECT clock_timestamp()::timestamptz AS at;
