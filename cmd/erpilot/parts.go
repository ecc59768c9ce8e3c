package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
	"github.com/erpilot/erpilot/schema/demo"
)

// parts says what `dev` runs between its servers.
func (c *DevCmd) parts() dev.Parts {
	return dev.Parts{
		Migrate: func(ctx context.Context, env dev.Env) error {
			_, _, err := store.Migrate(ctx, env.DatabaseURL)
			return err
		},
		Demo: func(ctx context.Context, env dev.Env) error {
			done, err := ensureDemo(ctx, env.DatabaseURL, builtin.Demo{})
			if done.Documents == 0 && done.Forms+done.Grants > 0 {
				fmt.Println(refreshed(done))
			}
			return err
		},
		Serve: func(ctx context.Context, env dev.Env, ready func()) error {
			cfg := c.apply(env)
			return cfg.run(ctx, true, cfg.GatewayAddr, ready)
		},
		Logins: logins(),
	}
}

// logins are the lines about demo accounts that `dev` prints at the end.
func logins() []string {
	tenants, people := demo.Tenants(), demo.People()
	lines := make([]string, 0, len(people)+1)
	for _, u := range people {
		role := strings.Join(u.Roles, ", ")
		if role == "" {
			role = "may only read customers"
		}
		lines = append(lines, u.UserID+" / "+demo.Password+"  "+u.NameZh+" "+u.NameEn+" ("+role+")")
	}
	names := make([]string, 0, len(tenants))
	for _, t := range tenants {
		names = append(names, t.String())
	}
	return append(lines, "each in "+strings.Join(names, ", "))
}
