package main

import (
	"context"

	"github.com/erpilot/erpilot/cmd/erpilot/chat"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
)

// ChatCmd talks to the gateway from a terminal.
type ChatCmd struct {
	chat.Command

	StateDir string `env:"ERPILOT_STATE_DIR" default:".erpilot" help:"Where a running 'erpilot dev' is looked for when no URL is given."`
}

// Run chats until the person leaves.
func (c *ChatCmd) Run(ctx context.Context) error {
	if c.URL == "" {
		c.URL = "http://" + DefaultGatewayAddr
		if env, err := dev.Running(c.StateDir); err == nil {
			c.URL = env.GatewayURL
		}
	}
	return c.Command.Run(ctx)
}
