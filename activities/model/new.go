package model

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/erpilot/erpilot/activities/model/planner"
	"github.com/erpilot/erpilot/activities/model/repair"
)

// New returns the model of a configuration. It does not contact the provider.
func New(c Config) (Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	c = c.withDefaults()
	if c.Provider == ProviderDemo {
		return &provider{llm: planner.New(c.Pace), name: planner.Name, demo: true, streams: true}, nil
	}
	extra, err := c.extra()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	client := &repair.Client{
		HTTP: httpClient(), Key: c.APIKey, Extra: extra,
		Idle: c.IdleTimeout, Total: c.Timeout, MaxReply: c.MaxReplyBytes,
	}
	p := &provider{name: c.Model, maxTokens: c.MaxOutputTokens}
	// langchaingo refuses an empty key and would take one from the environment;
	// a server that needs none ignores this word.
	key := c.APIKey
	if key == "" {
		key = "none"
	}
	base := strings.TrimRight(c.BaseURL, "/")
	switch c.Provider {
	case ProviderAnthropic:
		client.Dialect = repair.Anthropic
		p.split = true
		p.llm, err = anthropic.New(anthropic.WithBaseURL(base), anthropic.WithToken(key),
			anthropic.WithModel(c.Model), anthropic.WithHTTPClient(client))
	default:
		p.options = append(p.options, openAIOptions(base)...)
		p.llm, err = openai.New(openai.WithBaseURL(base), openai.WithToken(key), openai.WithModel(c.Model),
			openai.WithOrganization(""), openai.WithHTTPClient(client))
	}
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return p, nil
}

// openAIOptions chooses the field for the token limit: only OpenAI itself knows
// max_completion_tokens for certain, everything else knows max_tokens.
func openAIOptions(base string) []llms.CallOption {
	if base == DefaultOpenAIURL {
		return nil
	}
	return []llms.CallOption{openai.WithLegacyMaxTokensField()}
}

// httpClient has no timeout of its own (the repairing client keeps time) and
// follows no redirect: that would carry the key to another host.
func httpClient() *http.Client {
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		c.Transport = t.Clone()
	}
	return c
}
