// Package approvals is `erpilot approvals`: what waits for a decision, straight
// from Temporal, and deciding it while the gateway is down.
//
// # Design
//
// Lists come from Temporal's visibility (what operators see), one operation from
// the query "state" of its workflow. A decision names exactly what is shown:
// pending, revision and digest. It is signed after a login at the ERP and sent as
// the update "decide"; the answer is the workflow's own.
//
// # Failure handling
//
//   - No worker answers the query: memo and static details of the workflow are
//     shown instead, and the person is told that edits are not in them.
//   - No worker takes the update within the budget (5 s): the same decision goes
//     as a signal, with the same decision_id, and the person is told that it is
//     queued and counts only if it is processed before the deadline.
//   - Refusals are typed (ApplicationError, its type is the fault code) and are
//     told in the person's words.
//
// # Intentional
//
// The decision is made of what was printed, never read anew after the "yes": when
// the proposal is edited in between, the workflow refuses a stale decision.
//
// # Rejected
//
// Asking the gateway, or the database, for the list: this command is for the
// hour in which they do not answer.
//
// # Wiring
//
// Every subcommand's Run takes the context and an *Env. Kong finds it where the
// command that embeds Command has a method ProvideEnv() (*approvals.Env, error),
// or when it is passed to kong.Context.Run.
package approvals
