-- name: SweepOperations :many
-- Operations that may have lost their workflow, in pages.
SELECT * FROM operations WHERE tenant_id = @tenant_id AND status NOT IN
  ('executed','refused','rejected','cancelled','expired','completed','abandoned')
  AND created_at < @before::timestamptz AND op_id > @after ORDER BY op_id LIMIT @max_rows;

-- name: SweepTurns :many
SELECT * FROM turns WHERE tenant_id = @tenant_id AND status IN ('running','waiting')
  AND started_at < @before::timestamptz AND turn_id > @after ORDER BY turn_id LIMIT @max_rows;

-- name: SweepStuckTurns :many
-- Turns that wait although everything they could wait for is settled: a signal was lost.
SELECT * FROM turns t WHERE t.tenant_id = @tenant_id AND t.status = 'waiting' AND t.queued_at IS NULL
  AND t.started_at < @before::timestamptz
  AND NOT EXISTS (SELECT 1 FROM pendings p WHERE p.tenant_id = t.tenant_id AND p.turn_id = t.turn_id AND p.status = 'open')
  AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.tenant_id = t.tenant_id AND o.turn_id = t.turn_id AND o.status NOT IN
    ('executed','refused','failed','rejected','cancelled','expired','completed','abandoned','needs_person'))
ORDER BY t.turn_id LIMIT @max_rows;

-- name: SweepParked :many
-- Operations that wait for a login which has happened.
SELECT o.op_id FROM operations o WHERE o.tenant_id = @tenant_id AND o.status = 'needs_login' AND EXISTS (
  SELECT 1 FROM sessions s WHERE s.tenant_id = o.tenant_id AND s.user_id = o.user_id AND s.revoked_at IS NULL
    AND s.expires_at > clock_timestamp()) ORDER BY o.op_id LIMIT @max_rows;

-- name: OpenTurnsOfConversation :many
SELECT * FROM turns WHERE tenant_id = $1 AND conversation_id = $2 AND status IN ('running','waiting') ORDER BY n;

-- name: UnfinishedCallsOfStep :one
SELECT count(*) FROM calls WHERE tenant_id = $1 AND turn_id = $2 AND step = $3 AND status <> 'finished';
