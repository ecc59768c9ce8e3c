package main

import "context"

// GatewayCmd serves HTTP, the event stream and the page.
type GatewayCmd struct{ Config }

// Run serves until the context ends. It wants the worker's model settings too:
// every screen says who answers.
func (c *GatewayCmd) Run(ctx context.Context) error {
	if err := c.Require("database", "secret", "model"); err != nil {
		return err
	}
	addr := c.GatewayAddr
	if addr == "" {
		addr = DefaultGatewayAddr
	}
	return c.run(ctx, false, addr, nil)
}
