//go:build unix

// Command ensure prints the path of a usable temporal binary, building the
// pinned one first where there is none. The Taskfile runs it before tests.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/erpilot/erpilot/workflows/devserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	path, err := devserver.Ensure(ctx, ".", os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "temporal:", err)
		stop()
		os.Exit(1) //nolint:gocritic // The one deferred call has just been made.
	}
	fmt.Println(path)
}
