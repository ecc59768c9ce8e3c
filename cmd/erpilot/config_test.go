package main

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/erpilot/erpilot/cmd/erpilot/dev"
)

// parse reads a command line as main does, with the environment of the test.
func parse(t *testing.T, args ...string) (*CLI, error) {
	t.Helper()
	var cli CLI
	parser, err := kong.New(&cli)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return &cli, err
}

func TestAllProblemsOfTheConfigurationAreReportedAtOnce(t *testing.T) {
	for name, value := range map[string]string{
		"ERPILOT_DATABASE_URL":       "mysql://someone:hush@db/erp",
		"ERPILOT_GATEWAY_ADDR":       "here",
		"ERPILOT_SECRET_KEY":         "short",
		"ERPILOT_UNSIGNED_DECISIONS": "maybe",
		"ERPILOT_LOG_LEVEL":          "loud",
		"ERPILOT_MODEL_PROVIDER":     "oracle",
	} {
		t.Setenv(name, value)
	}
	_, err := parse(t, "worker")
	if err == nil {
		t.Fatal("all of this was accepted")
	}
	for _, name := range []string{"ERPILOT_DATABASE_URL", "ERPILOT_GATEWAY_ADDR", "ERPILOT_SECRET_KEY",
		"ERPILOT_UNSIGNED_DECISIONS", "ERPILOT_LOG_LEVEL", "ERPILOT_MODEL_PROVIDER"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("a password is shown: %v", err)
	}
}

func TestTheDefaultsAreValid(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"dev", "worker", "gateway", "migrate"} {
		if _, err := parse(t, command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestOutsideOfDevNothingIsAssumed(t *testing.T) {
	t.Parallel()
	cli, err := parse(t, "worker", "--model-provider=demo")
	if err != nil {
		t.Fatal(err)
	}
	err = cli.Worker.Require("database", "secret", "model")
	if err == nil {
		t.Fatal("a worker without database, secret and permission for the demo planner was accepted")
	}
	for _, name := range []string{"ERPILOT_DATABASE_URL", "ERPILOT_SECRET_KEY", "ERPILOT_DEMO"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
	if cli.Worker.UnsignedDecisions != "deny" {
		t.Errorf("unsigned decisions: %q, want deny", cli.Worker.UnsignedDecisions)
	}
}

func TestDevFillsInWhatItBroughtUp(t *testing.T) {
	t.Parallel()
	cli, err := parse(t, "dev")
	if err != nil {
		t.Fatal(err)
	}
	cfg := cli.Dev.apply(dev.Env{DatabaseURL: "postgres:///erpilot", GatewayAddr: "127.0.0.1:1", GatewayURL: "http://127.0.0.1:1/",
		Secret: strings.Repeat("ab", 32)})
	if err := cfg.Validate(); err != nil {
		t.Error(err)
	}
	if err := cfg.Require("database", "secret", "model"); err != nil {
		t.Error(err)
	}
	if cfg.UnsignedDecisions != "allow" {
		t.Errorf("unsigned decisions: %q, want allow", cfg.UnsignedDecisions)
	}
}
