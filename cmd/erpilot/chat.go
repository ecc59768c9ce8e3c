package main

import (
	"context"
	"errors"
)

// ChatCmd talks to the gateway from a terminal.
type ChatCmd struct{}

// Run chats until the person leaves.
func (*ChatCmd) Run(context.Context) error { return errors.New("chat is not wired yet") }
