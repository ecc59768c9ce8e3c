package operation

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// handedAttempt is the attempt of every native save: a refused one leaves nothing
// under the token, so there is only ever one.
const handedAttempt = 1

// HandOffOperation hands an approved manual operation to its person: contract,
// rights and facts are checked once more, then the native form takes saves until a
// deadline of its own. What has moved refuses it. A row that has moved on is
// returned as it is.
func (s *Service) HandOffOperation(ctx context.Context, in contract.OpInput) (contract.Closed, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	row, err := s.load(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Closed{}, err
	}
	if row.Status != string(operation.Approved) {
		return closed(row), s.told(ctx, tenant, row)
	}
	refusal, err := s.stale(ctx, tenant, row)
	if err != nil {
		return contract.Closed{}, err
	}
	deadline := time.Now().UTC().Truncate(time.Second).Add(s.Config.handoff())
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if row, err = q.LockOperation(ctx, pgdb.LockOperationParams{TenantID: tenant.String(), OpID: in.OpID}); err != nil {
			return err
		}
		if row.Status != string(operation.Approved) {
			return nil
		}
		if refusal != nil {
			row, err = s.close(ctx, tx, tenant, row, operation.Refused, refusal)
			return err
		}
		row, err = q.HandOffOperation(ctx, pgdb.HandOffOperationParams{TenantID: tenant.String(), OpID: in.OpID, Deadline: &deadline})
		if err != nil {
			return err
		}
		if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "handed_off", Actor: row.UserID, Channel: string(operation.ChannelSystem),
			ConversationID: store.Text(row.ConversationID), OpID: row.OpID, Data: map[string]any{"revision": row.Revision, "deadline": deadline}}); err != nil {
			return err
		}
		return appendEvents(ctx, tx, tenant, row, journal.Entry{Type: event.OperationChanged, Key: key(row, "handed_off", row.PendingID), Data: stateEvent(row)})
	})
	if err != nil {
		return contract.Closed{}, err
	}
	return closed(row), s.told(ctx, tenant, row)
}

// stale tells what has moved since the person saw the preview; nil when nothing
// has. It writes nothing: the save itself checks again.
func (s *Service) stale(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (*schema.Refusal, error) {
	if s.contractChanged(row) {
		return &schema.Refusal{Code: string(fault.ContractChanged)}, nil
	}
	id, err := s.identify(ctx, tenant, row.UserID)
	if fault.CodeOf(err) == fault.NotFound || err == nil && !id.Grants.Allows(row.TargetForm, row.Action) {
		return &schema.Refusal{Code: string(fault.PermissionDenied)}, nil
	}
	if err != nil {
		return nil, err
	}
	seen, err := previewOf(row)
	if err != nil {
		return nil, err
	}
	now, err := s.ERP.Preview(ctx, id, changeOf(row))
	if err == nil {
		return schema.Moved(seen.Facts, now.Facts), nil
	}
	if retryable(err) {
		return nil, err
	}
	// The ERP judges the change by what is there now; that the record was edited
	// meanwhile says more than what no longer fits it.
	if was, ok := schema.VersionIn(seen.Facts, row.TargetForm, row.TargetBill); ok {
		if is, err := s.recordVersion(ctx, id, row.TargetForm, row.TargetBill); err == nil && is != was {
			return &schema.Refusal{Code: string(fault.RecordChanged), Old: was, New: is}, nil
		}
	}
	p := fault.ParamsOf(err)
	r := &schema.Refusal{Code: string(fault.CodeOf(err)), Old: p["old"], New: p["new"], Detail: p["detail"]}
	if fault.CodeOf(err) == fault.NotFound {
		r.Code, r.Old = string(fault.RecordChanged), p["id"]
	}
	return r, nil
}

// changeOf is what the row would write.
func changeOf(row pgdb.Operation) schema.Change {
	change := schema.Change{Form: row.TargetForm, Action: row.Action, OpType: schema.OpType(row.OpType), Target: row.TargetBill,
		Payload: row.Payload, DraftID: store.Text(row.DraftID)}
	if row.DraftRevision != nil {
		change.DraftRevision = int(*row.DraftRevision)
	}
	return change
}

// CompleteOperation ends a handed-off operation as completed when the ERP has a
// commit under its token. Whoever says so without one is recorded as unverified
// and changes nothing.
func (s *Service) CompleteOperation(ctx context.Context, in contract.CompleteInput) (contract.Closed, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	row, found, err := s.completed(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Closed{}, err
	}
	if !found && row.Status == string(operation.HandedOff) {
		return closed(row), s.RefuseDecision(ctx, contract.RefusedInput{OpInput: in.OpInput, Channel: operation.ChannelTemporal,
			Code: fault.Unverified, Index: in.Index})
	}
	return closed(row), s.told(ctx, tenant, row)
}

// completed looks the token up and completes the row if the ERP has it; the row
// is returned as it is then.
func (s *Service) completed(ctx context.Context, tenant identity.Tenant, opID string) (row pgdb.Operation, found bool, err error) {
	if row, err = s.load(ctx, tenant, opID); err != nil || row.Status != string(operation.HandedOff) {
		return row, false, err
	}
	commit, err := s.ERP.FindCommitted(ctx, s.requester(tenant, row), row.ClientToken)
	if fault.CodeOf(err) == fault.NotFound {
		return row, false, nil
	}
	if err != nil || commit.Status != schema.CommitExecuted {
		return row, false, err
	}
	row, err = s.complete(ctx, tenant, row, commit)
	return row, err == nil, err
}

// requester is the person of the row where no rights are asked for.
func (s *Service) requester(tenant identity.Tenant, row pgdb.Operation) erp.Identity {
	id := erp.Identity{}
	id.User.Tenant, id.User.UserID = tenant, row.UserID
	return id
}

// complete stores the ERP's commit of a native save.
func (s *Service) complete(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, commit schema.Commit) (out pgdb.Operation, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		// What was saved is kept under the commit's digest where it is not what was approved.
		_, err := q.OperationEdit(ctx, pgdb.OperationEditParams{TenantID: tenant.String(), OpID: row.OpID, RevisionID: commit.Digest})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		out, err = q.CompleteOperation(ctx, pgdb.CompleteOperationParams{TenantID: tenant.String(), OpID: row.OpID, Bill: commit.Bill, Bills: commit.Bills,
			Link: commit.Link, ExecutedAt: &commit.At, Edited: err == nil})
		if errors.Is(err, pgx.ErrNoRows) { // someone stored it before
			out, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: row.OpID})
			return err
		}
		if err != nil {
			return err
		}
		return s.settle(ctx, tx, tenant, out)
	})
	return out, err
}

// shut sees to it that no native save of the row can come any more. One that had
// come completes the row instead, and done is true.
func (s *Service) shut(ctx context.Context, tenant identity.Tenant, row pgdb.Operation) (out pgdb.Operation, done bool, err error) {
	if row.AutoExecute || row.Status != string(operation.HandedOff) {
		return row, false, nil
	}
	commit, err := s.ERP.FindCommit(ctx, s.requester(tenant, row), row.ClientToken, handedAttempt)
	if err != nil || commit.Status != schema.CommitExecuted {
		return row, false, err
	}
	out, err = s.complete(ctx, tenant, row, commit)
	return out, err == nil, err
}

// recordVersion reads the version that a record has now.
func (s *Service) recordVersion(ctx context.Context, id erp.Identity, form, bill string) (string, error) {
	page, err := s.ERP.Read(ctx, id, schema.Query{Form: form, Mode: schema.Record, ID: bill})
	if err != nil {
		return "", err
	}
	return versionOf(page.Record)
}
