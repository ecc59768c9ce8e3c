package operation

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
)

// outdated says that the operation's draft has a newer revision than the one it
// proposes; nil when it has not, or when the operation stands alone.
func outdated(ctx context.Context, q *pgdb.Queries, row pgdb.Operation) (*schema.Refusal, error) {
	if row.DraftID == nil || row.DraftRevision == nil {
		return nil, nil //nolint:nilnil // No refusal is the answer.
	}
	newest, err := q.NewestRevision(ctx, pgdb.NewestRevisionParams{TenantID: row.TenantID, DraftID: *row.DraftID})
	if errors.Is(err, pgx.ErrNoRows) || err == nil && newest <= *row.DraftRevision {
		return nil, nil //nolint:nilnil // As above.
	}
	if err != nil {
		return nil, err
	}
	is, was := itoa(int(newest)), itoa(int(*row.DraftRevision))
	return &schema.Refusal{Code: string(fault.DraftChanged), Old: was, New: is, Fact: &schema.Fact{Kind: schema.FactDraft, Form: row.TargetForm,
		Key: *row.DraftID, Field: "revision", Label: schema.Label{Zh: "草稿版本", En: "Draft revision"}, Value: is}}, nil
}

// superseded keeps with a closed operation that a newer revision of its draft
// took its place, so that its card and the model say so.
func (s *Service) superseded(ctx context.Context, q *pgdb.Queries, row pgdb.Operation) (pgdb.Operation, error) {
	moved, err := outdated(ctx, q, row)
	if err != nil || moved == nil {
		return row, err
	}
	row.Refusal = mustJSON(moved)
	return row, q.SetRefusal(ctx, pgdb.SetRefusalParams{TenantID: row.TenantID, OpID: row.OpID, Refusal: row.Refusal})
}

// replaceSuperseded links what a newer revision had superseded before to the
// proposal of that revision.
func replaceSuperseded(ctx context.Context, q *pgdb.Queries, row pgdb.Operation) ([]journal.Entry, error) {
	if row.DraftID == nil {
		return nil, nil
	}
	older, err := q.ReplaceSuperseded(ctx, pgdb.ReplaceSupersededParams{TenantID: row.TenantID, DraftID: row.DraftID, ReplacedBy: &row.OpID})
	var entries []journal.Entry
	for _, o := range older {
		entries = append(entries, journal.Entry{Type: event.OperationChanged, Key: "op/" + o.OpID + "/replaced", Data: stateEvent(o)})
	}
	return entries, err
}
