-- The copilot's own tables. Every row belongs to a tenant ("<brand>.<subsidiary>");
-- row-level security shows no rows at all until store.Tx has set erpilot.tenant
-- for the transaction. Ids are UUIDv7 as text: an id that nobody made is simply not
-- found, and no layer has to parse it. Roles are cluster-wide, so they are made only when absent.

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'erpilot_app') THEN
    CREATE ROLE erpilot_app NOLOGIN NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'erpilot_query') THEN
    CREATE ROLE erpilot_query NOLOGIN NOBYPASSRLS;
  END IF;
  -- The owner connects and then becomes erpilot_app for everything but migrations.
  IF NOT pg_has_role(current_user, 'erpilot_app', 'MEMBER') THEN
    EXECUTE format('GRANT erpilot_app TO %I', current_user);
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL; -- another database of the cluster made them at the same moment
END $$;

GRANT USAGE ON SCHEMA public TO erpilot_app;

-- Tenants are the registry itself: readable by the app without a tenant set,
-- because sweeps go through all of them.
CREATE TABLE tenants (
  tenant_id     text PRIMARY KEY,
  brand_id      text NOT NULL,
  subsidiary_id text NOT NULL,
  name_zh       text NOT NULL,
  name_en       text NOT NULL,
  currency      text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  time_zone     text NOT NULL,
  CHECK (tenant_id = brand_id || '.' || subsidiary_id),
  CHECK (tenant_id ~ '^[a-z0-9][a-z0-9-]{0,31}\.[a-z0-9][a-z0-9-]{0,31}$')
);

-- A session proves an identity. Only the hash of its token is kept.
CREATE TABLE sessions (
  tenant_id  text NOT NULL REFERENCES tenants,
  session_id text NOT NULL,
  user_id    text NOT NULL,
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  PRIMARY KEY (tenant_id, session_id),
  UNIQUE (tenant_id, token_hash)
);
CREATE INDEX sessions_live ON sessions (tenant_id, user_id, expires_at) WHERE revoked_at IS NULL;

CREATE TABLE conversations (
  tenant_id       text NOT NULL REFERENCES tenants,
  conversation_id text NOT NULL,
  user_id         text NOT NULL,
  title           text NOT NULL DEFAULT '' CHECK (length(title) <= 200),
  -- head_seq is the newest journal seq; locking the row makes seqs gapless.
  head_seq        bigint NOT NULL DEFAULT 0,
  turn_count      int NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  deleted_at      timestamptz,
  PRIMARY KEY (tenant_id, conversation_id)
);
CREATE INDEX conversations_of_user ON conversations (tenant_id, user_id, updated_at DESC) WHERE deleted_at IS NULL;

CREATE TABLE turns (
  tenant_id       text NOT NULL,
  turn_id         text NOT NULL,
  conversation_id text NOT NULL,
  user_id         text NOT NULL,
  n               int NOT NULL CHECK (n > 0),
  status          text NOT NULL CHECK (status IN ('running','waiting','answered','stopped','failed','limit')),
  -- queued_at is set while the turn wants the running slot of its conversation.
  queued_at       timestamptz,
  -- segment counts the runs between suspensions (AG-UI runId "<turn>.<segment>").
  segment         int NOT NULL DEFAULT 1,
  locale          text NOT NULL DEFAULT 'zh',
  error_code      text,
  error_params    jsonb,
  idempotency_key text NOT NULL,
  -- request_hash tells a resent message from another one under the same key.
  request_hash    text NOT NULL,
  workflow_run    int NOT NULL DEFAULT 1,
  started_at      timestamptz NOT NULL DEFAULT now(),
  ended_at        timestamptz,
  PRIMARY KEY (tenant_id, turn_id),
  UNIQUE (tenant_id, conversation_id, n),
  UNIQUE (tenant_id, conversation_id, idempotency_key),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
);
-- One running turn a conversation: the rule lives here, not in code.
CREATE UNIQUE INDEX turns_one_running ON turns (tenant_id, conversation_id) WHERE status = 'running';
CREATE INDEX turns_open ON turns (tenant_id, status) WHERE status IN ('running','waiting');

CREATE TABLE messages (
  tenant_id       text NOT NULL,
  message_id      text NOT NULL,
  conversation_id text NOT NULL,
  turn_id         text NOT NULL,
  role            text NOT NULL CHECK (role IN ('user','assistant')),
  step            int NOT NULL DEFAULT 0,
  text            text NOT NULL,
  reasoning       text NOT NULL DEFAULT '',
  answers         text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, message_id),
  FOREIGN KEY (tenant_id, turn_id) REFERENCES turns
);
CREATE INDEX messages_of_conversation ON messages (tenant_id, conversation_id, created_at);

-- A stored reply makes a retried model call free: (turn, step) is answered once.
CREATE TABLE replies (
  tenant_id     text NOT NULL,
  turn_id       text NOT NULL,
  step          int NOT NULL CHECK (step > 0),
  message_id    text NOT NULL,
  text          text NOT NULL,
  finish        text NOT NULL,
  model         text NOT NULL,
  input_tokens  int NOT NULL DEFAULT 0,
  output_tokens int NOT NULL DEFAULT 0,
  created_at    timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, turn_id, step),
  FOREIGN KEY (tenant_id, turn_id) REFERENCES turns
);

CREATE TABLE calls (
  tenant_id             text NOT NULL,
  call_id               text NOT NULL,
  conversation_id       text NOT NULL,
  turn_id               text NOT NULL,
  step                  int NOT NULL,
  position              int NOT NULL,
  -- provider_id pairs request and result on the model's wire.
  provider_id           text NOT NULL,
  tool                  text NOT NULL,
  effect                text NOT NULL CHECK (effect IN ('read','ask','draft','write','invalid')),
  risk                  text NOT NULL CHECK (risk IN ('read','confirm','batch_confirm')),
  arguments             text NOT NULL,
  arguments_fingerprint text NOT NULL,
  tool_schema_version   int NOT NULL,
  pending_id            text,
  client_token          text,
  approval_created_at   timestamptz,
  approval_expires_at   timestamptz,
  status                text NOT NULL CHECK (status IN ('started','pending','resolved','executing','finished')),
  result                jsonb,
  failed                boolean NOT NULL DEFAULT false,
  created_at            timestamptz NOT NULL DEFAULT now(),
  finished_at           timestamptz,
  PRIMARY KEY (tenant_id, call_id),
  UNIQUE (tenant_id, turn_id, step, position),
  UNIQUE (tenant_id, turn_id, provider_id),
  FOREIGN KEY (tenant_id, turn_id) REFERENCES turns,
  -- Each call has exactly one result, and has it when it is finished.
  CHECK ((status = 'finished') = (result IS NOT NULL))
);
CREATE INDEX calls_of_conversation ON calls (tenant_id, conversation_id, created_at);

CREATE TABLE drafts (
  tenant_id       text NOT NULL REFERENCES tenants,
  draft_id        text NOT NULL,
  conversation_id text NOT NULL,
  user_id         text NOT NULL,
  form            text NOT NULL,
  revision        int NOT NULL CHECK (revision > 0),
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, draft_id),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
);

-- Revisions are immutable: the app may insert and read, never change.
CREATE TABLE draft_revisions (
  tenant_id   text NOT NULL,
  draft_id    text NOT NULL,
  revision    int NOT NULL CHECK (revision > 0),
  payload     jsonb NOT NULL,
  -- quote is the preview at the time of saving: prices, discounts, stock seen.
  quote       jsonb NOT NULL,
  valid_until timestamptz NOT NULL,
  created_by  text NOT NULL,
  call_id     text,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, draft_id, revision),
  UNIQUE (tenant_id, call_id),
  FOREIGN KEY (tenant_id, draft_id) REFERENCES drafts
);

-- The staging queue: one row an operation, the truth about it below the ERP's
-- own commit record. Columns follow the ai_op_queue of the ERP side.
CREATE TABLE operations (
  tenant_id           text NOT NULL REFERENCES tenants,
  op_id               text NOT NULL,
  brand_id            text GENERATED ALWAYS AS (split_part(tenant_id, '.', 1)) STORED,
  subsidiary_id       text GENERATED ALWAYS AS (split_part(tenant_id, '.', 2)) STORED,
  user_id             text NOT NULL,
  conversation_id     text,
  turn_id             text,
  call_id             text,
  op_type             text NOT NULL CHECK (op_type IN ('create','update','delete','examine','generate','action')),
  action              text NOT NULL,
  target_form         text NOT NULL,
  target_module       text NOT NULL DEFAULT '',
  target_table        text NOT NULL DEFAULT '',
  target_bill         text NOT NULL DEFAULT '',
  payload             jsonb NOT NULL,
  -- requested is what was asked for, before the ERP normalised it into payload:
  -- a fresh proposal starts from it.
  requested           jsonb NOT NULL,
  source_ref          jsonb,
  auto_execute        boolean NOT NULL DEFAULT true,
  status              text NOT NULL CHECK (status IN ('draft','awaiting_approval','approved','needs_login','executing',
                        'reconciling','needs_person','handed_off','executed','refused','failed','rejected','cancelled',
                        'expired','completed','abandoned')),
  revision            int NOT NULL DEFAULT 1 CHECK (revision > 0),
  pending_id          text NOT NULL,
  digest              text NOT NULL,
  client_token        text NOT NULL,
  risk                text NOT NULL CHECK (risk IN ('confirm','batch_confirm')),
  policy              text NOT NULL DEFAULT 'self',
  tool                text NOT NULL,
  tool_schema_version int NOT NULL,
  draft_id            text,
  draft_revision      int,
  reason              text NOT NULL DEFAULT '',
  -- preview is what was shown (erp.Preview); immutable within a revision.
  preview             jsonb NOT NULL,
  attempts            int NOT NULL DEFAULT 0,
  edited_by           text[] NOT NULL DEFAULT '{}',
  replaces            text,
  replaced_by         text,
  decided_by          text,
  decided_via         text,
  decided_at          timestamptz,
  decision_comment    text NOT NULL DEFAULT '',
  result_bill         text NOT NULL DEFAULT '',
  result_link         text NOT NULL DEFAULT '',
  result_message      text NOT NULL DEFAULT '',
  error_message       text NOT NULL DEFAULT '',
  refusal             jsonb,
  refused_signals     int NOT NULL DEFAULT 0,
  created_at          timestamptz NOT NULL DEFAULT now(),
  confirmed_at        timestamptz,
  executed_at         timestamptz,
  settled_at          timestamptz,
  expires_at          timestamptz NOT NULL,
  PRIMARY KEY (tenant_id, op_id),
  UNIQUE (tenant_id, pending_id),
  UNIQUE (tenant_id, client_token),
  UNIQUE (tenant_id, call_id)
);
-- The inbox reads this index; soonest deadline first.
CREATE INDEX operations_awaiting ON operations (tenant_id, expires_at) WHERE status = 'awaiting_approval';
CREATE INDEX operations_open ON operations (tenant_id, user_id) WHERE status NOT IN
  ('executed','refused','rejected','cancelled','expired','completed','abandoned');
CREATE INDEX operations_of_conversation ON operations (tenant_id, conversation_id, created_at);
CREATE INDEX operations_of_draft ON operations (tenant_id, draft_id) WHERE draft_id IS NOT NULL;

-- Each revision that was ever shown stays readable.
CREATE TABLE operation_revisions (
  tenant_id  text NOT NULL,
  op_id      text NOT NULL,
  revision   int NOT NULL,
  pending_id text NOT NULL,
  digest     text NOT NULL,
  payload    jsonb NOT NULL,
  preview    jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, op_id, revision),
  FOREIGN KEY (tenant_id, op_id) REFERENCES operations
);

-- What a person typed when editing a proposal; the workflow gets the id only.
CREATE TABLE operation_edits (
  tenant_id   text NOT NULL,
  revision_id text NOT NULL,
  op_id       text NOT NULL,
  payload     jsonb NOT NULL,
  actor       text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, op_id, revision_id),
  FOREIGN KEY (tenant_id, op_id) REFERENCES operations
);

-- Decisions that were claimed, with their answer: the same decision_id again
-- gets the first answer.
CREATE TABLE decisions (
  tenant_id    text NOT NULL,
  decision_id  text NOT NULL,
  op_id        text NOT NULL,
  pending_id   text NOT NULL,
  revision     int NOT NULL,
  decision     text NOT NULL CHECK (decision IN ('approve','reject','cancel')),
  actor        text NOT NULL,
  channel      text NOT NULL,
  verified     boolean NOT NULL,
  comment      text NOT NULL DEFAULT '',
  accepted     boolean NOT NULL,
  refusal_code text,
  at           timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, op_id, decision_id),
  FOREIGN KEY (tenant_id, op_id) REFERENCES operations
);

-- Everything that waits for a person; approvals mirror their operation.
CREATE TABLE pendings (
  tenant_id       text NOT NULL,
  pending_id      text NOT NULL,
  conversation_id text NOT NULL,
  turn_id         text,
  call_id         text,
  op_id           text,
  user_id         text NOT NULL,
  kind            text NOT NULL CHECK (kind IN ('approval','question','form')),
  status          text NOT NULL CHECK (status IN ('open','answered','decided','expired','superseded','cancelled')),
  prompt          jsonb NOT NULL,
  answer          text,
  deadline        timestamptz NOT NULL,
  created_at      timestamptz NOT NULL DEFAULT now(),
  closed_at       timestamptz,
  PRIMARY KEY (tenant_id, pending_id),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
);
CREATE INDEX pendings_open ON pendings (tenant_id, conversation_id, deadline) WHERE status = 'open';

CREATE TABLE journal (
  tenant_id       text NOT NULL,
  conversation_id text NOT NULL,
  seq             bigint NOT NULL,
  turn_id         text,
  type            text NOT NULL,
  data            jsonb NOT NULL,
  -- natural_key makes a retried activity write its event once.
  natural_key     text NOT NULL,
  at              timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, conversation_id, seq),
  UNIQUE (tenant_id, conversation_id, natural_key),
  FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
);

-- journal_append writes events in order, each once, and returns the head seq.
-- Locking the conversation row makes seqs gapless; NOTIFY only wakes readers.
CREATE FUNCTION journal_append(p_tenant text, p_conversation text, p_turn text, p_events jsonb) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  head bigint;
  e    jsonb;
  n    int := 0;
BEGIN
  SELECT head_seq INTO head FROM conversations
   WHERE tenant_id = p_tenant AND conversation_id = p_conversation FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no such conversation' USING ERRCODE = 'no_data_found';
  END IF;
  FOR e IN SELECT value FROM jsonb_array_elements(p_events) WITH ORDINALITY ORDER BY ordinality LOOP
    INSERT INTO journal (tenant_id, conversation_id, seq, turn_id, type, data, natural_key, at)
    VALUES (p_tenant, p_conversation, head + 1, p_turn, e->>'type', e->'data', e->>'key', clock_timestamp())
    ON CONFLICT (tenant_id, conversation_id, natural_key) DO NOTHING;
    IF FOUND THEN
      head := head + 1;
      n := n + 1;
    END IF;
  END LOOP;
  IF n > 0 THEN
    UPDATE conversations SET head_seq = head, updated_at = clock_timestamp()
     WHERE tenant_id = p_tenant AND conversation_id = p_conversation;
    PERFORM pg_notify('erpilot_journal', p_tenant || ' ' || p_conversation);
  END IF;
  RETURN head;
END $$;

-- Deltas of messages that are being written, for a gateway in another process.
-- UNLOGGED: losing them loses nothing, the stored message replaces them.
CREATE UNLOGGED TABLE deltas (
  tenant_id       text NOT NULL,
  conversation_id text NOT NULL,
  message_id      text NOT NULL,
  turn_id         text NOT NULL,
  attempt         int NOT NULL,
  "offset"        int NOT NULL,
  reasoning       boolean NOT NULL DEFAULT false,
  text            text NOT NULL,
  at              timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, conversation_id, message_id, attempt, reasoning, "offset")
);

-- One immutable row a proposal, decision, execution and login.
CREATE TABLE audit (
  tenant_id       text NOT NULL REFERENCES tenants,
  audit_id        bigint GENERATED ALWAYS AS IDENTITY,
  at              timestamptz NOT NULL DEFAULT clock_timestamp(),
  kind            text NOT NULL,
  actor           text NOT NULL,
  channel         text NOT NULL DEFAULT '',
  conversation_id text,
  op_id           text,
  data            jsonb NOT NULL,
  content_hash    bytea NOT NULL CHECK (length(content_hash) = 32),
  PRIMARY KEY (tenant_id, audit_id)
);
CREATE INDEX audit_of_op ON audit (tenant_id, op_id) WHERE op_id IS NOT NULL;

CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit rows are never changed' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit
  FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();

-- Tenant isolation underneath every statement: FORCE holds the owner to it too.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['sessions','conversations','turns','messages','replies','calls','drafts','draft_revisions',
      'operations','operation_revisions','operation_edits','decisions','pendings','journal','deltas','audit'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON %I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO erpilot_app', t);
  END LOOP;
  FOREACH t IN ARRAY ARRAY['sessions','conversations','turns','messages','calls','drafts','operations','pendings'] LOOP
    EXECUTE format('GRANT UPDATE ON %I TO erpilot_app', t);
  END LOOP;
END $$;
GRANT SELECT ON tenants TO erpilot_app;
GRANT DELETE ON deltas TO erpilot_app;
