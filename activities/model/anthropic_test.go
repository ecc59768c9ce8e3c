package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/model/modeltest"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// What Anthropic sends as input is kept as it is, object or not.
func TestAnthropicInputThatIsNoObjectIsRefusedAndNeverEmptied(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`"{\"query\": oops"`: `"{\"query\": oops"`,
		`null`:               `null`,
		`[1]`:                `[1]`,
	} {
		s := start(t, modeltest.Step{Whole: true, RawBody: `{"type":"message","content":[{"type":"tool_use","id":"c1","name":"find_forms","input":` + input + `}],"stop_reason":"tool_use"}`})
		got, err := build(t, config(s, modeltest.Anthropic)).Generate(t.Context(), request("hi"), nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(calls("c1", tool.FindForms, want), got.Calls); diff != "" {
			t.Error(diff)
		}
		if _, _, ferr := model.Validate(tool.Builtin(), got.Calls[0]); ferr == nil || ferr.Code != fault.ArgumentsInvalid {
			t.Errorf("%s accepted: %v", input, ferr)
		}
	}
}

func TestAnthropicBlocksThatAreUnknownAreLeftOut(t *testing.T) {
	t.Parallel()
	s := start(t, modeltest.Step{Whole: true, RawBody: `{"type":"message","model":"m","content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"a"},{"type":"server_tool_use","id":"s","name":"web","input":{}},{"type":"text","text":"b"}],"stop_reason":"end_turn"}`})
	got, err := build(t, config(s, modeltest.Anthropic)).Generate(t.Context(), request("hi"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(turn.Reply{Text: "ab", Finish: turn.FinishStop, Model: "m"}, got); diff != "" {
		t.Error(diff)
	}
}

// The connection of a finished stream serves the next call.
func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	for _, f := range flavours {
		s := start(t, modeltest.Step{Text: "a"}, modeltest.Step{Text: "b"}, modeltest.Step{Text: "c"})
		m := build(t, config(s, f))
		for range 3 {
			if _, err := m.Generate(t.Context(), request("hi"), nil); err != nil {
				t.Fatal(err)
			}
		}
		if n := s.Connections(); n != 1 {
			t.Errorf("%s: %d connections for 3 calls", f, n)
		}
	}
}
