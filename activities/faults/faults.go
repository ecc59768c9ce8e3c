package faults

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/schema/fault"
)

// Delayer is an error that knows how long its cause asked to wait.
type Delayer interface {
	error
	Delay() time.Duration
}

// maxDelay bounds what a provider may ask for.
const maxDelay = time.Minute

// final lists codes after which the same call cannot succeed.
var final = map[fault.Code]bool{
	fault.Invalid: true, fault.ValidationFailed: true, fault.NotFound: true, fault.PermissionDenied: true, fault.Conflict: true,
	fault.ModelRejected: true, fault.ModelInvalid: true, fault.ArgumentsInvalid: true, fault.ToolUnknown: true, fault.LimitReached: true,
	fault.OutcomeUnknown: false, fault.TokenReused: true,
}

// Seal is the one table from codes to Temporal: unknown errors are internal and
// worth another try.
func Seal(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*temporal.ApplicationError](err); ok || temporal.IsCanceledError(err) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, activity.ErrResultPending) {
		return err
	}
	code := fault.CodeOf(err)
	options := temporal.ApplicationErrorOptions{NonRetryable: Final(err)}
	if d, ok := errors.AsType[Delayer](err); ok {
		options.NextRetryDelay = min(d.Delay(), maxDelay)
	}
	return temporal.NewApplicationErrorWithOptions(string(code), string(code), options)
}

// Final reports that the same call cannot succeed another time.
func Final(err error) bool { return final[fault.CodeOf(err)] || tooLong(err) }

// tooLong reports a reply that hit its own limit: asking again would hit it again.
func tooLong(err error) bool {
	reason := fault.ParamsOf(err)["reason"]
	return fault.CodeOf(err) == fault.ModelTruncated && reason != "" && reason != "cut"
}

// Interceptor seals the errors of all activities of a worker and logs their
// causes.
func Interceptor(log *slog.Logger) interceptor.WorkerInterceptor {
	return &worker{log: log}
}

type worker struct {
	interceptor.WorkerInterceptorBase
	log *slog.Logger
}

func (w *worker) InterceptActivity(ctx context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &inbound{log: w.log}
	i.Next = next
	return i
}

type inbound struct {
	interceptor.ActivityInboundInterceptorBase
	log *slog.Logger
}

func (i *inbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := i.Next.ExecuteActivity(ctx, in)
	if err != nil {
		info := activity.GetInfo(ctx)
		i.log.WarnContext(ctx, "activity failed", "activity", info.ActivityType.Name, "workflow_id", info.WorkflowExecution.ID,
			"attempt", info.Attempt, "code", fault.CodeOf(err), "error", err)
	}
	return out, Seal(err)
}
