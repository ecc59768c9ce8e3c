package builtin

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// output selects a field as the text that makeRow reads.
func output(f field) string {
	if f.Type == nouns.DateTime {
		return "to_char(" + column(f.Name) + " AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
	}
	return column(f.Name) + "::text"
}

// makeRow types the values: decimals stay strings, integers become numbers,
// what is NULL is nil.
func makeRow(fields []field, values []*string) nouns.Row {
	row := make(nouns.Row, len(fields))
	for i, f := range fields {
		v := values[i]
		if v == nil {
			row[f.Name] = nil
			continue
		}
		switch f.Type {
		case nouns.Decimal, nouns.Money:
			d, err := nouns.NormalizeDecimal(*v)
			if err != nil {
				d = *v // numeric::text is always a plain decimal; NaN is barred by CHECK
			}
			row[f.Name] = d
		case nouns.Integer:
			n, err := strconv.ParseInt(*v, 10, 64)
			if err != nil {
				row[f.Name] = *v
				continue
			}
			row[f.Name] = n
		default:
			row[f.Name] = *v
		}
	}
	return row
}

// texts runs a statement all of whose n columns are text.
func (r reader) texts(ctx context.Context, sql string, args []any, n int) ([][]*string, error) {
	var out [][]*string
	err := r.each(ctx, sql, args, n, func(v []*string) error {
		out = append(out, v)
		return nil
	})
	return out, err
}

// each is texts row by row; an error of row ends it.
func (r reader) each(ctx context.Context, sql string, args []any, n int, row func([]*string) error) error {
	rows, err := r.tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		values := make([]*string, n)
		into := make([]any, n)
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// pgClass is the SQLSTATE class of an error of the database, "" for others.
func pgClass(err error) string {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || len(pg.Code) < 2 {
		return ""
	}
	return pg.Code[:2]
}
