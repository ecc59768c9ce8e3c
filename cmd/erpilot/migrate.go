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
	"github.com/erpilot/erpilot/activities/store"
)

// MigrateCmd runs the migrations as the role in the URL, which must be the owner.
// With --demo it also loads the demo companies.
type MigrateCmd struct {
	Config

	Scale int `default:"1" help:"With --demo: how many times the documents of a year, 1 to 1000; at 1 the first company has some 23,000." group:"Demo"`
}

// Run migrates and says from which version to which.
func (c *MigrateCmd) Run(ctx context.Context) error {
	if err := c.Require("database"); err != nil {
		return err
	}
	if c.Scale < 1 || c.Scale > 1000 {
		return fmt.Errorf("--scale: %d is not within 1 and 1000", c.Scale)
	}
	from, to, err := store.Migrate(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	if from == to {
		fmt.Printf("The schema is at version %d already.\n", to)
	} else {
		fmt.Printf("The schema went from version %d to %d.\n", from, to)
	}
	if !c.Demo {
		return nil
	}
	return loadDemo(ctx, c.DatabaseURL, builtin.Demo{Scale: c.Scale}, os.Stdout)
}

// loadDemo fills an empty database with the demo companies, as its owner, and
// tells how it goes.
func loadDemo(ctx context.Context, url string, d builtin.Demo, out io.Writer) error {
	start := time.Now()
	took := func() time.Duration { return time.Since(start).Round(100 * time.Millisecond) }
	d.Progress = func(p builtin.DemoProgress) {
		fmt.Fprintf(out, "  %s: %d documents up to %s (%s)\n", p.Tenant, p.Documents, p.Day.Format("2006-01-02"), took())
	}
	done, err := ensureDemo(ctx, url, d)
	switch {
	case err != nil:
		return err
	case done.Documents > 0:
		fmt.Fprintf(out, "Demo data: %d documents in %s.\n", done.Documents, took())
	case done.Forms+done.Grants == 0:
		fmt.Fprintln(out, "Demo data is there already; nothing to do.")
	default:
		fmt.Fprintln(out, refreshed(done))
	}
	return nil
}

// refreshed says what an older demo got.
func refreshed(done builtin.DemoLoaded) string {
	return fmt.Sprintf("Demo data is there already and was left alone; %d forms and %d rights were brought up to date.", done.Forms, done.Grants)
}

func ensureDemo(ctx context.Context, url string, d builtin.Demo) (builtin.DemoLoaded, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return builtin.DemoLoaded{}, errors.New("the database does not answer") // The driver's error may quote the URL with its password.
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return d.Load(ctx, conn)
}
