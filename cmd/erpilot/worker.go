package main

import "context"

// WorkerCmd runs workflows and activities.
type WorkerCmd struct{ Config }

// Run works until the context ends.
func (c *WorkerCmd) Run(ctx context.Context) error {
	if err := c.Require("database", "secret", "model"); err != nil {
		return err
	}
	return c.run(ctx, true, "", nil)
}
