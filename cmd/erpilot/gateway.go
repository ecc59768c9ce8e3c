package main

import (
	"context"
	"errors"
)

// GatewayCmd serves HTTP, the event stream and the page.
type GatewayCmd struct{ Config }

// Run serves until the context ends.
func (c *GatewayCmd) Run(context.Context) error {
	if err := c.Require("database", "secret"); err != nil {
		return err
	}
	return errors.New("the gateway is not wired yet")
}
