package builtin

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/schema/identity"
)

// Checked is what became of one invariant of one tenant.
type Checked struct {
	Tenant identity.Tenant
	// Invariant is its name, such as "stock"; Says is what holds.
	Invariant, Says string
	// Rows were compared in Took; Broken of them break it, the first few of which are
	// named in Offenders: a key, what is there, and what should be.
	Rows, Broken int64
	Took         time.Duration
	Offenders    []string
}

// Violation is a broken invariant.
type Violation struct {
	Invariant string
	Broken    int64
	Offenders []string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %d rows break it, such as %q", v.Invariant, v.Broken, v.Offenders)
}

// Beginner begins transactions: a connection or a pool. Its role must be able to
// read the ERP's tables.
type Beginner interface {
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

// Check proves the invariants of a tenant's documents, stock and balances, all on
// one snapshot, and returns those that do not hold; nil means that all do.
func Check(ctx context.Context, db Beginner, tenant identity.Tenant) ([]Violation, error) {
	var out []Violation
	err := CheckEach(ctx, db, tenant, func(c Checked) {
		if c.Broken > 0 {
			out = append(out, Violation{c.Invariant, c.Broken, c.Offenders})
		}
	})
	return out, err
}

// CheckEach is Check that tells of each invariant as soon as it is proved. It
// writes nothing and locks nobody out.
func CheckEach(ctx context.Context, db Beginner, tenant identity.Tenant, tell func(Checked)) error {
	tx, err := db.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("check the ERP: %w", err)
	}
	defer func() { _ = tx.Rollback(ctx) }() // nothing was written
	// Sums over all rows are cheaper hashed than through an index, if there is room.
	if _, err := tx.Exec(ctx, "SELECT set_config('erpilot.tenant', $1, true), set_config('work_mem', '256MB', true)", tenant.String()); err != nil {
		return fmt.Errorf("check the ERP: %w", err)
	}
	for _, x := range invariants() {
		c, start := Checked{Tenant: tenant, Invariant: x.name, Says: x.says}, time.Now()
		err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE x.have IS DISTINCT FROM x.want),
			coalesce((array_agg(x.key || ': ' || coalesce(x.have::text, 'nothing') || ' instead of ' || coalesce(x.want::text, 'nothing') ORDER BY x.key)
				FILTER (WHERE x.have IS DISTINCT FROM x.want))[1:5], '{}')
			FROM (`+x.sql+`) x(key, have, want)`, tenant.String()).Scan(&c.Rows, &c.Broken, &c.Offenders)
		if err != nil {
			return fmt.Errorf("check the invariant %q: %w", x.name, err)
		}
		c.Took = time.Since(start)
		tell(c)
	}
	return nil
}
