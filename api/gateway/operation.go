package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/erpilot/erpilot/activities/store"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	// maxInbox bounds the inbox, maxBatch one batch of decisions.
	maxInbox = 200
	maxBatch = 50
	// batchAtOnce is how many decisions of a batch go side by side.
	batchAtOnce = 8
)

// visible reports whether the operation exists for the caller: it is their own,
// or its policy names a role of theirs.
func visible(who *requester, row pgdb.Operation) bool {
	if row.UserID == who.userID {
		return true
	}
	role := strings.TrimPrefix(row.Policy, "role:")
	return row.Policy != "self" && slices.Contains(who.user.Roles, role)
}

// card draws an operation with the requester's name.
func (s *Server) card(ctx context.Context, who *requester, row pgdb.Operation) operation.Card {
	return journal.Card(row, s.people.name(ctx, s.Auth, who.tenant, row.UserID), s.Capabilities)
}

// seen reads the operation of the path if it exists for the caller; one whose
// workflow has died is mended first.
func (s *Server) seen(r *http.Request, who *requester) (pgdb.Operation, error) {
	opID, err := pathID(r)
	if err != nil {
		return pgdb.Operation{}, err
	}
	row, err := s.operationRow(r.Context(), who.tenant, opID)
	if err != nil {
		return row, err
	}
	if !visible(who, row) {
		return row, fault.New(fault.NotFound, "noun", "operation")
	}
	if operation.Status(row.Status).Terminal() {
		return row, nil
	}
	mended, err := s.mendOperation(r.Context(), who.tenant, row)
	if err != nil { // Temporal may be away; the row is still the truth
		s.log.Debug("an operation could not be compared with its workflow", "op_id", row.OpID, "error", err)
		return row, nil
	}
	return mended, nil
}

// inbox lists what the caller may see, soonest deadline first.
func (s *Server) inbox(w http.ResponseWriter, r *http.Request, who *requester) error {
	var status *string
	if v := r.URL.Query().Get("status"); v != "" {
		if !slices.Contains(operation.All, operation.Status(v)) {
			return fault.New(fault.Invalid, "detail", "there is no such status")
		}
		status = &v
	}
	var rows []pgdb.Operation
	err := s.DB.Read(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		own, err := q.Inbox(ctx, pgdb.InboxParams{TenantID: who.tenant.String(), UserID: who.userID, Status: status, MaxRows: maxInbox})
		if err != nil {
			return err
		}
		others, err := q.InboxOfTenant(ctx, pgdb.InboxOfTenantParams{TenantID: who.tenant.String(), Status: status, MaxRows: maxInbox})
		rows = own
		for _, row := range others {
			if row.UserID != who.userID && visible(who, row) {
				rows = append(rows, row)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(rows, func(a, b pgdb.Operation) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	cards := make([]operation.Card, len(rows))
	for i, row := range rows {
		cards[i] = s.card(r.Context(), who, row)
	}
	return s.reply(w, http.StatusOK, map[string]any{"operations": cards, "server_now": time.Now().UTC()})
}

func (s *Server) getOperation(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.seen(r, who)
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, s.card(r.Context(), who, row))
}

// operationStatus is the small answer for those who poll.
func (s *Server) operationStatus(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.seen(r, who)
	if err != nil {
		return err
	}
	c := s.card(r.Context(), who, row)
	return s.reply(w, http.StatusOK, map[string]any{"op_id": c.OpID, "status": c.Status, "pending_id": c.PendingID, "revision": c.Revision,
		"deadline": c.Deadline, "decided": c.Decided, "bill": c.Bill, "link": c.Link, "open": c.Open, "refusal": c.Refusal, "replaced_by": c.ReplacedBy,
		"server_now": time.Now().UTC()})
}

type reviseBody struct {
	// RevisionID makes a repeated edit the same edit; 1 to 100 characters.
	RevisionID string `json:"revision_id"`
	// Revision is the one that was edited.
	Revision int `json:"revision"`
	// Payload is the new request: a JSON object.
	Payload json.RawMessage `json:"payload"`
}

// revise stores what the person typed and asks for the next revision.
func (s *Server) revise(w http.ResponseWriter, r *http.Request, who *requester) error {
	var body reviseBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if !idShape.MatchString(body.RevisionID) {
		return fault.New(fault.Invalid, "detail", "revision_id is missing or malformed")
	}
	var object map[string]any
	if err := json.Unmarshal(body.Payload, &object); err != nil || object == nil {
		return fault.New(fault.Invalid, "detail", "payload must be a JSON object")
	}
	row, err := s.opened(r, who)
	if err != nil {
		return err
	}
	if row.Status != string(operation.AwaitingApproval) {
		return notPending(row)
	}
	if body.Revision != int(row.Revision) {
		return fault.New(fault.StaleDecision, "reason", "revision")
	}
	err = s.DB.Tx(r.Context(), who.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return pgdb.New(tx).InsertOperationEdit(ctx, pgdb.InsertOperationEditParams{TenantID: who.tenant.String(), RevisionID: body.RevisionID,
			OpID: row.OpID, Payload: body.Payload, Actor: who.userID})
	})
	if err != nil {
		return err
	}
	proof := s.prove(r, who, operation.ReviseClaim(row.OpID, body.RevisionID))
	return s.ask(w, r, who, row, contract.UpdateRevise, "revise/"+body.RevisionID,
		contract.Revision{RevisionID: body.RevisionID, Actor: who.userID, Proof: proof})
}

// opened is seen, but waits a moment for an operation that is on the screen while
// its workflow is about to open it.
func (s *Server) opened(r *http.Request, who *requester) (row pgdb.Operation, err error) {
	budget, cancel := context.WithTimeout(r.Context(), s.DecideBudget)
	defer cancel()
	for {
		if row, err = s.seen(r, who); err != nil || row.Status != string(operation.Draft) || !pause(budget, draftPause) {
			return row, err
		}
	}
}

// retry asks for another attempt of a failed write; it needs no new approval.
func (s *Server) retry(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.seen(r, who)
	if err != nil {
		return err
	}
	if row.Status != string(operation.Failed) {
		return notPending(row)
	}
	proof := s.prove(r, who, operation.RetryClaim(row.OpID))
	return s.ask(w, r, who, row, contract.UpdateRetry, "retry/"+uuid.NewString(), contract.Retry{Actor: who.userID, Proof: proof})
}

type settleBody struct {
	// Status is executed or failed: what the person found in the ERP.
	Status operation.Status `json:"status"`
	// Bill is the document that was found (executed).
	Bill string `json:"bill"`
}

// settle stores what a person found out about a doubtful write.
func (s *Server) settle(w http.ResponseWriter, r *http.Request, who *requester) error {
	var body settleBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if (body.Status != operation.Executed && body.Status != operation.Failed) || len(body.Bill) > 100 {
		return fault.New(fault.Invalid, "detail", "status must be executed or failed")
	}
	row, err := s.seen(r, who)
	if err != nil {
		return err
	}
	if row.Status != string(operation.NeedsPerson) {
		return notPending(row)
	}
	proof := s.prove(r, who, operation.SettleClaim(row.OpID, body.Status, body.Bill))
	return s.ask(w, r, who, row, contract.UpdateSettle, "settle/"+uuid.NewString(),
		contract.Settle{Actor: who.userID, Proof: proof, Status: body.Status, Bill: body.Bill})
}

func (s *Server) prove(r *http.Request, who *requester, claim operation.Decision) string {
	return operation.Sign(s.ProofKey, claim, who.tenant.String(), who.userID, channelOf(r), time.Now())
}

// notPending says what the operation is instead.
func notPending(row pgdb.Operation) error {
	if o := journal.Outcome(row); o != nil && operation.Status(row.Status).Terminal() {
		return operation.Settled(*o)
	}
	return fault.New(fault.NotPending, "status", row.Status)
}

// ask sends an update that has no signal to stand in for it, and answers with
// the card. Codes: unavailable when no worker takes it.
func (s *Server) ask(w http.ResponseWriter, r *http.Request, who *requester, row pgdb.Operation, name, updateID string, arg any) error {
	err := s.update(context.WithoutCancel(r.Context()), contract.OperationWorkflowID(row.OpID), name, updateID, arg)
	if _, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return faultOf(err)
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return notPending(row)
	}
	if err != nil {
		return fault.Wrap(fault.Unavailable, err)
	}
	row, err = s.operationRow(r.Context(), who.tenant, row.OpID)
	if err != nil {
		return err
	}
	return s.reply(w, http.StatusOK, s.card(r.Context(), who, row))
}

// repropose makes a fresh proposal of one that ended without a write: 201 with
// the new card, 200 when that was done before.
func (s *Server) repropose(w http.ResponseWriter, r *http.Request, who *requester) error {
	row, err := s.seen(r, who)
	if err != nil {
		return err
	}
	if row.UserID != who.userID {
		return fault.New(fault.NotFound, "noun", "operation")
	}
	switch operation.Status(row.Status) {
	case operation.Refused, operation.Expired, operation.Cancelled, operation.Rejected, operation.Failed, operation.Abandoned:
	default:
		return fault.New(fault.Conflict, "detail", "the operation is "+row.Status, "status", row.Status)
	}
	if s.Proposer == nil {
		return fault.New(fault.Unavailable)
	}
	status := http.StatusCreated
	fresh := store.Text(row.ReplacedBy)
	if fresh == "" {
		prepared, err := s.Proposer.Repropose(r.Context(), who.tenant, who.userID, row.OpID)
		if err != nil {
			return err
		}
		if fresh = prepared.OpID; fresh == "" {
			return fault.New(fault.ValidationFailed, "detail", "the request does not fit any more")
		}
		if err := s.startPrepared(r.Context(), who.tenant, prepared, store.Text(row.ConversationID)); err != nil {
			return err
		}
	} else {
		status = http.StatusOK
	}
	next, err := s.operationRow(r.Context(), who.tenant, fresh)
	if err != nil {
		return err
	}
	return s.reply(w, status, s.card(r.Context(), who, next))
}

type batchItem struct {
	OpID     string         `json:"op_id"`
	Decision operation.Verb `json:"decision"`
	decisionBody
}

type batchBody struct {
	Decisions []batchItem `json:"decisions"`
}

// batchResult is one item's answer: a card, "queued", or a problem.
type batchResult struct {
	OpID    string          `json:"op_id"`
	Status  int             `json:"status"`
	Card    *operation.Card `json:"card,omitempty"`
	Queued  bool            `json:"queued,omitempty"`
	Problem *Problem        `json:"problem,omitempty"`
}

// decideMany decides up to 50 operations, each on its own: 200 with a result per
// item in the order sent.
func (s *Server) decideMany(w http.ResponseWriter, r *http.Request, who *requester) error {
	var body batchBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	if n := len(body.Decisions); n == 0 || n > maxBatch {
		return fault.New(fault.Invalid, "detail", "decisions must have 1 to 50 items")
	}
	results := make([]batchResult, len(body.Decisions))
	slots := make(chan struct{}, batchAtOnce)
	var all sync.WaitGroup
	for i, item := range body.Decisions {
		all.Add(1)
		slots <- struct{}{}
		go func() {
			defer all.Done()
			defer func() { <-slots }()
			results[i] = s.decideItem(r, who, item)
		}()
	}
	all.Wait()
	return s.reply(w, http.StatusOK, map[string]any{"results": results})
}

func (s *Server) decideItem(r *http.Request, who *requester, item batchItem) (result batchResult) {
	result.OpID = item.OpID
	refuse := func(err error) batchResult {
		p := problemOf(err, localeOf(r))
		if p.Status >= http.StatusInternalServerError {
			s.log.Error("a decision of a batch failed", "request_id", requestID(r), "op_id", item.OpID, "error", err)
		}
		result.Status, result.Problem = p.Status, &p
		return result
	}
	defer func() { // a goroutine of its own: the recovery of the request does not reach it
		if p := recover(); p != nil {
			s.log.Error("a decision of a batch panicked", "request_id", requestID(r), "op_id", item.OpID, "panic", p)
			result = refuse(fault.New(fault.Internal))
		}
	}()
	if !idShape.MatchString(item.OpID) {
		return refuse(fault.New(fault.NotFound))
	}
	row, queued, err := s.decide(r.Context(), who, item.OpID, item.Decision, item.decisionBody, channelOf(r))
	if err != nil {
		return refuse(err)
	}
	result.Status, result.Queued = http.StatusOK, queued
	if queued {
		result.Status = http.StatusAccepted
	}
	card := s.card(r.Context(), who, row)
	result.Card = &card
	return result
}
