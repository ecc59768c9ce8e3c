package approvals

import (
	"context"
	"errors"
	"log/slog"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/text"
)

// Dial returns an Env.Dial over options; lang as Env.Lang. A Temporal that does
// not answer is told in words. The SDK's own log lines, which would stand between
// the person and the table, are dropped.
func Dial(opts client.Options, lang string) func(ctx context.Context) (client.Client, error) {
	opts.Logger = log.NewStructuredLogger(slog.New(slog.DiscardHandler))
	return func(ctx context.Context) (client.Client, error) {
		c, err := client.DialContext(ctx, opts)
		if err != nil {
			said := text.Terminal["approvals.down"].In(terminal.Language(lang, ""), map[string]string{"address": opts.HostPort})
			return nil, &told{text: said, cause: errors.Join(fault.New(fault.Unavailable), err)}
		}
		return c, nil
	}
}
