package gateway_test

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/operation"
)

// operation stages one that waits for approval, with its pending.
func (b *bundle) operation(conv, user, policy string, ttl time.Duration) pgdb.Operation {
	b.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	deadline := time.Now().Add(ttl)
	var row pgdb.Operation
	err := b.db.Tx(context.Background(), east, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		_, err := q.InsertOperation(ctx, pgdb.InsertOperationParams{TenantID: east.String(), OpID: id, UserID: user, ConversationID: &conv,
			OpType: "update", Action: "update", TargetForm: "customer", TargetBill: "C-0001", Payload: []byte(`{"phone":"1"}`), Requested: []byte(`{"phone":"1"}`),
			AutoExecute: true, Status: "awaiting_approval", Revision: 1, PendingID: "p-" + id, Digest: "digest-" + id,
			ClientToken: operation.ClientToken(id, 1), Risk: "confirm", Policy: policy, Tool: "propose_write", ToolSchemaVersion: 1,
			Preview: []byte(`{"form":"customer","object":"C-0001"}`), ExpiresAt: deadline})
		if err != nil {
			return err
		}
		if err := q.InsertPending(ctx, pgdb.InsertPendingParams{TenantID: east.String(), PendingID: "p-" + id, ConversationID: conv, OpID: &id,
			UserID: user, Kind: "approval", Prompt: []byte("{}"), Deadline: deadline}); err != nil {
			return err
		}
		row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: east.String(), OpID: id})
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}
