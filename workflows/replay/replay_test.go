package replay

import (
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/workflows/contract"
	"github.com/erpilot/erpilot/workflows/operation"
	"github.com/erpilot/erpilot/workflows/step"
	"github.com/erpilot/erpilot/workflows/turn"
)

func replayer(t *testing.T, turnWorkflow, operationWorkflow any) worker.WorkflowReplayer {
	t.Helper()
	r := worker.NewWorkflowReplayer()
	r.RegisterWorkflowWithOptions(turnWorkflow, workflow.RegisterOptions{Name: contract.WorkflowTurn})
	r.RegisterWorkflowWithOptions(operationWorkflow, workflow.RegisterOptions{Name: contract.WorkflowOperation})
	return r
}

func histories(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	// Both workflows on each way that a person or a crash can take them.
	for _, way := range []string{"answer", "approve", "reject", "cancel", "expire", "refuse", "question", "edit", "retry", "signal", "login", "stop", "handoff", "leave"} {
		found := false
		for _, f := range files {
			found = found || strings.HasPrefix(filepath.Base(f), way+"-")
		}
		if !found {
			t.Errorf("no history of the way %q; record it with `go tool task record`", way)
		}
	}
	return files
}

func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	for _, file := range histories(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if err := replayer(t, turn.Turn, operation.Operation).ReplayWorkflowHistoryFromJSONFile(nil, file); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheReplayBitesWhenAStepIsAdded(t *testing.T) {
	t.Parallel()
	changed := func(ctx workflow.Context, in contract.OperationInput) (contract.OperationResult, error) {
		// A step that nobody had when these histories were recorded.
		if err := step.Durable(ctx, contract.FindCommit, "", contract.FindInput{}, nil); err != nil {
			return contract.OperationResult{}, err
		}
		return operation.Operation(ctx, in)
	}
	bitten := 0
	for _, file := range histories(t) {
		if !strings.Contains(file, "-operation") {
			continue
		}
		if err := replayer(t, turn.Turn, changed).ReplayWorkflowHistoryFromJSONFile(nil, file); err == nil {
			t.Errorf("%s replays although a step was added", file)
		}
		bitten++
	}
	if bitten == 0 {
		t.Fatal("no history of an operation")
	}
}

func TestTheReplayBitesWhenAStepIsLeftOut(t *testing.T) {
	t.Parallel()
	changed := func(workflow.Context, contract.TurnInput) (contract.TurnResult, error) {
		return contract.TurnResult{}, nil
	}
	for _, file := range histories(t) {
		if !strings.Contains(file, "-turn") {
			continue
		}
		if err := replayer(t, changed, operation.Operation).ReplayWorkflowHistoryFromJSONFile(nil, file); err == nil {
			t.Errorf("%s replays although all its steps were left out", file)
		}
	}
}
