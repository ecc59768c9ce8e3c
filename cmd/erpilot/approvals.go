package main

import (
	"context"
	"encoding/hex"
	"os"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/cmd/erpilot/app"
	"github.com/erpilot/erpilot/cmd/erpilot/approvals"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
	"github.com/erpilot/erpilot/schema/identity"
)

// ApprovalsCmd decides on operations straight against Temporal: it needs no
// gateway. To sign a decision it asks the ERP who the person is, through the
// database, and uses the key of gateway and worker.
type ApprovalsCmd struct {
	approvals.Command

	DatabaseURL       string `name:"database-url" env:"ERPILOT_DATABASE_URL" help:"Postgres of the installation; without it only --unsigned decides."`
	TemporalAddress   string `env:"ERPILOT_TEMPORAL_ADDRESS" help:"host:port of Temporal; empty means what the temporal CLI's environment and profile say."`
	TemporalNamespace string `env:"ERPILOT_TEMPORAL_NAMESPACE" help:"Temporal namespace."`
	SecretKey         string `env:"ERPILOT_SECRET_KEY" help:"The installation's key, 64 hex digits; without it only --unsigned decides."`
	StateDir          string `env:"ERPILOT_STATE_DIR" default:".erpilot" help:"Where a running 'erpilot dev' is looked for when no database is given."`
	Lang              string `enum:",zh,en" default:"" help:"zh or en; otherwise your environment's."`
}

// ProvideEnv tells the commands where everything is; kong hands it to them.
func (c *ApprovalsCmd) ProvideEnv() (*approvals.Env, error) {
	if c.DatabaseURL == "" && c.TemporalAddress == "" {
		if env, err := dev.Running(c.StateDir); err == nil {
			c.DatabaseURL, c.TemporalAddress, c.TemporalNamespace, c.SecretKey = env.DatabaseURL, env.TemporalAddress, env.TemporalNamespace, env.Secret
		}
	}
	options, err := app.TemporalOptions(c.TemporalAddress, c.TemporalNamespace)
	if err != nil {
		return nil, err
	}
	env := &approvals.Env{Dial: approvals.Dial(options, c.Lang), In: os.Stdin, Out: os.Stdout, Lang: c.Lang}
	if key, err := hex.DecodeString(c.SecretKey); err == nil && len(key) == 32 {
		env.Key = key
	}
	if c.DatabaseURL != "" {
		env.Login = c.login
	}
	return env, nil
}

// login asks the built-in ERP who somebody is.
func (c *ApprovalsCmd) login(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error) {
	db, err := store.Open(ctx, store.Config{URL: c.DatabaseURL, MaxConns: 1})
	if err != nil {
		return identity.User{}, err
	}
	defer db.Close()
	return builtin.New(db).Login(ctx, tenant, username, password)
}
