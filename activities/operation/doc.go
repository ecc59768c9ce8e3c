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
