// Package gateway is what the page and the terminal talk to: logins,
// conversations, the event stream, answers and decisions.
//
// # Design
//
// Handlers are net/http functions that may return an error; echo only routes.
// Every error becomes problem+json with a code of schema/fault and a sentence in
// the caller's language; causes stay in the log.
//
// The gateway holds no state that matters. What a person says is in Postgres
// before Temporal hears of it; what a screen shows comes from the journal and
// the rows. A request that is sent again is answered as the first one was.
//
//	confirm ─► row: known decision? decided? late? ──► answered from Postgres
//	           │ no
//	           ├─► one update in flight per operation ─► card after the decision
//	           ├─► no worker within 5 s ─► signal, 202 "queued"
//	           └─► workflow gone ─► row and workflow are made to agree, then as above
//
// Ids of other users and other tenants do not exist: 404, for every route.
//
// # The stream
//
// Subscribe first, then read the log to the head, then follow; the log is read
// by seq, so nothing comes twice. Stored events carry id: <seq> on the last of
// their frames; deltas carry none. A cursor ahead of the head, or more than 5,000
// events behind it, gets CUSTOM erpilot.resync and continues at the head.
//
// # Failure handling
//
// Sweep repairs what a crash left: turns and operations without a workflow are
// started, rows whose workflow an operator terminated are cancelled, lost
// signals are sent again. The same repair happens when an operation is read.
//
// # Intentional
//
// A message that answers a question opens no turn; its 202 names the turn that
// had asked. A follower whose leader did not land within the budget gets a 409
// that says so: its decision was not recorded, and repeating it is safe.
//
// A write that may have happened is never called cancelled: a terminated
// operation in executing or reconciling is looked up, or handed to a person.
//
// # Rejected
//
// Cookies (the token is the ERP's and travels in Authorization), CORS (one
// origin), gzip on streams (≈800 KB a connection), echo's Timeout and BodyDump
// middlewares (they break streams).
package gateway
