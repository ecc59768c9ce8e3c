package turn

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
)

func TestNextDecidesByTheReplyAndTheGuardRails(t *testing.T) {
	t.Parallel()
	read := Call{CallID: "r", Tool: "read_form", Effect: tool.Read}
	draft := Call{CallID: "d", Tool: "save_draft", Effect: tool.Draft}
	question := Call{CallID: "q", Tool: "ask_user", Effect: tool.Ask}
	write := Call{CallID: "w", Tool: "propose_write", Effect: tool.Write}
	broken := Call{CallID: "x", Tool: "nope", Effect: "invalid", Invalid: true}
	limits := Limits{Steps: 3, ModelCalls: 5, Worked: time.Minute, Invalid: 2}
	for name, c := range map[string]struct {
		state State
		reply Replied
		want  Plan
		after State
	}{
		"text alone answers":                {State{}, Replied{Step: 1, HasText: true, Finish: FinishStop}, Plan{Verdict: Answer}, State{Step: 1}},
		"reads run and the model goes on":   {State{}, Replied{Step: 1, Calls: []Call{read, draft}}, Plan{Verdict: Continue, Run: []Call{read, draft}}, State{Step: 1}},
		"a write waits after the reads":     {State{}, Replied{Step: 1, Calls: []Call{write, read, question}}, Plan{Verdict: Suspend, Run: []Call{read}, Wait: []Call{write, question}}, State{Step: 1}},
		"an invalid call beside a good one": {State{Invalid: 2}, Replied{Step: 1, Calls: []Call{broken, read}}, Plan{Verdict: Continue, Run: []Call{read}}, State{Step: 1}},
		"invalid calls go back twice":       {State{Invalid: 1}, Replied{Step: 2, Calls: []Call{broken}}, Plan{Verdict: Continue}, State{Step: 2, Invalid: 2}},
		"invalid calls fail the third time": {State{Invalid: 2}, Replied{Step: 2, Calls: []Call{broken}}, Plan{Verdict: Fail, Code: fault.ArgumentsInvalid}, State{Step: 2, Invalid: 3}},
		"an empty reply is asked again":     {State{}, Replied{Step: 1, Finish: FinishStop}, Plan{Verdict: Continue}, State{Step: 1, Invalid: 1}},
		"empty replies fail in the end":     {State{Invalid: 2}, Replied{Step: 1, Finish: FinishStop}, Plan{Verdict: Fail, Code: fault.ModelInvalid}, State{Step: 1, Invalid: 3}},
		"a cut reply runs nothing":          {State{}, Replied{Step: 1, HasText: true, Finish: FinishLength, Calls: []Call{write}}, Plan{Verdict: Fail, Code: fault.ModelTruncated}, State{Step: 1}},
		"a withheld reply runs nothing":     {State{}, Replied{Step: 1, Finish: FinishFiltered, Calls: []Call{read}}, Plan{Verdict: Fail, Code: fault.ModelRejected}, State{Step: 1}},
		"the last step still runs its read": {State{}, Replied{Step: 3, Calls: []Call{read}}, Plan{Verdict: LimitHit, Code: fault.LimitReached, Run: []Call{read}}, State{Step: 3}},
		"the last step still puts a write":  {State{}, Replied{Step: 3, Calls: []Call{write}}, Plan{Verdict: Suspend, Wait: []Call{write}}, State{Step: 3}},
		"model calls are a limit":           {State{ModelCalls: 5}, Replied{Step: 1, Calls: []Call{read}}, Plan{Verdict: LimitHit, Code: fault.LimitReached, Run: []Call{read}}, State{Step: 1, ModelCalls: 5}},
		"work is a limit":                   {State{Worked: time.Minute}, Replied{Step: 1, Calls: []Call{read}}, Plan{Verdict: LimitHit, Code: fault.LimitReached, Run: []Call{read}}, State{Step: 1, Worked: time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, plan := Next(c.state, c.reply, limits)
			if diff := cmp.Diff(c.want, plan); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.after, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheHardCapHoldsWhateverIsConfigured(t *testing.T) {
	t.Parallel()
	l := Limits{Steps: 1000, ModelCalls: 1000, Worked: time.Hour}
	if (State{Step: MaxSteps}).MayAsk(l) || !(State{Step: MaxSteps - 1}).MayAsk(l) {
		t.Errorf("the hard cap is not %d steps", MaxSteps)
	}
}

func TestATurnAlwaysEnds(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	for _, reply := range []Replied{{}, {Calls: []Call{{Effect: tool.Read}}}, {Calls: []Call{{Invalid: true}}}, {HasText: true}} {
		s, steps := State{}, 0
		for s.MayAsk(l) {
			r := reply
			r.Step = s.Step + 1
			var p Plan
			s.ModelCalls++
			s, p = Next(s, r, l)
			if steps++; p.Verdict != Continue {
				break
			}
		}
		if steps > l.Steps {
			t.Errorf("%+v went on for %d steps", reply, steps)
		}
	}
}
