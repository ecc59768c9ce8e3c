package main

import (
	"context"
	"fmt"
	"net"

	"github.com/erpilot/erpilot/activities/model"
	opact "github.com/erpilot/erpilot/activities/operation"
	turnact "github.com/erpilot/erpilot/activities/turn"
	"github.com/erpilot/erpilot/cmd/erpilot/app"
)

// open connects the parts as configured. together says that worker and gateway
// share this process.
func (c *Config) open(ctx context.Context, together bool) (*app.App, error) {
	return app.Open(ctx, app.Settings{
		DatabaseURL: c.DatabaseURL, TemporalAddress: c.TemporalAddress, TemporalNamespace: c.TemporalNamespace, SecretKey: c.SecretKey,
		Together: together, Demo: c.Demo, QuestionTTL: c.DeadlineQuestion, Log: c.Logger(),
		Model: model.Config{Provider: c.ModelProvider, BaseURL: c.ModelBaseURL, APIKey: c.ModelAPIKey, Model: c.Model, ExtraBody: c.ModelExtraBody,
			Timeout: c.ModelTimeout},
		Turn:      turnact.Config{DraftValidity: c.DraftValidity},
		Operation: opact.Config{SelfTTL: c.DeadlineSelf, HandoffTTL: c.HandoffTTL, AllowUnsigned: c.UnsignedDecisions == "allow", IDsOnly: c.TemporalDetails == "ids"},
	})
}

// run serves a worker (work) and a gateway (addr not empty) until the context ends.
func (c *Config) run(ctx context.Context, work bool, addr string, ready func()) error {
	a, err := c.open(ctx, work && addr != "")
	if err != nil {
		return err
	}
	defer a.Close()
	var l net.Listener
	if addr != "" {
		if l, err = net.Listen("tcp", addr); err != nil { //nolint:noctx // Listening does not wait.
			return fmt.Errorf("ERPILOT_GATEWAY_ADDR: %w", err)
		}
		a.Log.Info("gateway listens", "addr", l.Addr().String())
	}
	return a.Serve(ctx, work, l, ready)
}
