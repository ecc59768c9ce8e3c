package approvals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/text"
)

// Options are the connection that the temporal CLI would use too: its
// environment (TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, …) and profile file.
// address and namespace win over both where they are not empty; without any of
// them it is 127.0.0.1:7233, namespace default.
func Options(address, namespace string) (client.Options, error) {
	opts, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return opts, fmt.Errorf("read the profile of the temporal CLI: %w", err)
	}
	if address != "" {
		opts.HostPort = address
	}
	if namespace != "" {
		opts.Namespace = namespace
	}
	if opts.HostPort == "" {
		opts.HostPort = "127.0.0.1:7233"
	}
	// The SDK's own lines would stand between the person and the table.
	opts.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	return opts, nil
}

// Dial returns an Env.Dial over Options. lang as Env.Lang.
func Dial(address, namespace, lang string) func(ctx context.Context) (client.Client, error) {
	return func(ctx context.Context) (client.Client, error) {
		opts, err := Options(address, namespace)
		if err != nil {
			return nil, err
		}
		c, err := client.DialContext(ctx, opts)
		if err != nil {
			said := text.Terminal["approvals.down"].In(terminal.Language(lang, ""), map[string]string{"address": opts.HostPort})
			return nil, &told{text: said, cause: errors.Join(fault.New(fault.Unavailable), err)}
		}
		return c, nil
	}
}
