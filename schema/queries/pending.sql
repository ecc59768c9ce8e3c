-- name: InsertPending :exec
INSERT INTO pendings (tenant_id, pending_id, conversation_id, turn_id, call_id, op_id, user_id, kind, status, prompt, deadline)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9, $10) ON CONFLICT (tenant_id, pending_id) DO NOTHING;

-- name: Pending :one
SELECT * FROM pendings WHERE tenant_id = $1 AND pending_id = $2;

-- name: PendingOfCall :one
SELECT * FROM pendings WHERE tenant_id = $1 AND call_id = $2 AND kind <> 'approval';

-- name: OpenPendings :many
SELECT * FROM pendings WHERE tenant_id = $1 AND conversation_id = $2 AND status = 'open' ORDER BY deadline;

-- name: NewestOpenQuestion :one
SELECT * FROM pendings WHERE tenant_id = $1 AND conversation_id = $2 AND status = 'open' AND kind = 'question'
ORDER BY created_at DESC LIMIT 1;

-- name: ClosePending :execrows
UPDATE pendings SET status = $3, answer = sqlc.narg(answer), closed_at = clock_timestamp()
WHERE tenant_id = $1 AND pending_id = $2 AND status = 'open';

-- name: ClosePendingsOfOp :execrows
UPDATE pendings SET status = $3, closed_at = clock_timestamp()
WHERE tenant_id = $1 AND op_id = $2 AND status = 'open';

-- name: ClosePendingsOfTurn :many
UPDATE pendings SET status = 'cancelled', closed_at = clock_timestamp()
WHERE tenant_id = $1 AND turn_id = $2 AND status = 'open' AND kind <> 'approval'
RETURNING *;
