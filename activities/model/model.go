package model

import (
	"context"

	"github.com/erpilot/erpilot/activities/model/repair"
	"github.com/erpilot/erpilot/schema/turn"
)

// Model answers one request. Implementations are safe for concurrent use and
// never retry.
type Model interface {
	// Generate returns one whole reply. Deltas go to the sink meanwhile, in
	// order, never after Generate returns; a nil sink drops them. What the sink
	// got is worth nothing if an error follows.
	//
	// Errors: ctx.Err() as it is when the context ended; otherwise a
	// *fault.Error of code model_unavailable (errors.As finds *Unavailable),
	// model_truncated (Params["reason"] is cut, length or size), model_invalid or
	// model_rejected. Only model_unavailable and a cut are worth a retry.
	//
	// Each call of the reply has a ProviderID that no other call of the request
	// or the reply has. Tool names and arguments are as the model sent them: use
	// Validate.
	Generate(ctx context.Context, req turn.Request, sink Sink) (turn.Reply, error)
	// Name is what the audit and the screen show.
	Name() string
	// Demo tells that no language model answers.
	Demo() bool
}

// Sink takes the deltas of one reply; pieces are whole runes. Its methods are
// called from the goroutine of Generate.
type Sink interface {
	Text(delta string)
	Reasoning(delta string)
}

// Unavailable is the cause of every model_unavailable: HTTP status and how long
// the provider asked to wait.
type Unavailable = repair.Unavailable

// Discard is a Sink that drops everything.
var Discard Sink = discard{}

type discard struct{}

func (discard) Text(string)      {}
func (discard) Reasoning(string) {}
