package operation

import (
	"strings"
	"testing"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func pendingView() View {
	return View{OpID: "op", Status: AwaitingApproval, PendingID: "p2", Revision: 2, Digest: "d2", Deadline: noon, Superseded: []string{"p1"}}
}

func fitting() Decision {
	return Decision{OpID: "op", PendingID: "p2", Revision: 2, Digest: "d2", Decision: Approve, DecisionID: "x"}
}

func TestCheckNamesWhyADecisionDoesNotFit(t *testing.T) {
	t.Parallel()
	early := noon.Add(-time.Nanosecond)
	for name, c := range map[string]struct {
		view   func(*View)
		say    func(*Decision)
		at     time.Time
		code   fault.Code
		reason string
	}{
		"all fits":                 {nil, nil, early, "", ""},
		"without naming the op":    {nil, func(d *Decision) { d.OpID = "" }, early, "", ""},
		"at the deadline":          {nil, nil, noon, fault.Expired, ""},
		"another operation":        {nil, func(d *Decision) { d.OpID = "other" }, early, fault.StaleDecision, "operation"},
		"a superseded pending":     {nil, func(d *Decision) { d.PendingID = "p1" }, early, fault.StaleDecision, "superseded"},
		"another pending":          {nil, func(d *Decision) { d.PendingID = "p9" }, early, fault.StaleDecision, "pending"},
		"another revision":         {nil, func(d *Decision) { d.Revision = 1 }, early, fault.StaleDecision, "revision"},
		"another digest":           {nil, func(d *Decision) { d.Digest = "d1" }, early, fault.StaleDecision, "digest"},
		"no verb":                  {nil, func(d *Decision) { d.Decision = "" }, early, fault.Invalid, ""},
		"no pending":               {nil, func(d *Decision) { d.PendingID = "" }, early, fault.Invalid, ""},
		"no revision":              {nil, func(d *Decision) { d.Revision = 0 }, early, fault.Invalid, ""},
		"no digest":                {nil, func(d *Decision) { d.Digest = "" }, early, fault.Invalid, ""},
		"no decision id":           {nil, func(d *Decision) { d.DecisionID = "" }, early, fault.Invalid, ""},
		"a comment without end":    {nil, func(d *Decision) { d.Comment = strings.Repeat("x", 2001) }, early, fault.Invalid, ""},
		"a NUL in the comment":     {nil, func(d *Decision) { d.Comment = "a\x00b" }, early, fault.Invalid, ""},
		"a NUL in the actor":       {nil, func(d *Decision) { d.Actor = "a\x00b" }, early, fault.Invalid, ""},
		"a NUL in the decision id": {nil, func(d *Decision) { d.DecisionID = "a\x00b" }, early, fault.Invalid, ""},
		"decided before":           {func(v *View) { v.Decided = &Outcome{Status: Approved, By: "li", At: early} }, nil, early, fault.AlreadyDecided, ""},
		"expired before":           {func(v *View) { v.Decided = &Outcome{Status: Expired, At: early} }, nil, early, fault.Expired, ""},
		"not waiting yet":          {func(v *View) { v.Status = Draft }, nil, early, fault.NotPending, ""},
		"decided and too late":     {func(v *View) { v.Decided = &Outcome{Status: Rejected, By: "li", At: early} }, nil, noon, fault.AlreadyDecided, ""},
		"stale wins over decided":  {func(v *View) { v.Decided = &Outcome{Status: Approved} }, func(d *Decision) { d.Digest = "d1" }, early, fault.StaleDecision, "digest"},
		"the same one again":       {func(v *View) { v.Decided, v.Accepted = &Outcome{Status: Approved}, fitting().Key() }, nil, noon, "", ""},
		"its id with another verb": {func(v *View) { v.Decided, v.Accepted = &Outcome{Status: Approved, By: "li"}, fitting().Key() }, func(d *Decision) { d.Decision = Reject }, early, fault.AlreadyDecided, ""},
		"cancel fits like approve": {nil, func(d *Decision) { d.Decision = Cancel }, early, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, d := pendingView(), fitting()
			if c.view != nil {
				c.view(&v)
			}
			if c.say != nil {
				c.say(&d)
			}
			got := Check(v, d, c.at)
			switch {
			case c.code == "" && got != nil:
				t.Fatalf("refused with %v", got)
			case c.code != "" && (got == nil || got.Code != c.code || c.reason != "" && got.Params["reason"] != c.reason):
				t.Fatalf("answered %v, want %s %s", got, c.code, c.reason)
			}
		})
	}
}

func TestARefusalTellsByWhomWhenAndHow(t *testing.T) {
	t.Parallel()
	f := Settled(Outcome{Status: Rejected, By: "wang", Channel: ChannelTerminal, At: noon})
	for k, want := range map[string]string{"status": "rejected", "by": "wang", "channel": "terminal", "at": "2026-11-30T12:00:00Z"} {
		if f.Params[k] != want {
			t.Errorf("%s is %q", k, f.Params[k])
		}
	}
}

func TestTerminalStatesAreFinalAndEveryOtherLeadsToOne(t *testing.T) {
	t.Parallel()
	for _, s := range All {
		if s.Terminal() && len(transitions[s]) > 0 {
			t.Errorf("%s is terminal and leads on", s)
		}
		if s.Terminal() && !s.Settled() {
			t.Errorf("%s is terminal and not settled", s)
		}
		seen := map[Status]bool{}
		var ends func(Status) bool
		ends = func(s Status) bool {
			if s.Terminal() {
				return true
			}
			seen[s] = true
			for _, n := range transitions[s] {
				if !seen[n] && ends(n) {
					return true
				}
			}
			return false
		}
		if !ends(s) {
			t.Errorf("%s leads to no end", s)
		}
		for _, n := range transitions[s] {
			found := false
			for _, b := range Before(n) {
				found = found || b == s
			}
			if !found {
				t.Errorf("Before(%s) does not list %s", n, s)
			}
		}
	}
	if Executing.CanBecome(Approved) || Executed.CanBecome(Executing) || Expired.CanBecome(Approved) {
		t.Error("a written or expired operation may run again")
	}
}
