-- What a native page needs to know of a form, what a person finishes by hand,
-- and what became of each record.

ALTER TABLE erp.forms
  -- A report is a relation that answers a prebuilt question; nothing is keyed into it.
  ADD kind    text NOT NULL DEFAULT 'record' CHECK (kind IN ('record','report')),
  ADD help_zh text NOT NULL DEFAULT '',
  ADD help_en text NOT NULL DEFAULT '',
  -- digest is the hash of the file that the form was installed from: another file
  -- is installed again, and what a tenant has changed is kept until then.
  ADD digest  text NOT NULL DEFAULT '';

ALTER TABLE erp.form_fields
  -- control '' leaves it to the type.
  ADD control       text NOT NULL DEFAULT '' CHECK (control IN ('','text','textarea','number','date','select','lookup','switch','grid')),
  -- default_value is what a new record begins with; 'today' is the tenant's date.
  ADD default_value text NOT NULL DEFAULT '',
  -- hidden fields are read, but not on the page of a record.
  ADD hidden        boolean NOT NULL DEFAULT false,
  ADD help_zh       text NOT NULL DEFAULT '',
  ADD help_en       text NOT NULL DEFAULT '',
  -- ungoverned fields may differ between what was approved and what is saved by hand.
  ADD ungoverned    boolean NOT NULL DEFAULT false,
  -- fixed fields are given when a record is made and never change.
  ADD fixed         boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT form_fields_scale_check,
  ADD CONSTRAINT form_fields_scale_check CHECK (scale BETWEEN 0 AND 8);

ALTER TABLE erp.form_actions
  -- manual: an approved change is finished by the person in the native form.
  ADD manual boolean NOT NULL DEFAULT false,
  -- states in which the action is offered; empty is all.
  ADD states text[] NOT NULL DEFAULT '{}',
  ADD danger boolean NOT NULL DEFAULT false,
  ADD CHECK (write OR NOT manual);

-- Every change of a record, written with it.
CREATE TABLE erp.record_history (
  tenant_id  text NOT NULL REFERENCES tenants,
  history_id bigint GENERATED ALWAYS AS IDENTITY,
  form       text NOT NULL,
  key        text NOT NULL,
  version    bigint NOT NULL CHECK (version > 0),
  at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor      text NOT NULL,
  channel    text NOT NULL,
  action     text NOT NULL,
  op_id      text NOT NULL DEFAULT '',
  comment    text NOT NULL DEFAULT '',
  -- diffs are erp.Diff: field, label, before, after.
  diffs      jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(diffs) = 'array'),
  PRIMARY KEY (tenant_id, history_id)
);
CREATE INDEX record_history_of_record ON erp.record_history (tenant_id, form, key, history_id);

-- Messages of the ERP to workflows, written with what they tell of. The relay
-- sends each at least once; whoever receives one looks the truth up.
CREATE TABLE erp.outbox (
  tenant_id  text NOT NULL REFERENCES tenants,
  outbox_id  bigint GENERATED ALWAYS AS IDENTITY,
  op_id      text NOT NULL,
  -- client_token is the commit that it tells of.
  client_token text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  sent_at    timestamptz,
  PRIMARY KEY (tenant_id, outbox_id)
);
CREATE INDEX outbox_unsent ON erp.outbox (tenant_id, outbox_id) WHERE sent_at IS NULL;

CREATE FUNCTION erp.outbox_wakes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('erpilot_outbox', NEW.tenant_id);
  RETURN NULL;
END $$;
CREATE TRIGGER outbox_wakes AFTER INSERT ON erp.outbox FOR EACH ROW EXECUTE FUNCTION erp.outbox_wakes();

-- All documents of a commit that made several.
ALTER TABLE erp.commits ADD bills text[] NOT NULL DEFAULT '{}';

-- A manual operation has been handed to its person; a deadline of its own runs.
ALTER TABLE operations
  ADD handed_off_at      timestamptz,
  ADD handoff_expires_at timestamptz,
  -- All documents that were written, where there are several; result_bill is the first.
  ADD result_bills       text[] NOT NULL DEFAULT '{}';
CREATE INDEX operations_of_user ON operations (tenant_id, user_id, created_at DESC);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['record_history','outbox'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT, INSERT ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
GRANT UPDATE (sent_at) ON erp.outbox TO erpilot_app;
