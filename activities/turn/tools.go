package turn

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// maxResult bounds what a result adds to the prompt, in bytes of JSON.
const maxResult = 24 << 10

// sideBySide is how many reads of one step run at the same time.
const sideBySide = 4

// done is the outcome of a tool: JSON for the model and numbers for the screen.
type done struct {
	result  any
	rows    int
	total   int
	summary string
}

// carryOut runs reads side by side and then drafts in order. Calls that have a
// result are skipped, so that a retried activity does nothing twice.
func (s *Service) carryOut(ctx context.Context, a agent, calls []turn.Call) error {
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	for _, c := range calls {
		if c.Effect == tool.Read {
			group.Go(func() error { return s.call(gctx, a, c.CallID) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, c := range calls {
		if c.Effect != tool.Read {
			if err := s.call(ctx, a, c.CallID); err != nil {
				return err
			}
		}
	}
	return nil
}

// call runs one call and stores its result. What the ERP answers, also a
// refusal, is a result; only infrastructure trouble is an error.
func (s *Service) call(ctx context.Context, a agent, callID string) error {
	var row pgdb.Call
	err := s.DB.One(ctx, a.tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		row, err = q.Call(ctx, pgdb.CallParams{TenantID: a.turn.TenantID, CallID: callID})
		return err
	})
	if err != nil || row.Status == "finished" {
		return err
	}
	began := time.Now()
	var out done
	switch row.Tool {
	case tool.FindForms:
		out, err = s.findForms(ctx, a, row)
	case tool.ReadForm:
		out, err = s.readForm(ctx, a, row)
	case tool.SaveDraft:
		out, err = s.saveDraft(ctx, a, row)
	default:
		err = fault.New(fault.ToolUnknown, "tool", row.Tool)
	}
	finished := event.ToolDone{CallID: callID, Tool: row.Tool, Status: "ok", Rows: out.rows, Total: out.total, Summary: out.summary,
		Millis: time.Since(began).Milliseconds()}
	var result json.RawMessage
	if err != nil {
		code := fault.CodeOf(err)
		if code == fault.Internal || code == fault.Unavailable || errors.Is(err, context.Canceled) {
			return err
		}
		result = errorResult(err)
		finished.Status, finished.Code, finished.Params = "error", code, fault.ParamsOf(err)
	} else {
		result = mustJSON(out.result)
	}
	return s.finish(ctx, a, row, result, finished)
}

// finish stores the one result of a call and tells the journal.
func (s *Service) finish(ctx context.Context, a agent, row pgdb.Call, result json.RawMessage, finished event.ToolDone) error {
	err := s.DB.Tx(ctx, a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := pgdb.New(tx).FinishCall(ctx, pgdb.FinishCallParams{TenantID: a.turn.TenantID, CallID: row.CallID, Result: result,
			Failed: finished.Status == "error"}); err != nil {
			return err
		}
		_, err := journal.Append(ctx, tx, a.tenant, a.turn.ConversationID, a.turn.TurnID,
			journal.Entry{Type: event.ToolFinished, Key: "call/" + row.CallID + "/finished", Data: finished})
		return err
	})
	if err == nil {
		s.Carrier.Wake(a.tenant, a.turn.ConversationID)
	}
	return err
}

func arguments[T any](row pgdb.Call) (args T, err error) {
	if err := json.Unmarshal([]byte(row.Arguments), &args); err != nil {
		return args, fault.New(fault.ArgumentsInvalid, "tool", row.Tool, "detail", "arguments do not fit the tool")
	}
	return args, nil
}

// readForm reads within the grants; long pages are cut and say so.
func (s *Service) readForm(ctx context.Context, a agent, row pgdb.Call) (done, error) {
	args, err := arguments[tool.ReadFormArgs](row)
	if err != nil {
		return done{}, err
	}
	if args.Action != "" {
		if err := s.readAction(ctx, a, args.Form, args.Action); err != nil {
			return done{}, err
		}
	}
	q := args.Query
	page, err := s.ERP.Read(ctx, a.id, q)
	if err != nil {
		return done{}, err
	}
	out := done{rows: len(page.Rows), total: page.Total}
	switch q.Mode {
	case erp.Count:
		out.result = map[string]any{"form": page.Form, "count": page.Total}
	case erp.Record:
		out.result, out.rows = map[string]any{"form": page.Form, "record": page.Record}, 1
	default:
		cut := false
		for len(page.Rows) > 1 && len(mustJSON(page.Rows)) > maxResult {
			page.Rows = page.Rows[:len(page.Rows)/2]
			cut = true
		}
		if cut { // the cursor stands after rows that were not shown
			page.Truncated, page.NextCursor = true, ""
		}
		out.rows = len(page.Rows)
		rows := page.Rows
		if rows == nil {
			rows = []erp.Row{}
		}
		result := map[string]any{"form": page.Form, "rows": rows, "total": page.Total, "truncated": page.Truncated,
			"next_cursor": page.NextCursor}
		if args.Action != "" { // the page of the form carries the action out as a whole
			result["action"], result["open"] = args.Action, "/erp/form/"+page.Form
		}
		out.result = result
	}
	return out, nil
}

// readAction refuses what is no reading action of the form.
func (s *Service) readAction(ctx context.Context, a agent, form, action string) error {
	f, err := s.ERP.Schema(ctx, a.id, form)
	if err != nil {
		return err
	}
	for _, x := range f.Actions {
		switch {
		case x.Action != action:
		case x.Write:
			return fault.New(fault.ArgumentsInvalid, "tool", tool.ReadForm, "detail", "the action "+action+" writes; it belongs to propose_write")
		default:
			return nil
		}
	}
	return fault.New(fault.ArgumentsInvalid, "tool", tool.ReadForm, "detail", "the form "+form+" has no reading action "+clip(action, 64))
}
