package planner

import (
	"context"
	"fmt"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// Name is what screens and the audit show.
const Name = "demo planner"

// Planner implements llms.Model. It is safe for concurrent use.
type Planner struct {
	// pace is the wait between two pieces of streamed text; not positive means none.
	pace time.Duration
}

// New returns a planner that streams with the given pace.
func New(pace time.Duration) *Planner { return &Planner{pace: pace} }

var _ llms.Model = (*Planner)(nil)

// GenerateContent implements llms.Model. Errors: only ctx.Err() and those of the
// streaming function.
func (p *Planner) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var opts llms.CallOptions
	for _, o := range options {
		o(&opts)
	}
	s := read(messages)
	st := s.plan()
	if err := p.stream(ctx, st.text, opts.StreamingFunc); err != nil {
		return nil, err
	}
	choice := &llms.ContentChoice{Content: st.text, StopReason: "stop"}
	for i, c := range st.calls {
		choice.StopReason = "tool_calls"
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: fmt.Sprintf("demo_%d", s.calls+i+1), Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.tool, Arguments: c.json()},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// Call implements llms.Model.
func (p *Planner) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, p, prompt, options...)
}

// pieceRunes is how much text goes out at once.
const pieceRunes = 6

// stream gives out the text in pieces of whole runes.
func (p *Planner) stream(ctx context.Context, text string, out func(context.Context, []byte) error) error {
	if out == nil {
		return nil
	}
	var tick *time.Ticker
	if p.pace > 0 {
		tick = time.NewTicker(p.pace)
		defer tick.Stop()
	}
	runes := []rune(text)
	for at := 0; at < len(runes); at += pieceRunes {
		if at > 0 && tick != nil {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := out(ctx, []byte(string(runes[at:min(at+pieceRunes, len(runes))]))); err != nil {
			return err
		}
	}
	return nil
}
