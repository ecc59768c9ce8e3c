package operation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gowebpki/jcs"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

const (
	// soon is how long a save waits for a state that is about to come, soonPoll how
	// often it looks.
	soon     = 5 * time.Second
	soonPoll = 50 * time.Millisecond
)

// Updater asks workflows; client.Client is one.
type Updater interface {
	UpdateWorkflow(ctx context.Context, options client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)
}

// own reads an operation of the person's own; another's is not found.
func (s *Service) own(ctx context.Context, tenant identity.Tenant, userID, opID string) (pgdb.Operation, error) {
	row, err := s.load(ctx, tenant, opID)
	if err == nil && row.UserID != userID {
		err = fault.New(fault.NotFound, "noun", "operation")
	}
	return row, err
}

// SaveStaged saves what a person keyed into the native form of a handed-off
// operation, at once and under the operation's token. The same values again get the
// same answer. Values that differ from what was approved in a governed field are
// written under policy self; else they become the next revision, which waits for a
// new approval, and nothing is written.
//
// Codes: not_found, invalid (form, action or target are not those of the staging),
// not_pending (with status), expired, already_decided (status, by, channel, at; bill
// and link when it was saved), record_changed (old, new), those of Preview and of
// refusals, unavailable and outcome_unknown (ask again with the same values).
func (s *Service) SaveStaged(ctx context.Context, tenant identity.Tenant, userID, opID string, n operation.NativeSave) (operation.NativeSaved, error) {
	row, err := s.handedSoon(ctx, tenant, userID, opID)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	if n.Form != row.TargetForm || n.Action != row.Action || n.Target != row.TargetBill {
		return operation.NativeSaved{}, fault.New(fault.Invalid, "field", "staging", "detail", "form, action or target are not those of the staging")
	}
	digest, err := savedDigest(row, n.Payload)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	if row.Status != string(operation.HandedOff) {
		return s.savedBefore(ctx, tenant, row, digest)
	}
	id, err := s.identify(ctx, tenant, userID)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	approved, err := previewOf(row)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	change := schema.Change{Form: row.TargetForm, Action: row.Action, OpType: schema.OpType(row.OpType), Target: row.TargetBill, Payload: n.Payload}
	preview, err := s.ERP.Preview(ctx, id, change)
	if err != nil {
		// The save before this one may be what the values are judged by.
		if saved, before := s.savedBefore(ctx, tenant, row, digest); before == nil {
			return saved, nil
		}
	}
	if err == nil || fault.CodeOf(err) == fault.ValidationFailed { // judged by what the record is now
		if moved := s.editedMeanwhile(ctx, id, row, n.Version, approved, preview); moved != nil {
			return operation.NativeSaved{}, moved
		}
	}
	if err != nil {
		return operation.NativeSaved{}, err
	}
	form, err := s.ERP.Schema(ctx, id, row.TargetForm)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	changed, governed, err := differs(form, approved, preview)
	if err != nil {
		return operation.NativeSaved{}, err
	}
	if changed {
		err = s.DB.Tx(ctx, tenant, insertEdit(pgdb.InsertOperationEditParams{TenantID: tenant.String(), RevisionID: digest, OpID: opID,
			Payload: n.Payload, Actor: userID}))
		if err != nil {
			return operation.NativeSaved{}, err
		}
	}
	if governed && row.Policy != PolicySelf {
		return s.askAgain(ctx, tenant, row, digest)
	}
	change.Payload = preview.Payload
	return s.saveNow(ctx, tenant, id, row, schema.Execution{ClientToken: row.ClientToken, Digest: digest, Change: change, Facts: preview.Facts,
		Deadline: *row.HandoffExpiresAt, Attempt: handedAttempt, OpID: row.OpID, DecidedBy: store.Text(row.DecidedBy),
		Channel: string(operation.ChannelNative), Handed: true, Completes: row.OpID})
}

// handedSoon reads the row; one that was approved a moment ago is about to be
// handed off.
func (s *Service) handedSoon(ctx context.Context, tenant identity.Tenant, userID, opID string) (row pgdb.Operation, err error) {
	err = poll(ctx, func() (bool, error) {
		row, err = s.own(ctx, tenant, userID, opID)
		return err != nil || row.AutoExecute || row.Status != string(operation.Approved), err
	})
	return row, err
}

// poll asks until the answer is yes, an error comes, or soon has passed.
func poll(ctx context.Context, ask func() (bool, error)) error {
	patience := time.NewTimer(soon)
	defer patience.Stop()
	tick := time.NewTicker(soonPoll)
	defer tick.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			return nil
		case <-tick.C:
		}
	}
}

// saveNow writes, and says what it means when the ERP does not.
func (s *Service) saveNow(ctx context.Context, tenant identity.Tenant, id erp.Identity, row pgdb.Operation, x schema.Execution) (operation.NativeSaved, error) {
	commit, err := s.ERP.Execute(ctx, id, x)
	if fault.CodeOf(err) == fault.TokenReused { // another tab has saved other values
		return s.savedBefore(ctx, tenant, row, x.Digest)
	}
	if err != nil {
		return operation.NativeSaved{}, err
	}
	switch commit.Status {
	case schema.CommitExecuted:
		return savedAs(row, commit), nil
	case schema.CommitRefused:
		if commit.Refusal.Code == string(fault.Expired) {
			return operation.NativeSaved{}, late(row)
		}
		return operation.NativeSaved{}, commit.Refusal.Fault(string(id.User.Locale))
	}
	// Shut out: it is being cancelled, abandoned or revised at this moment.
	err = poll(ctx, func() (bool, error) {
		now, err := s.load(ctx, tenant, row.OpID)
		moved := now.Status != row.Status || now.Revision != row.Revision
		row = now
		return moved, err
	})
	if err != nil {
		return operation.NativeSaved{}, err
	}
	if row.Status == string(operation.HandedOff) {
		return operation.NativeSaved{}, fault.New(fault.Unavailable)
	}
	return s.savedBefore(ctx, tenant, row, x.Digest)
}

func savedAs(row pgdb.Operation, c schema.Commit) operation.NativeSaved {
	return operation.NativeSaved{Status: operation.Executed, OpID: row.OpID, Form: row.TargetForm, Action: row.Action, Bill: c.Bill, Bills: c.Bills,
		Link: c.Link, Replayed: c.Replayed}
}

// savedBefore answers for a row that takes no save (any more): the first answer
// where these very values were saved, else what became of it.
func (s *Service) savedBefore(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, digest string) (operation.NativeSaved, error) {
	commit, err := s.ERP.FindCommitted(ctx, s.requester(tenant, row), row.ClientToken)
	switch {
	case err == nil && commit.Status == schema.CommitExecuted && !row.AutoExecute:
		commit.Replayed = true
		if commit.Digest == digest {
			return savedAs(row, commit), nil
		}
		return operation.NativeSaved{}, fault.New(fault.AlreadyDecided, "status", string(operation.Completed), "by", row.UserID,
			"channel", string(operation.ChannelNative), "at", commit.At.UTC().Format(time.RFC3339), "bill", commit.Bill, "link", commit.Link)
	case err != nil && fault.CodeOf(err) != fault.NotFound:
		return operation.NativeSaved{}, err
	}
	return operation.NativeSaved{}, notHanded(row)
}

// notHanded says why the form of the row is not saved.
func notHanded(row pgdb.Operation) error {
	switch operation.Status(row.Status) {
	case operation.Abandoned:
		return late(row)
	case operation.Executed, operation.Rejected, operation.Cancelled, operation.Expired:
		if o := journal.Outcome(row); o != nil {
			f := operation.Settled(*o)
			if row.ResultBill != "" {
				f.Params["bill"], f.Params["link"], f.Params["status"] = row.ResultBill, row.ResultLink, row.Status
			}
			return f
		}
	}
	return fault.New(fault.NotPending, "status", row.Status)
}

// late is the refusal of a save after the hand-off's deadline.
func late(row pgdb.Operation) error {
	f := fault.New(fault.Expired, "status", string(operation.Abandoned))
	if row.HandoffExpiresAt != nil {
		f.Params["at"] = row.HandoffExpiresAt.UTC().Format(time.RFC3339)
		f.Params["deadline"] = f.Params["at"]
	}
	return f
}

// askAgain makes the next revision of a save that differs from what was approved.
func (s *Service) askAgain(ctx context.Context, tenant identity.Tenant, row pgdb.Operation, revisionID string) (operation.NativeSaved, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), soon)
	defer cancel()
	proof := operation.Sign(s.Key, operation.ReviseClaim(row.OpID, revisionID), tenant.String(), row.UserID, operation.ChannelNative, time.Now())
	var state contract.OperationState
	h, err := s.Updates.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: contract.OperationWorkflowID(row.OpID),
		UpdateID: "native/" + revisionID, UpdateName: contract.UpdateRevise, WaitForStage: client.WorkflowUpdateStageCompleted,
		Args: []any{contract.Revision{RevisionID: revisionID, Actor: row.UserID, Proof: proof, Native: true}}})
	if err == nil {
		err = h.Get(ctx, &state)
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		refused := fault.Wrap(fault.Code(app.Type()), err)
		if app.HasDetails() {
			if err := app.Details(&refused.Params); err != nil {
				refused.Params = nil
			}
		}
		return operation.NativeSaved{}, refused
	}
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		if row, err = s.load(ctx, tenant, row.OpID); err == nil {
			return s.savedBefore(ctx, tenant, row, revisionID)
		}
	}
	if err != nil {
		return operation.NativeSaved{}, fault.Wrap(fault.Unavailable, err)
	}
	return operation.NativeSaved{Status: operation.AwaitingApproval, OpID: row.OpID, Form: row.TargetForm, Action: row.Action,
		Revision: state.Revision}, nil
}

// editedMeanwhile compares the version that the page showed (or, when it does not
// say, the one that was approved) with the record's own; nil when it holds.
func (s *Service) editedMeanwhile(ctx context.Context, id erp.Identity, row pgdb.Operation, shown string, approved, now schema.Preview) error {
	if row.TargetBill == "" {
		return nil
	}
	if shown == "" {
		var ok bool
		if shown, ok = schema.VersionIn(approved.Facts, row.TargetForm, row.TargetBill); !ok {
			return nil
		}
	}
	is, ok := schema.VersionIn(now.Facts, row.TargetForm, row.TargetBill)
	if !ok {
		var err error
		if is, err = s.recordVersion(ctx, id, row.TargetForm, row.TargetBill); err != nil {
			return nil //nolint:nilerr // Preview says better what is wrong.
		}
	}
	if is == shown {
		return nil
	}
	return fault.New(fault.RecordChanged, "form", row.TargetForm, "key", row.TargetBill, "object", approved.Object, "old", shown, "new", is)
}

func versionOf(record schema.Row) (string, error) {
	v, ok := record["version"]
	if !ok {
		return "", fault.New(fault.NotFound, "noun", "version")
	}
	return fmt.Sprint(v), nil
}

// savedDigest ties a save to the revision that was approved and to the values.
func savedDigest(row pgdb.Operation, payload json.RawMessage) (string, error) {
	canonical, err := jcs.Transform(payload)
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "field", "payload", "detail", "payload is not canonical JSON")
	}
	sum := sha256.Sum256(append([]byte("native save\x00"+row.Digest+"\x00"), canonical...))
	return hex.EncodeToString(sum[:]), nil
}
