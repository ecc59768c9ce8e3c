package app

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	sdklog "go.temporal.io/sdk/log"

	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/model"
	opact "github.com/erpilot/erpilot/activities/operation"
	"github.com/erpilot/erpilot/activities/store"
	turnact "github.com/erpilot/erpilot/activities/turn"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// Settings are what an installation is told; the command line makes them.
type Settings struct {
	DatabaseURL string
	// TemporalAddress and TemporalNamespace; empty means what the temporal CLI's
	// environment and profile say.
	TemporalAddress, TemporalNamespace string
	// SecretKey is 64 hex digits.
	SecretKey string
	// Together says that worker and gateway run in this process: deltas then go
	// from hand to hand instead of through Postgres.
	Together bool
	// Demo permits demo logins on the login screen.
	Demo        bool
	Model       model.Config
	Turn        turnact.Config
	Operation   opact.Config
	QuestionTTL time.Duration
	Log         *slog.Logger
}

// App is an open installation.
type App struct {
	Parts
	// carry moves wake-ups and deltas between processes until its context ends.
	carry func(context.Context)
}

// Open connects to Postgres and Temporal. Nothing is ever fallen back to: what
// cannot be reached is an error that says so. Close the App when done.
func Open(ctx context.Context, s Settings) (*App, error) {
	key, err := hex.DecodeString(s.SecretKey)
	if err != nil || len(key) != 32 {
		return nil, errors.New("ERPILOT_SECRET_KEY must be 64 hex digits")
	}
	db, err := store.Open(ctx, store.Config{URL: s.DatabaseURL})
	if err != nil {
		return nil, err
	}
	options, err := TemporalOptions(s.TemporalAddress, s.TemporalNamespace)
	if err != nil {
		db.Close()
		return nil, err
	}
	options.Logger = sdklog.NewStructuredLogger(s.Log)
	dial, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	temporal, err := client.DialContext(dial, options)
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("the Temporal frontend at %s does not answer (ERPILOT_TEMPORAL_ADDRESS): %w", options.HostPort, err)
	}
	if _, err := temporal.WorkflowService().DescribeNamespace(dial, &workflowservice.DescribeNamespaceRequest{Namespace: options.Namespace}); err != nil {
		temporal.Close()
		db.Close()
		return nil, fmt.Errorf("the Temporal namespace %q is not there (ERPILOT_TEMPORAL_NAMESPACE): %w", options.Namespace, err)
	}
	a := &App{Parts: Parts{DB: db, Temporal: temporal, Namespace: options.Namespace, TaskQueue: contract.TaskQueue,
		ERP: builtin.New(db), Catalogue: tool.Builtin(), Key: key, Log: s.Log, Turn: s.Turn, Operation: s.Operation,
		QuestionTTL: s.QuestionTTL, Demo: s.Demo}}
	if s.Model.Provider != "" {
		if a.Model, err = model.New(s.Model); err != nil {
			a.Close()
			return nil, err
		}
	}
	if s.Together {
		hub := journal.NewHub()
		a.Carrier, a.carry = hub, journal.NewWatcher(db, hub, s.Log).Run
	} else {
		pg := journal.NewPG(db, s.Log)
		a.Carrier, a.carry = pg, pg.Run
	}
	return a, nil
}

// TemporalOptions are the connection to Temporal as the temporal CLI would make
// it from its environment and profile, unless address or namespace say otherwise.
func TemporalOptions(address, namespace string) (client.Options, error) {
	options, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return options, fmt.Errorf("read the Temporal profile: %w", err)
	}
	if address != "" {
		options.HostPort = address
	}
	if namespace != "" {
		options.Namespace = namespace
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if host, _, err := net.SplitHostPort(options.HostPort); err == nil && net.ParseIP(host).IsLoopback() {
		options.ConnectionOptions.GrpcCompression = &client.GrpcCompressionNone{} // it would only cost time
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	return options, nil
}

// Close disconnects.
func (a *App) Close() {
	a.Temporal.Close()
	a.DB.Close()
}

// Serve runs a worker, a gateway, or both, until the context ends or one fails.
// The listener is nil where no gateway is wanted; ready is called once all
// accept work, and may be nil.
func (a *App) Serve(ctx context.Context, work bool, l net.Listener, ready func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	carried := make(chan struct{})
	go func() { defer close(carried); a.carry(ctx) }()
	failed := make(chan error, 2)
	if work {
		w, err := NewWorker(ctx, a.Parts)
		if err != nil {
			return err
		}
		if err := w.Start(); err != nil {
			return fmt.Errorf("start the worker: %w", err)
		}
		defer w.Stop()
		relayed := make(chan struct{})
		go func() { defer close(relayed); opact.NewRelay(a.Operations(), a.Log).Run(ctx) }()
		defer func() { cancel(); <-relayed }()
	}
	served := make(chan struct{})
	close(served)
	if l != nil {
		server, err := a.Gateway()
		if err != nil {
			return err
		}
		served = make(chan struct{})
		swept := make(chan struct{})
		go func() { defer close(swept); server.Run(ctx) }()
		defer func() { <-swept }()
		go func() {
			defer close(served)
			if err := server.Serve(ctx, l); err != nil && ctx.Err() == nil {
				failed <- fmt.Errorf("gateway: %w", err)
			}
		}()
	}
	if ready != nil {
		ready()
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	cancel() // before the deferred waits
	<-served
	<-carried
	return err
}
