package main

import (
	"context"
	"errors"
)

// WorkerCmd runs workflows and activities.
type WorkerCmd struct{ Config }

// Run works until the context ends.
func (c *WorkerCmd) Run(context.Context) error {
	if err := c.Require("database", "secret", "model"); err != nil {
		return err
	}
	return errors.New("the worker is not wired yet")
}
