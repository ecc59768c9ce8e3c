package main

import (
	"context"
	"fmt"

	"github.com/erpilot/erpilot/activities/store"
)

// MigrateCmd runs the migrations as the role in the URL, which must be the owner.
type MigrateCmd struct{ Config }

// Run migrates and says from which version to which.
func (c *MigrateCmd) Run(ctx context.Context) error {
	if err := c.Require("database"); err != nil {
		return err
	}
	from, to, err := store.Migrate(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	if from == to {
		fmt.Printf("The schema is at version %d already.\n", to)
		return nil
	}
	fmt.Printf("The schema went from version %d to %d.\n", from, to)
	return nil
}
