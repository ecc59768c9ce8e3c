-- name: InsertOperation :execrows
INSERT INTO operations (tenant_id, op_id, user_id, conversation_id, turn_id, call_id, op_type, action, target_form,
  target_module, target_table, target_bill, payload, source_ref, auto_execute, status, revision, pending_id, digest, client_token,
  risk, policy, tool, tool_schema_version, draft_id, draft_revision, reason, preview, replaces, expires_at, requested)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
  $27, $28, $29, $30, $31)
ON CONFLICT DO NOTHING;

-- name: Operation :one
SELECT * FROM operations WHERE tenant_id = $1 AND op_id = $2;

-- name: LockOperation :one
SELECT * FROM operations WHERE tenant_id = $1 AND op_id = $2 FOR NO KEY UPDATE;

-- name: OperationOfCall :one
SELECT * FROM operations WHERE tenant_id = $1 AND call_id = $2;

-- name: MoveOperation :one
-- The compare-and-set of every transition: the new status, if the row is in one of the expected ones.
UPDATE operations SET status = sqlc.arg(status),
  settled_at = CASE WHEN sqlc.arg(settled)::bool THEN clock_timestamp() ELSE settled_at END
WHERE tenant_id = $1 AND op_id = $2 AND status = ANY (sqlc.arg(expected)::text[])
RETURNING *;

-- name: DecideOperation :one
UPDATE operations SET status = sqlc.arg(status), decided_by = sqlc.arg(decided_by), decided_via = sqlc.arg(decided_via),
  decided_at = sqlc.arg(decided_at), decision_comment = sqlc.arg(comment),
  confirmed_at = CASE WHEN sqlc.arg(status)::text = 'approved' THEN sqlc.arg(decided_at) ELSE confirmed_at END,
  refusal = sqlc.narg(refusal)
WHERE tenant_id = $1 AND op_id = $2 AND status = 'awaiting_approval' AND pending_id = sqlc.arg(pending_id)
RETURNING *;

-- name: BeginAttempt :one
UPDATE operations SET status = 'executing', attempts = attempts + 1
WHERE tenant_id = $1 AND op_id = $2 AND status = ANY (sqlc.arg(expected)::text[])
RETURNING *;

-- name: FinishOperation :one
UPDATE operations SET status = sqlc.arg(status), result_bill = sqlc.arg(bill), result_link = sqlc.arg(link),
  result_message = sqlc.arg(message), error_message = sqlc.arg(error_message), refusal = sqlc.narg(refusal),
  executed_at = sqlc.narg(executed_at), settled_at = clock_timestamp(), result_bills = coalesce(sqlc.narg(bills)::text[], '{}')
WHERE tenant_id = $1 AND op_id = $2 AND status = ANY (sqlc.arg(expected)::text[])
RETURNING *;

-- name: HandOffOperation :one
-- Approved, and its person finishes it in the native form; a deadline of its own begins.
UPDATE operations SET status = 'handed_off', handed_off_at = clock_timestamp(), handoff_expires_at = sqlc.arg(deadline)
WHERE tenant_id = $1 AND op_id = $2 AND status = 'approved' RETURNING *;

-- name: CancelHandedOff :one
-- The requester leaves it in the form; the approval stays in decisions.
UPDATE operations SET status = 'cancelled', decided_by = sqlc.arg(decided_by), decided_via = sqlc.arg(decided_via),
  decided_at = sqlc.arg(decided_at), decision_comment = sqlc.arg(comment), settled_at = clock_timestamp()
WHERE tenant_id = $1 AND op_id = $2 AND status = 'handed_off' AND pending_id = sqlc.arg(pending_id)
RETURNING *;

-- name: CompleteOperation :one
-- The ERP has it. edited_by names the person where they saved something else than was approved.
UPDATE operations SET status = 'completed', result_bill = sqlc.arg(bill), result_link = sqlc.arg(link),
  executed_at = sqlc.arg(executed_at), settled_at = clock_timestamp(), result_bills = coalesce(sqlc.narg(bills)::text[], '{}'),
  edited_by = CASE WHEN sqlc.arg(edited)::bool THEN array_append(edited_by, user_id) ELSE edited_by END
WHERE tenant_id = $1 AND op_id = $2 AND status = 'handed_off' RETURNING *;

-- name: ReviseOperation :one
-- An edit while it waits, or a native save of something else than was approved.
UPDATE operations SET status = 'awaiting_approval', decided_by = NULL, decided_via = NULL, decided_at = NULL, decision_comment = '',
  confirmed_at = NULL, handed_off_at = NULL, handoff_expires_at = NULL, revision = sqlc.arg(revision), pending_id = sqlc.arg(pending_id), digest = sqlc.arg(digest),
  client_token = sqlc.arg(client_token), payload = sqlc.arg(payload), requested = sqlc.arg(requested), preview = sqlc.arg(preview), expires_at = sqlc.arg(expires_at),
  tool_schema_version = sqlc.arg(tool_schema_version), target_bill = sqlc.arg(target_bill), draft_id = sqlc.narg(draft_id),
  draft_revision = sqlc.narg(draft_revision), edited_by = array_append(edited_by, sqlc.arg(edited_by)::text)
WHERE tenant_id = $1 AND op_id = $2 AND status IN ('awaiting_approval','handed_off') AND revision = sqlc.arg(revision)::int - 1
RETURNING *;

-- name: InsertOperationRevision :exec
INSERT INTO operation_revisions (tenant_id, op_id, revision, pending_id, digest, payload, preview, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING;

-- name: SetReplacedBy :exec
UPDATE operations SET replaced_by = sqlc.arg(replaced_by) WHERE tenant_id = $1 AND op_id = $2 AND replaced_by IS NULL;

-- name: CountRefusedSignal :one
UPDATE operations SET refused_signals = refused_signals + 1 WHERE tenant_id = $1 AND op_id = $2 RETURNING refused_signals;

-- name: OpenOperationsOfDraft :many
SELECT * FROM operations WHERE tenant_id = $1 AND draft_id = $2 AND status = 'awaiting_approval';

-- name: OperationsOfConversation :many
SELECT * FROM operations WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY created_at;

-- name: Inbox :many
-- What a person sees: their own operations in a status, soonest deadline first.
SELECT * FROM operations
WHERE tenant_id = $1 AND user_id = $2 AND (sqlc.narg(status)::text IS NULL OR status = sqlc.narg(status))
ORDER BY expires_at, op_id LIMIT sqlc.arg(max_rows);

-- name: TodosOfUser :many
-- What the agent has begun for a person, newest first.
SELECT * FROM operations WHERE tenant_id = $1 AND user_id = $2 AND (cardinality(sqlc.arg(states)::text[]) = 0 OR status = ANY (sqlc.arg(states)::text[]))
ORDER BY created_at DESC, op_id DESC LIMIT sqlc.arg(max_rows);

-- name: InboxOfTenant :many
SELECT * FROM operations
WHERE tenant_id = $1 AND policy <> 'self' AND (sqlc.narg(status)::text IS NULL OR status = sqlc.narg(status))
ORDER BY expires_at, op_id LIMIT sqlc.arg(max_rows);

-- name: ParkedOperations :many
SELECT op_id FROM operations WHERE tenant_id = $1 AND user_id = $2 AND status = 'needs_login';

-- name: InsertDecision :execrows
INSERT INTO decisions (tenant_id, decision_id, op_id, pending_id, revision, decision, actor, channel, verified, comment,
  accepted, refusal_code)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING;

-- name: DecisionByID :one
SELECT * FROM decisions WHERE tenant_id = $1 AND op_id = $2 AND decision_id = $3;

-- name: InsertOperationEdit :exec
INSERT INTO operation_edits (tenant_id, revision_id, op_id, payload, actor) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING;

-- name: OperationEdit :one
SELECT * FROM operation_edits WHERE tenant_id = $1 AND op_id = $2 AND revision_id = $3;

-- name: CloseOperation :one
-- Whoever ends it is told, also where someone had approved before; that approval stays in decisions.
UPDATE operations SET status = sqlc.arg(status), decided_by = sqlc.arg(decided_by), decided_via = sqlc.arg(decided_via),
  decided_at = sqlc.arg(decided_at), settled_at = clock_timestamp()
WHERE tenant_id = $1 AND op_id = $2 RETURNING *;
