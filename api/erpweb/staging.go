package erpweb

import (
	"net/http"
	"regexp"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

const (
	// outcomePatience is how long execute waits for the outcome, outcomePoll how
	// often it looks.
	outcomePatience = 5 * time.Second
	outcomePoll     = 100 * time.Millisecond
)

var idShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$`)

// opID is the id in the path; one that nobody can have made is not found.
func opID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !idShape.MatchString(id) {
		return "", errNoStaging
	}
	return id, nil
}

type stagingView struct {
	operation.Staging
	ServerNow time.Time `json:"server_now"`
}

// staged is what the native form is prefilled with.
func (s *Server) staged(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := opID(r)
	if err != nil {
		return err
	}
	if _, err := s.identify(r, tenant, userID); err != nil {
		return err
	}
	staging, err := s.staging.Staged(r.Context(), tenant, userID, id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, stagingView{staging, time.Now().UTC()})
}

// execute waits for the outcome of a confirmed operation, which its workflow
// writes: asking again changes nothing. What is not confirmed is refused.
func (s *Server) execute(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := opID(r)
	if err != nil {
		return err
	}
	if _, err := s.identify(r, tenant, userID); err != nil {
		return err
	}
	patience := time.NewTimer(outcomePatience)
	defer patience.Stop()
	poll := time.NewTicker(outcomePoll)
	defer poll.Stop()
	for waiting := true; ; {
		staging, err := s.staging.Staged(r.Context(), tenant, userID, id)
		if err != nil {
			return err
		}
		if err := confirmed(staging); err != nil {
			return err
		}
		if staging.State != operation.TodoProcessing || !waiting {
			return answer(w, http.StatusOK, stateOf(staging))
		}
		select {
		case <-r.Context().Done():
			return r.Context().Err()
		case <-patience.C:
			waiting = false
		case <-poll.C:
		}
	}
}

// confirmed refuses what nobody has approved.
func confirmed(s operation.Staging) error {
	switch s.Status {
	case operation.Draft, operation.AwaitingApproval:
		return fault.New(fault.NotPending, "status", string(s.Status))
	case operation.Rejected, operation.Cancelled, operation.Expired:
		if s.Decided != nil {
			return operation.Settled(*s.Decided)
		}
		return fault.New(fault.NotPending, "status", string(s.Status))
	default:
		return nil
	}
}

// stateOf is the small answer of execute.
func stateOf(s operation.Staging) map[string]any {
	m := map[string]any{"op_id": s.OpID, "status": s.Status, "state": s.State, "deadline": s.Deadline, "retry": s.Status == operation.Failed}
	for k, v := range map[string]string{"bill": s.Bill, "link": s.Link} {
		if v != "" {
			m[k] = v
		}
	}
	if s.Refusal != nil {
		m["refusal"] = s.Refusal
	}
	if s.Editable {
		m["open"] = s.Open
	}
	return m
}

// todos lists what the agent has begun for the person.
func (s *Server) todos(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	state := operation.TodoState(r.URL.Query().Get("state"))
	switch state {
	case "", operation.TodoProcessing, operation.TodoOpen, operation.TodoDone, operation.TodoFailed:
	default:
		return fault.New(fault.Invalid, "field", "state", "detail", "state is processing, todo, done or failed")
	}
	if _, err := s.identify(r, tenant, userID); err != nil {
		return err
	}
	todos, err := s.staging.Todos(r.Context(), tenant, userID, state)
	if err != nil {
		return err
	}
	if todos == nil {
		todos = []operation.Todo{}
	}
	return answer(w, http.StatusOK, map[string]any{"todos": todos, "server_now": time.Now().UTC()})
}
