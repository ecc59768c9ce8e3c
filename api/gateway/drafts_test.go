package gateway_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/draft"
)

// draft saves revisions of one draft, each a quantity of tea.
func (b *bundle) draft(conv, user string, quantities ...string) string {
	b.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	err := b.db.Tx(context.Background(), east, func(ctx context.Context, tx pgx.Tx) error {
		q := pgdb.New(tx)
		if err := q.InsertDraft(ctx, pgdb.InsertDraftParams{TenantID: east.String(), DraftID: id, ConversationID: conv, UserID: user, Form: "sales_order"}); err != nil {
			return err
		}
		for i, quantity := range quantities {
			if i > 0 {
				if _, err := q.NextDraftRevision(ctx, pgdb.NextDraftRevisionParams{TenantID: east.String(), DraftID: id}); err != nil {
					return err
				}
			}
			values := `{"customer":"C-0001","lines":[{"product":"P-0001","quantity":"` + quantity + `"}]}`
			if err := q.InsertDraftRevision(ctx, pgdb.InsertDraftRevisionParams{TenantID: east.String(), DraftID: id, Revision: int32(i + 1), Payload: []byte(values),
				Quote: []byte(`{"form":"sales_order","form_label":{"zh":"销售订单","en":"Sales order"},"object":"晨光","payload":` + values + `,"total":"` + quantity + `","currency":"CNY",
					"lines":[{"product":"P-0001","product_name":"龙井","quantity":"` + quantity + `","unit":"箱","stock_before":"40"}],
					"facts":[{"kind":"product_status","form":"product","key":"P-0001","field":"status","value":"on_sale"}]}`),
				ValidUntil: time.Now().Add(time.Hour), CreatedBy: user}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

func TestOldRevisionsOfADraftStayReadable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	id := b.draft(conv, "u1", "10", "12", "12.0")
	var list struct{ Drafts []draft.Draft }
	a := b.do("GET", "/api/drafts?conversation="+conv, nil)
	if err := json.Unmarshal(a.body, &list); err != nil || len(list.Drafts) != 1 || list.Drafts[0].DraftID != id || list.Drafts[0].Revision != 3 ||
		list.Drafts[0].Object != "晨光" || list.Drafts[0].FormLabel.En != "Sales order" || list.Drafts[0].Total != "12.0" {
		t.Fatalf("%s", a.body)
	}
	var one struct {
		Draft    draft.Draft
		Revision draft.Revision
	}
	a = b.do("GET", "/api/drafts/"+id, nil)
	if err := json.Unmarshal(a.body, &one); err != nil || one.Revision.Revision != 3 || one.Draft.DraftID != id {
		t.Fatalf("%s", a.body)
	}
	var all struct{ Revisions []draft.Revision }
	a = b.do("GET", "/api/drafts/"+id+"/revisions", nil)
	if err := json.Unmarshal(a.body, &all); err != nil || len(all.Revisions) != 3 || all.Revisions[2].Revision != 1 {
		t.Fatalf("%s", a.body)
	}
	var first draft.Revision
	a = b.do("GET", "/api/drafts/"+id+"/revisions/1", nil)
	if err := json.Unmarshal(a.body, &first); err != nil || first.Quote.Lines[0].Quantity != "10" || first.Quote.Lines[0].Status != "on_sale" ||
		first.Quote.Lines[0].StockBefore != "40" || !strings.Contains(string(first.Values), `"10"`) || !first.ValidUntil.After(time.Now()) {
		t.Fatalf("%s", a.body)
	}
	var diff struct {
		From, To    int
		Differences []draft.Difference
	}
	a = b.do("GET", "/api/drafts/"+id+"/diff?from=1&to=2", nil)
	if err := json.Unmarshal(a.body, &diff); err != nil || len(diff.Differences) != 2 || diff.Differences[0].Field != "quantity" ||
		diff.Differences[0].Line != 1 || diff.Differences[1].Field != "total" || !diff.Differences[1].Derived {
		t.Fatalf("%s", a.body)
	}
	a = b.do("GET", "/api/drafts/"+id+"/diff", nil) // the newest and the one before: 12 and 12.0
	if err := json.Unmarshal(a.body, &diff); err != nil || diff.From != 2 || diff.To != 3 || len(diff.Differences) != 0 {
		t.Fatalf("%s", a.body)
	}
}

func TestDraftsOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conv := b.conversation()
	id := b.draft(conv, "u1", "10")
	other, west := b.login("east", "han"), b.login("west", "li")
	paths := []string{"/api/drafts?conversation=" + conv, "/api/drafts/" + id, "/api/drafts/" + id + "/revisions", "/api/drafts/" + id + "/revisions/1",
		"/api/drafts/" + id + "/diff?from=1&to=1"}
	for _, path := range paths {
		for who, token := range map[string]string{"a colleague": other, "another tenant": west} {
			if a := b.as(token, "GET", path, nil); a.status != http.StatusNotFound {
				t.Errorf("%s gets %s: %d %s", who, path, a.status, a.body)
			}
		}
		if a := b.as("", "GET", path, nil); a.status != http.StatusUnauthorized {
			t.Errorf("nobody gets %s: %d", path, a.status)
		}
	}
	for path, want := range map[string]int{"/api/drafts": http.StatusBadRequest, "/api/drafts?conversation=%00": http.StatusBadRequest,
		"/api/drafts/nope": http.StatusNotFound, "/api/drafts/" + id + "/revisions/2": http.StatusNotFound,
		"/api/drafts/" + id + "/revisions/0": http.StatusBadRequest, "/api/drafts/" + id + "/revisions/x": http.StatusBadRequest,
		"/api/drafts/" + id + "/diff?from=1&to=99999999999": http.StatusBadRequest, "/api/drafts/" + id + "/diff?from=7": http.StatusNotFound} {
		if a := b.do("GET", path, nil); a.status != want {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	b.exec("UPDATE conversations SET deleted_at = now() WHERE conversation_id = $1", conv)
	for _, path := range paths {
		if a := b.do("GET", path, nil); a.status != http.StatusNotFound {
			t.Errorf("a deleted conversation: %s: %d", path, a.status)
		}
	}
}
