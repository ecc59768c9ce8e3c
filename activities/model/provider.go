package model

import (
	"context"
	"fmt"

	"github.com/tmc/langchaingo/llms"

	"github.com/erpilot/erpilot/activities/model/repair"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/turn"
)

// provider is the wrapper above a langchaingo model.
type provider struct {
	llm  llms.Model
	name string
	demo bool
	// streams marks a model in this process: it calls a streaming function and
	// speaks to no server, so no repairing client reports how it went.
	streams bool
	// split sends every tool call as a message of its own: langchaingo's
	// anthropic client looks at the first part of a message only.
	split     bool
	maxTokens int
	options   []llms.CallOption
}

func (p *provider) Name() string { return p.name }
func (p *provider) Demo() bool   { return p.demo }

// Generate implements Model.
func (p *provider) Generate(ctx context.Context, req turn.Request, sink Sink) (turn.Reply, error) {
	if err := ctx.Err(); err != nil {
		return turn.Reply{}, err
	}
	if sink == nil {
		sink = Discard
	}
	entries := paired(req.Entries)
	call := &repair.Call{Text: sink.Text, Reasoning: sink.Reasoning, Inputs: inputs(entries)}
	options := append([]llms.CallOption{}, p.options...)
	options = append(options, llms.WithTools(tools(req.Tools)))
	if n := orDefault(req.MaxOutputTokens, p.maxTokens); n > 0 {
		options = append(options, llms.WithMaxTokens(n))
	}
	if p.streams {
		options = append(options, llms.WithStreamingFunc(func(_ context.Context, b []byte) error {
			sink.Text(string(b))
			return nil
		}))
	}
	resp, err := p.ask(repair.With(ctx, call), messages(req.System, entries, p.split), options)
	if err := p.outcome(ctx, call, err); err != nil {
		return turn.Reply{}, err
	}
	reply, err := merge(resp, call.Arguments)
	if err != nil {
		return turn.Reply{}, err
	}
	reply.Model = call.Model
	if reply.Model == "" {
		reply.Model = p.name
	}
	reply.Calls = distinct(reply.Calls, entries)
	return reply, nil
}

// ask turns a panic of langchaingo over an odd answer into an error.
func (p *provider) ask(ctx context.Context, m []llms.MessageContent, o []llms.CallOption) (resp *llms.ContentResponse, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Wrap(fault.ModelInvalid, fmt.Errorf("model client panicked: %v", r))
		}
	}()
	return p.llm.GenerateContent(ctx, m, o...)
}

// outcome decides how a call ended. What langchaingo says counts least: it
// reports a cut stream as success and a cancelled context as some text.
func (p *provider) outcome(ctx context.Context, call *repair.Call, err error) error {
	switch {
	case call.Err != nil:
		return call.Err
	case err == nil && (call.Complete || p.streams):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fault.Wrap(fault.ModelInvalid, err)
	default:
		return fault.New(fault.ModelTruncated, "reason", "cut")
	}
}

func orDefault(n, other int) int {
	if n > 0 {
		return n
	}
	return other
}
