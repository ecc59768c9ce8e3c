package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
)

// Config is everything that gateway and worker are told from outside. The zero
// value is not usable: kong fills in the defaults. Commands embed it.
type Config struct {
	DatabaseURL string `name:"database-url" env:"ERPILOT_DATABASE_URL" help:"Postgres URL; its role must be a member of erpilot_app, and the owner to migrate. Required but for dev." group:"Servers"`

	TemporalAddress   string `env:"ERPILOT_TEMPORAL_ADDRESS" help:"host:port of the Temporal frontend; empty means what the temporal CLI's environment and profile say, else 127.0.0.1:7233." group:"Servers"`
	TemporalNamespace string `env:"ERPILOT_TEMPORAL_NAMESPACE" help:"Temporal namespace; empty as above, else default." group:"Servers"`
	TemporalDetails   string `env:"ERPILOT_TEMPORAL_DETAILS" default:"full" help:"What may stand in the Temporal UI: full (old and new values) or ids." group:"Servers"`

	GatewayAddr string `env:"ERPILOT_GATEWAY_ADDR" help:"host:port that the gateway listens on; empty means 127.0.0.1:8700." group:"Servers"`

	SecretKey string `env:"ERPILOT_SECRET_KEY" help:"64 hex digits: the key that seals stored login tokens. Required but for dev, the same on every gateway and worker." group:"Security"`

	UnsignedDecisions string `env:"ERPILOT_UNSIGNED_DECISIONS" default:"deny" help:"Whether decisions signalled by the temporal CLI without a login count: allow or deny. dev: allow." group:"Security"`
	Demo              bool   `env:"ERPILOT_DEMO" help:"Permit demo logins and the demo planner outside of dev; migrate loads the demo companies." group:"Security"`

	ModelProvider  string        `env:"ERPILOT_MODEL_PROVIDER" help:"openai (and all that speak its protocol), anthropic, or demo; empty means demo in dev." group:"Model"`
	Model          string        `env:"ERPILOT_MODEL" help:"The provider's name of the model." group:"Model"`
	ModelBaseURL   string        `env:"ERPILOT_MODEL_BASE_URL" help:"URL of the provider up to and with the version; empty means its own service." group:"Model"`
	ModelAPIKey    string        `env:"ERPILOT_MODEL_API_KEY" help:"Key of the provider; local servers need none." group:"Model"`
	ModelExtraBody string        `env:"ERPILOT_MODEL_EXTRA_BODY" help:"JSON object merged into each request." group:"Model"`
	ModelTimeout   time.Duration `env:"ERPILOT_MODEL_TIMEOUT" default:"10m" help:"Longest time of one model call." group:"Model"`

	DeadlineSelf     time.Duration `env:"ERPILOT_DEADLINE_SELF" default:"24h" help:"How long a person may decide on their own proposal." group:"Deadlines"`
	HandoffTTL       time.Duration `name:"handoff-ttl" env:"ERPILOT_HANDOFF_TTL" default:"168h" help:"How long a person may take to save a form that was handed to them." group:"Deadlines"`
	DeadlineQuestion time.Duration `env:"ERPILOT_DEADLINE_QUESTION" default:"24h" help:"How long a question or form waits." group:"Deadlines"`
	DraftValidity    time.Duration `env:"ERPILOT_DRAFT_VALIDITY" default:"24h" help:"How long the prices of a saved draft may be confirmed." group:"Deadlines"`

	LogLevel  string `env:"ERPILOT_LOG_LEVEL" default:"info" help:"debug, info, warn or error." group:"Logs"`
	LogFormat string `env:"ERPILOT_LOG_FORMAT" default:"text" help:"text or json." group:"Logs"`
}

// Defaults of addresses. They are no kong defaults, because `dev` must tell a
// default from the same value set on purpose.
const (
	DefaultGatewayAddr     = "127.0.0.1:8700"
	DefaultTemporalAddress = "127.0.0.1:7233"
)

// maxDeadline bounds deadlines: Temporal timers and people's memory end somewhere.
const maxDeadline = 365 * 24 * time.Hour

// Validate reports every problem at once, each with the variable to change. It
// checks what is set; Require checks what must be.
func (c *Config) Validate() error {
	var errs []error
	bad := func(name, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	oneOf := func(name, value string, allowed ...string) {
		for _, a := range allowed {
			if value == a {
				return
			}
		}
		bad(name, "%q is none of %s", value, strings.Join(allowed, ", "))
	}
	address := func(name, value string) {
		if _, _, err := net.SplitHostPort(value); value != "" && err != nil {
			bad(name, "%q is no host:port", value)
		}
	}
	if c.DatabaseURL != "" {
		// The parser's own error may quote the URL with its password.
		if u, err := url.Parse(c.DatabaseURL); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			bad("ERPILOT_DATABASE_URL", "is no postgres:// URL")
		}
	}
	address("ERPILOT_TEMPORAL_ADDRESS", c.TemporalAddress)
	address("ERPILOT_GATEWAY_ADDR", c.GatewayAddr)
	if c.SecretKey != "" && (len(c.SecretKey) != 64 || strings.Trim(c.SecretKey, "0123456789abcdefABCDEF") != "") {
		bad("ERPILOT_SECRET_KEY", "must be 64 hex digits, such as `openssl rand -hex 32` prints")
	}
	oneOf("ERPILOT_TEMPORAL_DETAILS", c.TemporalDetails, "full", "ids")
	oneOf("ERPILOT_UNSIGNED_DECISIONS", c.UnsignedDecisions, "allow", "deny")
	oneOf("ERPILOT_LOG_LEVEL", c.LogLevel, "debug", "info", "warn", "error")
	oneOf("ERPILOT_LOG_FORMAT", c.LogFormat, "text", "json")
	oneOf("ERPILOT_MODEL_PROVIDER", c.ModelProvider, "", "openai", "anthropic", "demo")
	for name, d := range map[string]time.Duration{"ERPILOT_DEADLINE_SELF": c.DeadlineSelf,
		"ERPILOT_DEADLINE_QUESTION": c.DeadlineQuestion, "ERPILOT_HANDOFF_TTL": c.HandoffTTL, "ERPILOT_DRAFT_VALIDITY": c.DraftValidity} {
		if d < time.Second || d > maxDeadline {
			bad(name, "%s is not within 1s and %s", d, maxDeadline)
		}
	}
	if c.ModelTimeout <= 0 {
		bad("ERPILOT_MODEL_TIMEOUT", "%s is not positive", c.ModelTimeout)
	}
	return errors.Join(errs...)
}

// Require reports, at once, what a command cannot do without: "database" for
// all, "secret" and "model" for gateway and worker outside of dev.
func (c *Config) Require(what ...string) error {
	var errs []error
	for _, w := range what {
		switch {
		case w == "database" && c.DatabaseURL == "":
			errs = append(errs, errors.New("ERPILOT_DATABASE_URL is required; nothing falls back to another database"))
		case w == "secret" && c.SecretKey == "":
			errs = append(errs, errors.New("ERPILOT_SECRET_KEY is required: 64 hex digits, such as `openssl rand -hex 32` prints"))
		case w == "model" && c.ModelProvider == "":
			errs = append(errs, errors.New("ERPILOT_MODEL_PROVIDER is required: openai, anthropic, or demo with ERPILOT_DEMO=1"))
		case w == "model" && c.ModelProvider == "demo" && !c.Demo:
			errs = append(errs, errors.New("the demo planner needs ERPILOT_DEMO=1 outside of dev"))
		}
	}
	return errors.Join(errs...)
}

// Logger is the process's logger, as configured. Secrets never reach it.
func (c *Config) Logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo // Validate has refused anything unknown.
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, opts))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, opts))
}
