package turn

import (
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
)

// Limits are the guard rails of one turn.
type Limits struct {
	// Steps caps model calls with their tool calls; at most MaxSteps.
	Steps int `json:"steps"`
	// ModelCalls caps all requests to the model, re-asked ones too.
	ModelCalls int `json:"model_calls"`
	// Worked caps the wall clock without waiting for people.
	Worked time.Duration `json:"worked"`
	// Invalid caps consecutive replies that can only go back to the model.
	Invalid int `json:"invalid"`
}

// MaxSteps is the hard cap whatever the configuration says.
const MaxSteps = 100

// DefaultLimits are 12 steps, 16 model calls, 600 s of work, two re-asks.
func DefaultLimits() Limits {
	return Limits{Steps: 12, ModelCalls: 16, Worked: 600 * time.Second, Invalid: 2}
}

// State is how far a turn has come. The zero value is its begin.
type State struct {
	// Step is the number of the last step that has a stored reply.
	Step       int           `json:"step"`
	ModelCalls int           `json:"model_calls"`
	Worked     time.Duration `json:"worked"`
	// Invalid counts consecutive replies without anything to carry out.
	Invalid int `json:"invalid,omitempty"`
}

// Call is one tool call of a stored reply.
type Call struct {
	CallID string      `json:"call_id"`
	Tool   string      `json:"tool"`
	Effect tool.Effect `json:"effect"`
	// Invalid calls have their error as result already; nothing is run.
	Invalid bool `json:"invalid,omitempty"`
}

// Replied is the shape of a stored reply: no text, no arguments.
type Replied struct {
	Step    int    `json:"step"`
	HasText bool   `json:"has_text"`
	Finish  Finish `json:"finish"`
	Calls   []Call `json:"calls,omitempty"`
}

// Verdict says what follows a reply.
type Verdict string

const (
	// Continue: carry out Plan.Run, then ask the model again.
	Continue Verdict = "continue"
	// Suspend: carry out Plan.Run, put Plan.Wait before people, wait for all of
	// them, then ask the model again.
	Suspend Verdict = "suspend"
	// Answer: the turn is done.
	Answer Verdict = "answer"
	// Fail ends the turn with Plan.Code.
	Fail Verdict = "fail"
	// LimitHit ends the turn at a guard rail; it can be resumed.
	LimitHit Verdict = "limit"
)

// Plan is what to do after a reply.
type Plan struct {
	Verdict Verdict `json:"verdict"`
	// Run are reads and drafts; reads may go side by side, in this order of results.
	Run []Call `json:"run,omitempty"`
	// Wait are questions and writes, in the model's order.
	Wait []Call `json:"wait,omitempty"`
	// Code explains Fail and LimitHit.
	Code fault.Code `json:"code,omitempty"`
}

// Next takes the state before a reply and the reply, and returns the state
// after it and what to do.
//
// A reply cut at its length, withheld, or empty never runs a call. Invalid
// calls go back to the model, Limits.Invalid times in a row at most.
func Next(s State, r Replied, l Limits) (State, Plan) {
	s.Step = r.Step
	switch {
	case r.Finish == FinishLength:
		return s, Plan{Verdict: Fail, Code: fault.ModelTruncated}
	case r.Finish == FinishFiltered:
		return s, Plan{Verdict: Fail, Code: fault.ModelRejected}
	case len(r.Calls) == 0 && r.HasText:
		return s, Plan{Verdict: Answer}
	case len(r.Calls) == 0:
		s.Invalid++
		if s.Invalid > l.Invalid {
			return s, Plan{Verdict: Fail, Code: fault.ModelInvalid}
		}
		return s, limited(s, l, Plan{Verdict: Continue})
	}
	p := Plan{Verdict: Continue}
	usable := false
	for _, c := range r.Calls {
		if c.Invalid {
			continue
		}
		usable = true
		switch c.Effect {
		case tool.Ask, tool.Write:
			p.Wait = append(p.Wait, c)
		default:
			p.Run = append(p.Run, c)
		}
	}
	if !usable {
		s.Invalid++
		if s.Invalid > l.Invalid {
			return s, Plan{Verdict: Fail, Code: fault.ArgumentsInvalid}
		}
		return s, limited(s, l, p)
	}
	s.Invalid = 0
	if len(p.Wait) > 0 {
		// What waits for people is put before them even at the last step: the
		// limit is checked when the turn goes on.
		p.Verdict = Suspend
		return s, p
	}
	return s, limited(s, l, p)
}

// MayAsk reports whether the guard rails allow another model call.
func (s State) MayAsk(l Limits) bool {
	return s.Step < min(l.Steps, MaxSteps) && s.ModelCalls < l.ModelCalls && s.Worked < l.Worked
}

// limited lets the calls run, but not the model call after them.
func limited(s State, l Limits, p Plan) Plan {
	if s.MayAsk(l) {
		return p
	}
	p.Verdict = LimitHit
	p.Code = fault.LimitReached
	return p
}
