// Package operation carries out what the workflow Operation asks for: staging a
// proposed write, putting it before people, authorising decisions, one attempt
// after another at the ERP, and telling everyone the outcome.
//
// # Design
//
// The staging row (table operations) is the truth below the ERP's own commit
// record. Every transition is a compare-and-set on it, in one transaction with
// its journal events, its call result and its audit row. After the commit the
// readers are woken and, when the operation has settled, the turn is signalled.
// A compare-and-set that fails changes nothing: the caller gets the row as it is
// and the workflow adopts it (an operation that was reset after its write
// becomes executed without a second one).
//
// # Failure handling
//
//   - An activity may run again at any moment: decisions are keyed by
//     decision_id, journal events by natural keys, writes by client_token.
//   - ExecuteOperation is one attempt. Whatever goes wrong after it began leads to
//     FindCommit, which fences the attempts at the ERP before it says "failed".
//   - A turn that cannot be signalled because it has closed needs nothing: later
//     turns read the stored result.
//
// # Saved by hand
//
// SaveStaged writes a native form at once, as the person who sent it, under the
// operation's client_token and always as attempt 1: a refused save leaves nothing at
// the ERP, so the person mends it and saves again, and any number of tabs come to one
// commit. Its digest covers what was approved and what is saved: the same values again
// get the same answer, others are told what was saved. Values that differ from the
// approved ones are kept in operation_edits under that digest, so that CompleteOperation
// knows that they do. The ERP's outbox tells the workflow through the Relay, at least
// once; a workflow that is gone leaves its row to be completed here. Whatever ends a
// handed-off operation otherwise fences the token first (shut).
//
// # Intentional
//
// The begin of an attempt and its outcome are separate transactions around the
// ERP's own one: the port must work for an ERP in another database.
//
// # Rejected
//
// Holding the staging row locked while the ERP writes: a slow ERP would block the
// inbox, and a lock proves nothing once the connection is lost.
package operation
