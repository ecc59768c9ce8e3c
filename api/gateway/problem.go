package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

// Problem is the body of every refusal (RFC 9457). Code is the contract; Title
// is a sentence for the person.
type Problem struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Code   fault.Code   `json:"code"`
	Params fault.Params `json:"params,omitempty"`
	// Problems tells field by field what is wrong with the input.
	Problems []fault.Problem `json:"problems,omitempty"`
	// RequestID finds the log line.
	RequestID string `json:"request_id,omitempty"`
}

// statuses maps codes to HTTP; a code that is not here is 500.
var statuses = map[fault.Code]int{
	fault.Invalid:            http.StatusBadRequest,
	fault.ValidationFailed:   http.StatusUnprocessableEntity,
	fault.TooLarge:           http.StatusRequestEntityTooLarge,
	fault.NotFound:           http.StatusNotFound,
	fault.Unauthenticated:    http.StatusUnauthorized,
	fault.BadCredentials:     http.StatusUnauthorized,
	fault.PermissionDenied:   http.StatusForbidden,
	fault.NotAllowedToDecide: http.StatusForbidden,
	fault.Unverified:         http.StatusForbidden,
	fault.RateLimited:        http.StatusTooManyRequests,
	fault.Unavailable:        http.StatusServiceUnavailable,
	fault.OutcomeUnknown:     http.StatusServiceUnavailable,
	fault.ModelUnavailable:   http.StatusServiceUnavailable,

	fault.Conflict:            http.StatusConflict,
	fault.PendingOpen:         http.StatusConflict,
	fault.IdempotencyMismatch: http.StatusConflict,
	fault.NotPending:          http.StatusConflict,
	fault.StaleDecision:       http.StatusConflict,
	fault.AlreadyDecided:      http.StatusConflict,
	fault.Expired:             http.StatusConflict,
	fault.DraftChanged:        http.StatusConflict,
	fault.QuoteChanged:        http.StatusConflict,
	fault.StockChanged:        http.StatusConflict,
	fault.RecordChanged:       http.StatusConflict,
	fault.StateChanged:        http.StatusConflict,
	fault.ContractChanged:     http.StatusConflict,
	fault.TokenReused:         http.StatusConflict,
	fault.LoginExpired:        http.StatusConflict,
}

func statusOf(code fault.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// problemOf turns an error into what a person may read; the rest stays behind.
func problemOf(err error, locale identity.Locale) Problem {
	code, params, problems := fault.CodeOf(err), fault.ParamsOf(err), fault.ProblemsOf(err)
	status := statusOf(code)
	if status == http.StatusInternalServerError {
		code, params, problems = fault.Internal, nil, nil
	}
	if code == fault.Invalid && problems == nil && params["field"] != "" {
		problems = []fault.Problem{{Field: params["field"], Detail: params["detail"]}}
	}
	return Problem{Type: "about:blank", Title: text.Fault(code, params, locale), Status: status, Code: code, Params: params, Problems: problems}
}

// fail answers with the problem and logs what the person does not see.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the caller has left
	}
	p := problemOf(err, localeOf(r))
	p.RequestID = requestID(r)
	if p.Status >= http.StatusInternalServerError {
		s.log.ErrorContext(r.Context(), "request failed", "request_id", p.RequestID, "code", fault.CodeOf(err), "error", err)
	}
	s.problem(w, p)
}

func (s *Server) problem(w http.ResponseWriter, p Problem) {
	w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	switch p.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="erpilot"`)
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "2")
	}
	w.WriteHeader(p.Status)
	if err := json.NewEncoder(w).Encode(p); err != nil {
		s.log.Debug("the caller left before the answer", "error", err)
	}
}
