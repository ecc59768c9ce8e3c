//go:build unix

package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// bareQueue is where the yardsticks run.
const bareQueue = "bench-bare"

// bare are workflows without a product, on the same server and in the same process.
type bare struct {
	b        *testing.B
	temporal client.Client
	mu       sync.Mutex
	executed map[string]time.Time
}

func newBare(b *testing.B, c client.Client) *bare {
	b.Helper()
	x := &bare{b: b, temporal: c, executed: map[string]time.Time{}}
	w := worker.New(c, bareQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(empty, workflow.RegisterOptions{Name: "Empty"})
	w.RegisterWorkflowWithOptions(steps, workflow.RegisterOptions{Name: "Steps"})
	w.RegisterWorkflowWithOptions(decided, workflow.RegisterOptions{Name: "Decided"})
	w.RegisterActivityWithOptions(x.nothing, activity.RegisterOptions{Name: "Nothing"})
	if err := w.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Stop)
	return x
}

// empty is yardstick (a).
func empty(workflow.Context) error { return nil }

// steps is yardstick (b) of a turn: n no-op regular activities, one after the other.
func steps(ctx workflow.Context, n int) error {
	for range n {
		if err := nothing(ctx); err != nil {
			return err
		}
	}
	return nil
}

// decided is yardstick (b) of a decision: one update, then one no-op regular activity.
func decided(ctx workflow.Context) error {
	told := false
	err := workflow.SetUpdateHandlerWithOptions(ctx, "decide", func(workflow.Context, string) (string, error) {
		told = true
		return "approved", nil
	}, workflow.UpdateHandlerOptions{Validator: func(workflow.Context, string) error { return nil }})
	if err != nil {
		return err
	}
	if err := workflow.Await(ctx, func() bool { return told }); err != nil {
		return err
	}
	return nothing(ctx)
}

func nothing(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 30 * time.Second})
	return workflow.ExecuteActivity(ctx, "Nothing").Get(ctx, nil)
}

// nothing notes when it ran.
func (x *bare) nothing(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.executed[activity.GetInfo(ctx).WorkflowExecution.ID] = time.Now()
	return nil
}

// run starts a workflow and waits for its end.
func (x *bare) run(ctx context.Context, name string, args ...any) (time.Duration, error) {
	began := time.Now()
	run, err := x.start(ctx, name, args...)
	if err == nil {
		err = run.Get(ctx, nil)
	}
	return time.Since(began), err
}

func (x *bare) start(ctx context.Context, name string, args ...any) (client.WorkflowRun, error) {
	return x.temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "bare-" + uuid.NewString(), TaskQueue: bareQueue,
		EnableEagerStart: true}, name, args...)
}

// empty and steps are one run each.
func (x *bare) empty(ctx context.Context) (time.Duration, error) { return x.run(ctx, "Empty") }

func (x *bare) steps(ctx context.Context) (time.Duration, error) { return x.run(ctx, "Steps", 3) }

// waiting starts a workflow that waits for its decision; it has done its first
// task when this returns.
func (x *bare) waiting(ctx context.Context) (client.WorkflowRun, error) {
	run, err := x.start(ctx, "Decided")
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		d, err := x.temporal.DescribeWorkflow(ctx, run.GetID(), run.GetRunID())
		if err != nil {
			return nil, err
		}
		raw := d.RawResponse
		if raw.GetPendingWorkflowTask() == nil && raw.GetWorkflowExecutionInfo().GetHistoryLength() >= 4 {
			return run, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// decide sends the decision: how long until the answer, and until the activity ran.
func (x *bare) decide(ctx context.Context, run client.WorkflowRun) (answer, executed time.Duration, err error) {
	began := time.Now()
	h, err := x.temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: run.GetID(), UpdateName: "decide",
		WaitForStage: client.WorkflowUpdateStageCompleted, Args: []any{"approve"}})
	if err == nil {
		err = h.Get(ctx, nil)
	}
	answer = time.Since(began)
	if err == nil {
		err = run.Get(ctx, nil)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return answer, x.executed[run.GetID()].Sub(began), err
}
