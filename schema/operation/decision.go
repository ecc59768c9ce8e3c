package operation

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/erpilot/erpilot/schema/fault"
)

// Verb is what a person says about a pending operation.
type Verb string

const (
	// Approve is a vote; the policy says when votes suffice.
	Approve Verb = "approve"
	// Reject by someone who may decide ends the operation.
	Reject Verb = "reject"
	// Cancel is the requester's own word.
	Cancel Verb = "cancel"
)

// Channel is the way by which a decision came.
type Channel string

const (
	ChannelWeb      Channel = "web"
	ChannelTerminal Channel = "terminal"
	// ChannelTemporal is an unsigned signal or update from Temporal's own UI or
	// CLI; who sent it is a claim, recorded as "unverified".
	ChannelTemporal Channel = "temporal-cli"
	ChannelDeadline Channel = "deadline"
	ChannelOperator Channel = "operator"
	ChannelSystem   Channel = "system"
	// ChannelNative is the ERP's own form.
	ChannelNative Channel = "native"
)

// Decision is one person's word on one pending. It names exactly what was seen.
type Decision struct {
	OpID      string `json:"op_id"`
	PendingID string `json:"pending_id"`
	Revision  int    `json:"revision"`
	Digest    string `json:"digest"`
	Decision  Verb   `json:"decision"`
	// DecisionID makes a repeated decision the same decision; at most 100 characters.
	DecisionID string `json:"decision_id"`
	// Comment is shown to the requester; at most 500 characters.
	Comment string `json:"comment,omitempty"`
	// Actor is the user id. Without Proof it is only a claim.
	Actor string `json:"actor,omitempty"`
	// Proof is an opaque one-use reference, made by the gateway or by `erpilot
	// approvals` after a login, that ties Actor to this decision. No token.
	Proof string `json:"proof,omitempty"`
	// Channel says where it came from; the receiver overrides what it knows better.
	Channel Channel `json:"channel,omitempty"`
}

// Shape reports what is malformed in the decision, nil when nothing is.
func (d Decision) Shape() *fault.Error {
	bad := func(detail string) *fault.Error { return fault.New(fault.Invalid, "detail", detail) }
	switch {
	case d.Decision != Approve && d.Decision != Reject && d.Decision != Cancel:
		return bad("decision must be approve, reject or cancel")
	case d.PendingID == "" || len(d.PendingID) > 100:
		return bad("pending_id is missing")
	case d.Revision < 1:
		return bad("revision is missing")
	case d.Digest == "" || len(d.Digest) > 100:
		return bad("digest is missing")
	case d.DecisionID == "" || len(d.DecisionID) > 100:
		return bad("decision_id is missing or longer than 100 characters")
	case len(d.Comment) > 2000:
		return bad("comment is too long")
	case len(d.Actor) > 100 || len(d.Proof) > 200:
		return bad("actor or proof is too long")
	}
	for _, s := range []string{d.DecisionID, d.Comment, d.Actor, d.Proof} {
		// Postgres cannot store it, so nobody could ever record the decision.
		if strings.ContainsRune(s, 0) || !utf8.ValidString(s) {
			return bad("the decision holds characters that are not text")
		}
	}
	return nil
}

// Outcome tells how, by whom, when and through which channel a pending ended.
type Outcome struct {
	Status  Status    `json:"status"`
	By      string    `json:"by,omitempty"`
	Channel Channel   `json:"channel,omitempty"`
	At      time.Time `json:"at"`
}

// View is what the check of a decision needs to know of an operation.
type View struct {
	OpID      string
	Status    Status
	PendingID string
	Revision  int
	Digest    string
	// Deadline is that of the hand-off once there is one.
	Deadline time.Time
	// Decided is nil while the pending is open.
	Decided *Outcome
	// Accepted names the decision that counted, as Decision.Key does.
	Accepted string
	// Superseded lists pendings that an edit replaced.
	Superseded []string
}

// Key is what makes a repeated decision the same one: its id and its verb.
func (d Decision) Key() string { return d.DecisionID + "/" + string(d.Decision) }

// Check tells whether the decision fits what waits, now. Nil means that it may
// be claimed, or that it is the very decision that counted already; authority is
// asked afterwards. Refusals are typed: invalid, stale_decision, already_decided,
// expired, not_pending.
func Check(v View, d Decision, now time.Time) *fault.Error {
	if err := d.Shape(); err != nil {
		return err
	}
	if d.OpID != "" && d.OpID != v.OpID {
		return fault.New(fault.StaleDecision, "reason", "operation")
	}
	for _, id := range v.Superseded {
		if id == d.PendingID {
			return fault.New(fault.StaleDecision, "reason", "superseded")
		}
	}
	switch {
	case d.PendingID != v.PendingID:
		return fault.New(fault.StaleDecision, "reason", "pending")
	case d.Revision != v.Revision:
		return fault.New(fault.StaleDecision, "reason", "revision")
	case d.Digest != v.Digest:
		return fault.New(fault.StaleDecision, "reason", "digest")
	case v.Accepted != "" && v.Accepted == d.Key():
		return nil
	case v.Status == HandedOff && d.Decision == Cancel && now.Before(v.Deadline):
		return nil // approved, and left in the native form by its requester
	case v.Decided != nil:
		return Settled(*v.Decided)
	case v.Status != AwaitingApproval:
		return fault.New(fault.NotPending, "status", string(v.Status))
	case !now.Before(v.Deadline):
		return fault.New(fault.Expired, "deadline", v.Deadline.UTC().Format(time.RFC3339))
	}
	return nil
}

// Settled is the refusal of a decision on something that was decided before:
// expired, or already_decided with status, by, channel and at.
func Settled(o Outcome) *fault.Error {
	code := fault.AlreadyDecided
	if o.Status == Expired {
		code = fault.Expired
	}
	return fault.New(code, "status", string(o.Status), "by", o.By, "channel", string(o.Channel),
		"at", o.At.UTC().Format(time.RFC3339))
}

// Effect is the state to which an accepted decision leads.
func (v Verb) Effect() Status {
	switch v {
	case Approve:
		return Approved
	case Reject:
		return Rejected
	default:
		return Cancelled
	}
}
