package operation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/journal"
	"github.com/erpilot/erpilot/activities/store"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

// maxTodos bounds the list.
const maxTodos = 200

// Staged reads an operation of the user's own for the native form. Codes: not_found.
func (s *Service) Staged(ctx context.Context, tenant identity.Tenant, userID, opID string) (operation.Staging, error) {
	row, err := s.own(ctx, tenant, userID, opID)
	if err != nil {
		return operation.Staging{}, err
	}
	preview, err := previewOf(row)
	if err != nil {
		return operation.Staging{}, err
	}
	st := operation.Status(row.Status)
	g := operation.Staging{OpID: row.OpID, Form: row.TargetForm, Action: row.Action, OpType: schema.OpType(row.OpType), Target: row.TargetBill,
		Payload: row.Payload, AutoExecute: row.AutoExecute, Status: st, State: st.Todo(), Policy: row.Policy, Revision: int(row.Revision),
		Deadline: row.ExpiresAt.UTC(), Reason: row.Reason, ConversationID: store.Text(row.ConversationID), Title: title(preview),
		Object: preview.Object, Preview: preview, Bill: row.ResultBill, Link: row.ResultLink, Refusal: refusalOf(row),
		Open: operation.OpenURL(row.TargetForm, row.OpID), Editable: st == operation.HandedOff, Decided: journal.Outcome(row)}
	if row.HandoffExpiresAt != nil {
		g.Deadline = row.HandoffExpiresAt.UTC()
	}
	return g, nil
}

// Todos lists the user's own operations, newest first, at most 200; state "" is all.
func (s *Service) Todos(ctx context.Context, tenant identity.Tenant, userID string, state operation.TodoState) ([]operation.Todo, error) {
	states := []string{}
	for _, st := range operation.All {
		if state != "" && st.Todo() == state {
			states = append(states, string(st))
		}
	}
	var rows []pgdb.Operation
	err := s.DB.One(ctx, tenant, func(ctx context.Context, q *pgdb.Queries) (err error) {
		rows, err = q.TodosOfUser(ctx, pgdb.TodosOfUserParams{TenantID: tenant.String(), UserID: userID, States: states, MaxRows: maxTodos})
		return err
	})
	if err != nil {
		return nil, err
	}
	todos := make([]operation.Todo, len(rows))
	for i, row := range rows {
		todos[i] = todoOf(row)
	}
	return todos, nil
}

func todoOf(row pgdb.Operation) operation.Todo {
	c := journal.Card(row, "", schema.Capabilities{})
	t := operation.Todo{OpID: c.OpID, Form: row.TargetForm, Action: row.Action, Title: title(c.Preview), Object: c.Preview.Object,
		State: c.Status.Todo(), Status: c.Status, Deadline: c.Deadline, CreatedAt: c.CreatedAt, Bill: c.Bill, Link: c.Link, Refusal: c.Refusal,
		Retry: c.Status == operation.Failed, ConversationID: c.ConversationID}
	switch c.Status {
	case operation.Refused, operation.Expired, operation.Rejected, operation.Cancelled, operation.Abandoned:
		t.Repropose = c.ReplacedBy == ""
	}
	switch {
	case c.Open != "":
		t.Open = c.Open
	case c.Link != "":
		t.Open = c.Link
	case c.ConversationID != "":
		t.Open = "/c/" + c.ConversationID
	default:
		t.Open = "/inbox"
	}
	return t
}

func title(p schema.Preview) schema.Label {
	return schema.Label{Zh: p.Title("zh"), En: p.Title("en")}
}

// insertEdit keeps what a person typed.
func insertEdit(p pgdb.InsertOperationEditParams) func(context.Context, pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error { return pgdb.New(tx).InsertOperationEdit(ctx, p) }
}
