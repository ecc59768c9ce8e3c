package builtin

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

const (
	readAction   = "read"
	defaultLimit = 20
	maxSort      = 3
)

// Read answers a list, a count or a record. The statement is put together from
// the form's own rows; what the caller says is only ever bound.
func (c *Connector) Read(ctx context.Context, id erp.Identity, q nouns.Query) (nouns.Page, error) {
	page := nouns.Page{Form: q.Form}
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		f, err := c.forms.one(ctx, pgdb.New(tx), id, q.Form, readAction)
		if err != nil {
			return err
		}
		r := reader{tx: tx, id: id, form: f, query: q}
		switch q.Mode {
		case nouns.Record:
			page.Record, err = r.record(ctx)
			return err
		case nouns.Count, nouns.List, "":
			return r.list(ctx, &page)
		}
		return fault.New(fault.Invalid, "field", "mode", "detail", "mode must be list, count or record")
	})
	if err != nil {
		return nouns.Page{}, coded(err)
	}
	return page, nil
}

// reader is one read inside its transaction.
type reader struct {
	tx    pgx.Tx
	id    erp.Identity
	form  *form
	query nouns.Query
}

func (r reader) source(name string) string { return pgx.Identifier{"erp", name}.Sanitize() + " t" }

// fields are those asked for, else those that a list shows with their names in the
// other language, else all.
func (r reader) fields(all bool) ([]field, error) {
	if len(r.query.Fields) == 0 {
		var out []field
		for _, f := range r.form.fields {
			name, twin := strings.CutSuffix(f.Name, "_en")
			if of, ok := r.form.find(name); all || f.Listed || twin && ok && of.Listed {
				out = append(out, f)
			}
		}
		return out, nil
	}
	var out []field
	seen := map[string]bool{}
	for _, name := range r.query.Fields {
		f, ok := r.form.find(name)
		if !ok || (!all && f.Type == nouns.Lines) {
			return nil, invalid(r.id, name, complain("“%s”不是 %s 的字段（可选：%s）", "%q is not a field of %s (fields: %s)", clip(name),
				r.form.Form, names(r.form.fields, func(f field) bool { return all || f.Type != nouns.Lines })))
		}
		if !seen[name] {
			seen[name] = true
			out = append(out, f)
		}
	}
	return out, nil
}

// sorting is the caller's order with the key as its last, so that it is total. The
// key goes in the direction of the sort before it: an index is read either way.
func (r reader) sorting() ([]nouns.Sort, error) {
	if len(r.query.Sort) > maxSort {
		return nil, invalid(r.id, "sort", complain("最多 %d 个排序字段", "at most %d sort fields", maxSort))
	}
	var order []nouns.Sort
	for _, s := range r.query.Sort {
		f, ok := r.form.find(s.Field)
		if !ok || !f.Sort {
			return nil, invalid(r.id, s.Field, complain("%s 不能按“%s”排序（可选：%s）", "%s cannot be sorted by %q (sort fields: %s)",
				r.form.Form, clip(s.Field), names(r.form.fields, func(f field) bool { return f.Sort })))
		}
		order = append(order, s)
		if s.Field == r.form.KeyField {
			return order, nil
		}
	}
	desc := len(order) > 0 && order[len(order)-1].Desc
	return append(order, nouns.Sort{Field: r.form.KeyField, Desc: desc}), nil
}

func (r reader) conditions() (*where, error) {
	if len(r.query.Filters) > maxFilters {
		return nil, invalid(r.id, "filters", complain("最多 %d 个筛选条件", "at most %d filters", maxFilters))
	}
	w := &where{id: r.id}
	zone := zoneOf(r.id)
	w.and("t.tenant_id = " + w.bind(r.id.User.Tenant.String()))
	for _, x := range r.query.Filters {
		if err := w.filter(r.form, x, zone); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// listing is a list before it is run: what is selected, from where and in which order.
type listing struct {
	fields []field
	order  []nouns.Sort
	where  *where
	// sel are the fields and then the sort values, as text.
	sel []string
}

// listing checks the query against the allow-lists. Codes: fault.Invalid.
func (r reader) listing() (*listing, error) {
	var l listing
	var err error
	if l.where, err = r.conditions(); err != nil {
		return nil, err
	}
	if l.fields, err = r.fields(false); err != nil {
		return nil, err
	}
	if l.order, err = r.sorting(); err != nil {
		return nil, err
	}
	for _, f := range l.fields {
		l.sel = append(l.sel, output(f))
	}
	for _, s := range l.order {
		f, _ := r.form.find(s.Field)
		l.sel = append(l.sel, column(f.Name)+"::text")
	}
	return &l, nil
}

// sql is the statement that gives at most limit rows of those that hold.
func (r reader) sql(l *listing, w *where, limit int) string {
	by := make([]string, len(l.order))
	for i, s := range l.order {
		f, _ := r.form.find(s.Field)
		by[i], _ = f.comparable()
		if s.Desc {
			by[i] += " DESC"
		}
	}
	return "SELECT " + strings.Join(l.sel, ", ") + " FROM " + r.source(r.form.Source) + " WHERE " + w.String() +
		" ORDER BY " + strings.Join(by, ", ") + " LIMIT " + w.bind(limit)
}

// count is exact: the statement that counts what holds.
func (r reader) count(w *where) string {
	return "SELECT count(*) FROM " + r.source(r.form.Source) + " WHERE " + w.String()
}

// list fills the page with rows, total and the cursor of the next page.
func (r reader) list(ctx context.Context, page *nouns.Page) error {
	limit := r.query.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	if limit < 1 || limit > nouns.MaxLimit {
		return invalid(r.id, "limit", complain("每页行数应为 1 到 %d", "limit must be 1 to %d", nouns.MaxLimit))
	}
	l, err := r.listing()
	if err != nil {
		return err
	}
	hash := queryHash(r.id, r.query)
	if err := r.tx.QueryRow(ctx, r.count(l.where), l.where.args...).Scan(&page.Total); err != nil {
		return r.bound(err)
	}
	if r.query.Mode == nouns.Count {
		return nil
	}
	parts := []*where{l.where}
	if r.query.Cursor != "" {
		cur, err := parseCursor(r.query.Cursor, hash, len(l.order))
		if err != nil {
			return err
		}
		parts = r.after(l.where, l.order, cur)
	}
	var rows [][]*string
	for _, w := range parts {
		if len(rows) > limit {
			break
		}
		more, err := r.texts(ctx, r.sql(l, w, limit+1-len(rows)), w.args, len(l.sel))
		if err != nil {
			return r.bound(err)
		}
		rows = append(rows, more...)
	}
	if len(rows) > limit {
		page.Truncated = true
		rows = rows[:limit]
		page.NextCursor = cursor{Query: hash, After: rows[limit-1][len(l.fields):]}.String()
	}
	page.Rows = make([]nouns.Row, len(rows))
	for i, v := range rows {
		page.Rows[i] = makeRow(l.fields, v)
	}
	return nil
}

// after continues behind the cursor, in mixed order; NULL sorts as Postgres sorts
// it: last ascending, first descending. The bound of the first column stands
// alone, so that an index is entered there and not read from its beginning. Rows
// without a value in it come by a statement of their own, for the same reason.
func (r reader) after(w *where, order []nouns.Sort, cur cursor) []*where {
	plain := w.clone()
	var alternatives, equal []string
	bind := func(i int) (col, v string) {
		f, _ := r.form.find(order[i].Field)
		col, cast := f.comparable()
		if cur.After[i] == nil {
			return col, ""
		}
		return col, w.bind(*cur.After[i]) + cast
	}
	var tail *where
	for i, s := range order {
		col, v := bind(i)
		behind, same := "", col+" IS NULL"
		switch {
		case v == "" && s.Desc:
			behind = col + " IS NOT NULL"
		case v == "":
			// Nothing is behind NULL.
		case s.Desc:
			behind, same = col+" < "+v, col+" = "+v
		default:
			behind, same = col+" > "+v, col+" = "+v
			if i > 0 {
				behind = "(" + behind + " OR " + col + " IS NULL)"
			}
		}
		if behind != "" {
			alternatives = append(alternatives, "("+strings.Join(append(append([]string{}, equal...), behind), " AND ")+")")
		}
		equal = append(equal, same)
		switch {
		case i > 0:
		case v == "" && !s.Desc:
			w.and(col + " IS NULL")
		case v != "" && s.Desc:
			w.and(col + " <= " + v)
		case v != "":
			w.and(col + " >= " + v)
			if s.Field != r.form.KeyField {
				plain.and(col + " IS NULL")
				tail = plain
			}
		}
	}
	w.and("(" + strings.Join(alternatives, " OR ") + ")")
	if tail == nil {
		return []*where{w}
	}
	return []*where{w, tail}
}

// record reads one record with its lines. Codes: fault.NotFound, fault.Invalid.
func (r reader) record(ctx context.Context) (nouns.Row, error) {
	if r.query.ID == "" || len(r.query.ID) > 200 {
		return nil, fault.New(fault.Invalid, "field", "id", "detail", "a record is read by its "+r.form.KeyField)
	}
	missing := fault.New(fault.NotFound, "noun", r.form.Form, "id", clip(r.query.ID))
	if !storable(r.query.ID) {
		return nil, missing // no key is like that
	}
	fields, err := r.fields(true)
	if err != nil {
		return nil, err
	}
	var flat []field
	var sel []string
	for _, f := range fields {
		if f.Type != nouns.Lines {
			flat = append(flat, f)
			sel = append(sel, output(f))
		}
	}
	if len(sel) == 0 {
		sel = []string{"NULL::text"}
	}
	key := pgx.Identifier{r.form.KeyField}.Sanitize()
	args := []any{r.id.User.Tenant.String(), r.query.ID}
	rows, err := r.texts(ctx, "SELECT "+strings.Join(sel, ", ")+" FROM "+r.source(r.form.Source)+" WHERE t.tenant_id = $1 AND t."+key+" = $2", args, len(sel))
	if err != nil {
		return nil, r.bound(err)
	}
	if len(rows) == 0 {
		return nil, missing
	}
	rec := makeRow(flat, rows[0])
	for _, f := range fields {
		if f.Type != nouns.Lines {
			continue
		}
		columns := r.form.parts[f.Name]
		sel := make([]string, len(columns))
		for i, c := range columns {
			sel[i] = output(c)
		}
		// The first column of a grid numbers its rows.
		rows, err := r.texts(ctx, "SELECT "+strings.Join(sel, ", ")+" FROM "+r.source(f.linesSource)+" WHERE t.tenant_id = $1 AND t."+key+
			" = $2 ORDER BY "+column(columns[0].Name), args, len(sel))
		if err != nil {
			return nil, r.bound(err)
		}
		lines := make([]nouns.Row, len(rows))
		for i, v := range rows {
			lines[i] = makeRow(columns, v)
		}
		rec[f.Name] = lines
	}
	return rec, nil
}

// bound turns "this bound text is no value of that type" into fault.Invalid: it
// is a forged cursor, for filters have been checked.
func (r reader) bound(err error) error {
	if pgClass(err) == "22" {
		return fault.Wrap(fault.Invalid, err, "field", "cursor", "detail", "a value does not fit its field")
	}
	return err
}
