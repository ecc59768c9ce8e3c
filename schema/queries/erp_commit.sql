-- The first act of a write. The row says executed from the start: nobody sees it
-- before the transaction commits, and by then it is true (or has become refused).
-- No row affected: the attempt is fenced, or the token has its final answer.
-- began is the beginning of the transaction, before any waiting. The timeout makes
-- the server end a write whose client died without saying so.
-- name: ErpBeginCommit :one
WITH mine AS (
  INSERT INTO erp.commits (tenant_id, client_token, attempt, outcome, digest) VALUES ($1, $2, $3, 'executed', $4)
  ON CONFLICT DO NOTHING RETURNING 1
)
SELECT (SELECT count(*) FROM mine)::int AS inserted, now()::timestamptz AS began,
  set_config('idle_in_transaction_session_timeout', '60s', true)::text AS idle;

-- name: ErpFinalCommit :one
SELECT * FROM erp.commits WHERE tenant_id = $1 AND client_token = $2 AND outcome IN ('executed','refused');

-- name: ErpFinishCommit :one
UPDATE erp.commits SET outcome = $4, bill = $5, link = $6, refusal = $7, result = $8, bills = $9, at = clock_timestamp()
WHERE tenant_id = $1 AND client_token = $2 AND attempt = $3 RETURNING at;

-- Inserting waits for an open attempt with the same key; ascending, so that two
-- fences of one token do not wait for each other.
-- name: ErpFence :exec
INSERT INTO erp.commits (tenant_id, client_token, attempt, outcome, digest)
SELECT @tenant_id::text, @client_token::text, n, 'fenced', '' FROM generate_series(1, @attempt::int) AS n ORDER BY n
ON CONFLICT DO NOTHING;

-- name: ErpNoteAttempt :exec
INSERT INTO erp.commit_attempts (tenant_id, client_token, attempt, status, error) VALUES ($1, $2, $3, $4, $5);

-- name: ErpClock :one
SELECT clock_timestamp()::timestamptz AS at;

-- A preview is a question: it does not wait long for a write that is under way.
-- name: ErpBeginPreview :one
SELECT now()::timestamptz AS began, set_config('lock_timeout', '5s', true)::text AS patience;
