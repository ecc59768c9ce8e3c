package operation

import (
	"context"
	"encoding/json"
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
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/workflows/contract"
)

// proposal is what is to be staged, from whichever side it comes.
type proposal struct {
	tenant         identity.Tenant
	conversationID string
	turnID, callID string
	change         schema.Change
	reason         string
	replaces       string
	toolVersion    int
	// locale is the language of the message behind it; "" is the person's own.
	locale identity.Locale
}

// PrepareOperation stages the write that a call proposes: validate, authorise,
// preview, draft row, card. What the ERP or the grants refuse is the call's
// result; then Prepared.OpID is empty and the model reads why.
func (s *Service) PrepareOperation(ctx context.Context, in contract.CallInput) (contract.Prepared, error) {
	tenant, err := tenantOf(in.Tenant)
	if err != nil {
		return contract.Prepared{}, err
	}
	call, row, err := s.callAndOperation(ctx, tenant, in.CallID)
	if err != nil {
		return contract.Prepared{}, err
	}
	if row != nil {
		return s.prepared(ctx, tenant, *row)
	}
	if call.Status == "finished" {
		return contract.Prepared{}, nil
	}
	p, userID, err := s.fromCall(ctx, tenant, call)
	if err == nil {
		var prepared contract.Prepared
		if prepared, err = s.stage(ctx, p, userID); err == nil {
			return prepared, nil
		}
	}
	if retryable(err) {
		return contract.Prepared{}, err
	}
	return contract.Prepared{}, s.refuseCall(ctx, tenant, call, err)
}

// Repropose stages a fresh preview of an operation that ended without a write.
// The caller starts the workflow with StartInput. Codes: not_found (not the
// user's own), conflict (it was written, or is still open), and Preview's codes.
func (s *Service) Repropose(ctx context.Context, tenant identity.Tenant, userID, opID string) (contract.Prepared, error) {
	old, err := s.load(ctx, tenant, opID)
	if err != nil {
		return contract.Prepared{}, err
	}
	if old.UserID != userID {
		return contract.Prepared{}, fault.New(fault.NotFound, "noun", "operation")
	}
	if old.ReplacedBy != nil { // the second click of a double click
		newer, err := s.load(ctx, tenant, *old.ReplacedBy)
		if err != nil {
			return contract.Prepared{}, err
		}
		return s.prepared(ctx, tenant, newer)
	}
	switch operation.Status(old.Status) {
	case operation.Refused, operation.Expired, operation.Cancelled, operation.Rejected, operation.Abandoned:
	default:
		return contract.Prepared{}, fault.New(fault.Conflict, "detail", "only an operation that ended without a write can be proposed again")
	}
	p := proposal{tenant: tenant, conversationID: store.Text(old.ConversationID), reason: old.Reason, replaces: old.OpID,
		change: schema.Change{Form: old.TargetForm, Action: old.Action, OpType: schema.OpType(old.OpType), Target: old.TargetBill,
			Payload: old.Requested}}
	if old.OpType == string(schema.OpCreate) {
		p.change.Target = ""
	}
	if old.DraftID != nil {
		if p.change, err = s.newestDraft(ctx, tenant, p.conversationID, *old.DraftID, p.change); err != nil {
			return contract.Prepared{}, err
		}
	}
	return s.stage(ctx, p, userID)
}

// callAndOperation reads a call and the operation that it was staged as, if any.
func (s *Service) callAndOperation(ctx context.Context, tenant identity.Tenant, callID string) (call pgdb.Call, op *pgdb.Operation, err error) {
	err = s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if call, err = q.Call(ctx, pgdb.CallParams{TenantID: tenant.String(), CallID: callID}); err != nil {
			return store.NotFound(err, "call")
		}
		row, err := q.OperationOfCall(ctx, pgdb.OperationOfCallParams{TenantID: tenant.String(), CallID: &callID})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		op = &row
		return err
	})
	return call, op, err
}

// fromCall reads the proposal out of a validated propose_write call.
func (s *Service) fromCall(ctx context.Context, tenant identity.Tenant, call pgdb.Call) (proposal, string, error) {
	var args tool.ProposeWriteArgs
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil {
		return proposal{}, "", fault.New(fault.ArgumentsInvalid, "detail", "arguments are not those of propose_write")
	}
	var t pgdb.Turn
	err := s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		t, err = q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: call.TurnID})
		return err
	})
	if err != nil {
		return proposal{}, "", err
	}
	userID := t.UserID
	p := proposal{locale: identity.Locale(t.Locale), tenant: tenant, conversationID: call.ConversationID, turnID: call.TurnID, callID: call.CallID, reason: args.Reason,
		toolVersion: int(call.ToolSchemaVersion),
		change:      schema.Change{Form: args.Form, Action: args.Action, OpType: schema.OpTypeOf(args.Action), Target: args.Target, Payload: args.Changes}}
	if p.change.OpType == schema.OpCreate || p.change.OpType == schema.OpGenerate {
		p.change.Target = "" // what is new has no key yet
	}
	if args.DraftID == "" || p.change.OpType != schema.OpCreate {
		if len(p.change.Payload) == 0 {
			p.change.Payload = json.RawMessage(`{}`)
		}
		return p, userID, nil
	}
	p.change, err = s.newestDraft(ctx, tenant, call.ConversationID, args.DraftID, p.change)
	if err == nil && p.change.DraftRevision != args.DraftRevision {
		err = fault.New(fault.DraftChanged, "old", itoa(args.DraftRevision), "new", itoa(p.change.DraftRevision))
	}
	return p, userID, err
}

// newestDraft binds the change to the newest revision of a draft of the
// conversation; another conversation's draft is not found.
func (s *Service) newestDraft(ctx context.Context, tenant identity.Tenant, conversationID, draftID string, c schema.Change) (schema.Change, error) {
	err := s.DB.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		draft, err := q.Draft(ctx, pgdb.DraftParams{TenantID: tenant.String(), DraftID: draftID, ConversationID: conversationID})
		if err != nil {
			return store.NotFound(err, "draft")
		}
		if draft.Form != c.Form {
			return fault.New(fault.ValidationFailed, "detail", "the draft belongs to form "+draft.Form)
		}
		revision, err := q.DraftRevision(ctx, pgdb.DraftRevisionParams{TenantID: tenant.String(), DraftID: draftID, Revision: draft.Revision})
		if err != nil {
			return err
		}
		c.DraftID, c.DraftRevision, c.Payload = draftID, int(draft.Revision), revision.Payload
		return nil
	})
	return c, err
}

// stage previews the change and stores it as a draft operation with its card.
func (s *Service) stage(ctx context.Context, p proposal, userID string) (contract.Prepared, error) {
	id, err := s.identify(ctx, p.tenant, userID)
	if err != nil {
		return contract.Prepared{}, err
	}
	if p.locale != "" {
		id.User.Locale = p.locale
	}
	action, err := s.declared(ctx, id, &p)
	if err != nil {
		return contract.Prepared{}, err
	}
	preview, err := s.ERP.Preview(ctx, id, p.change)
	if err != nil {
		return contract.Prepared{}, err
	}
	if p.toolVersion == 0 {
		t, _ := s.Catalogue.Find(tool.ProposeWrite)
		p.toolVersion = t.SchemaVersion
	}
	row := s.newRow(p, userID, preview)
	row.AutoExecute = !action.Manual
	seen := seenOf(row, preview)
	if row.Digest, err = operation.Digest(seen); err != nil {
		return contract.Prepared{}, err
	}
	var older []pgdb.Operation
	err = s.DB.Tx(ctx, p.tenant, func(ctx context.Context, tx pgx.Tx) error {
		older, err = s.insert(ctx, tx, p, row, id.User.DisplayName)
		return err
	})
	if err != nil {
		return contract.Prepared{}, err
	}
	if p.conversationID != "" {
		s.Carrier.Wake(p.tenant, p.conversationID)
	}
	for _, o := range older {
		if err := s.withdraw(ctx, o, userID, row.OpID); err != nil {
			return contract.Prepared{}, err
		}
	}
	return s.prepared(ctx, p.tenant, row)
}

func (s *Service) newRow(p proposal, userID string, preview schema.Preview) pgdb.Operation {
	now := time.Now().UTC().Truncate(time.Second)
	opID := uuid.Must(uuid.NewV7()).String()
	row := pgdb.Operation{
		TenantID: p.tenant.String(), OpID: opID, UserID: userID, ConversationID: store.Nullable(p.conversationID), TurnID: store.Nullable(p.turnID),
		CallID: store.Nullable(p.callID), OpType: string(p.change.OpType), Action: p.change.Action, TargetForm: p.change.Form,
		TargetModule: preview.TargetModule, TargetTable: preview.TargetTable, TargetBill: p.change.Target, Payload: preview.Payload,
		Requested: p.change.Payload, AutoExecute: true, Status: string(operation.Draft), Revision: 1, PendingID: uuid.Must(uuid.NewV7()).String(),
		ClientToken: operation.ClientToken(opID, 1), Risk: string(tool.RiskConfirm), Policy: PolicySelf, Tool: tool.ProposeWrite,
		ToolSchemaVersion: int32(p.toolVersion), DraftID: store.Nullable(p.change.DraftID), Reason: p.reason, Preview: mustJSON(preview),
		Replaces: store.Nullable(p.replaces), CreatedAt: now, ExpiresAt: now.Add(s.Config.ttl()),
	}
	if preview.Batch {
		row.Risk = string(tool.RiskBatchConfirm)
	}
	if p.change.DraftID != "" {
		revision := int32(p.change.DraftRevision)
		row.DraftRevision = &revision
	}
	if p.change.OpType == schema.OpGenerate {
		row.SourceRef = sourceRef(preview.Payload)
	}
	return row
}

// insert stores the staged row and all that points at it, and returns older
// operations of the same draft, which the new one replaces.
func (s *Service) insert(ctx context.Context, tx pgx.Tx, p proposal, row pgdb.Operation, name string) ([]pgdb.Operation, error) {
	q := pgdb.New(tx)
	n, err := q.InsertOperation(ctx, pgdb.InsertOperationParams{
		TenantID: row.TenantID, OpID: row.OpID, UserID: row.UserID, ConversationID: row.ConversationID, TurnID: row.TurnID, CallID: row.CallID,
		OpType: row.OpType, Action: row.Action, TargetForm: row.TargetForm, TargetModule: row.TargetModule, TargetTable: row.TargetTable,
		TargetBill: row.TargetBill, Payload: row.Payload, Requested: row.Requested, AutoExecute: row.AutoExecute, Status: row.Status,
		Revision: row.Revision, PendingID: row.PendingID, Digest: row.Digest, ClientToken: row.ClientToken, Risk: row.Risk, Policy: row.Policy,
		Tool: row.Tool, ToolSchemaVersion: row.ToolSchemaVersion, DraftID: row.DraftID, DraftRevision: row.DraftRevision, Reason: row.Reason,
		Preview: row.Preview, Replaces: row.Replaces, ExpiresAt: row.ExpiresAt, SourceRef: row.SourceRef,
	})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fault.New(fault.Conflict, "detail", "the call is staged already")
	}
	if err := q.InsertOperationRevision(ctx, pgdb.InsertOperationRevisionParams{TenantID: row.TenantID, OpID: row.OpID, Revision: 1,
		PendingID: row.PendingID, Digest: row.Digest, Payload: row.Payload, Preview: row.Preview, CreatedBy: row.UserID}); err != nil {
		return nil, err
	}
	var older []pgdb.Operation
	if row.DraftID != nil {
		if older, err = q.OpenOperationsOfDraft(ctx, pgdb.OpenOperationsOfDraftParams{TenantID: row.TenantID, DraftID: row.DraftID}); err != nil {
			return nil, err
		}
	}
	if p.replaces != "" {
		if err := q.SetReplacedBy(ctx, pgdb.SetReplacedByParams{TenantID: row.TenantID, OpID: p.replaces, ReplacedBy: &row.OpID}); err != nil {
			return nil, err
		}
	}
	if err := s.insertPending(ctx, q, row); err != nil {
		return nil, err
	}
	err = store.Audit(ctx, tx, p.tenant, store.AuditEntry{Kind: "proposal", Actor: row.UserID, Channel: "agent", ConversationID: p.conversationID,
		OpID: row.OpID, Data: map[string]any{"form": row.TargetForm, "action": row.Action, "target": row.TargetBill, "revision": row.Revision,
			"digest": row.Digest, "policy": row.Policy, "deadline": row.ExpiresAt, "payload": row.Payload, "call_id": p.callID}})
	if err != nil {
		return nil, err
	}
	replaced, err := replaceSuperseded(ctx, q, row)
	if err != nil {
		return nil, err
	}
	entries := []journal.Entry{{Type: event.WriteProposal, Data: journal.Card(row, name, s.ERP.Capabilities()), Key: key(row, "card", "1")}}
	if p.replaces != "" {
		entries = append(entries, journal.Entry{Type: event.OperationChanged, Key: "op/" + p.replaces + "/replaced",
			Data: map[string]any{"op_id": p.replaces, "replaced_by": row.OpID}})
	}
	return older, appendEvents(ctx, tx, p.tenant, row, append(entries, replaced...)...)
}

// insertPending stores the approval as something that waits, beside questions.
func (s *Service) insertPending(ctx context.Context, q *pgdb.Queries, row pgdb.Operation) error {
	if row.CallID != nil {
		if _, err := q.SetCallPending(ctx, pgdb.SetCallPendingParams{TenantID: row.TenantID, CallID: *row.CallID, PendingID: &row.PendingID,
			ApprovalCreatedAt: &row.CreatedAt, ApprovalExpiresAt: &row.ExpiresAt, ClientToken: &row.ClientToken}); err != nil {
			return err
		}
	}
	if row.ConversationID == nil {
		return nil
	}
	return q.InsertPending(ctx, pgdb.InsertPendingParams{TenantID: row.TenantID, PendingID: row.PendingID, ConversationID: *row.ConversationID,
		TurnID: row.TurnID, CallID: row.CallID, OpID: &row.OpID, UserID: row.UserID, Kind: "approval", Prompt: json.RawMessage(`{}`),
		Deadline: row.ExpiresAt})
}

// seenOf is what the digest of a row covers.
func seenOf(row pgdb.Operation, preview schema.Preview) operation.Seen {
	s := operation.Seen{Tenant: row.TenantID, Requester: row.UserID, OpID: row.OpID, Revision: int(row.Revision), Form: row.TargetForm,
		Action: row.Action, Target: row.TargetBill, DraftID: store.Text(row.DraftID), AutoExecute: row.AutoExecute, Payload: row.Payload,
		Preview: preview, Deadline: row.ExpiresAt, Policy: row.Policy, ToolSchemaVersion: int(row.ToolSchemaVersion)}
	if row.DraftRevision != nil {
		s.DraftRevision = int(*row.DraftRevision)
	}
	return s
}

// retryable tells infrastructure trouble, which Temporal retries, from answers.
func retryable(err error) bool {
	switch fault.CodeOf(err) {
	case fault.Internal, fault.Unavailable, fault.OutcomeUnknown:
		return true
	default:
		return false
	}
}
