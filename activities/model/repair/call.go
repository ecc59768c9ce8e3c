package repair

import (
	"context"
	"encoding/json"
)

// Call is one model call on its way through langchaingo: where deltas go, and
// how it ended. It belongs to one goroutine.
type Call struct {
	// Text and Reasoning take deltas, whole runes each. Nil drops them.
	Text      func(delta string)
	Reasoning func(delta string)
	// Inputs are the exact arguments of earlier calls by provider id. langchaingo
	// decodes them into floats for Anthropic; the request gets these instead.
	Inputs map[string]json.RawMessage

	// Complete is set when the provider finished its answer properly.
	Complete bool
	// Err is a *fault.Error or the caller's ctx.Err(); nil while Complete.
	Err error
	// Model is the name that the provider gave, empty when it gave none.
	Model string
	// Arguments are the calls' exact arguments in order, as the provider sent them.
	Arguments []string
}

type key struct{}

// With attaches the call to the context of a langchaingo request.
func With(ctx context.Context, call *Call) context.Context {
	return context.WithValue(ctx, key{}, call)
}

// from never returns nil: without a call, deltas and outcome go nowhere.
func from(ctx context.Context) *Call {
	if c, ok := ctx.Value(key{}).(*Call); ok {
		return c
	}
	return &Call{}
}

func (c *Call) text(s string) {
	if c.Text != nil && s != "" {
		c.Text(s)
	}
}

func (c *Call) reasoning(s string) {
	if c.Reasoning != nil && s != "" {
		c.Reasoning(s)
	}
}
