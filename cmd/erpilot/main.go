// Command erpilot is the whole product in one binary: `erpilot dev` brings up
// everything on one machine, `gateway` and `worker` are the same parts for many,
// `chat` and `approvals` are for people at a terminal.
//
// This package wires: it alone sees every other one. Each command has a file of
// its own; configuration is one struct, Config.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// CLI is the command line.
type CLI struct {
	Dev       DevCmd       `cmd:"" help:"Bring up everything on this machine: Postgres, Temporal, worker, gateway, page."`
	Migrate   MigrateCmd   `cmd:"" help:"Bring the database to the newest schema."`
	Worker    WorkerCmd    `cmd:"" help:"Run a worker: workflows and activities."`
	Gateway   GatewayCmd   `cmd:"" help:"Run a gateway: HTTP, the event stream and the page."`
	Chat      ChatCmd      `cmd:"" help:"Talk to Erpilot in the terminal."`
	Approvals ApprovalsCmd `cmd:"" help:"List, show, approve or reject what waits for a decision, straight against Temporal."`
	Erp       ErpCmd       `cmd:"" help:"Check the built-in ERP."`
	Version   VersionCmd   `cmd:"" help:"Print the version."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// After the first signal the second one has its usual effect: it kills.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:]))
}

// run returns the exit code: 0 well done, 1 the command failed, 2 it was called
// wrongly or configured wrongly.
func run(ctx context.Context, args []string) int {
	var cli CLI
	parser, err := kong.New(&cli,
		kong.Name("erpilot"),
		kong.Description("A durable ERP copilot. Every flag can be set by its environment variable."),
		kong.UsageOnError(),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, "erpilot:", err)
		return 2
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "erpilot:", err)
		return 2
	}
	if err := kctx.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "erpilot:", err)
		return 1
	}
	return 0
}
