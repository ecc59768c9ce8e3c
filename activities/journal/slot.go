package journal

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/turn"
)

// NextInLine is the turn that has queued longest for the running slot, nil when
// nobody queues or a turn runs. The caller signals it go_on after the commit; the
// turn then takes the slot itself. The caller holds the conversation.
func NextInLine(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID string) (*pgdb.Turn, error) {
	next, err := pgdb.New(tx).NextInLine(ctx, pgdb.NextInLineParams{TenantID: tenant.String(), ConversationID: conversationID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &next, err
}

// TurnKey is the natural key of a turn's event, the same whoever writes it.
func TurnKey(turnID, what string, segment int32) string {
	return "turn/" + turnID + "/" + what + "/" + strconv.Itoa(int(segment))
}

// CloseTurn ends an open turn whose workflow is gone: its questions are
// cancelled, their calls get a result, and the end is journalled. The turn that
// may run now is returned for go_on. Closed is false when the row had ended
// already.
func CloseTurn(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, row pgdb.Turn, status chat.TurnStatus, code fault.Code) (closed bool, next *pgdb.Turn, err error) {
	q := pgdb.New(tx)
	var errorCode *string
	if code != "" {
		s := string(code)
		errorCode = &s
	}
	// The conversation first, as everywhere: no two lock in opposite order.
	if _, err := q.LockConversation(ctx, pgdb.LockConversationParams{TenantID: tenant.String(), ConversationID: row.ConversationID}); err != nil {
		return false, nil, store.NotFound(err, "conversation")
	}
	n, err := q.EndTurn(ctx, pgdb.EndTurnParams{TenantID: tenant.String(), TurnID: row.TurnID, Status: string(status), ErrorCode: errorCode})
	if err != nil || n == 0 {
		return false, nil, err
	}
	pendings, err := q.ClosePendingsOfTurn(ctx, pgdb.ClosePendingsOfTurnParams{TenantID: tenant.String(), TurnID: &row.TurnID})
	if err != nil {
		return false, nil, err
	}
	entries, err := cancelled(ctx, q, tenant, pendings)
	if err != nil {
		return false, nil, err
	}
	entries = append(entries, Entry{Type: event.TurnEnded, Key: TurnKey(row.TurnID, "ended", row.Segment),
		Data: event.Ended{Segment: int(row.Segment), Status: string(status), Code: code}})
	if _, err := Append(ctx, tx, tenant, row.ConversationID, row.TurnID, entries...); err != nil {
		return false, nil, err
	}
	next, err = NextInLine(ctx, tx, tenant, row.ConversationID)
	return true, next, err
}

// cancelled gives the calls of cancelled pendings their result.
func cancelled(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, pendings []pgdb.Pending) ([]Entry, error) {
	var entries []Entry
	for _, p := range pendings {
		if p.CallID != nil {
			_, err := q.FinishCall(ctx, pgdb.FinishCallParams{TenantID: tenant.String(), CallID: *p.CallID,
				Result: json.RawMessage(`{"status":"cancelled","note":"The question was not answered; the turn has ended."}`)})
			if err != nil {
				return nil, err
			}
		}
		entries = append(entries, Entry{Type: event.PendingAnswered, Key: "pending/" + p.PendingID + "/closed",
			Data: event.Answer{PendingID: p.PendingID, CallID: store.Text(p.CallID), Status: string(chat.PendingCancelled)}})
	}
	return entries, nil
}

// Reopened is a failed turn that goes on.
type Reopened struct {
	Turn pgdb.Turn
	// State is where it goes on: after the last step whose calls all have a result.
	State turn.State
}

// Reopen opens a failed or limited turn again; it runs, or queues when another
// one does. The caller starts the workflow anew. An empty turn id means the
// newest turn. Codes: not_found, conflict (the turn cannot be resumed).
func Reopen(ctx context.Context, db *store.DB, carrier Carrier, tenant identity.Tenant, userID, conversationID, turnID string) (Reopened, error) {
	var r Reopened
	err := db.Tx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		var err error
		r, err = reopen(ctx, tx, tenant, userID, conversationID, turnID)
		return err
	})
	if err == nil {
		carrier.Wake(tenant, conversationID)
	}
	return r, err
}

func reopen(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, userID, conversationID, turnID string) (Reopened, error) {
	q := pgdb.New(tx)
	if _, err := lock(ctx, q, tenant, userID, conversationID); err != nil {
		return Reopened{}, err
	}
	row, err := turnOf(ctx, q, tenant, conversationID, turnID)
	if err != nil {
		return Reopened{}, store.NotFound(err, "turn")
	}
	if !chat.TurnStatus(row.Status).Resumable() {
		return Reopened{}, fault.New(fault.Conflict, "detail", "the turn is "+row.Status, "status", row.Status)
	}
	status, queuedAt := chat.Running, (*time.Time)(nil)
	switch _, err := q.RunningTurn(ctx, pgdb.RunningTurnParams{TenantID: tenant.String(), ConversationID: conversationID}); {
	case err == nil:
		now, err := q.DatabaseClock(ctx)
		if err != nil {
			return Reopened{}, err
		}
		status, queuedAt = chat.Waiting, &now
	case !errors.Is(err, pgx.ErrNoRows):
		return Reopened{}, err
	}
	n, err := q.ReopenTurn(ctx, pgdb.ReopenTurnParams{TenantID: tenant.String(), TurnID: row.TurnID, Status: string(status), QueuedAt: queuedAt})
	if err != nil {
		return Reopened{}, err
	}
	if n == 0 {
		return Reopened{}, fault.New(fault.Conflict, "detail", "the turn is not failed any more")
	}
	if row, err = q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: row.TurnID}); err != nil {
		return Reopened{}, err
	}
	if status == chat.Running {
		_, err := Append(ctx, tx, tenant, conversationID, row.TurnID, Entry{Type: event.TurnResumed,
			Key: TurnKey(row.TurnID, "resumed", row.Segment), Data: event.Run{Segment: int(row.Segment)}})
		if err != nil {
			return Reopened{}, err
		}
	}
	state, err := StateOfTurn(ctx, q, tenant, row.TurnID)
	return Reopened{Turn: row, State: state}, err
}

func turnOf(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, conversationID, turnID string) (pgdb.Turn, error) {
	if turnID == "" {
		return q.NewestTurn(ctx, pgdb.NewestTurnParams{TenantID: tenant.String(), ConversationID: conversationID})
	}
	row, err := q.Turn(ctx, pgdb.TurnParams{TenantID: tenant.String(), TurnID: turnID})
	if err == nil && row.ConversationID != conversationID {
		err = pgx.ErrNoRows
	}
	return row, err
}

// StateOfTurn is how far a turn has come by its stored replies: the last step
// whose calls all have a result. A step with open calls is carried out again
// from its stored reply, which costs no model call.
func StateOfTurn(ctx context.Context, q *pgdb.Queries, tenant identity.Tenant, turnID string) (turn.State, error) {
	last, err := q.LastReply(ctx, pgdb.LastReplyParams{TenantID: tenant.String(), TurnID: turnID})
	if errors.Is(err, pgx.ErrNoRows) {
		return turn.State{}, nil
	}
	if err != nil {
		return turn.State{}, err
	}
	open, err := q.UnfinishedCallsOfStep(ctx, pgdb.UnfinishedCallsOfStepParams{TenantID: tenant.String(), TurnID: turnID, Step: last.Step})
	if err != nil {
		return turn.State{}, err
	}
	if open > 0 {
		return turn.State{Step: int(last.Step) - 1}, nil
	}
	return turn.State{Step: int(last.Step)}, nil
}

// DropDead removes deltas of turns that do not run any more.
func DropDead(ctx context.Context, db *store.DB, tenant identity.Tenant, before time.Time) error {
	return db.FastTx(ctx, tenant, func(ctx context.Context, tx pgx.Tx) error {
		_, err := pgdb.New(tx).DeleteDeadDeltas(ctx, pgdb.DeleteDeadDeltasParams{TenantID: tenant.String(), Before: before})
		return err
	})
}
