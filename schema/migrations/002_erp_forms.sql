-- The built-in ERP: users, rights, and forms as data. It lives in a schema of
-- its own, because the copilot only ever reaches it through the port Connector;
-- the two share nothing but tenants, drafts and the audit.

CREATE SCHEMA erp;
GRANT USAGE ON SCHEMA erp TO erpilot_app;

-- People of a tenant. Passwords are argon2id in PHC form, parameters included,
-- so that they can be raised for new ones without touching old ones.
CREATE TABLE erp.users (
  tenant_id     text NOT NULL REFERENCES tenants,
  user_id       text NOT NULL CHECK (user_id ~ '^[a-z0-9][a-z0-9._-]{0,63}$'),
  username      text NOT NULL CHECK (username = lower(username) AND length(username) BETWEEN 1 AND 64),
  name_zh       text NOT NULL,
  name_en       text NOT NULL,
  password_hash text NOT NULL CHECK (password_hash LIKE '$argon2id$%'),
  roles         text[] NOT NULL DEFAULT '{}',
  locale        text NOT NULL DEFAULT 'zh' CHECK (locale IN ('zh','en')),
  time_zone     text NOT NULL DEFAULT 'Asia/Shanghai',
  active        boolean NOT NULL DEFAULT true,
  PRIMARY KEY (tenant_id, user_id),
  UNIQUE (tenant_id, username)
);

-- A form is a name, the relation that a reader sees and the table that a writer
-- changes. Identifiers from these rows are quoted, never pasted; the CHECKs keep
-- them plain all the same.
CREATE TABLE erp.forms (
  tenant_id     text NOT NULL REFERENCES tenants,
  form          text NOT NULL CHECK (form ~ '^[a-z][a-z0-9_]{0,62}$'),
  position      int NOT NULL,
  label_zh      text NOT NULL,
  label_en      text NOT NULL,
  domain        text NOT NULL,
  key_field     text NOT NULL,
  -- name_zh_field and name_en_field name a record for people, '' without one.
  name_zh_field text NOT NULL DEFAULT '',
  name_en_field text NOT NULL DEFAULT '',
  source        text NOT NULL CHECK (source ~ '^[a-z][a-z0-9_]{0,62}$'),
  base_table    text NOT NULL CHECK (base_table ~ '^[a-z][a-z0-9_]{0,62}$'),
  -- stamp is another one after each change of the form, its fields or its actions,
  -- so that a reader may keep what it has read and still never use an old one.
  stamp         uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (tenant_id, form)
);

-- parent is '' for the record itself, the name of a lines field for its columns,
-- and the name of an action for that action's arguments.
CREATE TABLE erp.form_fields (
  tenant_id     text NOT NULL,
  form          text NOT NULL,
  parent        text NOT NULL DEFAULT '',
  field         text NOT NULL CHECK (field ~ '^[a-z][a-z0-9_]{0,62}$'),
  position      int NOT NULL,
  label_zh      text NOT NULL,
  label_en      text NOT NULL,
  type          text NOT NULL CHECK (type IN ('text','decimal','integer','money','date','datetime','option','link','lines')),
  required      boolean NOT NULL DEFAULT false,
  read_only     boolean NOT NULL DEFAULT false,
  filter        boolean NOT NULL DEFAULT false,
  sort          boolean NOT NULL DEFAULT false,
  -- listed fields are what a list shows; lookup fields are what a search looks into.
  listed        boolean NOT NULL DEFAULT false,
  lookup        boolean NOT NULL DEFAULT false,
  link_form     text NOT NULL DEFAULT '',
  -- options: [{"value","label":{"zh","en"}}]
  options       jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(options) = 'array'),
  max_length    int CHECK (max_length > 0),
  min_value     numeric,
  max_value     numeric,
  -- scale is the number of decimals a writer may give.
  scale         int CHECK (scale BETWEEN 0 AND 6),
  pattern       text NOT NULL DEFAULT '',
  -- lines_source is the relation of a lines field; its rows carry the key of the form.
  lines_source  text NOT NULL DEFAULT '' CHECK (lines_source ~ '^([a-z][a-z0-9_]{0,62})?$'),
  PRIMARY KEY (tenant_id, form, parent, field),
  FOREIGN KEY (tenant_id, form) REFERENCES erp.forms ON DELETE CASCADE,
  CHECK ((type = 'link') = (link_form <> '')),
  CHECK ((type = 'lines') = (lines_source <> '')),
  CHECK ((type = 'option') = (options <> '[]'))
);

CREATE TABLE erp.form_actions (
  tenant_id text NOT NULL,
  form      text NOT NULL,
  action    text NOT NULL CHECK (action ~ '^[a-z][a-z0-9_]{0,62}$'),
  position  int NOT NULL,
  label_zh  text NOT NULL,
  label_en  text NOT NULL,
  write     boolean NOT NULL,
  batch     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant_id, form, action),
  FOREIGN KEY (tenant_id, form) REFERENCES erp.forms ON DELETE CASCADE
);

CREATE FUNCTION erp.form_is_stamped() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stamp := gen_random_uuid();
  RETURN NEW;
END $$;
CREATE TRIGGER form_is_stamped BEFORE UPDATE ON erp.forms FOR EACH ROW EXECUTE FUNCTION erp.form_is_stamped();

CREATE FUNCTION erp.part_stamps_form() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE erp.forms SET stamp = DEFAULT
    WHERE (tenant_id, form) IN ((NEW.tenant_id, NEW.form), (OLD.tenant_id, OLD.form));
  RETURN NULL;
END $$;
CREATE TRIGGER field_stamps_form AFTER INSERT OR UPDATE OR DELETE ON erp.form_fields
  FOR EACH ROW EXECUTE FUNCTION erp.part_stamps_form();
CREATE TRIGGER action_stamps_form AFTER INSERT OR UPDATE OR DELETE ON erp.form_actions
  FOR EACH ROW EXECUTE FUNCTION erp.part_stamps_form();

-- A grant is a form and one of its actions; 'read' is reading, '*' is all.
CREATE TABLE erp.grants (
  tenant_id text NOT NULL,
  user_id   text NOT NULL,
  form      text NOT NULL,
  action    text NOT NULL,
  PRIMARY KEY (tenant_id, user_id, form, action),
  FOREIGN KEY (tenant_id, user_id) REFERENCES erp.users ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, form) REFERENCES erp.forms ON DELETE CASCADE
);

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['users','forms','form_fields','form_actions','grants'] LOOP
    EXECUTE format('ALTER TABLE erp.%I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE erp.%I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant ON erp.%I USING (tenant_id = current_setting(''erpilot.tenant'', true))', t);
    EXECUTE format('GRANT SELECT ON erp.%I TO erpilot_app', t);
  END LOOP;
END $$;
