package builtin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
)

// formFiles are the forms that come with the product, one file a form. A tenant
// gets them as rows and may change labels, order and allow-lists there.
//
//go:embed forms/*.json
var formFiles embed.FS

// formFile is a form as a file; names are those of the columns.
type formFile struct {
	Form     string `json:"form"`
	Position int32  `json:"position"`
	LabelZh  string `json:"label_zh"`
	LabelEn  string `json:"label_en"`
	Domain   string `json:"domain"`
	// Kind "" is a record.
	Kind        string       `json:"kind"`
	HelpZh      string       `json:"help_zh"`
	HelpEn      string       `json:"help_en"`
	KeyField    string       `json:"key_field"`
	NameZhField string       `json:"name_zh_field"`
	NameEnField string       `json:"name_en_field"`
	Source      string       `json:"source"`
	BaseTable   string       `json:"base_table"`
	Fields      []fieldFile  `json:"fields"`
	Actions     []actionFile `json:"actions"`
}

type fieldFile struct {
	Parent      string              `json:"parent"`
	Field       string              `json:"field"`
	LabelZh     string              `json:"label_zh"`
	LabelEn     string              `json:"label_en"`
	Type        string              `json:"type"`
	Required    bool                `json:"required"`
	ReadOnly    bool                `json:"read_only"`
	Filter      bool                `json:"filter"`
	Sort        bool                `json:"sort"`
	Listed      bool                `json:"listed"`
	Lookup      bool                `json:"lookup"`
	LinkForm    string              `json:"link_form"`
	Options     json.RawMessage     `json:"options"`
	MaxLength   *int32              `json:"max_length"`
	MinValue    decimal.NullDecimal `json:"min_value"`
	MaxValue    decimal.NullDecimal `json:"max_value"`
	Scale       *int32              `json:"scale"`
	Pattern     string              `json:"pattern"`
	LinesSource string              `json:"lines_source"`

	Control      string `json:"control"`
	DefaultValue string `json:"default_value"`
	Hidden       bool   `json:"hidden"`
	HelpZh       string `json:"help_zh"`
	HelpEn       string `json:"help_en"`
	Ungoverned   bool   `json:"ungoverned"`
	Fixed        bool   `json:"fixed"`
}

type actionFile struct {
	Action  string `json:"action"`
	LabelZh string `json:"label_zh"`
	LabelEn string `json:"label_en"`
	Write   bool   `json:"write"`
	Batch   bool   `json:"batch"`
	// Manual actions are finished in the native form; States are those in which the
	// action is offered; Danger marks what cannot be taken back.
	Manual bool     `json:"manual"`
	States []string `json:"states"`
	Danger bool     `json:"danger"`
}

// tenantCurrency in a file is the currency of the tenant that the form is installed for.
const tenantCurrency = "tenant_currency"

// parseForm reads a form file. A key that means nothing, or an option without its
// words in both languages, is an error: it would show only as something missing.
func parseForm(raw []byte) (formFile, error) {
	var f formFile
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, err
	}
	for _, x := range f.Fields {
		if x.Options == nil {
			continue
		}
		var options []nouns.Choice
		d := json.NewDecoder(bytes.NewReader(x.Options))
		d.DisallowUnknownFields()
		if err := d.Decode(&options); err != nil {
			return f, fmt.Errorf("options of %s: %w", x.Field, err)
		}
		for _, o := range options {
			if o.Label.Zh == "" || o.Label.En == "" {
				return f, fmt.Errorf("option %q of %s needs \"label\": {\"zh\": …, \"en\": …}", o.Value, x.Field)
			}
		}
	}
	return f, nil
}

// InstallForms brings a tenant's forms to what comes with the product. It runs as
// the owner, in the caller's transaction, with erpilot.tenant set.
func InstallForms(ctx context.Context, tx pgx.Tx, tenant identity.Tenant) error {
	if _, err := tx.Exec(ctx, "UPDATE erp.forms SET digest = '' WHERE tenant_id = $1", tenant.String()); err != nil {
		return err
	}
	_, err := updateForms(ctx, tx, tenant)
	return err
}

// updateForms installs the forms whose file is another one than the tenant's form
// came from, and tells which. Whatever the tenant has changed in the others stays.
func updateForms(ctx context.Context, tx pgx.Tx, tenant identity.Tenant) ([]string, error) {
	entries, err := formFiles.ReadDir("forms")
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, "SELECT form || ' ' || digest FROM erp.forms WHERE tenant_id = $1", tenant.String())
	if err != nil {
		return nil, err
	}
	present, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var currency string
	if err := tx.QueryRow(ctx, "SELECT currency FROM tenants WHERE tenant_id = $1", tenant.String()).Scan(&currency); err != nil {
		return nil, err
	}
	var changed []string
	for _, e := range entries {
		raw, err := formFiles.ReadFile(path.Join("forms", e.Name()))
		if err != nil {
			return nil, err
		}
		f, err := parseForm(raw)
		if err != nil {
			return nil, fmt.Errorf("form file %s: %w", e.Name(), err)
		}
		sum := sha256.Sum256(raw)
		digest := hex.EncodeToString(sum[:])
		if slices.Contains(present, f.Form+" "+digest) {
			continue
		}
		for i, x := range f.Fields {
			if x.DefaultValue == tenantCurrency {
				f.Fields[i].DefaultValue = currency
			}
		}
		if err := installForm(ctx, pgdb.New(tx), tenant.String(), f); err != nil {
			return nil, fmt.Errorf("form file %s: %w", e.Name(), err)
		}
		if _, err := tx.Exec(ctx, "UPDATE erp.forms SET digest = $3 WHERE tenant_id = $1 AND form = $2", tenant.String(), f.Form, digest); err != nil {
			return nil, err
		}
		changed = append(changed, f.Form)
	}
	return changed, nil
}

func installForm(ctx context.Context, q *pgdb.Queries, tenant string, f formFile) error {
	if f.Kind == "" {
		f.Kind = string(nouns.KindRecord)
	}
	err := q.ErpUpsertForm(ctx, pgdb.ErpUpsertFormParams{TenantID: tenant, Form: f.Form, Position: f.Position, LabelZh: f.LabelZh, LabelEn: f.LabelEn,
		Domain: f.Domain, KeyField: f.KeyField, NameZhField: f.NameZhField, NameEnField: f.NameEnField, Source: f.Source, BaseTable: f.BaseTable,
		Kind: f.Kind, HelpZh: f.HelpZh, HelpEn: f.HelpEn})
	if err != nil {
		return err
	}
	if err := q.ErpClearFormFields(ctx, pgdb.ErpClearFormFieldsParams{TenantID: tenant, Form: f.Form}); err != nil {
		return err
	}
	if err := q.ErpClearFormActions(ctx, pgdb.ErpClearFormActionsParams{TenantID: tenant, Form: f.Form}); err != nil {
		return err
	}
	for i, x := range f.Fields {
		if x.Options == nil {
			x.Options = json.RawMessage("[]")
		}
		err := q.ErpInsertFormField(ctx, pgdb.ErpInsertFormFieldParams{TenantID: tenant, Form: f.Form, Parent: x.Parent, Field: x.Field,
			Position: int32(i), LabelZh: x.LabelZh, LabelEn: x.LabelEn, Type: x.Type, Required: x.Required, ReadOnly: x.ReadOnly,
			Filter: x.Filter, Sort: x.Sort, Listed: x.Listed, Lookup: x.Lookup, LinkForm: x.LinkForm, Options: x.Options, MaxLength: x.MaxLength,
			MinValue: x.MinValue, MaxValue: x.MaxValue, Scale: x.Scale, Pattern: x.Pattern, LinesSource: x.LinesSource,
			Control: x.Control, DefaultValue: x.DefaultValue, Hidden: x.Hidden, HelpZh: x.HelpZh, HelpEn: x.HelpEn, Ungoverned: x.Ungoverned, Fixed: x.Fixed})
		if err != nil {
			return fmt.Errorf("field %s: %w", x.Field, err)
		}
	}
	for i, a := range f.Actions {
		err := q.ErpInsertFormAction(ctx, pgdb.ErpInsertFormActionParams{TenantID: tenant, Form: f.Form, Action: a.Action, Position: int32(i),
			LabelZh: a.LabelZh, LabelEn: a.LabelEn, Write: a.Write, Batch: a.Batch, Manual: a.Manual, States: notNil(a.States), Danger: a.Danger})
		if err != nil {
			return fmt.Errorf("action %s: %w", a.Action, err)
		}
	}
	return nil
}
