package operation

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/workflows/contract"
)

// channelOutbox is the channel of NOTIFY; the payload is a tenant.
const channelOutbox = "erpilot_outbox"

const (
	relayEvery     = 3 * time.Second
	relayReconnect = 5 * time.Second
	// relayPatience bounds the way of one message.
	relayPatience = 10 * time.Second
)

// Relay carries the messages of the ERP's outbox to the workflows that wait for
// them, each at least once, as many relays as there may be.
type Relay struct {
	ops *Service
	log *slog.Logger
	// every is the pace of the safety net.
	every time.Duration
	wake  chan struct{}
}

// NewRelay returns a relay; Run starts it.
func NewRelay(ops *Service, log *slog.Logger) *Relay {
	return &Relay{ops: ops, log: log, every: relayEvery, wake: make(chan struct{}, 1)}
}

// Run listens and looks by itself every few seconds, until the context ends. It
// never gives up: what could not be carried stays in the outbox.
func (r *Relay) Run(ctx context.Context) {
	var done sync.WaitGroup
	done.Go(func() { r.listenForEver(ctx) })
	tick := time.NewTicker(r.every)
	defer tick.Stop()
	for ctx.Err() == nil {
		r.carry(ctx)
		select {
		case <-ctx.Done():
		case <-r.wake:
		case <-tick.C:
		}
	}
	done.Wait()
}

// listenForEver wakes the relay; without it the relay is only slower.
func (r *Relay) listenForEver(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.listen(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("listening to the outbox was interrupted", "error", err)
		}
		pause := time.NewTimer(relayReconnect/2 + rand.N(relayReconnect/2)) //nolint:gosec // Jitter needs no secrecy.
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (r *Relay) listen(ctx context.Context) error {
	conn, err := r.ops.DB.Listen(ctx, channelOutbox)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // it may be broken already
	for {
		r.poke() // whatever came while nobody listened
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

func (r *Relay) poke() {
	select {
	case r.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// carry sends whatever waits, tenant by tenant.
func (r *Relay) carry(ctx context.Context) {
	tenants, err := r.ops.DB.Tenants(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.log.Warn("the relay could not read the tenants", "error", err)
		}
		return
	}
	for _, row := range tenants {
		tenant := identity.Tenant{BrandID: row.BrandID, SubsidiaryID: row.SubsidiaryID}
		for after, more := int64(0), true; more && ctx.Err() == nil; {
			if after, more, err = r.next(ctx, tenant, after); err != nil && ctx.Err() == nil {
				r.log.Warn("a message of the outbox was not carried", "tenant", tenant.String(), "outbox_id", after, "error", err)
			}
		}
	}
}

// next carries the first message behind the given one. The row is locked
// meanwhile, so that no other relay carries it too; one whose relay dies is free
// again. An error leaves it for the next look, and the ones behind it go on.
func (r *Relay) next(ctx context.Context, tenant identity.Tenant, after int64) (id int64, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, relayPatience)
	defer cancel()
	id = after
	err = r.ops.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		m, err := q.ErpNextOutbox(ctx, pgdb.ErpNextOutboxParams{TenantID: tenant.String(), After: after})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		id, more = m.OutboxID, true
		if err := r.send(ctx, tenant, m.OpID); err != nil {
			return err
		}
		return q.ErpMarkSent(ctx, pgdb.ErpMarkSentParams{TenantID: tenant.String(), OutboxID: m.OutboxID})
	})
	return id, more, err
}

// send tells the operation's workflow. Where that is gone, the row is completed
// here, with the ERP's commit as proof.
func (r *Relay) send(ctx context.Context, tenant identity.Tenant, opID string) error {
	err := r.ops.Signals.SignalWorkflow(ctx, contract.OperationWorkflowID(opID), "", contract.SignalCompleted, nil)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); !gone {
		return err
	}
	row, _, err := r.ops.completed(ctx, tenant, opID)
	if fault.CodeOf(err) == fault.NotFound {
		return nil // nothing of ours waits for it
	}
	if err != nil {
		return err
	}
	return r.ops.told(ctx, tenant, row)
}
