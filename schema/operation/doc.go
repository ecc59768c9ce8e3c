// Package operation holds the rules of one proposed change of the ERP: its
// states, who may decide it and until when, what a decision must name, and the
// digest that ties what a person saw to what runs.
//
//	draft → awaiting_approval → approved → executing → executed
//	             │                 │           ├→ refused
//	             │                 │           ├→ failed ⇄ executing (retry)
//	             │                 │           └→ reconciling → executed | refused | failed | needs_person
//	             │                 ├→ needs_login → approved | expired
//	             │                 └→ handed_off → completed | abandoned | cancelled | awaiting_approval
//	             └→ rejected | cancelled | expired
//
// Everything here is pure; workflows and activities ask, and carry out.
//
// # Failure handling
//
// Check answers every decision that does not fit with a typed refusal that says what
// became of the thing, by whom, when and through which channel. The very decision
// that counted, sent again, is no refusal.
//
// # Intentional
//
// Failed is not terminal: surely nothing was written, so the same client_token may be
// tried again until the deadline. NeedsPerson has no deadline: someone must look.
//
// # Rejected
//
// A decision that names only the operation: it would approve whatever revision is
// there when it arrives.
package operation
