package builtin

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// errDone rolls back a transaction that has shown what it was run for.
var errDone = errors.New("previewed")

// Preview runs the change and rolls it back. It takes the same locks as the
// write, for the time that it runs, so it reads a state that existed as a whole.
func (c *Connector) Preview(ctx context.Context, id erp.Identity, change nouns.Change) (nouns.Preview, error) {
	var p nouns.Preview
	run := func(ctx context.Context, tx pgx.Tx) error {
		begin, err := pgdb.New(tx).ErpBeginPreview(ctx)
		if err != nil {
			return err
		}
		j, b, err := c.newJob(ctx, tx, id, change, begin.Began)
		if err != nil {
			return err
		}
		s, err := b.gather(ctx, j)
		if err != nil {
			return err
		}
		if err := s.check(j); err != nil {
			return err
		}
		out, err := s.apply(ctx, j)
		if err != nil {
			return j.unfit(err)
		}
		p = out.preview
		j.finish(&p, s.facts())
		return errDone
	}
	var err error
	for range maxTries {
		if err = c.db.Tx(ctx, id.User.Tenant, run); !retryable(err) {
			break
		}
	}
	if !errors.Is(err, errDone) {
		return nouns.Preview{}, coded(err)
	}
	return p, nil
}

// unfit turns a value that the tables refuse (a CHECK, an overflow) into
// validation_failed; it should have been caught before, but a rule that only the
// database knows is still a rule.
func (j *job) unfit(err error) error {
	if c := pgClass(err); c != "22" && c != "23" {
		return err
	}
	return fault.Wrap(fault.ValidationFailed, err, "field", "", "detail", say(j.id, "数据库拒绝了这些值", "the database refuses these values"))
}

func isUUID(s string) bool {
	return len(s) == 36 && uuid.Validate(s) == nil
}
