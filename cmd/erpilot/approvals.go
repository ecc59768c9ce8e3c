package main

import (
	"context"
	"errors"
)

// ApprovalsCmd decides on operations straight against Temporal.
type ApprovalsCmd struct{}

// Run lists what waits.
func (*ApprovalsCmd) Run(context.Context) error { return errors.New("approvals is not wired yet") }
