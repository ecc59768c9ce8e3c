package main

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
)

// parts says what `dev` runs between its servers.
func (c *DevCmd) parts() dev.Parts {
	return dev.Parts{
		Migrate: func(ctx context.Context, env dev.Env) error {
			_, _, err := store.Migrate(ctx, env.DatabaseURL)
			return err
		},
		Demo:   func(ctx context.Context, env dev.Env) error { return loadDemo(ctx, c.apply(env)) },
		Serve:  func(ctx context.Context, env dev.Env, ready func()) error { return serve(ctx, c.apply(env), ready) },
		Logins: nil,
	}
}

func loadDemo(context.Context, Config) error { return nil }

// serve runs worker and gateway in this process until the context ends.
func serve(ctx context.Context, cfg Config, ready func()) error {
	l, err := net.Listen("tcp", cfg.GatewayAddr)
	if err != nil {
		return fmt.Errorf("gateway: %w", err)
	}
	server := &http.Server{Handler: http.NotFoundHandler()} //nolint:gosec // Nothing is served yet.
	context.AfterFunc(ctx, func() { _ = server.Close() })
	ready()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}
