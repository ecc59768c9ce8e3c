package turn

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/activity"

	"github.com/erpilot/erpilot/activities/faults"
	"github.com/erpilot/erpilot/activities/heartbeat"
	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
	"github.com/erpilot/erpilot/workflows/contract"
)

// Generate asks the model for the next steps of a turn and carries out their
// reads, until something needs the workflow.
func (s *Service) Generate(ctx context.Context, in contract.GenerateInput) (contract.GenerateResult, error) {
	ctx, stop := heartbeat.Start(ctx)
	defer stop()
	a, err := s.load(ctx, in.Tenant, in.TurnID)
	if err != nil {
		return contract.GenerateResult{}, err
	}
	state := in.State
	for first := true; ; first = false {
		replied, err := s.step(ctx, a, state.Step+1)
		if err != nil {
			if !first && ctx.Err() == nil && !faults.Final(err) {
				return contract.GenerateResult{State: state, Plan: turn.Plan{Verdict: turn.Continue}}, nil
			}
			return contract.GenerateResult{}, err
		}
		state.ModelCalls++
		var plan turn.Plan
		state, plan = turn.Next(state, replied, in.Limits)
		if err := s.carryOut(ctx, a, plan.Run); err != nil {
			return contract.GenerateResult{}, err
		}
		if plan.Verdict != turn.Continue {
			plan.Run = nil // carried out; the history need not know
			return contract.GenerateResult{State: state, Plan: plan}, nil
		}
	}
}

// step returns the stored reply of a step, asking the model when there is none.
func (s *Service) step(ctx context.Context, a agent, step int) (turn.Replied, error) {
	stored, found, err := s.stored(ctx, a, step)
	if err != nil || found {
		return stored, err
	}
	request, err := s.transcript(ctx, a)
	if err != nil {
		return turn.Replied{}, err
	}
	messageID := messageID(a.turn.TurnID, step)
	attempt := attemptNumber()
	if activity.GetInfo(ctx).Attempt > 1 {
		s.reset(ctx, a, messageID, attempt)
	}
	out := newSink(s, a, messageID, attempt)
	ask, cancel := context.WithTimeout(ctx, s.Config.modelTimeout())
	defer cancel()
	reply, err := s.Model.Generate(ask, request, out)
	out.flush()
	if err != nil {
		if out.wrote {
			s.reset(ctx, a, messageID, attempt+1)
		}
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return turn.Replied{}, fault.Wrap(fault.ModelUnavailable, err)
		}
		return turn.Replied{}, err
	}
	return s.keep(ctx, a, step, messageID, attempt, reply)
}

// messageID is the same for every attempt of a step, so that a retried stream
// replaces its own message.
func messageID(turnID string, step int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("erpilot message "+turnID+" "+strconv.Itoa(step))).String()
}

// epoch keeps attempt numbers small; see attemptNumber.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// attemptNumber rises with each try of a step, whichever activity makes it:
// seconds, because between two tries lies a pause of at least one.
func attemptNumber() int { return int(time.Since(epoch) / time.Second) }

// reset takes back what was streamed of a message.
func (s *Service) reset(ctx context.Context, a agent, messageID string, attempt int) {
	s.Carrier.Forget(ctx, a.tenant, a.turn.ConversationID, messageID, attempt-1)
	err := s.DB.FastTx(context.WithoutCancel(ctx), a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := journal.Append(ctx, tx, a.tenant, a.turn.ConversationID, a.turn.TurnID, journal.Entry{Type: event.MessageReset,
			Key: "message/" + messageID + "/reset/" + strconv.Itoa(attempt), Data: event.Reset{MessageID: messageID, Attempt: attempt}})
		return err
	})
	if err != nil { // the stored message replaces the text anyway
		s.Log.WarnContext(ctx, "a message reset was not journalled", "turn_id", a.turn.TurnID, "error", err)
	}
	s.Carrier.Wake(a.tenant, a.turn.ConversationID)
}

// stored reads a step that has a reply.
func (s *Service) stored(ctx context.Context, a agent, step int) (turn.Replied, bool, error) {
	var r turn.Replied
	found := false
	err := s.DB.One(ctx, a.tenant, func(ctx context.Context, q *pgdb.Queries) error {
		reply, err := q.Reply(ctx, pgdb.ReplyParams{TenantID: a.turn.TenantID, TurnID: a.turn.TurnID, Step: int32(step)})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		calls, err := q.CallsOfStep(ctx, pgdb.CallsOfStepParams{TenantID: a.turn.TenantID, TurnID: a.turn.TurnID, Step: int32(step)})
		if err != nil {
			return err
		}
		found = true
		r = turn.Replied{Step: step, HasText: reply.Text != "", Finish: turn.Finish(reply.Finish)}
		for _, c := range calls {
			r.Calls = append(r.Calls, turn.Call{CallID: c.CallID, Tool: c.Tool, Effect: tool.Effect(c.Effect), Invalid: c.Effect == invalid})
		}
		return nil
	})
	return r, found, err
}

// invalid is the effect column of a call that can only go back to the model.
const invalid = "invalid"

// maxCalls caps the calls of one reply.
const maxCalls = 16

// keep stores a reply with its calls and tells the journal, in one transaction.
func (s *Service) keep(ctx context.Context, a agent, step int, messageID string, attempt int, reply turn.Reply) (turn.Replied, error) {
	reply.Text, reply.Reasoning = printable(reply.Text), printable(reply.Reasoning)
	r := turn.Replied{Step: step, HasText: reply.Text != "", Finish: reply.Finish}
	if len(reply.Calls) > maxCalls {
		reply.Calls = reply.Calls[:maxCalls]
	}
	var entries []journal.Entry
	if reply.Text != "" {
		entries = append(entries, journal.Entry{Type: event.MessageStored, Key: "message/" + messageID,
			Data: event.Message{MessageID: messageID, Step: step, Text: reply.Text, Reasoning: reply.Reasoning, Model: reply.Model}})
	}
	rows := make([]pgdb.InsertCallParams, 0, len(reply.Calls))
	for i, rc := range reply.Calls {
		row, done := s.callRow(a, step, i, rc)
		rows = append(rows, row)
		r.Calls = append(r.Calls, turn.Call{CallID: row.CallID, Tool: row.Tool, Effect: tool.Effect(row.Effect), Invalid: row.Effect == invalid})
		entries = append(entries, journal.Entry{Type: event.ToolStarted, Key: "call/" + row.CallID + "/started", Data: event.Tool{CallID: row.CallID,
			MessageID: messageID, Tool: row.Tool, Effect: tool.Effect(row.Effect), Risk: tool.Risk(row.Risk), Arguments: row.Arguments}})
		if done != nil {
			entries = append(entries, journal.Entry{Type: event.ToolFinished, Key: "call/" + row.CallID + "/finished", Data: *done})
		}
	}
	err := s.DB.Tx(ctx, a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		n, err := q.InsertReply(ctx, pgdb.InsertReplyParams{TenantID: a.turn.TenantID, TurnID: a.turn.TurnID, Step: int32(step), MessageID: messageID,
			Text: reply.Text, Finish: string(reply.Finish), Model: reply.Model, InputTokens: int32(reply.Usage.InputTokens),
			OutputTokens: int32(reply.Usage.OutputTokens)})
		if err != nil {
			return err
		}
		if n == 0 { // a zombie attempt was faster; its reply stands
			return errRaced
		}
		if reply.Text != "" {
			if err := q.InsertMessage(ctx, pgdb.InsertMessageParams{TenantID: a.turn.TenantID, MessageID: messageID, ConversationID: a.turn.ConversationID,
				TurnID: a.turn.TurnID, Role: "assistant", Step: int32(step), Text: reply.Text, Reasoning: reply.Reasoning}); err != nil {
				return err
			}
		}
		for _, row := range rows {
			if err := q.InsertCall(ctx, row); err != nil {
				return err
			}
		}
		_, err = journal.Append(ctx, tx, a.tenant, a.turn.ConversationID, a.turn.TurnID, entries...)
		return err
	})
	if errors.Is(err, errRaced) {
		stored, _, err := s.stored(ctx, a, step)
		return stored, err
	}
	if err != nil {
		return r, err
	}
	s.Carrier.Forget(ctx, a.tenant, a.turn.ConversationID, messageID, attempt)
	s.Carrier.Wake(a.tenant, a.turn.ConversationID)
	return r, nil
}

var errRaced = errors.New("another attempt stored this step")

// callRow validates a call and makes its row. An invalid one is finished at
// once: its result tells the model what is wrong.
func (s *Service) callRow(a agent, step, position int, rc turn.RequestCall) (pgdb.InsertCallParams, *event.ToolDone) {
	now := time.Now().UTC()
	row := pgdb.InsertCallParams{TenantID: a.turn.TenantID, CallID: uuid.Must(uuid.NewV7()).String(), ConversationID: a.turn.ConversationID,
		TurnID: a.turn.TurnID, Step: int32(step), Position: int32(position), ProviderID: strconv.Itoa(step) + "/" + strconv.Itoa(position) + "/" + rc.ProviderID,
		Tool: clip(rc.Tool, 64), Effect: invalid, Risk: string(tool.RiskRead), Arguments: clip(rc.Arguments, 4000), Status: "started"}
	canonical, fingerprint, refused := model.Validate(s.Catalogue, rc)
	if refused != nil {
		row.Status, row.Failed, row.FinishedAt = "finished", true, &now
		row.Result = errorResult(refused)
		return row, &event.ToolDone{CallID: row.CallID, Tool: row.Tool, Status: "error", Code: refused.Code}
	}
	t, _ := s.Catalogue.Find(rc.Tool)
	row.Effect, row.Arguments, row.ArgumentsFingerprint, row.ToolSchemaVersion = string(t.Effect), string(canonical), fingerprint, int32(t.SchemaVersion)
	if t.Effect == tool.Write {
		row.Risk = string(tool.RiskConfirm)
	}
	return row, nil
}

// errorResult is what the model reads of a call that could not be carried out,
// field by field where the ERP said so.
func errorResult(err error) []byte {
	told := map[string]any{"code": fault.CodeOf(err), "params": fault.ParamsOf(err)}
	if p := fault.ProblemsOf(err); len(p) > 0 {
		told["problems"] = p[:min(len(p), maxProblems)]
	}
	return mustJSON(map[string]any{"error": told, "note": "Nothing was carried out. Correct the call, or tell the person."})
}

// maxProblems bounds how many wrong fields one result tells.
const maxProblems = 20

// clip cuts a text to n bytes at a rune border; NUL, which Postgres cannot hold,
// becomes a space.
func clip(s string, n int) string {
	b := make([]rune, 0, min(len(s), n))
	size := 0
	for _, r := range s {
		if r == 0 {
			r = ' '
		}
		if size += len(string(r)); size > n {
			break
		}
		b = append(b, r)
	}
	return string(b)
}
