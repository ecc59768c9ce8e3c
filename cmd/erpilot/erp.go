package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/cmd/erpilot/dev"
	"github.com/erpilot/erpilot/schema/identity"
)

// ErpCmd is about the built-in ERP.
type ErpCmd struct {
	Check ErpCheckCmd `cmd:"" help:"Prove that stock, ledger, documents and balances agree; exits 1 where they do not."`
}

// ErpCheckCmd proves the invariants of the built-in ERP. It only reads.
type ErpCheckCmd struct {
	DatabaseURL string `name:"database-url" env:"ERPILOT_DATABASE_URL" help:"Postgres of the installation."`
	StateDir    string `env:"ERPILOT_STATE_DIR" default:".erpilot" help:"Where a running 'erpilot dev' is looked for when no database is given."`
	Tenant      string `help:"Only this tenant, such as yunfan.shanghai; otherwise all."`
}

// Run prints a line an invariant and tenant.
func (c *ErpCheckCmd) Run(ctx context.Context) error {
	if c.DatabaseURL == "" {
		env, err := dev.Running(c.StateDir)
		if err != nil {
			return errors.New("ERPILOT_DATABASE_URL is required where no 'erpilot dev' runs")
		}
		c.DatabaseURL = env.DatabaseURL
	}
	conn, err := pgx.Connect(ctx, c.DatabaseURL)
	if err != nil {
		return errors.New("the database does not answer") // The driver's error may quote the URL with its password.
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return checkERP(ctx, conn, c.Tenant, os.Stdout)
}

// checkERP checks one tenant, or all if only is empty.
func checkERP(ctx context.Context, conn *pgx.Conn, only string, out io.Writer) error {
	rows, err := conn.Query(ctx, "SELECT tenant_id FROM tenants WHERE $1 IN ('', tenant_id) ORDER BY tenant_id", only)
	if err != nil {
		return fmt.Errorf("read the tenants: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("read the tenants: %w", err)
	}
	if len(names) == 0 && only != "" {
		return fmt.Errorf("there is no tenant %q", only)
	}
	broken := 0
	for _, name := range names {
		tenant, err := identity.ParseTenant(name)
		if err != nil {
			return err
		}
		err = builtin.CheckEach(ctx, conn, tenant, func(x builtin.Checked) {
			mark := "ok"
			if x.Broken > 0 {
				mark = fmt.Sprintf("BROKEN by %d", x.Broken)
				broken++
			}
			fmt.Fprintf(out, "%s  %-12s %9d rows %6d ms  %s: %s\n", name, x.Invariant, x.Rows, x.Took.Round(time.Millisecond).Milliseconds(), mark, x.Says)
			for _, o := range x.Offenders {
				fmt.Fprintf(out, "    %s\n", o)
			}
		})
		if err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d invariants do not hold", broken)
	}
	return nil
}
