package step

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// LocalBudget is how long a local step is tried before the regular one follows.
const LocalBudget = 10 * time.Second

// Local runs a short step, at first as a local activity. Only a non-retryable
// error (a fault of ours, not of the network) is returned.
func Local(ctx workflow.Context, name, summary string, in, out any) error {
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: LocalBudget,
		StartToCloseTimeout:    5 * time.Second,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 50 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: time.Second},
		Summary:                summary,
	})
	err := workflow.ExecuteLocalActivity(local, name, in).Get(local, out)
	if err == nil || !passing(err) {
		return err
	}
	return Durable(ctx, name, summary, in, out)
}

// Heartbeat is how long a regular activity that reports may be silent.
const Heartbeat = 8 * time.Second

// Durable runs a step as a regular activity that is repeated until it succeeds.
func Durable(ctx workflow.Context, name, summary string, in, out any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
		Summary:             summary,
	})
	return workflow.ExecuteActivity(ctx, name, in).Get(ctx, out)
}

// Once runs a regular activity a single time: what follows an error is the
// caller's decision.
func Once(ctx workflow.Context, name, summary string, timeout time.Duration, in, out any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: timeout,
		HeartbeatTimeout:    Heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
		Summary:             summary,
	})
	return workflow.ExecuteActivity(ctx, name, in).Get(ctx, out)
}

// passing reports whether another try may help.
func passing(err error) bool {
	if temporal.IsCanceledError(err) {
		return false
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return !app.NonRetryable()
	}
	return true
}
