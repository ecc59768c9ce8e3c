package builtin

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// recordRules are what forms ask beyond their fields. A rule reads under the locks
// of the step and notes problems in s.bad; check tells them, after the facts.
var recordRules = map[string]func(ctx context.Context, j *job, s *recordStep) error{
	"bill_of_material": recipeRule,
	"currency":         currencyRule,
	"customer_price":   priceRule,
	"exchange_rate":    rateRule,
	"product":          productRule,
	"product_unit":     unitRule,
	"warehouse":        warehouseRule,
}

// judge notes what is wrong with the change.
func (s *recordStep) judge(ctx context.Context, j *job) error {
	s.dangling(j)
	if rule := recordRules[j.form.Form]; rule != nil {
		return rule(ctx, j, s)
	}
	return nil
}

func named(field string) func(fault.Problem) bool {
	return func(p fault.Problem) bool { return p.Field == field }
}

// moved reports whether the change gives a field another value.
func (s *recordStep) moved(field string) bool {
	v, given := s.set[field]
	return given && v != s.old[field]
}

func priceRule(_ context.Context, _ *job, s *recordStep) error {
	if from, until := s.now("valid_from"), s.now("valid_until"); until != "" && until < from {
		s.bad.add("valid_until", "不能早于生效日期", "must not be before the first day")
	}
	return nil
}

// productRule: what quantities and prices are counted in stays, once there are any.
func productRule(ctx context.Context, j *job, s *recordStep) error {
	if s.old == nil || s.set == nil {
		return nil
	}
	for _, field := range []string{"unit", "quantity_scale"} {
		if !s.moved(field) {
			continue
		}
		user, err := j.user(ctx, s.key)
		if err != nil {
			return err
		}
		if user.Zh != "" {
			s.bad.add(field, "产品已被"+user.Zh+"使用，不能修改", "the product is used by "+user.En+": it cannot be changed")
		}
	}
	if s.moved("unit") {
		var n int
		if err := j.tx.QueryRow(ctx, "SELECT count(*) FROM erp.product_unit WHERE tenant_id = $1 AND product = $2 AND unit = $3", j.tenant, s.key, s.set["unit"]).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			s.bad.add("unit", "已是产品的其他单位", "is another unit of the product already")
		}
	}
	return nil
}

// user names what refers to a record of the form, "" for nothing; discounts count
// in percent and use nothing.
func (j *job) user(ctx context.Context, key string) (nouns.Label, error) {
	rows, err := j.tx.Query(ctx, `SELECT r.relname::text, a.attname::text FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey) AND a.attname <> 'tenant_id'
		WHERE c.contype = 'f' AND c.confrelid = to_regclass($1) AND cardinality(c.conkey) = 2 AND r.relname NOT IN ('customer_discount')
		ORDER BY r.relname, a.attname`, j.form.base())
	if err != nil {
		return nouns.Label{}, err
	}
	type ref struct{ Table, Column string }
	refs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ref])
	if err != nil {
		return nouns.Label{}, err
	}
	for _, r := range refs {
		var used bool
		err := j.tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM erp."+pgx.Identifier{r.Table}.Sanitize()+" t WHERE t.tenant_id = $1 AND t."+
			pgx.Identifier{r.Column}.Sanitize()+" = $2)", j.tenant, key).Scan(&used)
		if err != nil {
			return nouns.Label{}, err
		}
		if used {
			return j.referring(ctx, r.Table)
		}
	}
	return nouns.Label{}, nil
}

func unitRule(ctx context.Context, j *job, s *recordStep) error {
	if p := s.links["product"]; s.moved("unit") && p.row != nil && p.row["unit"] == s.set["unit"] {
		s.bad.add("unit", "与产品的基本单位相同", "is the base unit of the product")
	}
	return nil
}

// recipeRule: nothing is made of itself, not by a detour either.
func recipeRule(ctx context.Context, j *job, s *recordStep) error {
	product, material := s.set["product"], s.set["material"]
	if !s.moved("material") || s.links["material"].row == nil {
		return nil
	}
	var loop bool
	err := j.tx.QueryRow(ctx, `WITH RECURSIVE part AS (SELECT $2::text AS code UNION
		SELECT b.material FROM erp.bill_of_material b JOIN part ON b.product = part.code WHERE b.tenant_id = $1)
		SELECT EXISTS (SELECT FROM part WHERE code = $3)`, j.tenant, material, product).Scan(&loop)
	if err != nil {
		return err
	}
	if loop {
		s.bad.add("material", "产品不能由自己制成", "a product is not made of itself")
	}
	return nil
}

// rateRule: the tenant's own currency is what rates are counted in.
func rateRule(ctx context.Context, j *job, s *recordStep) error {
	if !s.moved("currency") {
		return nil
	}
	var own string
	if err := j.tx.QueryRow(ctx, "SELECT currency FROM tenants WHERE tenant_id = $1", j.tenant).Scan(&own); err != nil {
		return err
	}
	if s.set["currency"] == own {
		s.bad.add("currency", "本位币没有汇率", "is our own currency, which has no rate")
	}
	return nil
}

// currencyTables hold a currency without a foreign key: it is a copy, or as old as
// the first of them.
var currencyTables = []string{"customer", "supplier", "product", "quotation", "sales_order", "delivery", "receivable", "receipt",
	"purchase_order", "goods_receipt", "payable", "payment"}

// currencyRule: a currency that something is counted in neither goes nor is
// rounded otherwise.
func currencyRule(ctx context.Context, j *job, s *recordStep) error {
	deleting := s.set == nil
	if s.old == nil || !deleting && !s.moved("digits") {
		return nil
	}
	field := "digits"
	if deleting {
		field = ""
	}
	var own bool
	if err := j.tx.QueryRow(ctx, "SELECT currency = $2 FROM tenants WHERE tenant_id = $1", j.tenant, s.key).Scan(&own); err != nil {
		return err
	}
	if own && deleting {
		s.bad.add(field, "本位币不能删除", "is our own currency and cannot be deleted")
		return nil
	}
	for _, t := range currencyTables {
		// Ends at the first row: where the currency is used it is used often.
		var used bool
		if err := j.tx.QueryRow(ctx, "SELECT EXISTS (SELECT FROM erp."+pgx.Identifier{t}.Sanitize()+" WHERE tenant_id = $1 AND currency = $2)", j.tenant, s.key).Scan(&used); err != nil {
			return err
		}
		if used {
			text, err := j.referring(ctx, t)
			if err != nil {
				return err
			}
			s.bad.add(field, "已被"+text.Zh+"使用", "is used by "+text.En)
			return nil
		}
	}
	return nil
}

// warehouseRule: there is one default warehouse. Naming another takes it from the
// one before; it is never simply dropped.
func warehouseRule(ctx context.Context, j *job, s *recordStep) error {
	deleting := s.set == nil
	switch {
	case deleting && s.old["is_default"] == "true":
		s.bad.add("", "默认仓库不能删除，请先另设默认仓库", "is the default warehouse: make another one the default first")
		return nil
	case deleting:
		return nil
	case s.old["is_default"] == "true" && s.moved("is_default"):
		s.bad.add("is_default", "请改为把另一个仓库设为默认", "make another warehouse the default instead")
		return nil
	case s.now("is_default") == "true" && s.now("active") == "false":
		s.bad.add("active", "默认仓库不能停用", "the default warehouse cannot be inactive")
		return nil
	case !s.moved("is_default") || s.set["is_default"] != "true":
		return nil
	}
	var code, zh, en string
	err := j.tx.QueryRow(ctx, "SELECT code, name, name_en FROM erp.warehouse WHERE tenant_id = $1 AND is_default FOR NO KEY UPDATE", j.tenant).Scan(&code, &zh, &en)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	s.before = func(ctx context.Context, j *job) (nouns.Diff, error) {
		var version int64
		err := j.tx.QueryRow(ctx, "UPDATE erp.warehouse SET is_default = false, version = version + 1 WHERE tenant_id = $1 AND code = $2 RETURNING version", j.tenant, code).Scan(&version)
		if err != nil {
			return nouns.Diff{}, err
		}
		f, _ := j.form.find("is_default")
		d := s.diff(j, f, "true", "false")
		if err := j.remember(ctx, j.form.Form, code, version, []nouns.Diff{d}); err != nil {
			return nouns.Diff{}, err
		}
		d.Object, d.Derived = objectName(j.locale(), zh, en, code), true
		return d, nil
	}
	return nil
}
