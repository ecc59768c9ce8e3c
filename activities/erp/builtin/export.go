package builtin

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// maxExport bounds the rows of one export.
const maxExport = 100_000

// Export gives the rows of a list one by one, at most limit (1 to 100,000), in the
// query's order, as they come from the database: nothing is gathered in memory.
// Filters, sort and fields are those of Read; a cursor, a mode other than list and
// a limit in the query are not. An error of row ends the export and is returned as
// it is. Truncated says that there were more rows. Codes: as Read.
func (c *Connector) Export(ctx context.Context, id erp.Identity, q nouns.Query, limit int, row func(nouns.Row) error) (truncated bool, err error) {
	switch {
	case limit < 1 || limit > maxExport:
		return false, fault.New(fault.Invalid, "field", "limit", "detail", "an export has 1 to 100000 rows")
	case q.Cursor != "":
		return false, fault.New(fault.Invalid, "field", "cursor", "detail", "an export has no pages")
	case q.Mode != "" && q.Mode != nouns.List:
		return false, fault.New(fault.Invalid, "field", "mode", "detail", "only a list is exported")
	}
	var stopped error
	err = c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		f, err := c.forms.one(ctx, pgdb.New(tx), id, q.Form, readAction)
		if err != nil {
			return err
		}
		r := reader{tx: tx, id: id, form: f, query: q}
		l, err := r.listing()
		if err != nil {
			return err
		}
		n := 0
		err = r.each(ctx, r.sql(l, l.where, limit+1), l.where.args, len(l.sel), func(v []*string) error {
			if n++; n > limit {
				truncated = true
				return nil
			}
			stopped = row(makeRow(l.fields, v))
			return stopped
		})
		return r.bound(err)
	})
	if stopped != nil {
		return truncated, stopped
	}
	return truncated, coded(err)
}
