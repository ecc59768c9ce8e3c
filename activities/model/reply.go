package model

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/turn"
)

// merge makes one reply of all choices: langchaingo's anthropic client gives one
// choice per block. Exact arguments, where known, replace those that went
// through langchaingo.
func merge(resp *llms.ContentResponse, exact []string) (turn.Reply, error) {
	var r turn.Reply
	if resp == nil || len(resp.Choices) == 0 {
		return r, fault.Wrap(fault.ModelInvalid, errors.New("reply is empty"))
	}
	var text, reasoning strings.Builder
	stop := ""
	for _, c := range resp.Choices {
		if c == nil {
			continue
		}
		text.WriteString(c.Content)
		reasoning.WriteString(c.ReasoningContent)
		if c.ReasoningContent == "" {
			if s, ok := c.GenerationInfo["ThinkingContent"].(string); ok && c.Content == "" {
				reasoning.WriteString(s)
			}
		}
		for _, t := range c.ToolCalls {
			if t.FunctionCall == nil {
				return turn.Reply{}, fault.Wrap(fault.ModelInvalid, errors.New("a tool call has no function"))
			}
			r.Calls = append(r.Calls, turn.RequestCall{ProviderID: t.ID, Tool: t.FunctionCall.Name, Arguments: t.FunctionCall.Arguments})
		}
		if c.StopReason != "" {
			stop = c.StopReason
		}
		r.Usage.InputTokens = max(r.Usage.InputTokens, count(c.GenerationInfo, "PromptTokens", "InputTokens"))
		r.Usage.OutputTokens = max(r.Usage.OutputTokens, count(c.GenerationInfo, "CompletionTokens", "OutputTokens"))
	}
	if len(exact) == len(r.Calls) {
		for i := range r.Calls {
			r.Calls[i].Arguments = exact[i]
		}
	}
	r.Text, r.Reasoning = text.String(), reasoning.String()
	switch {
	case stop == "length":
		r.Finish = turn.FinishLength
	case stop == "content_filter":
		r.Finish = turn.FinishFiltered
	case len(r.Calls) > 0:
		r.Finish = turn.FinishCalls
	default:
		r.Finish = turn.FinishStop
	}
	if r.Finish == turn.FinishLength && len(r.Calls) > 0 {
		return turn.Reply{}, fault.New(fault.ModelTruncated, "reason", "length")
	}
	if r.Finish == turn.FinishStop && strings.TrimSpace(r.Text) == "" {
		return turn.Reply{}, fault.Wrap(fault.ModelInvalid, errors.New("reply is empty"))
	}
	return r, nil
}

func count(info map[string]any, keys ...string) int {
	for _, k := range keys {
		if n, ok := info[k].(int); ok && n > 0 {
			return n
		}
	}
	return 0
}

// distinct gives each call an id that neither the transcript nor another call of
// the reply has. The first one keeps its own.
func distinct(calls []turn.RequestCall, entries []turn.Entry) []turn.RequestCall {
	taken := map[string]bool{}
	for _, e := range entries {
		for _, c := range e.Calls {
			taken[c.ProviderID] = true
		}
	}
	for i := range calls {
		id := calls[i].ProviderID
		if id == "" {
			id = "call"
		}
		for n := 1; calls[i].ProviderID == "" || taken[calls[i].ProviderID]; n++ {
			calls[i].ProviderID = id + "_" + strconv.Itoa(n)
		}
		taken[calls[i].ProviderID] = true
	}
	return calls
}
