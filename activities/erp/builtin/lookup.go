package builtin

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

const defaultLookup = 10

// Lookup finds records by key or name: exact first, then beginning with the
// text, then containing it; letter case does not count. An empty text is the
// first records by key, to choose from.
func (c *Connector) Lookup(ctx context.Context, id erp.Identity, name, text string, limit int) ([]nouns.Row, error) {
	if limit == 0 {
		limit = defaultLookup
	}
	if limit < 1 || limit > nouns.MaxLimit {
		return nil, fault.New(fault.Invalid, "field", "limit", "detail", "limit must be 1 to "+strconv.Itoa(nouns.MaxLimit))
	}
	text = strings.TrimSpace(text)
	if len(text) > 400 || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, fault.New(fault.Invalid, "field", "text", "detail", "the text is too long or not valid")
	}
	out := []nouns.Row{}
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		f, err := c.forms.one(ctx, pgdb.New(tx), id, name, readAction)
		if err != nil {
			return err
		}
		r := reader{tx: tx, id: id, form: f}
		fields, err := r.fields(false)
		if err != nil {
			return err
		}
		if _, ok := findField(fields, f.KeyField); !ok {
			key, _ := f.find(f.KeyField)
			fields = append([]field{key}, fields...)
		}
		sel := make([]string, len(fields))
		for i, x := range fields {
			sel[i] = output(x)
		}
		var exact, prefix, contains []string
		for _, x := range f.fields {
			if !x.lookup {
				continue
			}
			col := "lower(coalesce(" + column(x.Name) + ", ''))"
			exact = append(exact, col+" = lower($3)")
			prefix = append(prefix, "starts_with("+col+", lower($3))")
			contains = append(contains, "position(lower($3) IN "+col+") > 0")
		}
		if len(contains) == 0 && text != "" {
			return nil
		}
		sql := "SELECT " + strings.Join(sel, ", ") + " FROM " + r.source(f.Source) + " WHERE t.tenant_id = $1"
		if f.document() && text != "" {
			// The number of a document names it alone; looking for it in names as well would
			// read every document there is.
			rows, err := r.texts(ctx, sql+" AND "+column(f.KeyField)+" = upper($2)", []any{id.User.Tenant.String(), text}, len(sel))
			if err != nil {
				return err
			}
			if len(rows) > 0 {
				out = append(out, makeRow(fields, rows[0]))
				return nil
			}
		}
		args := []any{id.User.Tenant.String(), limit}
		if text == "" {
			sql += " ORDER BY " + column(f.KeyField) + " LIMIT $2"
		} else {
			args = append(args, text)
			sql += " AND (" + strings.Join(contains, " OR ") + ") ORDER BY CASE WHEN " + strings.Join(exact, " OR ") + " THEN 0 WHEN " +
				strings.Join(prefix, " OR ") + " THEN 1 ELSE 2 END, " + column(f.KeyField) + " LIMIT $2"
		}
		rows, err := r.texts(ctx, sql, args, len(sel))
		for _, v := range rows {
			out = append(out, makeRow(fields, v))
		}
		return err
	})
	if err != nil {
		return nil, coded(err)
	}
	return out, nil
}
