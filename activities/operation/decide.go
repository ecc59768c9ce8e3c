package operation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
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

// maxSignalBytes bounds a decide signal; a decision is a few hundred bytes.
const maxSignalBytes = 16 << 10

// ReadSignal decodes a raw decide signal. A malformed one is an answer, not an
// error: it is journalled as refused instead of being dropped.
func (s *Service) ReadSignal(_ context.Context, in contract.SignalInput) (contract.SignalRead, error) {
	bad := func(detail string) (contract.SignalRead, error) {
		return contract.SignalRead{Code: fault.Invalid, Detail: detail}, nil
	}
	switch {
	case in.Encoding != "json/plain":
		return bad("the signal is not plain JSON")
	case len(in.Data) > maxSignalBytes:
		return bad("the signal is larger than 16 KiB")
	}
	dec := json.NewDecoder(bytes.NewReader(in.Data))
	dec.DisallowUnknownFields()
	var d operation.Decision
	if err := dec.Decode(&d); err != nil {
		return bad("the signal is not a decision: " + shorten(err.Error()))
	}
	if dec.More() {
		return bad("the signal holds more than one decision")
	}
	if d.DecisionID == "" { // whoever types a signal by hand need not invent one
		d.DecisionID = "signal-" + strconv.Itoa(in.Index)
	}
	if f := d.Shape(); f != nil {
		return contract.SignalRead{Code: f.Code, Detail: f.Params["detail"]}, nil //nolint:nilerr // A refusal is an answer.
	}
	return contract.SignalRead{Decision: d}, nil
}

// decider is who decides, as far as it is known.
type decider struct {
	userID   string
	name     string
	channel  operation.Channel
	verified bool
	// id is who they are to the ERP now, where verified.
	id erp.Identity
}

// who reads the proof of a decision. Without one the actor is a claim that
// counts only where unsigned decisions are allowed.
func (s *Service) who(ctx context.Context, tenant identity.Tenant, d operation.Decision, now time.Time) (decider, *fault.Error, error) {
	if d.Proof == "" {
		if !s.Config.AllowUnsigned {
			return decider{userID: d.Actor, channel: operation.ChannelTemporal}, fault.New(fault.Unverified), nil
		}
		by := d.Actor
		if by == "" {
			by = "unverified"
		}
		return decider{userID: by, name: by, channel: operation.ChannelTemporal}, nil, nil
	}
	userID, channel, err := operation.Verify(s.Key, d, tenant.String(), d.Proof, now)
	if err != nil {
		return decider{userID: d.Actor, channel: operation.ChannelTemporal}, fault.New(fault.Unverified), nil
	}
	id, err := s.identify(ctx, tenant, userID)
	if fault.CodeOf(err) == fault.NotFound {
		return decider{userID: userID, channel: channel}, fault.New(fault.NotAllowedToDecide), nil
	}
	return decider{userID: userID, name: id.User.DisplayName, channel: channel, verified: true, id: id}, nil, err
}

// AuthoriseDecision answers a claim: who decides, do policy and grants allow it,
// is the contract still the one that was shown. What is accepted is persisted
// here, with journal and audit, before anything is written to the ERP. The same
// decision_id again gets the first answer.
func (s *Service) AuthoriseDecision(ctx context.Context, in contract.AuthoriseInput) (contract.Authorised, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Authorised{}, err
	}
	d := in.Decision
	by, refused, err := s.who(ctx, tenant, d, in.ClaimedAt)
	if err != nil {
		return contract.Authorised{}, err
	}
	row, err := s.load(ctx, tenant, in.OpID)
	if err != nil {
		return contract.Authorised{}, err
	}
	if refused == nil {
		if refused, err = s.mayDecide(ctx, tenant, row, d, by); err != nil {
			return contract.Authorised{}, err
		}
	}
	if refused == nil && d.Decision == operation.Cancel && d.PendingID == row.PendingID {
		// Before a native form is left, no save of it may come any more; one that has
		// come is the outcome, and record tells so.
		if row, _, err = s.shut(ctx, tenant, row); err != nil {
			return contract.Authorised{}, err
		}
	}
	var answer contract.Authorised
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		row, answer, err = s.record(ctx, tx, tenant, in, by, refused)
		return err
	})
	if err != nil {
		return contract.Authorised{}, err
	}
	return answer, s.told(ctx, tenant, row)
}

// mayDecide applies the policy. Under "self" only the requester decides; others
// are refused. An approval needs the requester's grants as they are now.
func (s *Service) mayDecide(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, d operation.Decision, by decider) (*fault.Error, error) {
	if row.Policy != PolicySelf && !by.verified {
		return fault.New(fault.Unverified), nil
	}
	if by.verified && by.userID != row.UserID {
		return fault.New(fault.NotAllowedToDecide), nil
	}
	if d.Decision != operation.Approve {
		return nil, nil
	}
	id := by.id // the decider is the requester, read a moment ago
	if !by.verified {
		var err error
		if id, err = s.identify(ctx, tenant, row.UserID); err != nil && retryable(err) {
			return nil, err
		}
	}
	if !id.Grants.Allows(row.TargetForm, row.Action) {
		return fault.New(fault.PermissionDenied, "form", row.TargetForm, "action", row.Action), nil
	}
	return nil, nil
}

// record persists a decision, accepted or refused, in one transaction.
func (s *Service) record(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, in contract.AuthoriseInput, by decider,
	refused *fault.Error) (pgdb.Operation, contract.Authorised, error) {
	q, d := pgdb.New(tx), in.Decision
	row, err := q.LockOperation(ctx, pgdb.LockOperationParams{TenantID: tenant.String(), OpID: in.OpID})
	if err != nil {
		return row, contract.Authorised{}, err
	}
	first, err := q.DecisionByID(ctx, pgdb.DecisionByIDParams{TenantID: tenant.String(), OpID: in.OpID, DecisionID: d.DecisionID})
	switch {
	case err == nil && first.Accepted:
		return row, contract.Authorised{Status: operation.Status(row.Status), Outcome: journal.Outcome(row)}, nil
	case err == nil:
		return row, contract.Authorised{Status: operation.Status(row.Status), Code: fault.Code(store.Text(first.RefusalCode))}, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return row, contract.Authorised{}, err
	}
	left := d.Decision == operation.Cancel && row.Status == string(operation.HandedOff)
	if refused == nil && !left && row.Status != string(operation.AwaitingApproval) {
		refused = fault.New(fault.NotPending, "status", row.Status)
		if o := journal.Outcome(row); o != nil {
			refused = operation.Settled(*o)
		}
	}
	if refused != nil {
		return s.recordRefused(ctx, tx, tenant, row, in, by, refused)
	}
	now := time.Now().UTC()
	status, refusal := d.Decision.Effect(), json.RawMessage(nil)
	if d.Decision == operation.Approve && s.contractChanged(row) {
		status, refusal = operation.Refused, mustJSON(schema.Refusal{Code: string(fault.ContractChanged)})
	}
	via := string(by.channel)
	if left {
		row, err = q.CancelHandedOff(ctx, pgdb.CancelHandedOffParams{TenantID: tenant.String(), OpID: in.OpID, DecidedBy: &by.userID,
			DecidedVia: &via, DecidedAt: &now, Comment: d.Comment, PendingID: d.PendingID})
	} else {
		row, err = q.DecideOperation(ctx, pgdb.DecideOperationParams{TenantID: tenant.String(), OpID: in.OpID, Status: string(status),
			DecidedBy: &by.userID, DecidedVia: &via, DecidedAt: &now, Comment: d.Comment, Refusal: refusal, PendingID: d.PendingID})
	}
	if err != nil {
		return row, contract.Authorised{}, err
	}
	if _, err := q.InsertDecision(ctx, decisionRow(tenant, in, by, nil)); err != nil {
		return row, contract.Authorised{}, err
	}
	if _, err := q.ClosePendingsOfOp(ctx, pgdb.ClosePendingsOfOpParams{TenantID: tenant.String(), OpID: &row.OpID, Status: "decided"}); err != nil {
		return row, contract.Authorised{}, err
	}
	if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "decision", Actor: by.userID, Channel: via, ConversationID: store.Text(row.ConversationID),
		OpID: row.OpID, Data: map[string]any{"decision": d.Decision, "decision_id": d.DecisionID, "pending_id": d.PendingID,
			"revision": d.Revision, "digest": d.Digest, "policy": row.Policy, "verified": by.verified, "status": status, "comment": d.Comment}}); err != nil {
		return row, contract.Authorised{}, err
	}
	if left { // the approval was resolved before
		return row, contract.Authorised{Status: status, Outcome: journal.Outcome(row)}, s.settle(ctx, tx, tenant, row)
	}
	entries := []journal.Entry{{Type: event.ApprovalResolved, Key: key(row, "resolved", d.PendingID), Data: event.Resolved{
		PendingID: d.PendingID, OpID: row.OpID, CallID: store.Text(row.CallID), Decision: d.Decision.Effect(), By: by.userID, ByName: by.name,
		Channel: by.channel, Comment: d.Comment, At: now}}}
	if status == operation.Approved {
		entries = append(entries, journal.Entry{Type: event.OperationChanged, Key: key(row, "approved", d.PendingID), Data: stateEvent(row)})
		if row.CallID != nil {
			if _, err := q.SetCallStatus(ctx, pgdb.SetCallStatusParams{TenantID: tenant.String(), CallID: *row.CallID, Status: "resolved"}); err != nil {
				return row, contract.Authorised{}, err
			}
		}
		err = appendEvents(ctx, tx, tenant, row, entries...)
	} else {
		err = s.settle(ctx, tx, tenant, row, entries...)
	}
	answer := contract.Authorised{Status: status, Outcome: journal.Outcome(row)}
	if status == operation.Refused {
		answer.Code = fault.ContractChanged
	}
	return row, answer, err
}

// contractChanged reports whether the tool's schema moved since the proposal.
func (s *Service) contractChanged(row pgdb.Operation) bool {
	t, ok := s.Catalogue.Find(row.Tool)
	return !ok || t.SchemaVersion != int(row.ToolSchemaVersion)
}

func (s *Service) recordRefused(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, in contract.AuthoriseInput,
	by decider, refused *fault.Error) (pgdb.Operation, contract.Authorised, error) {
	answer := contract.Authorised{Status: operation.Status(row.Status), Outcome: journal.Outcome(row), Code: refused.Code, Params: refused.Params}
	if _, err := pgdb.New(tx).InsertDecision(ctx, decisionRow(tenant, in, by, refused)); err != nil {
		return row, answer, err
	}
	return row, answer, s.refusedDecision(ctx, tx, tenant, row, by, refused.Code, refused.Params, in.Decision.DecisionID)
}

// RefuseDecision journals a decision that did not fit what waits: at most 50 an
// operation, the rest is only counted.
func (s *Service) RefuseDecision(ctx context.Context, in contract.RefusedInput) error {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return err
	}
	var row pgdb.Operation
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		n, err := q.CountRefusedSignal(ctx, pgdb.CountRefusedSignalParams{TenantID: tenant.String(), OpID: in.OpID})
		if err != nil {
			return err
		}
		if row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: in.OpID}); err != nil || n > 50 {
			return err
		}
		return s.refusedDecision(ctx, tx, tenant, row, decider{userID: in.Actor, channel: in.Channel}, in.Code, in.Params, "signal-"+itoa(in.Index))
	})
	if err == nil && row.ConversationID != nil {
		s.Carrier.Wake(tenant, *row.ConversationID)
	}
	return err
}

func (s *Service) refusedDecision(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Operation, by decider, code fault.Code,
	params fault.Params, id string) error {
	if err := store.Audit(ctx, tx, tenant, store.AuditEntry{Kind: "decision_refused", Actor: by.userID, Channel: string(by.channel),
		ConversationID: store.Text(row.ConversationID), OpID: row.OpID, Data: map[string]any{"code": code, "params": params, "verified": by.verified}}); err != nil {
		return err
	}
	return appendEvents(ctx, tx, tenant, row, journal.Entry{Type: event.DecisionRefused, Key: key(row, "decision_refused", id),
		Data: event.DecisionRefusal{OpID: row.OpID, By: by.userID, Channel: by.channel, Code: code, Params: params}})
}

func decisionRow(tenant identity.Tenant, in contract.AuthoriseInput, by decider, refused *fault.Error) pgdb.InsertDecisionParams {
	d := in.Decision
	p := pgdb.InsertDecisionParams{TenantID: tenant.String(), DecisionID: d.DecisionID, OpID: in.OpID, PendingID: d.PendingID,
		Revision: int32(d.Revision), Decision: string(d.Decision), Actor: by.userID, Channel: string(by.channel), Verified: by.verified,
		Comment: d.Comment, Accepted: refused == nil}
	if refused != nil {
		code := string(refused.Code)
		p.RefusalCode = &code
	}
	return p
}

// shorten keeps an error of a decoder fit for the journal.
func shorten(s string) string {
	if len(s) > 200 {
		return s[:200]
	}
	return s
}
