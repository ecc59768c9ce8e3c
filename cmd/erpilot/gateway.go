package main

import "context"

// GatewayCmd serves HTTP, the event stream and the page.
type GatewayCmd struct{ Config }

// Run serves until the context ends.
func (c *GatewayCmd) Run(ctx context.Context) error {
	if err := c.Require("database", "secret"); err != nil {
		return err
	}
	addr := c.GatewayAddr
	if addr == "" {
		addr = DefaultGatewayAddr
	}
	return c.run(ctx, false, addr, nil)
}
