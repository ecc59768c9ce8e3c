//go:build unix

package temporaltest_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/workflows/temporaltest"
)

var status = temporal.NewSearchAttributeKeyKeyword("ErpilotStatus")
var deadline = temporal.NewSearchAttributeKeyTime("ErpilotDeadline")

func mark(ctx workflow.Context) (string, error) {
	return "done", workflow.UpsertTypedSearchAttributes(ctx, status.ValueSet("executed"), deadline.ValueSet(workflow.Now(ctx)))
}

func run(t *testing.T, c client.Client, queue string) {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflow(mark)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, mark)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := r.Get(ctx, &got); err != nil || got != "done" {
		t.Fatalf("workflow returned %q, %v", got, err)
	}
}

func TestWorkflowsCanSetErpilotsSearchAttributesAtOnce(t *testing.T) {
	t.Parallel()
	run(t, temporaltest.Start(t).Client(t), temporaltest.TaskQueue(t))
}

func TestANamespaceOfItsOwnIsUsableAtOnce(t *testing.T) {
	t.Parallel()
	s := temporaltest.Start(t)
	run(t, s.ClientOf(t, client.Options{Namespace: s.Namespace(t)}), temporaltest.TaskQueue(t))
}

func TestTaskQueuesDiffer(t *testing.T) {
	t.Parallel()
	if a, b := temporaltest.TaskQueue(t), temporaltest.TaskQueue(t); a == b {
		t.Errorf("two calls gave %q", a)
	}
}
