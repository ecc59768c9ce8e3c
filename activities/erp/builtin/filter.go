package builtin

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

const (
	maxFilters = 20
	maxValues  = 50
)

var (
	textOps  = []nouns.Op{nouns.Eq, nouns.Ne, nouns.Contains, nouns.Prefix, nouns.In}
	orderOps = []nouns.Op{nouns.Eq, nouns.Ne, nouns.Lt, nouns.Lte, nouns.Gt, nouns.Gte, nouns.Between, nouns.In}
	equalOps = []nouns.Op{nouns.Eq, nouns.Ne, nouns.In}
)

// operators are what a type of field can be compared with.
func operators(t nouns.Type) []nouns.Op {
	switch t {
	case nouns.Text:
		return textOps
	case nouns.Decimal, nouns.Integer, nouns.Money, nouns.Date, nouns.DateTime:
		return orderOps
	case nouns.Option, nouns.Link:
		return equalOps
	case nouns.Lines:
	}
	return nil
}

// where builds a condition whose every value is bound and whose every
// identifier comes from the form's rows.
type where struct {
	// id is who asks: what is refused is told in their language.
	id   erp.Identity
	sql  []string
	args []any
}

// bind returns the placeholder of a value.
func (w *where) bind(v any) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(len(w.args))
}

// clone is a condition of its own that begins the same.
func (w *where) clone() *where { return &where{w.id, slices.Clone(w.sql), slices.Clone(w.args)} }

func (w *where) and(cond string) { w.sql = append(w.sql, cond) }

func (w *where) String() string { return strings.Join(w.sql, " AND ") }

// column is the field's quoted column.
func column(name string) string { return "t." + pgx.Identifier{name}.Sanitize() }

// comparable is the column in the type in which it is compared, and the cast that
// brings a bound text there.
func (f field) comparable() (col, cast string) {
	switch f.Type {
	case nouns.Decimal, nouns.Money:
		return column(f.Name), "::text::numeric"
	case nouns.Integer:
		return column(f.Name), "::text::bigint"
	case nouns.Date:
		return column(f.Name), "::text::date"
	case nouns.DateTime:
		return column(f.Name), "::text::timestamptz"
	case nouns.Option:
		// Options may be stored as booleans.
		return column(f.Name) + "::text", "::text"
	case nouns.Text, nouns.Link, nouns.Lines:
	}
	return column(f.Name), "::text"
}

// invalid refuses what a query asks of a field, in the person's language.
func invalid(id erp.Identity, field string, c *complaint) error {
	detail := say(id, c.zh, c.en)
	e := fault.New(fault.Invalid, "field", clip(field), "detail", detail)
	e.Problems = []fault.Problem{{Field: clip(field), Detail: detail}}
	return e
}

// filter adds one allow-listed condition. Codes: fault.Invalid.
func (w *where) filter(f *form, x nouns.Filter, zone *time.Location) error {
	fd, ok := f.find(x.Field)
	if !ok || !fd.Filter {
		return invalid(w.id, x.Field, complain("“%s”不是 %s 的筛选字段（可选：%s）", "%q is not a filter of %s (filters: %s)", clip(x.Field), f.Form,
			names(f.fields, func(f field) bool { return f.Filter })))
	}
	ops := operators(fd.Type)
	if !slices.Contains(ops, x.Op) {
		return invalid(w.id, x.Field, complain("比较方式“%s”不适用于 %s（可选：%s）", "operator %q does not fit %s (operators: %s)", clip(string(x.Op)), fd.Name, list(ops)))
	}
	values, bad := filterValues(fd, x, zone)
	if bad != nil {
		return invalid(w.id, x.Field, bad)
	}
	col, cast := fd.comparable()
	one := func(i int) string { return w.bind(values[i]) + cast }
	switch x.Op {
	case nouns.Eq:
		w.and(col + " = " + one(0))
	case nouns.Ne:
		w.and(col + " IS DISTINCT FROM " + one(0))
	case nouns.Lt:
		w.and(col + " < " + one(0))
	case nouns.Lte:
		w.and(col + " <= " + one(0))
	case nouns.Gt:
		w.and(col + " > " + one(0))
	case nouns.Gte:
		w.and(col + " >= " + one(0))
	case nouns.Between:
		w.and(col + " BETWEEN " + one(0) + " AND " + one(1))
	case nouns.In:
		all := make([]string, len(values))
		for i := range values {
			all[i] = one(i)
		}
		w.and(col + " IN (" + strings.Join(all, ", ") + ")")
	case nouns.Contains:
		w.and("position(lower(" + one(0) + ") IN lower(" + col + ")) > 0")
	case nouns.Prefix:
		w.and("starts_with(lower(" + col + "), lower(" + one(0) + "))")
	}
	return nil
}

// filterValues reads one value, a list for In, a pair for Between.
func filterValues(f field, x nouns.Filter, zone *time.Location) ([]string, *complaint) {
	raw := []json.RawMessage{x.Value}
	if x.Op == nouns.In || x.Op == nouns.Between {
		raw = nil
		if err := json.Unmarshal(x.Value, &raw); err != nil {
			return nil, complain("比较方式 %s 需要一组值", "operator %s needs a list of values", x.Op)
		}
		if x.Op == nouns.Between && len(raw) != 2 {
			return nil, complain("比较方式 between 需要两个值", "operator between needs two values")
		}
		if len(raw) == 0 || len(raw) > maxValues {
			return nil, complain("比较方式 in 需要 1 到 %d 个值", "operator in needs 1 to %d values", maxValues)
		}
	}
	values := make([]string, len(raw))
	for i, r := range raw {
		s, bad := scalar(r)
		if bad == nil && len(s) > 1000 {
			bad = complain("值过长", "the value is too long")
		}
		if bad == nil {
			values[i], bad = f.normalise(s, zone)
		}
		if bad != nil {
			return nil, bad
		}
	}
	return values, nil
}

func names(fields []field, keep func(field) bool) string {
	var all []string
	for _, f := range fields {
		if keep(f) {
			all = append(all, f.Name)
		}
	}
	return strings.Join(all, ", ")
}

func list(ops []nouns.Op) string {
	all := make([]string, len(ops))
	for i, o := range ops {
		all[i] = string(o)
	}
	return strings.Join(all, ", ")
}

// zoneOf is where the person lives; UTC when the name is unknown.
func zoneOf(id erp.Identity) *time.Location {
	if z, err := time.LoadLocation(id.User.TimeZone); err == nil {
		return z
	}
	return time.UTC
}
