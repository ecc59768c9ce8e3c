package builtin

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// maxHistory bounds the entries that one question answers.
const maxHistory = 200

// remember writes what became of a record, in the transaction of the change.
// Version is the record's version after it.
func (j *job) remember(ctx context.Context, form, key string, version int64, diffs []nouns.Diff) error {
	kept := []nouns.Diff{}
	for _, d := range diffs {
		if !d.Derived || d.Object == "" {
			kept = append(kept, d)
		}
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return j.q.ErpAddHistory(ctx, pgdb.ErpAddHistoryParams{TenantID: j.tenant, Form: form, Key: key, Version: version, Actor: j.id.User.UserID,
		Channel: j.channel, Action: j.change.Action, OpID: j.opID, Diffs: raw})
}

// History lists what became of a record, the newest first, at most 200 changes.
// A record that was deleted keeps its history; one that never was has none.
// Codes: permission_denied, invalid.
func (c *Connector) History(ctx context.Context, id erp.Identity, form, key string) ([]nouns.HistoryEntry, error) {
	if key == "" || len(key) > 200 {
		return nil, fault.New(fault.Invalid, "field", "key", "detail", "the history is read by the record's key")
	}
	out := []nouns.HistoryEntry{}
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		f, err := c.forms.one(ctx, q, id, form, readAction)
		if err != nil {
			return err
		}
		rows, err := q.ErpHistory(ctx, pgdb.ErpHistoryParams{TenantID: id.User.Tenant.String(), Form: form, Key: key, Limit: maxHistory})
		if err != nil {
			return err
		}
		for _, r := range rows {
			e := nouns.HistoryEntry{Version: r.Version, At: r.At.UTC(), Actor: r.Actor, ActorName: nouns.Label{Zh: r.ActorZh, En: r.ActorEn}.In(string(id.User.Locale)),
				Channel: r.Channel, Action: r.Action, OpID: r.OpID, Comment: r.Comment}
			e.ActionLabel = consequences[r.Action]
			if a, ok := f.action(r.Action); ok {
				e.ActionLabel = a.Label
			}
			if err := json.Unmarshal(r.Diffs, &e.Diffs); err != nil {
				return fault.Wrap(fault.Internal, err)
			}
			out = append(out, e)
		}
		return nil
	})
	if err != nil {
		return nil, coded(err)
	}
	return out, nil
}
