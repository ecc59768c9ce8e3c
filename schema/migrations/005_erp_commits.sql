-- What became of each write, by client_token. A row is inserted as the first
-- act of the write's own transaction and committed with it, so whoever inserts
-- the same key waits for an attempt that is still open:
--   * another execution of the token waits on commits_final and then reads the result,
--   * FindCommit waits on the primary key and then either reads the result or has
--     left a tombstone ('fenced') into which a zombie attempt runs and rolls back.
CREATE TABLE erp.commits (
  tenant_id    text NOT NULL REFERENCES tenants,
  client_token text NOT NULL CHECK (length(client_token) BETWEEN 1 AND 200),
  attempt      int NOT NULL CHECK (attempt BETWEEN 1 AND 1000000),
  outcome      text NOT NULL CHECK (outcome IN ('executed','refused','fenced')),
  -- digest is what was confirmed; '' in a tombstone.
  digest       text NOT NULL,
  bill         text NOT NULL DEFAULT '',
  link         text NOT NULL DEFAULT '',
  -- refusal is erp.Refusal, result what the write produced (erp.Preview as it came out).
  refusal      jsonb,
  result       jsonb,
  at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, client_token, attempt),
  CHECK ((outcome = 'fenced') = (digest = '')),
  CHECK (outcome = 'refused' OR refusal IS NULL)
);
-- Only executed and refused are final, and there is one of them under a token.
CREATE UNIQUE INDEX commits_final ON erp.commits (tenant_id, client_token) WHERE outcome IN ('executed','refused');

-- Attempts that ended without a final answer, each written in a transaction of
-- its own after the fact. They inform people and never block the next attempt.
CREATE TABLE erp.commit_attempts (
  tenant_id    text NOT NULL REFERENCES tenants,
  client_token text NOT NULL,
  attempt      int NOT NULL,
  seq          bigint GENERATED ALWAYS AS IDENTITY,
  -- failed: surely nothing written; unknown: the answer to COMMIT was lost.
  status       text NOT NULL CHECK (status IN ('failed','unknown')),
  error        text NOT NULL CHECK (length(error) <= 1000),
  at           timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, client_token, attempt, seq)
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['commits','commit_attempts'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
-- The row of one's own attempt turns from executed to refused, or gets its bill,
-- before it is committed; the policy sees to it that a committed row never changes.
GRANT UPDATE ON erp.commits TO erpilot_app;
CREATE POLICY own_attempt ON erp.commits AS RESTRICTIVE FOR UPDATE USING (xmin = pg_current_xact_id()::xid) WITH CHECK (true);
