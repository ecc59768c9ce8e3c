package builtin

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// PlanNode is a node of a plan as EXPLAIN (FORMAT JSON) tells it.
type PlanNode struct {
	Type     string     `json:"Node Type"`
	Index    string     `json:"Index Name"`
	Relation string     `json:"Relation Name"`
	Plans    []PlanNode `json:"Plans"`
}

// Explain plans what a read would run, under the settings given: the rows of a
// page, or the record.
func (c *Connector) Explain(ctx context.Context, id erp.Identity, q nouns.Query, settings string) (PlanNode, error) {
	var plans []struct{ Plan PlanNode }
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		f, err := c.forms.one(ctx, pgdb.New(tx), id, q.Form, readAction)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, settings); err != nil {
			return err
		}
		r := reader{tx: tx, id: id, form: f, query: q}
		var sql string
		var args []any
		switch q.Mode {
		case nouns.Record:
			sql, args = "SELECT * FROM "+r.source(f.Source)+" WHERE t.tenant_id = $1 AND t."+f.key()+" = $2", []any{id.User.Tenant.String(), q.ID}
		case nouns.Count:
			w, err := r.conditions()
			if err != nil {
				return err
			}
			sql, args = r.count(w), w.args
		case nouns.List, "":
			l, err := r.listing()
			if err != nil {
				return err
			}
			w := l.where
			if q.Cursor != "" {
				cur, err := parseCursor(q.Cursor, queryHash(id, q), len(l.order))
				if err != nil {
					return err
				}
				w = r.after(w, l.order, cur)[0]
			}
			sql = r.sql(l, w, 21)
			args = w.args
		default:
			return fmt.Errorf("mode %s", q.Mode)
		}
		return tx.QueryRow(ctx, "EXPLAIN (COSTS OFF, FORMAT JSON) "+sql, args...).Scan(&plans)
	})
	if err != nil || len(plans) == 0 {
		return PlanNode{}, fmt.Errorf("explain %s: %w", q.Form, err)
	}
	return plans[0].Plan, nil
}
