package heartbeat

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// Every is the pace of reports; the timeout of the activity is a few times longer.
const Every = 2 * time.Second

// Start reports until stop is called, which waits for the reporter to end. The
// returned context ends with it.
func Start(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(Every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return ctx, func() { cancel(); <-done }
}
