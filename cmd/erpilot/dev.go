package main

import (
	"context"
	"os"

	"github.com/erpilot/erpilot/cmd/erpilot/dev"
)

// DevCmd is `erpilot dev`, also called `go tool task up`.
type DevCmd struct {
	Config

	StateDir       string `env:"ERPILOT_STATE_DIR" default:".erpilot" help:"Directory of the private servers' data and logs." group:"Servers"`
	TemporalPort   int    `env:"ERPILOT_TEMPORAL_PORT" help:"Port of the private Temporal; 0 picks one, 7233 if it is free." group:"Servers"`
	TemporalUIPort int    `env:"ERPILOT_TEMPORAL_UI_PORT" help:"Port of its UI; 0 picks one, 8233 if it is free." group:"Servers"`
	Reset          bool   `help:"Remove all state of the private servers first."`
	Install        bool   `help:"Install PostgreSQL with apt or Homebrew where it is missing."`
}

// Run brings everything up and returns after Ctrl-C.
func (c *DevCmd) Run(ctx context.Context) error {
	return dev.Run(ctx, dev.Config{
		StateDir:          c.StateDir,
		DatabaseURL:       c.DatabaseURL,
		TemporalAddress:   c.TemporalAddress,
		TemporalNamespace: c.TemporalNamespace,
		GatewayAddr:       c.GatewayAddr,
		TemporalPort:      c.TemporalPort,
		TemporalUIPort:    c.TemporalUIPort,
		Reset:             c.Reset,
		Install:           c.Install,
		Out:               os.Stdout,
	}, c.parts())
}

// apply fills in what dev decides: where the servers are, and that this is a
// place for demonstrations.
func (c *Config) apply(env dev.Env) Config {
	cfg := *c
	cfg.DatabaseURL = env.DatabaseURL
	cfg.TemporalAddress, cfg.TemporalNamespace = env.TemporalAddress, env.TemporalNamespace
	cfg.GatewayAddr = env.GatewayAddr
	if cfg.SecretKey == "" {
		cfg.SecretKey = env.Secret
	}
	if cfg.ModelProvider == "" {
		cfg.ModelProvider = "demo"
	}
	if os.Getenv("ERPILOT_UNSIGNED_DECISIONS") == "" {
		cfg.UnsignedDecisions = "allow"
	}
	cfg.Demo = true
	return cfg
}
