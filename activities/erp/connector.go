package erp

import (
	"context"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
)

// Identity is who asks, with what they may touch, as read by Connector.User.
type Identity struct {
	User   identity.User
	Grants identity.Grants
}

// Connector is an ERP. It is safe for concurrent use.
//
// Every method may also return fault.Unavailable (the ERP does not answer now;
// nothing was written), fault.LoginExpired (a foreign ERP's session of the user
// is dead; nothing was written) and fault.Internal.
type Connector interface {
	// Capabilities say what this ERP guarantees and what is only checked.
	Capabilities() erp.Capabilities

	// Login checks a name and a password. Codes: bad_credentials (unknown, wrong
	// or inactive, which look alike), invalid (malformed tenant).
	Login(ctx context.Context, tenant identity.Tenant, username, password string) (identity.User, error)

	// User reads a person and their grants anew; the answer is never cached.
	// Codes: not_found (unknown or inactive).
	User(ctx context.Context, tenant identity.Tenant, userID string) (identity.User, identity.Grants, error)

	// Forms lists the forms that the grants let read, with fields and those
	// actions that are granted, in the ERP's own order.
	Forms(ctx context.Context, id Identity) ([]erp.Form, error)

	// Schema describes one form. Codes: permission_denied (unknown or not granted).
	Schema(ctx context.Context, id Identity, form string) (erp.Form, error)

	// Read answers a list, a count or a record. Filters, sort and fields come from
	// the form's allow-list and nowhere else. Codes: permission_denied, not_found
	// (record), invalid with params field and detail (unknown field, operator,
	// value, limit, or a cursor of another query).
	Read(ctx context.Context, id Identity, q erp.Query) (erp.Page, error)

	// Lookup finds records by key or name, best match first, at most limit
	// (1..erp.MaxLimit, zero means 10). An empty text gives the first records by key,
	// to choose from. Codes: permission_denied, invalid.
	Lookup(ctx context.Context, id Identity, form, text string, limit int) ([]erp.Row, error)

	// Actions lists what the person may do with the form besides reading.
	// Codes: permission_denied.
	Actions(ctx context.Context, id Identity, form string) ([]erp.Action, error)

	// Preview validates a change against the form's schema and computes what it
	// would do, writing nothing. Preview.Payload is the complete, normalised set of
	// values; Execute is given that one. Codes: permission_denied, not_found (the
	// target or the draft), draft_changed (the change names an older revision),
	// validation_failed with params field and detail.
	Preview(ctx context.Context, id Identity, c erp.Change) (erp.Preview, error)

	// Execute writes a confirmed change, once per client_token, in one transaction:
	// deadline, rights and every fact are checked inside it. A refusal is a Commit
	// with status refused, not an error, and is as final as executed. A Commit with
	// status fenced says that FindCommit had shut out this attempt: nothing was
	// written, the next attempt may. Codes: invalid (malformed execution),
	// token_reused (the token was used with another digest), outcome_unknown (the
	// answer to COMMIT was lost; ask FindCommit).
	Execute(ctx context.Context, id Identity, x erp.Execution) (erp.Commit, error)

	// FindCommit says for good what became of a token, up to and including the
	// attempt: it waits for an attempt that is still open and shuts out all that have
	// not begun to commit. Executed and refused are what Execute answered; fenced
	// means that nothing was written and that none of these attempts ever will;
	// unknown means that this ERP cannot tell. Attempt+1 can still commit.
	// Codes: invalid.
	FindCommit(ctx context.Context, id Identity, clientToken string, attempt int) (erp.Commit, error)

	// FindCommitted reads the final answer under a token and does nothing else: it
	// waits for no attempt and shuts none out, so an attempt that is still open is
	// not seen. Codes: invalid, not_found (nothing final is known under the token; an
	// ERP that cannot look tokens up always says so).
	FindCommitted(ctx context.Context, id Identity, clientToken string) (erp.Commit, error)
}
