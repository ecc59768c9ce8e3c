package builtin

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// FindCommit shuts out all attempts up to the given one, waiting for those that
// are open, and then reads what there is. Tombstones of attempts that ended
// otherwise do no harm: a final answer is looked for first, always.
func (c *Connector) FindCommit(ctx context.Context, id erp.Identity, token string, attempt int) (nouns.Commit, error) {
	if token == "" || len(token) > 200 || attempt < 1 || attempt > maxFence {
		return nouns.Commit{}, fault.New(fault.Invalid, "field", "client_token", "detail", "client_token and attempt must be given")
	}
	tenant := id.User.Tenant.String()
	var commit nouns.Commit
	err := c.db.Tx(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if err := q.ErpFence(ctx, pgdb.ErpFenceParams{TenantID: tenant, ClientToken: token, Attempt: int32(attempt)}); err != nil {
			return err
		}
		row, err := q.ErpFinalCommit(ctx, pgdb.ErpFinalCommitParams{TenantID: tenant, ClientToken: token})
		if errors.Is(err, pgx.ErrNoRows) {
			at, err := q.ErpClock(ctx)
			commit = nouns.Commit{Status: nouns.CommitFenced, At: at.UTC()}
			return err
		}
		if err != nil {
			return err
		}
		commit, err = commitOf(row)
		return err
	})
	if err != nil {
		// Asking again is always right, whether or not the tombstones were kept.
		return nouns.Commit{}, certain(err)
	}
	return commit, nil
}

// FindCommitted reads the final answer of a token and shuts nothing out.
func (c *Connector) FindCommitted(ctx context.Context, id erp.Identity, token string) (nouns.Commit, error) {
	if token == "" || len(token) > 200 {
		return nouns.Commit{}, fault.New(fault.Invalid, "field", "client_token", "detail", "client_token must be given")
	}
	var commit nouns.Commit
	err := c.db.One(ctx, id.User.Tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err := q.ErpFinalCommit(ctx, pgdb.ErpFinalCommitParams{TenantID: id.User.Tenant.String(), ClientToken: token})
		if err != nil {
			return store.NotFound(err, "commit")
		}
		commit, err = commitOf(row)
		return err
	})
	if err != nil {
		return nouns.Commit{}, coded(err)
	}
	return commit, nil
}

// maxFence bounds the tombstones of one question.
const maxFence = 10_000

func commitOf(row pgdb.ErpCommit) (nouns.Commit, error) {
	c := nouns.Commit{Status: nouns.CommitStatus(row.Outcome), Digest: row.Digest, Bill: row.Bill, Link: row.Link, At: row.At.UTC()}
	if len(row.Bills) > 0 {
		c.Bills = row.Bills
	}
	if len(row.Refusal) > 0 {
		c.Refusal = &nouns.Refusal{}
		if err := json.Unmarshal(row.Refusal, c.Refusal); err != nil {
			return nouns.Commit{}, fault.Wrap(fault.Internal, err)
		}
	}
	return c, nil
}
