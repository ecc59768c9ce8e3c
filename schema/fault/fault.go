package fault

import (
	"errors"
	"fmt"
)

// Code names a kind of failure. It is part of the HTTP contract (problem+json
// `code`), of call results and of refusals, so a code is never renamed.
type Code string

const (
	// Internal is everything that nobody foresaw; its text stays in the log.
	Internal Code = "internal"
	// Invalid is input that breaks a rule of form; Params["detail"] says which.
	Invalid Code = "invalid"
	// ValidationFailed is input the ERP refuses (a field, a business rule).
	ValidationFailed Code = "validation_failed"
	// TooLarge is a body or a text over its limit.
	TooLarge Code = "too_large"
	// NotFound is an id that does not exist for this caller; another user's or
	// another tenant's id is NotFound too, never Forbidden.
	NotFound Code = "not_found"
	// Unauthenticated is a missing, unknown or expired bearer token.
	Unauthenticated Code = "unauthenticated"
	// BadCredentials is a login with a wrong name or password.
	BadCredentials Code = "bad_credentials"
	// PermissionDenied is a form or action outside the caller's grants.
	PermissionDenied Code = "permission_denied"
	// Conflict is a state that does not allow the request; Params say which.
	Conflict Code = "conflict"
	// PendingOpen refuses to delete a conversation with open pendings.
	PendingOpen Code = "pending_open"
	// IdempotencyMismatch is a known idempotency key with other content.
	IdempotencyMismatch Code = "idempotency_mismatch"
	// RateLimited asks the caller to come back later.
	RateLimited Code = "rate_limited"
	// Unavailable is a part of the product that does not answer just now.
	Unavailable Code = "unavailable"

	// Decisions.

	// NotPending is a decision on an operation that waits for none.
	NotPending Code = "not_pending"
	// StaleDecision names another pending, revision or digest than the open one.
	StaleDecision Code = "stale_decision"
	// AlreadyDecided tells by whom, when, through which channel and how.
	AlreadyDecided Code = "already_decided"
	// Expired is a decision after the deadline; nothing was written.
	Expired Code = "expired"
	// Unverified is an unsigned decision where those do not count.
	Unverified Code = "unverified"
	// NotAllowedToDecide is a decider whom the policy does not name.
	NotAllowedToDecide Code = "not_allowed_to_decide"

	// Refusals of a write; nothing was written.

	// DraftChanged: the draft has a newer revision than the one confirmed.
	DraftChanged Code = "draft_changed"
	// QuoteChanged: a price, discount, name or status of a product moved.
	QuoteChanged Code = "quote_changed"
	// StockChanged: a stock level differs from what the person saw.
	StockChanged Code = "stock_changed"
	// RecordChanged: the record was edited by someone else.
	RecordChanged Code = "record_changed"
	// StateChanged: the document is in another state than the person saw.
	StateChanged Code = "state_changed"
	// ContractChanged: the tool's schema version moved since the proposal.
	ContractChanged Code = "contract_changed"
	// TokenReused: a client_token came again with another digest.
	TokenReused Code = "token_reused"

	// OutcomeUnknown: the ERP's answer to a write was lost; it is reconciled
	// and never reported as failed.
	OutcomeUnknown Code = "outcome_unknown"
	// LoginExpired: the requester has no live session with the ERP.
	LoginExpired Code = "login_expired"

	// Models.

	// ModelUnavailable: the provider does not answer (429, 5xx, refused).
	ModelUnavailable Code = "model_unavailable"
	// ModelTruncated: the stream was cut or the reply hit its length limit.
	ModelTruncated Code = "model_truncated"
	// ModelInvalid: the reply breaks the provider's own format.
	ModelInvalid Code = "model_invalid"
	// ModelRejected: the provider refuses the request (key, model name, 4xx).
	ModelRejected Code = "model_rejected"
	// ToolUnknown, ArgumentsInvalid go back to the model, twice at most.
	ToolUnknown      Code = "tool_unknown"
	ArgumentsInvalid Code = "arguments_invalid"
	// LimitReached: a guard rail of the turn (steps, model calls, time).
	LimitReached Code = "limit_reached"
	// Stopped: the person stopped the turn.
	Stopped Code = "stopped"
)

// Params are the named values of a code's sentence. Values are short, safe to
// show to the person concerned, and never hold secrets.
type Params map[string]string

// Problem is what is wrong with one field. Field is a path such as
// "lines[2].quantity", rows counted from 1; "" is the whole input.
type Problem struct {
	Field  string `json:"field"`
	Detail string `json:"detail"`
}

// Error is a failure with a code. A nil Cause means that there is no more to log.
type Error struct {
	Code   Code
	Params Params
	// Problems tells field by field what Params["detail"] tells in one sentence.
	Problems []Problem
	Cause    error
}

// New returns an error with the code and, in pairs, its params.
// It panics on an odd number of pairs: that is a mistake in our code.
func New(code Code, pairs ...string) *Error {
	if len(pairs)%2 != 0 {
		panic("fault.New: odd number of params")
	}
	e := &Error{Code: code}
	for i := 0; i < len(pairs); i += 2 {
		if e.Params == nil {
			e.Params = Params{}
		}
		e.Params[pairs[i]] = pairs[i+1]
	}
	return e
}

// Wrap returns an error with the code whose cause goes to the log only.
func Wrap(code Code, cause error, pairs ...string) *Error {
	e := New(code, pairs...)
	e.Cause = cause
	return e
}

// Error is for logs: code, detail and cause.
func (e *Error) Error() string {
	s := string(e.Code)
	if d := e.Params["detail"]; d != "" {
		s += ": " + d
	}
	if e.Cause != nil {
		s = fmt.Sprintf("%s: %v", s, e.Cause)
	}
	return s
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is matches any *Error of the same code, so that
// errors.Is(err, fault.New(fault.NotFound)) works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// CodeOf returns the code of the first *Error in the chain, Internal when there
// is none, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}

// ParamsOf returns the params of the first *Error in the chain, nil when there is none.
func ParamsOf(err error) Params {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Params
	}
	return nil
}

// ProblemsOf returns what is wrong field by field; nil for errors that do not tell.
func ProblemsOf(err error) []Problem {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Problems
	}
	return nil
}
