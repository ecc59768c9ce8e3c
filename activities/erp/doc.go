// Package erp is the port to an ERP: what Erpilot needs of one, whichever it is.
//
// # Design
//
// Connector speaks the nouns of schema/erp only. The built-in ERP (builtin/) is
// one implementation; erptest is the conformance suite that each must pass. The
// layers above know a connector by its Capabilities and tell the person on the
// card what is guaranteed and what is only checked, so a foreign ERP without a
// dry run or an idempotency key can stand behind the same port.
//
// # Rights
//
// Login and User are the only ways to an Identity; nothing caches one. Reads take
// the grants of the identity that they are given. Execute takes none of them: it
// reads user and grants again, inside the write. An unknown form and a form
// outside the grants answer alike (permission_denied), so that nobody learns from
// an answer which forms exist.
//
// # Failure handling
//
// An error before COMMIT means that surely nothing was written, and the attempt
// may be repeated under the same client_token with the next attempt number. An
// error during COMMIT is fault.OutcomeUnknown: ask FindCommit, which first shuts
// out the attempt and then answers. Refusals are not errors: they are a Commit.
//
// # Intentional
//
// The port has no "begin/commit" of its own: one Execute is one transaction of
// the ERP, because only there are facts, change and result one thing.
//
// # Rejected
//
// Compensation (write first, undo on doubt): ERP documents have effects that
// people see at once, and numbers that may not be given out twice.
package erp
