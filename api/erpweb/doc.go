// Package erpweb is the HTTP side of the ERP: the form catalogue, reading records,
// keying them in, their history, files for spreadsheets, and what the agent has
// prepared for a person to finish. All within the caller's grants.
//
// # Design
//
// It speaks to the port activities/erp.Connector and to small interfaces beside it,
// so every ERP behind the port is served alike. The gateway mounts its routes behind
// its own authentication and turns returned errors into problem+json, field by field
// where the ERP says so; a request that gets here has a person with grants.
//
// A save without a staging previews the change, compares the record's version with the
// one that the page showed, and executes it on the facts of that preview, under a token
// that the page makes once per press: a repeated request gets the first answer. A save
// with a staging is the operation's own write (activities/operation.SaveStaged).
//
// # Codes of records
//
// validation_failed with problems, permission_denied, not_found, record_changed (old,
// new), what else has moved between preview and write, token_reused (other values under
// the token), unavailable and outcome_unknown (send it again with the same token). With a
// staging also: not_pending (status), expired, already_decided (status, by, channel, at;
// bill and link once it was saved), and 202 where other values need another approval.
//
// # Failure handling
//
// Bad input is fault.Invalid with what is wrong; an unknown form and one outside
// the grants look alike (permission_denied), an unknown record and somebody else's
// staging are not_found. Nothing here writes but through the ERP.
//
// # Intentional
//
// Filters and paging are the ones of the tool read_form, allow-listed by form:
// a person's screen can ask for nothing that the agent could not, and neither can
// pass a parameter through to the ERP. A refusal of a save by hand is told and not
// kept under its token: the person mends the form and presses again.
//
// # Rejected
//
// Executing a confirmed operation here: its workflow writes, once; execute only waits
// for the outcome.
package erpweb
