package app

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/faults"
	"github.com/erpilot/erpilot/activities/model"
	opact "github.com/erpilot/erpilot/activities/operation"
	"github.com/erpilot/erpilot/activities/store"
	turnact "github.com/erpilot/erpilot/activities/turn"
	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
	opwf "github.com/erpilot/erpilot/workflows/operation"
	turnwf "github.com/erpilot/erpilot/workflows/turn"
)

// Parts are what worker and gateway are made of.
type Parts struct {
	DB        *store.DB
	Temporal  client.Client
	Namespace string
	TaskQueue string
	ERP       erp.Connector
	Model     model.Model
	Catalogue tool.Catalogue
	Carrier   gateway.Carrier
	// Key signs and verifies decisions; 32 bytes.
	Key       []byte
	Log       *slog.Logger
	Turn      turnact.Config
	Operation opact.Config
	// QuestionTTL is how long a question waits; zero means 24 h.
	QuestionTTL time.Duration
	// Demo puts the demo logins on the login screen.
	Demo bool
}

// Operations are the activities of operations; the gateway uses them to propose
// again and to close rows whose workflow is gone.
func (p Parts) Operations() *opact.Service {
	return &opact.Service{DB: p.DB, ERP: p.ERP, Catalogue: p.Catalogue, Carrier: p.Carrier, Signals: p.Temporal, Updates: p.Temporal,
		Key: p.Key, Config: p.Operation}
}

func (p Parts) turns() *turnact.Service {
	return &turnact.Service{DB: p.DB, ERP: p.ERP, Model: p.Model, Catalogue: p.Catalogue, Carrier: p.Carrier, Signals: p.Temporal, Log: p.Log, Config: p.Turn}
}

// NewWorker returns a worker with all workflows and activities; the caller
// starts and stops it. It refuses when search attributes are missing: an
// unregistered one would fail every workflow task for ever.
func NewWorker(ctx context.Context, p Parts) (worker.Worker, error) {
	if err := checkSearchAttributes(ctx, p.Temporal, p.Namespace); err != nil {
		return nil, err
	}
	w := worker.New(p.Temporal, p.TaskQueue, worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{faults.Interceptor(p.Log)},
		// Enough to watch every partition of the queue: a task in one that nobody
		// polls would wait until a long poll ends.
		MaxConcurrentWorkflowTaskPollers: 8,
		MaxConcurrentActivityTaskPollers: 8,
		// Stop reaches a running model call through its heartbeat.
		MaxHeartbeatThrottleInterval:     2 * time.Second,
		DefaultHeartbeatThrottleInterval: 2 * time.Second,
		WorkerStopTimeout:                20 * time.Second,
	})
	Register(w, p)
	return w, nil
}

// Register puts workflows and activities into a registry under their contract names.
func Register(w worker.Registry, p Parts) {
	w.RegisterWorkflowWithOptions(turnwf.Turn, workflow.RegisterOptions{Name: contract.WorkflowTurn})
	w.RegisterWorkflowWithOptions(opwf.Operation, workflow.RegisterOptions{Name: contract.WorkflowOperation})
	turns, ops := p.turns(), p.Operations()
	for _, a := range []struct {
		name string
		do   any
	}{
		{contract.Generate, turns.Generate},
		{contract.AskPerson, turns.AskPerson},
		{contract.SuspendTurn, turns.SuspendTurn},
		{contract.ResumeTurn, turns.ResumeTurn},
		{contract.ExpireQuestion, turns.ExpireQuestion},
		{contract.EndTurn, turns.EndTurn},
		{contract.PrepareOperation, ops.PrepareOperation},
		{contract.OpenOperation, ops.OpenOperation},
		{contract.ReadSignal, ops.ReadSignal},
		{contract.AuthoriseDecision, ops.AuthoriseDecision},
		{contract.RefuseDecision, ops.RefuseDecision},
		{contract.ReviseOperation, ops.ReviseOperation},
		{contract.CloseOperation, ops.CloseOperation},
		{contract.ExecuteOperation, ops.ExecuteOperation},
		{contract.FindCommit, ops.FindCommit},
		{contract.AuthoriseRetry, ops.AuthoriseRetry},
		{contract.SettleOperation, ops.SettleOperation},
		{contract.HandOffOperation, ops.HandOffOperation},
		{contract.CompleteOperation, ops.CompleteOperation},
	} {
		w.RegisterActivityWithOptions(a.do, activity.RegisterOptions{Name: a.name})
	}
}

// checkSearchAttributes says which are missing and how to make them.
func checkSearchAttributes(ctx context.Context, c client.Client, namespace string) error {
	have, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return fmt.Errorf("read Temporal's search attributes: %w", err)
	}
	var missing []string
	for _, a := range contract.SearchAttributes {
		if have.GetCustomAttributes()[a.Name] == enums.INDEXED_VALUE_TYPE_UNSPECIFIED {
			missing = append(missing, "--name "+a.Name+" --type "+a.Type)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("search attributes are missing in namespace %q; register them with: temporal operator search-attribute create --namespace %s %s",
		namespace, namespace, strings.Join(missing, " "))
}
