package operation

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

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

// settle tells everyone how an operation ended: the call's result for the model,
// the pending, the card's result in the journal, the audit. It runs in the
// transaction that moved the row; extra events come before the result.
func (s *Service) settle(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, extra ...journal.Entry) error {
	q := pgdb.New(tx)
	status := operation.Status(row.Status)
	pending := "decided"
	switch status {
	case operation.Expired:
		pending = "expired"
	case operation.Cancelled:
		pending = "cancelled"
	}
	if _, err := q.ClosePendingsOfOp(ctx, pgdb.ClosePendingsOfOpParams{TenantID: tenant.String(), OpID: &row.OpID, Status: pending}); err != nil {
		return err
	}
	result := resultOf(row)
	tag := string(status)
	if status == operation.Failed { // each failed attempt is told
		tag += itoa(int(row.Attempts))
	}
	entries := append(slices.Clone(extra), journal.Entry{Type: event.OperationResult, Key: key(row, "result", tag), Data: stateEvent(row)})
	if row.CallID != nil {
		failed := status != operation.Executed && status != operation.Completed
		n, err := q.FinishCall(ctx, pgdb.FinishCallParams{TenantID: tenant.String(), CallID: *row.CallID, Result: mustJSON(result), Failed: failed})
		if err == nil && n == 0 { // settled before (failed, then retried): the newest outcome is the result
			_, err = q.CorrectCallResult(ctx, pgdb.CorrectCallResultParams{TenantID: tenant.String(), CallID: *row.CallID,
				Result: mustJSON(result), Failed: failed})
		}
		if err != nil {
			return err
		}
		done := event.ToolDone{CallID: *row.CallID, Tool: row.Tool, Status: string(status), Millis: time.Since(row.CreatedAt).Milliseconds(), Summary: row.ResultBill}
		if r := result.Refusal; r != nil && r.Fact == nil { // a fact that moved is told by the card, in the person's language
			done.Code = fault.Code(r.Code)
		}
		entries = append(entries, journal.Entry{Type: event.ToolFinished, Key: "call/" + *row.CallID + "/finished/" + tag, Data: done})
	}
	if status != operation.Executed { // an executed one has its audit row from the ERP's own transaction
		if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "operation_" + string(status), Actor: store.Text(row.DecidedBy),
			Channel: store.Text(row.DecidedVia), ConversationID: store.Text(row.ConversationID), OpID: row.OpID, Data: result}); err != nil {
			return err
		}
	}
	return appendEvents(ctx, tx, tenant, row, entries...)
}

// settleBy is settle for an outcome that a person stated.
func (s *Service) settleBy(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, actor string) error {
	if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "settled", Actor: actor, Channel: "web", OpID: row.OpID,
		Data: map[string]any{"status": row.Status, "bill": row.ResultBill}}); err != nil {
		return err
	}
	return s.settle(ctx, tx, tenant, row)
}

// close ends a locked row without a write and tells everyone.
func (s *Service) close(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, status operation.Status,
	refusal *schema.Refusal) (pgdb.Operation, error) {
	params := pgdb.FinishOperationParams{TenantID: tenant.String(), OpID: row.OpID, Status: string(status), Expected: before(status)}
	if refusal != nil {
		params.Refusal = mustJSON(refusal)
	}
	out, err := pgdb.New(tx).FinishOperation(ctx, params)
	if err != nil {
		return row, err
	}
	return out, s.settle(ctx, tx, tenant, out)
}

// CloseOperation ends an operation without a write: expired at its deadline,
// cancelled by the system. A row that has moved on is returned as it is.
func (s *Service) CloseOperation(ctx context.Context, in contract.CloseInput) (contract.Closed, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Closed{}, err
	}
	if in.Status == operation.Cancelled && (in.Channel != operation.ChannelOperator || in.By != "") {
		row, ok, err := s.withdrawn(ctx, tenant, &in)
		if err != nil || !ok {
			return closed(row), err
		}
	}
	row, err := s.CloseRow(ctx, tenant, in)
	if err != nil {
		return contract.Closed{}, err
	}
	return closed(row), s.told(ctx, tenant, row)
}

// withdrawn reports whether our own rows bear a withdrawal out, and sets by whom
// it is: the signal is unsigned, so what it says is a claim. One that nothing
// bears out is recorded as refused and changes nothing.
func (s *Service) withdrawn(ctx context.Context, tenant identity.Tenant, in *contract.CloseInput) (row pgdb.Operation, ok bool, err error) {
	err = s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		if row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: in.OpID}); err != nil {
			return store.NotFound(err, "operation")
		}
		if row.ConversationID != nil {
			c, err := q.ConversationByID(ctx, pgdb.ConversationByIDParams{TenantID: tenant.String(), ConversationID: *row.ConversationID})
			if err != nil {
				return err
			}
			if c.DeletedAt != nil {
				ok, in.Channel, in.ReplacedBy = true, operation.ChannelWeb, ""
				return nil
			}
		}
		if in.ReplacedBy != "" {
			newer, err := q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: in.ReplacedBy})
			ok = err == nil && newer.OpID != row.OpID && newer.UserID == row.UserID && store.Text(newer.ConversationID) == store.Text(row.ConversationID) &&
				newer.DraftID != nil && store.Text(newer.DraftID) == store.Text(row.DraftID)
			in.Channel = operation.ChannelSystem
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
			if ok {
				return nil
			}
		}
		moved, err := outdated(ctx, q, row)
		ok, in.Channel, in.ReplacedBy = moved != nil, operation.ChannelSystem, ""
		return err
	})
	if err != nil {
		return row, false, err
	}
	if ok {
		in.By = row.UserID
		return row, true, nil
	}
	by := in.By
	if strings.ContainsRune(by, 0) || len(by) > 100 {
		by = "unverified"
	}
	return row, false, s.RefuseDecision(ctx, contract.RefusedInput{OpInput: in.OpInput, Actor: by, Channel: operation.ChannelTemporal, Code: fault.Unverified})
}

// CloseRow is CloseOperation for the sweeper: it stores the end of an operation
// whose workflow is gone. Of one that is handed off, saves are shut out first; one
// that had come completes it.
func (s *Service) CloseRow(ctx context.Context, tenant identity.Tenant, in contract.CloseInput) (row pgdb.Operation, err error) {
	if row, err = s.load(ctx, tenant, in.OpID); err != nil {
		return row, err
	}
	if operation.Status(row.Status).CanBecome(in.Status) {
		saved, done, err := s.shut(ctx, tenant, row)
		if done || err != nil {
			return saved, err
		}
	}
	now := time.Now().UTC()
	via := string(in.Channel)
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if row, err = q.LockOperation(ctx, pgdb.LockOperationParams{TenantID: tenant.String(), OpID: in.OpID}); err != nil {
			return store.NotFound(err, "operation")
		}
		if !operation.Status(row.Status).CanBecome(in.Status) {
			return nil
		}
		if in.ReplacedBy != "" {
			if err := q.SetReplacedBy(ctx, pgdb.SetReplacedByParams{TenantID: tenant.String(), OpID: in.OpID, ReplacedBy: &in.ReplacedBy}); err != nil {
				return err
			}
		}
		was := row
		if row, err = q.CloseOperation(ctx, pgdb.CloseOperationParams{TenantID: tenant.String(), OpID: in.OpID, Status: string(in.Status),
			DecidedBy: &in.By, DecidedVia: &via, DecidedAt: &now}); err != nil {
			return err
		}
		if in.Status == operation.Cancelled && in.Channel == operation.ChannelSystem {
			if row, err = s.superseded(ctx, q, row); err != nil {
				return err
			}
		}
		var resolved []journal.Entry
		if was.Status == string(operation.AwaitingApproval) {
			resolved = append(resolved, journal.Entry{Type: event.ApprovalResolved, Key: key(row, "resolved", row.PendingID), Data: event.Resolved{
				PendingID: row.PendingID, OpID: row.OpID, CallID: store.Text(row.CallID), Decision: in.Status, By: in.By, Channel: in.Channel, At: now}})
		}
		return s.settle(ctx, tx, tenant, row, resolved...)
	})
	return row, err
}

// resultOf is the outcome as the model and later turns read it.
func resultOf(row pgdb.Operation) operation.Result {
	r := operation.Result{Status: operation.Status(row.Status), OpID: row.OpID, Bill: row.ResultBill, Bills: journal.Several(row), Link: row.ResultLink,
		Refusal: refusalOf(row), By: store.Text(row.DecidedBy), Channel: operation.Channel(store.Text(row.DecidedVia)), ChangedByPerson: len(row.EditedBy) > 0}
	switch r.Status {
	case operation.Executed:
		r.Note = "Written to the ERP, exactly once."
	case operation.Completed:
		r.Note = "The person saved it in the ERP's own form, exactly once."
		if r.ChangedByPerson {
			r.Note += " They changed values before they saved: read the record before you rely on them."
		}
	case operation.Abandoned:
		r.Note = "It was approved, but the ERP's form was not saved before the deadline. Nothing was written."
	case operation.Refused:
		r.Note = "Nothing was written: a fact moved or the ERP refused. The person may propose again from the card."
	case operation.Expired:
		r.Note = "The deadline passed without a decision. Nothing was written."
	case operation.Rejected:
		r.Note = "A person rejected it. Nothing was written."
	case operation.Cancelled:
		r.Note = "It was cancelled. Nothing was written."
		switch {
		case r.Refusal != nil && r.Refusal.Code == string(fault.DraftChanged):
			r.Note = "Superseded: the draft was saved again, as revision " + r.Refusal.New + ". Nothing was written of this one."
		case r.Channel == operation.ChannelOperator:
			r.Note = "It was cancelled by an operator. Nothing was written."
		}
	case operation.Failed:
		r.Note = "The attempt failed. Surely nothing was written; the person may retry from the card."
	case operation.NeedsPerson:
		r.Note = "It is not known whether it was written; a person must look in the ERP."
	}
	return r
}
