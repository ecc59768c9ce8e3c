package builtin

import (
	"errors"
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
	id   erp.Identity
	list []fault.Problem
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
		all = append(all, x.Field+": "+x.Detail)
	}
	err := fault.New(fault.ValidationFailed, "field", p.list[0].Field, "detail", strings.Join(all, "; "), "count", strconv.Itoa(len(p.list)))
	err.Problems = p.list[:min(len(p.list), maxProblems)]
	return err
}
