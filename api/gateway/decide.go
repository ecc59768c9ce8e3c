package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// decisionBody is what a person decides on: exactly what was on their screen.
type decisionBody struct {
	PendingID  string `json:"pending_id"`
	Revision   int    `json:"revision"`
	Digest     string `json:"digest"`
	DecisionID string `json:"decision_id"`
	Comment    string `json:"comment"`
}

// confirm approves the operation: the answer is its card after the decision.
// 200 says that the decision counts, never that anything is written yet.
func (s *Server) confirm(w http.ResponseWriter, r *http.Request, who *requester) error {
	return s.decideOne(w, r, who, operation.Approve)
}

// cancel withdraws the requester's own operation, and rejects another's.
func (s *Server) cancel(w http.ResponseWriter, r *http.Request, who *requester) error {
	return s.decideOne(w, r, who, operation.Cancel)
}

func (s *Server) decideOne(w http.ResponseWriter, r *http.Request, who *requester, verb operation.Verb) error {
	opID, err := pathID(r)
	if err != nil {
		return err
	}
	var body decisionBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	row, queued, err := s.decide(r.Context(), who, opID, verb, body, channelOf(r))
	if err != nil {
		return err
	}
	if queued {
		return s.reply(w, http.StatusAccepted, queuedView(row))
	}
	return s.reply(w, http.StatusOK, s.card(r.Context(), who, row))
}

// queuedView answers for a decision that waits as a signal.
func queuedView(row pgdb.Operation) map[string]any {
	return map[string]any{"status": "queued", "op_id": row.OpID, "deadline": row.ExpiresAt.UTC(),
		"note": "counts only if processed before the deadline", "server_now": time.Now().UTC()}
}

// decide carries one person's word to the operation. Queued means that no worker
// took it in time and that it waits as a signal.
//
// One update per operation is in flight; others wait for it and are then
// answered from the row. What is decided is never asked of Temporal again.
func (s *Server) decide(ctx context.Context, who *requester, opID string, verb operation.Verb, body decisionBody,
	channel operation.Channel) (row pgdb.Operation, queued bool, err error) {
	budget, cancel := context.WithTimeout(ctx, s.DecideBudget)
	defer cancel()
	key := who.tenant.String() + "/" + opID
	for mended := false; ; {
		var first *pgdb.Decision
		if row, first, err = s.decisionSoFar(ctx, who, opID, body.DecisionID); err != nil {
			return row, false, err
		}
		d := operation.Decision{OpID: opID, PendingID: body.PendingID, Revision: body.Revision, Digest: body.Digest, Decision: verb,
			DecisionID: body.DecisionID, Comment: body.Comment, Actor: who.userID, Channel: channel}
		if verb == operation.Cancel && row.UserID != who.userID {
			d.Decision = operation.Reject
		}
		if first != nil {
			return row, false, firstAnswer(row, *first, d)
		}
		if operation.Status(row.Status) == operation.Draft && pause(budget, draftPause) {
			continue // on the screen already; its workflow is about to open it
		}
		if refused := operation.Check(viewOf(row), d, time.Now()); refused != nil {
			return row, false, errors.Join(refused, s.auditRefusal(ctx, who, row, d, refused))
		}
		wait, leader := s.flights.join(key)
		if !leader {
			select {
			case <-wait:
				continue
			case <-budget.Done():
				return row, false, fault.New(fault.Conflict, "detail", "another decision on this operation is being processed; yours was not recorded")
			}
		}
		d.Proof = operation.Sign(s.ProofKey, d, who.tenant.String(), who.userID, channel, time.Now())
		outcome, err := s.carry(ctx, d)
		s.flights.land(key)
		switch outcome {
		case carried:
			row, err = s.operationRow(ctx, who.tenant, opID)
			return row, false, err
		case asSignal:
			return row, true, nil
		case refusedByWorkflow:
			return row, false, errors.Join(err, s.auditRefusal(ctx, who, row, d, err))
		case gone:
			// Closed since the row was read, or its workflow has died: mend the row
			// once and answer from it.
			if mended {
				return row, false, fault.Wrap(fault.Unavailable, err)
			}
			mended = true
			if row, err = s.mendOperation(ctx, who.tenant, row); err != nil {
				return row, false, err
			}
		default:
			return row, false, err
		}
	}
}

// draftPause is how long a decision waits before it looks again whether a
// proposal is open.
const draftPause = 25 * time.Millisecond

// pause waits and reports whether there is time left.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// carriage is how a decision fared on its way to the workflow.
type carriage int

const (
	failed carriage = iota
	carried
	asSignal
	refusedByWorkflow
	gone
)

// carry brings a signed decision by update, and by signal when no worker takes
// the update in time. It goes on when the caller leaves: a decision is not half
// made.
func (s *Server) carry(ctx context.Context, d operation.Decision) (carriage, error) {
	ctx = context.WithoutCancel(ctx)
	id := contract.OperationWorkflowID(d.OpID)
	err := s.update(ctx, id, contract.UpdateDecide, "decide/"+d.PendingID+"/"+d.Actor+"/"+d.DecisionID, d)
	if err == nil {
		return carried, nil
	}
	if _, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return refusedByWorkflow, faultOf(err)
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok || temporal.IsCanceledError(err) {
		return gone, err
	}
	if !busy(err) {
		return failed, fault.Wrap(fault.Unavailable, err)
	}
	// The update may still be taken; the same decision twice is one decision.
	limited, cancel := context.WithTimeout(ctx, s.DecideBudget)
	defer cancel()
	err = s.Temporal.SignalWorkflow(limited, id, "", contract.SignalDecide, d)
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return gone, err
	}
	if err != nil {
		return failed, fault.Wrap(fault.Unavailable, err)
	}
	return asSignal, nil
}

// update sends an update and waits, within the budget, until it is completed.
// What it returns is not read: the row tells more.
func (s *Server) update(ctx context.Context, workflowID, name, updateID string, arg any) error {
	ctx, cancel := context.WithTimeout(ctx, s.DecideBudget)
	defer cancel()
	h, err := s.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: workflowID, UpdateID: updateID, UpdateName: name,
		WaitForStage: client.WorkflowUpdateStageCompleted, Args: []any{arg}})
	if err != nil {
		return err
	}
	return h.Get(ctx, nil)
}

// busy reports that nobody took the update now, though the workflow may be there.
func busy(err error) bool {
	if _, ok := errors.AsType[*client.WorkflowUpdateServiceTimeoutOrCanceledError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.ResourceExhausted](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.WorkflowNotReady](err); ok {
		return true
	}
	if _, ok := errors.AsType[*serviceerror.DeadlineExceeded](err); ok {
		return true
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// faultOf reads a typed refusal of a workflow: its type is our code, its details
// are the params.
func faultOf(err error) error {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return fault.Wrap(fault.Unavailable, err)
	}
	code := fault.Code(app.Type())
	if statusOf(code) == http.StatusInternalServerError {
		return fault.Wrap(fault.Internal, err)
	}
	refused := fault.Wrap(code, err)
	if app.HasDetails() {
		var params fault.Params
		if app.Details(&params) == nil {
			refused.Params = params
		}
	}
	return refused
}

// decisionSoFar reads the operation and, if it was made before, the decision.
func (s *Server) decisionSoFar(ctx context.Context, who *requester, opID, decisionID string) (row pgdb.Operation, first *pgdb.Decision, err error) {
	err = s.DB.One(ctx, who.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		if row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: who.tenant.String(), OpID: opID}); err != nil {
			return store.NotFound(err, "operation")
		}
		if !visible(who, row) {
			return fault.New(fault.NotFound, "noun", "operation")
		}
		d, err := q.DecisionByID(ctx, pgdb.DecisionByIDParams{TenantID: who.tenant.String(), OpID: opID, DecisionID: decisionID})
		if err == nil {
			first = &d
		}
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		return err
	})
	return row, first, err
}

// firstAnswer repeats what the decision was answered when it came first.
func firstAnswer(row pgdb.Operation, first pgdb.Decision, d operation.Decision) error {
	switch {
	case first.Actor != d.Actor || first.PendingID != d.PendingID || first.Decision != string(d.Decision):
		return fault.New(fault.IdempotencyMismatch)
	case first.Accepted && row.Status == string(operation.Refused) && row.Attempts == 0:
		// The decision itself was refused as contract_changed.
		return fault.New(fault.ContractChanged)
	case first.Accepted:
		return nil
	}
	code := fault.Code(store.Text(first.RefusalCode))
	if outcome := journal.Outcome(row); outcome != nil && code == fault.AlreadyDecided {
		return operation.Settled(*outcome)
	}
	if code == fault.PermissionDenied {
		return fault.New(code, "form", row.TargetForm, "action", row.Action)
	}
	return fault.New(code, "status", row.Status)
}

func viewOf(row pgdb.Operation) operation.View {
	v := operation.View{OpID: row.OpID, Status: operation.Status(row.Status), PendingID: row.PendingID, Revision: int(row.Revision),
		Digest: row.Digest, Deadline: row.ExpiresAt, Decided: journal.Outcome(row)}
	if v.Status == operation.HandedOff && row.HandoffExpiresAt != nil {
		v.Deadline = *row.HandoffExpiresAt
	}
	return v
}

// auditRefusal records a decision that did not count and that no activity has seen.
func (s *Server) auditRefusal(ctx context.Context, who *requester, row pgdb.Operation, d operation.Decision, refused error) error {
	switch code := fault.CodeOf(refused); code {
	case fault.StaleDecision, fault.AlreadyDecided, fault.Expired, fault.NotPending:
		return s.DB.Tx(ctx, who.tenant, func(ctx context.Context, tx pgx.Tx) error {
			return store.Audit(ctx, tx, who.tenant, store.AuditEntry{Kind: "decision_refused", Actor: who.userID, Channel: string(d.Channel),
				ConversationID: store.Text(row.ConversationID), OpID: row.OpID, Data: map[string]any{"decision": d.Decision, "code": code,
					"decision_id": d.DecisionID, "pending_id": d.PendingID, "revision": d.Revision, "verified": true}})
		})
	default:
		return nil // malformed, or recorded by the activity that refused it
	}
}

// operationRow reads a row without asking whose it is.
func (s *Server) operationRow(ctx context.Context, tenant identity.Tenant, opID string) (row pgdb.Operation, err error) {
	err = s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) error {
		row, err = q.Operation(ctx, pgdb.OperationParams{TenantID: tenant.String(), OpID: opID})
		return err
	})
	return row, store.NotFound(err, "operation")
}
