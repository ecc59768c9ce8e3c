package operation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// ReviseOperation makes the next revision out of an edit by a person: validated,
// priced and previewed anew, with a new pending, digest and deadline. The old
// pending becomes superseded. Whoever edits counts as a requester; under policy
// "self" that is the requester alone. What is refused leaves the old revision.
func (s *Service) ReviseOperation(ctx context.Context, in contract.ReviseInput) (contract.Revised, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Revised{}, err
	}
	old, err := s.load(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Revised{}, err
	}
	if int(old.Revision) == in.From+1 && old.Status == string(operation.AwaitingApproval) { // a retried activity
		p, err := s.prepared(ctx, tenant, old)
		return contract.Revised{Prepared: p}, err
	}
	row, err := s.edited(ctx, old, in)
	if err == nil { // no save of the old revision may come any more
		var done bool
		if old, done, err = s.shut(ctx, tenant, old); done {
			err = fault.New(fault.AlreadyDecided, "status", string(operation.Completed), "by", old.UserID,
				"channel", string(operation.ChannelNative), "bill", old.ResultBill, "link", old.ResultLink)
		}
	}
	if err == nil {
		err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
			row, err = s.storeRevision(ctx, tx, old, row, in.Actor)
			return err
		})
	}
	if err != nil {
		if retryable(err) {
			return contract.Revised{}, err
		}
		return contract.Revised{Code: fault.CodeOf(err), Params: fault.ParamsOf(err)}, nil
	}
	if err := s.told(ctx, tenant, row); err != nil {
		return contract.Revised{}, err
	}
	p, err := s.prepared(ctx, tenant, row)
	return contract.Revised{Prepared: p}, err
}

// edited previews the edit and returns the row as it would become.
func (s *Service) edited(ctx context.Context, old pgdb.Operation, in contract.ReviseInput) (pgdb.Operation, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return old, err
	}
	native := in.Native && old.Status == string(operation.HandedOff) && old.Policy != PolicySelf
	if !native && old.Status != string(operation.AwaitingApproval) || int(old.Revision) != in.From {
		return old, fault.New(fault.StaleDecision, "reason", "revision")
	}
	if refused := s.mayAsk(old, operation.ReviseClaim(in.OpID, in.RevisionID), in.Actor, in.Proof); refused != nil {
		return old, refused
	}
	var edit pgdb.OperationEdit
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		edit, err = pgdb.New(tx).OperationEdit(ctx, pgdb.OperationEditParams{TenantID: tenant.String(), OpID: in.OpID, RevisionID: in.RevisionID})
		return store.NotFound(err, "edit")
	})
	if err != nil {
		return old, err
	}
	id, err := s.identify(ctx, tenant, old.UserID)
	if err != nil {
		return old, err
	}
	if !id.Grants.Allows(old.TargetForm, old.Action) {
		return old, fault.New(fault.PermissionDenied, "form", old.TargetForm, "action", old.Action)
	}
	change := schema.Change{Form: old.TargetForm, Action: old.Action, OpType: schema.OpType(old.OpType), Target: old.TargetBill, Payload: edit.Payload}
	preview, err := s.ERP.Preview(ctx, id, change)
	if err != nil {
		return old, err
	}
	row := old
	row.Revision++
	row.PendingID = uuid.Must(uuid.NewV7()).String()
	row.ClientToken = operation.ClientToken(row.OpID, int(row.Revision))
	row.Payload, row.Requested, row.Preview = preview.Payload, edit.Payload, mustJSON(preview)
	row.ExpiresAt = time.Now().UTC().Truncate(time.Second).Add(s.Config.ttl())
	// An edited proposal no longer is its draft: the person's values stand alone.
	row.DraftID, row.DraftRevision = nil, nil
	row.Digest, err = operation.Digest(seenOf(row, preview))
	return row, err
}

func (s *Service) storeRevision(ctx context.Context, tx pgx.Tx, old, row pgdb.Operation, actor string) (pgdb.Operation, error) {
	q := pgdb.New(tx)
	tenant, err := tenantOf(row.TenantID)
	if err != nil {
		return row, err
	}
	stored, err := q.ReviseOperation(ctx, pgdb.ReviseOperationParams{TenantID: row.TenantID, OpID: row.OpID, Revision: row.Revision,
		PendingID: row.PendingID, Digest: row.Digest, ClientToken: row.ClientToken, Payload: row.Payload, Requested: row.Requested,
		Preview: row.Preview, ExpiresAt: row.ExpiresAt, ToolSchemaVersion: row.ToolSchemaVersion, TargetBill: row.TargetBill, EditedBy: actor})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.New(fault.StaleDecision, "reason", "revision")
	}
	if err != nil {
		return row, err
	}
	if err := q.InsertOperationRevision(ctx, pgdb.InsertOperationRevisionParams{TenantID: row.TenantID, OpID: row.OpID, Revision: row.Revision,
		PendingID: row.PendingID, Digest: row.Digest, Payload: row.Payload, Preview: row.Preview, CreatedBy: actor}); err != nil {
		return row, err
	}
	if _, err := q.ClosePending(ctx, pgdb.ClosePendingParams{TenantID: row.TenantID, PendingID: old.PendingID, Status: "superseded"}); err != nil {
		return row, err
	}
	if err := s.insertPending(ctx, q, stored); err != nil {
		return row, err
	}
	if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "revision", Actor: actor, Channel: "web", ConversationID: store.Text(row.ConversationID),
		OpID: row.OpID, Data: map[string]any{"revision": row.Revision, "digest": row.Digest, "payload": row.Payload}}); err != nil {
		return row, err
	}
	user, _, err := s.ERP.User(ctx, tenant, row.UserID)
	if err != nil {
		return row, err
	}
	return stored, appendEvents(ctx, tx, tenant, stored,
		journal.Entry{Type: event.WriteProposal, Key: key(row, "card", itoa(int(row.Revision))), Data: journal.Card(stored, user.DisplayName, s.ERP.Capabilities())},
		journal.Entry{Type: event.ApprovalPending, Key: key(row, "pending", row.PendingID), Data: event.Approval{PendingID: row.PendingID,
			OpID: row.OpID, CallID: store.Text(row.CallID), Deadline: row.ExpiresAt}})
}
