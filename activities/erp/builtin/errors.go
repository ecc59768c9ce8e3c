package builtin

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// coded gives every error that leaves this package a code. What the database
// says is Internal, what the network says is Unavailable; both are safe to
// repeat, because they happened before anything was committed.
func coded(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch pg.Code[:2] {
		case "08", "53", "57", "40", "55":
			return fault.Wrap(fault.Unavailable, err)
		}
		return fault.Wrap(fault.Internal, err)
	}
	return fault.Wrap(fault.Unavailable, err)
}

// retryable reports an error after which the whole transaction may be run again:
// the database gave it up in favour of another one.
func retryable(err error) bool {
	if errors.Is(err, errAgain) {
		return true
	}
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pg.Code == "40001" || pg.Code == "40P01")
}

// problems collects what is wrong with a change, field by field.
type problems struct {
	id erp.Identity
	// form and action give the fields their labels; nil leaves their names.
	form   *form
	action string
	list   []fault.Problem
}

// add notes a problem in both languages; field is a path such as "lines[2].quantity".
func (p *problems) add(field, zh, en string) {
	p.list = append(p.list, fault.Problem{Field: field, Detail: say(p.id, zh, en)})
}

// maxProblems bounds what is told about one change.
const maxProblems = 100

// err is nil without problems, else validation_failed with the problems; params
// are field and detail of the first, count, and detail with all of them when there
// are more.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	const shown = 10
	var all []string
	for i, x := range p.list {
		if i == shown {
			all = append(all, "…")
			break
		}
		if x.Field == "" {
			all = append(all, x.Detail)
			continue
		}
		all = append(all, p.label(x.Field)+": "+x.Detail)
	}
	err := fault.New(fault.ValidationFailed, "field", p.list[0].Field, "detail", strings.Join(all, "; "), "count", strconv.Itoa(len(p.list)))
	err.Problems = p.list[:min(len(p.list), maxProblems)]
	return err
}

// linePath is a value of a row of a grid: "lines[2].quantity".
var linePath = regexp.MustCompile(`^(\w+)\[(\d+)\](?:\.(\w+))?$`)

// label is what a person calls the field of a path: "line 2, Quantity".
func (p *problems) label(path string) string {
	if p.form == nil {
		return path
	}
	named := func(name string, lists ...[]field) string {
		for _, fields := range lists {
			if f, ok := findField(fields, name); ok {
				return f.Label.In(string(p.id.User.Locale))
			}
		}
		return name
	}
	m := linePath.FindStringSubmatch(path)
	if m == nil {
		return named(path, p.form.fields, p.form.parts[p.action])
	}
	row := say(p.id, "第 "+m[2]+" 行", "line "+m[2])
	if m[3] == "" {
		return row
	}
	return row + say(p.id, " ", ", ") + named(m[3], p.form.parts[m[1]], p.form.parts["lines"])
}
