package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// Providers of a Config.
const (
	// ProviderOpenAI is every server that speaks chat completions: OpenAI,
	// DeepSeek, Qwen, vLLM, Ollama through its /v1.
	ProviderOpenAI = "openai"
	// ProviderAnthropic is the messages API.
	ProviderAnthropic = "anthropic"
	// ProviderDemo is the rule-based demo planner.
	ProviderDemo = "demo"
)

// Defaults of a Config.
const (
	DefaultIdleTimeout     = 90 * time.Second
	DefaultTimeout         = 10 * time.Minute
	DefaultMaxReplyBytes   = 1 << 20
	DefaultMaxOutputTokens = 4096
	DefaultOpenAIURL       = "https://api.openai.com/v1"
	DefaultAnthropicURL    = "https://api.anthropic.com/v1"
	DefaultPace            = 8 * time.Millisecond
)

// Config chooses and bounds a model.
type Config struct {
	// Provider is one of ProviderOpenAI, ProviderAnthropic, ProviderDemo.
	Provider string
	// BaseURL up to and with the version ("http://localhost:11434/v1"). Empty
	// means the provider's own service.
	BaseURL string
	// APIKey is sent as the provider wants it. Local servers need none.
	APIKey string
	// Model is the provider's name of the model; required but for the demo.
	Model string
	// ExtraBody is a JSON object merged into each request, such as
	// {"enable_thinking":false} or {"parallel_tool_calls":false}; a null removes a
	// field. Empty means nothing.
	ExtraBody string
	// IdleTimeout is the longest silence of the provider; zero means 90 s. A
	// reasoning model that sends nothing while it thinks needs more.
	IdleTimeout time.Duration
	// Timeout bounds one call; zero means 10 min.
	Timeout time.Duration
	// MaxReplyBytes bounds text, reasoning and arguments of one reply; zero means 1 MiB.
	MaxReplyBytes int
	// MaxOutputTokens bounds a reply whose request names no bound; zero means 4096
	// for Anthropic, which demands one, and the provider's default otherwise.
	MaxOutputTokens int
	// Pace is how long the demo planner waits between two pieces of its text; zero
	// means 8 ms, negative means not at all.
	Pace time.Duration
}

// Validate reports all problems at once, naming the fields; nil when there are none.
func (c Config) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("model: "+format, args...)) }
	switch c.Provider {
	case ProviderDemo:
	case ProviderOpenAI, ProviderAnthropic:
		if c.Model == "" {
			bad("Model is required for provider %s", c.Provider)
		}
		if c.APIKey == "" && c.BaseURL == "" {
			bad("APIKey is required for the provider's own service; set BaseURL for a local server")
		}
	default:
		bad("Provider %q is unknown; use %s, %s or %s", c.Provider, ProviderOpenAI, ProviderAnthropic, ProviderDemo)
	}
	if c.BaseURL != "" {
		if u, err := url.Parse(c.BaseURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			bad("BaseURL is not an http or https URL")
		} else if u.User != nil || u.RawQuery != "" {
			bad("BaseURL must hold no user, password or query; use APIKey")
		}
	}
	if _, err := c.extra(); err != nil {
		bad("ExtraBody is not a JSON object")
	}
	if c.IdleTimeout < 0 || c.Timeout < 0 {
		bad("IdleTimeout and Timeout must not be negative")
	}
	if c.MaxReplyBytes < 0 || c.MaxReplyBytes > 64<<20 {
		bad("MaxReplyBytes must be within 0 and %d", 64<<20)
	}
	if c.MaxOutputTokens < 0 {
		bad("MaxOutputTokens must not be negative")
	}
	return errors.Join(errs...)
}

func (c Config) extra() (map[string]json.RawMessage, error) {
	if c.ExtraBody == "" {
		return nil, nil
	}
	m := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(c.ExtraBody), &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null")
	}
	return m, nil
}

func (c Config) withDefaults() Config {
	if c.IdleTimeout == 0 {
		c.IdleTimeout = DefaultIdleTimeout
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxReplyBytes == 0 {
		c.MaxReplyBytes = DefaultMaxReplyBytes
	}
	if c.Pace == 0 {
		c.Pace = DefaultPace
	}
	if c.BaseURL == "" {
		c.BaseURL = map[string]string{ProviderOpenAI: DefaultOpenAIURL, ProviderAnthropic: DefaultAnthropicURL}[c.Provider]
	}
	if c.Provider == ProviderAnthropic && c.MaxOutputTokens == 0 {
		c.MaxOutputTokens = DefaultMaxOutputTokens
	}
	return c
}
