package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// write runs the one statement that changes the row. What a constraint refuses
// becomes a problem of the field that it is about; the constraint is the judge,
// because two writes at once are judged there and nowhere else.
func (j *job) write(ctx context.Context, run func(tx pgx.Tx) error) error {
	sub, err := j.tx.Begin(ctx)
	if err != nil {
		return err
	}
	if err := run(sub); err != nil {
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pg.Code[:2] != "23" {
			return err
		}
		if back := sub.Rollback(ctx); back != nil {
			return back
		}
		return j.refused(ctx, pg)
	}
	return sub.Commit(ctx)
}

// refused names the field behind a constraint.
func (j *job) refused(ctx context.Context, pg *pgconn.PgError) error {
	p := j.problems()
	switch pg.Code {
	case "23503":
		if pg.TableName != j.form.BaseTable {
			text, err := j.referring(ctx, pg.TableName)
			if err != nil {
				return err
			}
			p.add("", "不能删除：被"+text.Zh+"引用", "cannot be deleted: referred to by "+text.En)
			return p.err()
		}
		field, err := j.fieldOf(ctx, pg)
		if err != nil {
			return err
		}
		p.add(field, "没有这条记录", "there is no such record")
	case "23505":
		field, err := j.fieldOf(ctx, pg)
		if err != nil {
			return err
		}
		p.add(field, "已有同样的记录", "there is such a record already")
	default:
		field, err := j.fieldOf(ctx, pg)
		if err != nil {
			return err
		}
		p.add(field, "数据库拒绝了这个值", "the database refuses this value")
	}
	return p.err()
}

// fieldOf is the last writable field that a constraint or unique index is about;
// "" when it is about none. A generated key stands for the fields it is made of.
func (j *job) fieldOf(ctx context.Context, pg *pgconn.PgError) (string, error) {
	if pg.ColumnName != "" {
		return pg.ColumnName, nil
	}
	rows, err := j.tx.Query(ctx, `SELECT a.attname::text FROM pg_class r
		LEFT JOIN pg_constraint c ON c.conrelid = r.oid AND c.conname = $2
		LEFT JOIN pg_index i ON i.indrelid = r.oid AND i.indexrelid = (SELECT x.oid FROM pg_class x WHERE x.relname = $2 AND x.relnamespace = r.relnamespace)
		JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum = ANY(coalesce(c.conkey, i.indkey::int2[]))
		WHERE r.oid = to_regclass($1) ORDER BY a.attnum`, j.form.base(), pg.ConstraintName)
	if err != nil {
		return "", err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return "", err
	}
	field := ""
	for _, c := range columns {
		x, ok := j.form.find(c)
		switch {
		case !ok:
		case !x.ReadOnly:
			field = c
		case c == j.form.KeyField:
			for _, y := range j.form.fields {
				if y.Fixed {
					field = y.Name
				}
			}
		}
	}
	return field, nil
}

// referring says in words which records refer to the one of the change, from the
// table whose foreign key said so: the form's name and up to three of its keys,
// where the person may read them.
func (j *job) referring(ctx context.Context, table string) (nouns.Label, error) {
	var name, nameEn, formName, keyField string
	err := j.tx.QueryRow(ctx, `SELECT label_zh, label_en, form, key_field FROM erp.forms WHERE tenant_id = $1 AND base_table IN ($2, $3)
		ORDER BY kind, position LIMIT 1`, j.tenant, table, strings.TrimSuffix(table, "_line")).Scan(&name, &nameEn, &formName, &keyField)
	if errors.Is(err, pgx.ErrNoRows) {
		return nouns.Label{Zh: "其他记录", En: "other records"}, nil
	}
	if err != nil {
		return nouns.Label{}, err
	}
	text := nouns.Label{Zh: name, En: nameEn}
	if !j.id.Grants.Allows(formName, readAction) {
		return text, nil
	}
	keys, err := j.referringKeys(ctx, table, keyField)
	if err != nil || len(keys) == 0 {
		return text, err
	}
	list := strings.Join(keys, ", ")
	return nouns.Label{Zh: text.Zh + "（" + list + "）", En: text.En + " (" + list + ")"}, nil
}

func (j *job) referringKeys(ctx context.Context, table, keyField string) ([]string, error) {
	// Where the key of the form is no column of the table there is nothing to name.
	rows, err := j.tx.Query(ctx, `SELECT a.attname::text FROM pg_constraint c
		JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = ANY(c.conkey) AND a.attname <> 'tenant_id'
		WHERE c.contype = 'f' AND c.conrelid = to_regclass($1) AND c.confrelid = to_regclass($2) AND cardinality(c.conkey) = 2
		  AND EXISTS (SELECT FROM pg_attribute k WHERE k.attrelid = c.conrelid AND k.attname = $3 AND NOT k.attisdropped)`,
		"erp."+pgx.Identifier{table}.Sanitize(), j.form.base(), keyField)
	if err != nil {
		return nil, err
	}
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(columns) == 0 {
		return nil, err
	}
	var any []string
	for _, c := range columns {
		any = append(any, "t."+pgx.Identifier{c}.Sanitize()+" = $2")
	}
	key := "t." + pgx.Identifier{keyField}.Sanitize()
	rows, err = j.tx.Query(ctx, "SELECT DISTINCT "+key+"::text FROM erp."+pgx.Identifier{table}.Sanitize()+" t WHERE t.tenant_id = $1 AND ("+strings.Join(any, " OR ")+
		") ORDER BY 1 LIMIT 3", j.tenant, j.change.Target)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
