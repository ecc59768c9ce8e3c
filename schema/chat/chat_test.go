package chat_test

import (
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
)

func TestQuestionAccepts(t *testing.T) {
	t.Parallel()
	strict := chat.Question{Question: "?", Options: []string{"北", "South"}}
	free := chat.Question{Question: "?", Options: []string{"北"}, AllowFreeText: true}
	open := chat.Question{Question: "?"}
	for name, c := range map[string]struct {
		q      chat.Question
		answer string
		want   fault.Code
	}{
		"an option":                    {strict, "South", ""},
		"no option":                    {strict, "south", fault.Invalid},
		"free text":                    {free, "somewhere else", ""},
		"no options at all":            {open, "anything", ""},
		"empty":                        {open, "", fault.Invalid},
		"4000 characters":              {open, strings.Repeat("长", 4000), ""},
		"4001 characters":              {open, strings.Repeat("长", 4001), fault.Invalid},
		"an option, but not the exact": {strict, " South", fault.Invalid},
	} {
		if got := fault.CodeOf(c.q.Accepts(c.answer)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTurnStatus(t *testing.T) {
	t.Parallel()
	for s, want := range map[chat.TurnStatus]struct{ ended, resumable bool }{
		chat.Running: {}, chat.Waiting: {}, chat.Answered: {true, false}, chat.Stopped: {true, false}, chat.Failed: {true, true}, chat.Limit: {true, true},
	} {
		if s.Ended() != want.ended || s.Resumable() != want.resumable {
			t.Errorf("%s: ended %v, resumable %v", s, s.Ended(), s.Resumable())
		}
	}
}
