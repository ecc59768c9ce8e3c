package approvals

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/operation"
)

// ShowCmd shows one operation.
type ShowCmd struct {
	Op   string `arg:"" help:"Id of the operation, or of its workflow (op-…)."`
	JSON bool   `name:"json" help:"Print JSON instead of text."`
}

// Run prints it.
func (c *ShowCmd) Run(ctx context.Context, e *Env) error {
	s, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	v, err := s.view(ctx, c.Op)
	if err != nil {
		return err
	}
	if c.JSON {
		enc := json.NewEncoder(s.Out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	_, err = fmt.Fprint(s.Out, s.text(v))
	return err
}

// text is the operation for a person: first what, then where it stands.
func (s *session) text(v View) string {
	var b strings.Builder
	if !v.Live {
		b.WriteString(s.say("approvals.offline") + "\n\n")
	}
	if v.Details != "" {
		b.WriteString(terminal.Render(v.Details) + "\n")
	}
	rows := [][]string{{s.say("approvals.op"), v.OpID}, {s.say("approvals.status"), s.status(v.Status)}}
	add := func(key, value string) {
		if value != "" {
			rows = append(rows, []string{s.say("approvals." + key), value})
		}
	}
	add("tenant", v.Tenant)
	add("user", v.Requester)
	add("form", v.Form)
	add("action", v.Action)
	if v.Policy != "" {
		add("policy", terminal.Word("policy", v.Policy, s.locale))
	}
	if !v.Deadline.IsZero() {
		add("deadline", s.clock(v.Deadline))
		if v.Status == operation.AwaitingApproval {
			add("left", terminal.Left(s.until(v), s.locale))
		}
	}
	if v.Revision > 0 {
		add("revision", strconv.Itoa(v.Revision))
	}
	add("digest", v.Digest)
	if d := v.Decided; d != nil {
		add("decided", terminal.By(*d, "", s.locale, s.zone))
	}
	if v.Refused != "" {
		add("refused", string(v.Refused))
	}
	add("bill", v.Bill)
	if v.Status == operation.HandedOff {
		add("open", operation.OpenURL(v.Form, v.OpID))
	}
	b.WriteString(terminal.Table([]string{s.say("approvals.field"), s.say("approvals.value")}, rows))
	return b.String()
}
