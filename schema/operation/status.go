package operation

// Status is the state of an operation. The staging row holds it; each change
// is a compare-and-set along Transitions.
type Status string

const (
	// Draft: staged, preview being made. After a crash it is previewed again.
	Draft Status = "draft"
	// AwaitingApproval waits for a person until the deadline; costs nothing.
	AwaitingApproval Status = "awaiting_approval"
	// Approved: the decision is persisted, the write has not begun.
	Approved Status = "approved"
	// NeedsLogin: approved, but the requester has no live session.
	NeedsLogin Status = "needs_login"
	// Executing: an attempt may be writing right now.
	Executing Status = "executing"
	// Reconciling: the outcome of an attempt is not known yet; it is looked up.
	Reconciling Status = "reconciling"
	// NeedsPerson: the ERP cannot tell the outcome; a person looks and settles.
	NeedsPerson Status = "needs_person"
	// HandedOff: the person finishes it in the native form, which is prefilled. A
	// save that needs another approval leads back to AwaitingApproval.
	HandedOff Status = "handed_off"

	// Executed: written, exactly once. Terminal.
	Executed Status = "executed"
	// Refused by the ERP or because a fact moved; nothing written. Terminal.
	Refused Status = "refused"
	// Failed: surely nothing written; retry is allowed until the deadline.
	Failed Status = "failed"
	// Rejected by someone who may decide. Terminal.
	Rejected Status = "rejected"
	// Cancelled by the requester, an operator or a newer proposal. Terminal.
	Cancelled Status = "cancelled"
	// Expired: the deadline passed without a decision. Terminal.
	Expired Status = "expired"
	// Completed: saved in the native form. Terminal.
	Completed Status = "completed"
	// Abandoned: the native form was never saved. Terminal.
	Abandoned Status = "abandoned"
)

// Terminal reports whether nothing can follow. Failed is not terminal.
func (s Status) Terminal() bool {
	switch s {
	case Executed, Refused, Rejected, Cancelled, Expired, Completed, Abandoned:
		return true
	default:
		return false
	}
}

// Settled reports whether the turn that proposed the operation may go on.
func (s Status) Settled() bool { return s.Terminal() || s == Failed || s == NeedsPerson }

// transitions lists, for each state, the states that may follow.
var transitions = map[Status][]Status{
	Draft:            {AwaitingApproval, Cancelled, Refused},
	AwaitingApproval: {Approved, Rejected, Cancelled, Expired, Refused},
	Approved:         {Executing, NeedsLogin, HandedOff, Refused, Cancelled, Expired, Executed, Failed},
	NeedsLogin:       {Approved, Expired, Cancelled},
	Executing:        {Executed, Refused, Failed, Reconciling, NeedsLogin},
	Reconciling:      {Executed, Refused, Failed, NeedsPerson},
	NeedsPerson:      {Executed, Failed, Cancelled},
	Failed:           {Executing, Executed, Cancelled, Expired},
	HandedOff:        {AwaitingApproval, Completed, Abandoned, Cancelled},
}

// CanBecome reports whether the transition is allowed. A terminal state allows none.
func (s Status) CanBecome(next Status) bool {
	for _, t := range transitions[s] {
		if t == next {
			return true
		}
	}
	return false
}

// Before lists the states from which next may be reached, in a fixed order: the
// expected states of the compare-and-set.
func Before(next Status) []Status {
	var from []Status
	for _, s := range All {
		if s.CanBecome(next) {
			from = append(from, s)
		}
	}
	return from
}

// All lists every state in the order of the way through them.
var All = []Status{
	Draft, AwaitingApproval, Approved, NeedsLogin, Executing, Reconciling, NeedsPerson, HandedOff, Failed,
	Executed, Refused, Rejected, Cancelled, Expired, Completed, Abandoned,
}
