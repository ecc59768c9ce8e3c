package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

const (
	// maxTries bounds how often a transaction is run again that the database gave
	// up for another one (deadlock, serialisation). Nothing of it was written.
	maxTries   = 5
	maxAttempt = maxFence
)

// Execute writes a confirmed change; see erp.Connector and doc.go.
func (c *Connector) Execute(ctx context.Context, id erp.Identity, x nouns.Execution) (nouns.Commit, error) {
	if err := shape(x); err != nil {
		return nouns.Commit{}, err
	}
	var (
		w       *write
		verdict *nouns.Refusal
		err     error
	)
	for range maxTries {
		w = &write{c: c, id: id, x: x, verdict: verdict}
		if err = c.db.Tx(ctx, id.User.Tenant, w.run); err == nil {
			break
		}
		if errors.Is(err, errHanded) {
			c.noteRefusal(ctx, w)
			return w.commit, nil
		}
		if verdict == nil && !w.committing {
			// A rule that only the tables know has ended the transaction: the refusal
			// is written by another one.
			if verdict = refusalFrom(err); verdict != nil {
				continue // a native save learns it there, too, and nothing is kept
			}
		}
		if !retryable(err) {
			break
		}
	}
	switch {
	case err == nil:
		return w.commit, nil
	case w.committing && doubtful(err):
		err = fault.Wrap(fault.OutcomeUnknown, err)
		c.noteAttempt(ctx, id, x, "unknown", err)
	case w.reading && w.commit.Status != "":
		// The answer of an earlier attempt was read; that the reading transaction
		// could not end in peace changes nothing about it.
		return w.commit, nil
	case w.reading:
		err = certain(err)
	default:
		err = certain(err)
		c.noteAttempt(ctx, id, x, "failed", err)
	}
	return nouns.Commit{}, err
}

// errHanded rolls back a native save that was refused: the person mends it and
// saves again under the same token.
var errHanded = errors.New("refused, and not kept")

// write is one run of the transaction of one attempt.
type write struct {
	c      *Connector
	id     erp.Identity
	x      nouns.Execution
	commit nouns.Commit
	// verdict is a refusal that an earlier run of this attempt came to.
	verdict *nouns.Refusal
	// committing says that everything was written and only COMMIT is left.
	committing bool
	// reading says that the token has been answered before, or is shut out.
	reading bool
}

func (w *write) run(ctx context.Context, tx pgx.Tx) error {
	q := pgdb.New(tx)
	tenant := w.id.User.Tenant.String()
	// First of all the row under the token: whoever asks about it waits here.
	begin, err := q.ErpBeginCommit(ctx, pgdb.ErpBeginCommitParams{TenantID: tenant, ClientToken: w.x.ClientToken, Attempt: int32(w.x.Attempt), Digest: w.x.Digest})
	if err != nil {
		return err
	}
	if begin.Inserted == 0 {
		w.reading = true
		return w.answered(ctx, q, tenant)
	}
	out, refusal, err := w.change(ctx, tx, begin.Began)
	if err != nil {
		return err
	}
	if refusal != nil && w.x.Handed {
		w.commit = nouns.Commit{Status: nouns.CommitRefused, Digest: w.x.Digest, Refusal: refusal, At: begin.Began.UTC()}
		return errHanded
	}
	if err := w.finish(ctx, tx, q, tenant, out, refusal); err != nil {
		return err
	}
	w.committing = true
	return nil
}

// answered reads what the token has already come to: the final answer, or the
// tombstone of this attempt. Codes: token_reused.
func (w *write) answered(ctx context.Context, q *pgdb.Queries, tenant string) error {
	row, err := q.ErpFinalCommit(ctx, pgdb.ErpFinalCommitParams{TenantID: tenant, ClientToken: w.x.ClientToken})
	if errors.Is(err, pgx.ErrNoRows) {
		w.commit = nouns.Commit{Status: nouns.CommitFenced, At: time.Now().UTC()}
		return nil
	}
	if err != nil {
		return err
	}
	if row.Digest != w.x.Digest {
		return fault.New(fault.TokenReused, "client_token", w.x.ClientToken)
	}
	w.commit, err = commitOf(row)
	w.commit.Replayed = true
	return err
}

// change decides and writes. All judging comes before the first write, so a
// refusal has nothing to take back; only apply writes, and when that fails the
// whole transaction is given up.
func (w *write) change(ctx context.Context, tx pgx.Tx, began time.Time) (outcome, *nouns.Refusal, error) {
	if w.verdict != nil {
		return outcome{}, w.verdict, nil
	}
	if began.After(w.x.Deadline) {
		return outcome{}, &nouns.Refusal{Code: string(fault.Expired), Old: w.x.Deadline.UTC().Format(time.RFC3339), New: began.UTC().Format(time.RFC3339)}, nil
	}
	j, s, refusal, err := w.judge(ctx, tx, began)
	if err != nil {
		refusal = refusalFrom(err)
		if refusal == nil || pgClass(err) != "" {
			return outcome{}, nil, err
		}
	}
	if refusal != nil {
		return outcome{}, refusal, nil
	}
	out, err := s.apply(ctx, j)
	if err != nil {
		return outcome{}, nil, j.unfit(err)
	}
	j.finish(&out.preview, s.facts())
	out.preview.Provisional = false
	return out, nil, nil
}

// judge reads rights, locks and compares the facts, and checks the rules.
func (w *write) judge(ctx context.Context, tx pgx.Tx, began time.Time) (*job, step, *nouns.Refusal, error) {
	// Rights are read again, here: the grants of the caller's identity do not count.
	user, grants, err := readUser(ctx, pgdb.New(tx), w.id.User.Tenant, w.id.User.UserID)
	if fault.CodeOf(err) == fault.NotFound {
		return nil, nil, &nouns.Refusal{Code: string(fault.PermissionDenied)}, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	// The sentence of a refusal stays in the language that the card was shown in.
	user.Locale = w.id.User.Locale
	w.id = erp.Identity{User: user, Grants: grants}
	j, b, err := w.c.newJob(ctx, tx, w.id, w.x.Change, began)
	if err != nil {
		return nil, nil, nil, err
	}
	j.channel, j.opID = w.x.Channel, w.x.OpID
	s, err := b.gather(ctx, j)
	if err != nil {
		return nil, nil, nil, err
	}
	if r := nouns.Moved(w.x.Facts, s.facts()); r != nil {
		return nil, nil, r, nil
	}
	if err := s.check(j); err != nil {
		if r := validityRefusal(err, s.facts()); r != nil {
			return nil, nil, r, nil
		}
		return nil, nil, nil, err
	}
	return j, s, nil, nil
}

// finish completes the commit row and writes the audit row beside it.
func (w *write) finish(ctx context.Context, tx pgx.Tx, q *pgdb.Queries, tenant string, out outcome, refusal *nouns.Refusal) error {
	p := pgdb.ErpFinishCommitParams{TenantID: tenant, ClientToken: w.x.ClientToken, Attempt: int32(w.x.Attempt), Outcome: string(nouns.CommitExecuted),
		Bills: []string{}}
	kind := "execution"
	var err error
	if refusal != nil {
		kind = "execution_refused"
		p.Outcome = string(nouns.CommitRefused)
		if p.Refusal, err = json.Marshal(refusal); err != nil {
			return err
		}
	} else {
		p.Bill, p.Link = out.bill, link(w.x.Change.Form, out.bill)
		p.Bills = append(p.Bills, out.bills...)
		if p.Result, err = json.Marshal(out.preview); err != nil {
			return err
		}
	}
	at, err := q.ErpFinishCommit(ctx, p)
	if err != nil {
		return err
	}
	w.commit = nouns.Commit{Status: nouns.CommitStatus(p.Outcome), Digest: w.x.Digest, Bill: p.Bill, Bills: out.bills, Link: p.Link, Refusal: refusal, At: at.UTC()}
	if w.x.Completes != "" && refusal == nil {
		if err := q.ErpPutOutbox(ctx, pgdb.ErpPutOutboxParams{TenantID: tenant, OpID: w.x.Completes, ClientToken: w.x.ClientToken}); err != nil {
			return err
		}
	}
	return w.audit(ctx, tx, kind, p.Bill, refusal)
}

// audit writes who tried to write what, in the given transaction.
func (w *write) audit(ctx context.Context, tx pgx.Tx, kind, bill string, refusal *nouns.Refusal) error {
	return store.Audit(ctx, tx, w.id.User.Tenant, store.AuditEntry{
		Kind: kind, Actor: w.id.User.UserID, Channel: w.x.Channel, OpID: auditOp(w.x.OpID),
		Data: map[string]any{"client_token": w.x.ClientToken, "attempt": w.x.Attempt, "digest": w.x.Digest, "form": w.x.Change.Form,
			"action": w.x.Change.Action, "target": w.x.Change.Target, "decided_by": w.x.DecidedBy, "bill": bill, "refusal": refusal},
	})
}

// noteRefusal leaves an audit row about a native save that was refused and of
// which nothing else is kept. Mistakes of keying are none of the audit's business.
func (c *Connector) noteRefusal(ctx context.Context, w *write) {
	if w.commit.Refusal.Code == string(fault.ValidationFailed) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	_ = c.db.Tx(ctx, w.id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		return w.audit(ctx, tx, "execution_refused", "", w.commit.Refusal)
	})
}

// noteAttempt leaves a row about an attempt without a final answer, in a
// transaction of its own. It informs people only: losing it loses nothing.
func (c *Connector) noteAttempt(ctx context.Context, id erp.Identity, x nouns.Execution, status string, cause error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	text := []rune(cause.Error())
	_ = c.db.Tx(ctx, id.User.Tenant, func(ctx context.Context, tx pgx.Tx) error {
		return pgdb.New(tx).ErpNoteAttempt(ctx, pgdb.ErpNoteAttemptParams{TenantID: id.User.Tenant.String(), ClientToken: x.ClientToken,
			Attempt: int32(x.Attempt), Status: status, Error: string(text[:min(len(text), 500)])})
	})
}

// shape refuses an execution that cannot have come from a confirmed preview.
func shape(x nouns.Execution) error {
	bad := func(field string) error {
		return fault.New(fault.Invalid, "field", field, "detail", "the execution has no valid "+field)
	}
	switch {
	case x.ClientToken == "" || len(x.ClientToken) > 200:
		return bad("client_token")
	case x.Digest == "" || len(x.Digest) > 200:
		return bad("digest")
	case x.Attempt < 1 || x.Attempt > maxAttempt:
		return bad("attempt")
	case x.Deadline.IsZero():
		return bad("deadline")
	}
	return nil
}

// refusalFrom turns the judgement of a change into a refusal; nil for trouble
// that is not the change's.
func refusalFrom(err error) *nouns.Refusal {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return nil
	}
	r := &nouns.Refusal{Code: string(e.Code), Old: e.Params["old"], New: e.Params["new"], Detail: e.Params["detail"]}
	switch e.Code {
	case fault.ValidationFailed, fault.PermissionDenied, fault.DraftChanged, fault.QuoteChanged:
	case fault.NotFound:
		// The target or the draft that was shown is gone.
		r.Code, r.Old = string(fault.RecordChanged), e.Params["id"]
		if e.Params["noun"] == "draft" {
			r.Code = string(fault.DraftChanged)
		}
	default:
		return nil
	}
	return r
}

// validityRefusal names the fact of a quote whose time has passed.
func validityRefusal(err error, facts []nouns.Fact) *nouns.Refusal {
	r := refusalFrom(err)
	if r == nil || r.Code != string(fault.QuoteChanged) {
		return nil
	}
	for _, f := range facts {
		if f.Kind == nouns.FactValidity {
			r.Fact = &f
			return r
		}
	}
	return nil
}

// doubtful reports an error of COMMIT that leaves open whether it happened. A
// server that answers ERROR has not committed; one that says FATAL may have.
func doubtful(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Severity != "ERROR"
	}
	return !errors.Is(err, pgx.ErrTxCommitRollback)
}

// certain codes an error after which surely nothing was written, also when the
// connection broke: COMMIT had not been sent.
func certain(err error) error {
	if fault.CodeOf(err) == fault.OutcomeUnknown {
		return fault.Wrap(fault.Unavailable, err)
	}
	return coded(err)
}

// link opens a record in the ERP's own pages.
func link(form, bill string) string {
	return "/erp/form/" + url.PathEscape(form) + "?bill=" + url.QueryEscape(bill)
}

// auditOp is the op id as the audit's uuid column takes it; one that is none
// stands in the client_token all the same.
func auditOp(id string) string {
	if isUUID(id) {
		return id
	}
	return ""
}
