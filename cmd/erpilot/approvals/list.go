package approvals

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/workflows/contract"
)

// scanned bounds how many workflows one list reads: Temporal cannot sort by
// deadline, so all that match are read first.
const scanned = 10_000

// ListCmd lists what waits.
type ListCmd struct {
	Tenant string `help:"Only this tenant: <brand>.<subsidiary>."`
	User   string `help:"Only what this user id asked for."`
	Form   string `help:"Only this form."`
	Limit  int    `default:"100" help:"Show at most so many."`
	JSON   bool   `name:"json" help:"Print JSON instead of a table."`
}

// Item is one waiting operation, also as --json prints it.
type Item struct {
	OpID     string    `json:"op_id"`
	Tenant   string    `json:"tenant"`
	User     string    `json:"user"`
	Form     string    `json:"form"`
	Action   string    `json:"action"`
	Risk     string    `json:"risk"`
	Deadline time.Time `json:"deadline"`
	Summary  string    `json:"summary"`
}

// Run prints the list.
func (c *ListCmd) Run(ctx context.Context, e *Env) error {
	s, err := e.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	items, err := s.waiting(ctx, c)
	if err != nil {
		return err
	}
	more := c.Limit > 0 && len(items) > c.Limit
	if more {
		items = items[:c.Limit]
	}
	if c.JSON {
		enc := json.NewEncoder(s.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(items)
	}
	if len(items) == 0 {
		_, err = fmt.Fprintln(s.Out, s.say("approvals.none"))
		return err
	}
	if _, err := fmt.Fprint(s.Out, s.table(items)); err != nil || !more {
		return err
	}
	_, err = fmt.Fprintln(s.Out, s.say("approvals.more", "count", fmt.Sprint(len(items))))
	return err
}

func (s *session) table(items []Item) string {
	var head []string
	for _, key := range []string{"op", "deadline", "left", "tenant", "user", "risk", "summary"} {
		head = append(head, s.say("approvals."+key))
	}
	rows := make([][]string, len(items))
	for i, x := range items {
		what := x.Summary
		if what == "" { // ERPILOT_TEMPORAL_DETAILS=ids keeps words out
			what = x.Action + " " + x.Form
		}
		rows[i] = []string{x.OpID, s.clock(x.Deadline), terminal.Left(x.Deadline.Sub(s.Now()), s.locale), x.Tenant, x.User,
			terminal.Word("risk", x.Risk, s.locale), what}
	}
	return terminal.Table(head, rows)
}

// query is the visibility query of what waits. A terminated workflow keeps its
// attributes, so running is asked for as well.
func (c *ListCmd) query() string {
	q := `WorkflowType = "` + contract.WorkflowOperation + `" AND ExecutionStatus = "Running" AND ErpilotStatus = "` + string(operation.AwaitingApproval) + `"`
	for _, f := range [][2]string{{"ErpilotTenant", c.Tenant}, {"ErpilotUser", c.User}, {"ErpilotForm", c.Form}} {
		if f[1] != "" {
			q += " AND " + f[0] + ` = "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f[1]) + `"`
		}
	}
	return q
}

// waiting reads all that match, soonest deadline first.
func (s *session) waiting(ctx context.Context, c *ListCmd) ([]Item, error) {
	items := []Item{}
	var page []byte
	for {
		resp, err := s.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: c.query(), PageSize: 500, NextPageToken: page})
		if err != nil {
			return nil, fmt.Errorf("list workflows: %w", err)
		}
		for _, x := range resp.GetExecutions() {
			items = append(items, item(x))
		}
		if page = resp.GetNextPageToken(); len(page) == 0 || len(items) >= scanned {
			break
		}
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		if n := a.Deadline.Compare(b.Deadline); n != 0 {
			return n
		}
		return strings.Compare(a.OpID, b.OpID)
	})
	return items, nil
}

func item(x *workflow.WorkflowExecutionInfo) Item {
	attributes := x.GetSearchAttributes().GetIndexedFields()
	attr := func(name string) string { return decoded(attributes[name]) }
	i := Item{OpID: strings.TrimPrefix(x.GetExecution().GetWorkflowId(), contract.OperationWorkflowID("")), Tenant: attr("ErpilotTenant"),
		User: attr("ErpilotUser"), Form: attr("ErpilotForm"), Action: attr("ErpilotAction"), Risk: attr("ErpilotRisk"),
		Summary: decoded(x.GetMemo().GetFields()[contract.MemoSummary])}
	// A deadline that cannot be read is the zero time and comes first: look at it.
	i.Deadline, _ = time.Parse(time.RFC3339Nano, attr("ErpilotDeadline"))
	return i
}

// decoded is a text payload, "" when there is none.
func decoded(p *common.Payload) (s string) {
	if p == nil || converter.GetDefaultDataConverter().FromPayload(p, &s) != nil {
		return ""
	}
	return s
}
