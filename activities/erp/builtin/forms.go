package builtin

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// Forms lists what the grants let read, with the granted actions.
func (c *Connector) Forms(ctx context.Context, id erp.Identity) ([]nouns.Form, error) {
	out := []nouns.Form{}
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		forms, err := c.forms.load(ctx, pgdb.New(tx), id, id.Grants.Forms())
		for _, f := range forms {
			out = append(out, f.noun(id))
		}
		return err
	})
	return out, coded(err)
}

// Schema describes one form.
func (c *Connector) Schema(ctx context.Context, id erp.Identity, name string) (nouns.Form, error) {
	var out nouns.Form
	err := c.db.Read(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		f, err := c.forms.one(ctx, pgdb.New(tx), id, name, readAction)
		if err != nil {
			return err
		}
		out = f.noun(id)
		return nil
	})
	return out, coded(err)
}

// Actions lists the granted actions of a form that may be read.
func (c *Connector) Actions(ctx context.Context, id erp.Identity, name string) ([]nouns.Action, error) {
	f, err := c.Schema(ctx, id, name)
	return f.Actions, err
}
