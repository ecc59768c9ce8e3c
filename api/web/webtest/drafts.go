package webtest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/schema/draft"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/operation"
)

// DraftCard is the order of OrderCard, proposed from the third revision of its draft.
func DraftCard(suffix string, deadline time.Time) operation.Card {
	card := OrderCard(suffix, deadline)
	card.DraftID, card.DraftRevision = "draft-1", 3
	return card
}

// revised are the revisions of draft-1, oldest first: the second takes more of the
// first product, one product more and another day, the third says the same again,
// the fourth came after the proposal.
func revised() []erp.Preview {
	sheet := func(payload, total string) erp.Preview {
		p := OrderCard("", time.Time{}).Preview
		p.Payload, p.Total, p.Provisional, p.Lines = json.RawMessage(payload), total, false, nil
		return p
	}
	second := `{"delivery_date":"2026-12-08","lines":[{"product":"P-0001","quantity":"10"},{"product":"P-0002","quantity":"5"}]}`
	return []erp.Preview{
		sheet(`{"delivery_date":"2026-12-05","lines":[{"product":"P-0001","quantity":"8"}]}`, "1276.8"),
		sheet(second, "2140.5"), sheet(second, "2140.50"),
		sheet(`{"delivery_date":"2026-12-09","lines":[{"product":"P-0001","quantity":"1"}]}`, "159.6"),
	}
}

// drafts serves draft-1 to its owner, as api/gateway does.
func (g *Gateway) drafts(own func(pattern string, h func(w http.ResponseWriter, r *http.Request, user string))) {
	one := func(pattern string, h func(w http.ResponseWriter, r *http.Request, all []erp.Preview)) {
		own(pattern, func(w http.ResponseWriter, r *http.Request, user string) {
			if r.PathValue("id") != "draft-1" || user != "lin" {
				problem(w, 404, "not_found", nil)
				return
			}
			h(w, r, revised())
		})
	}
	one("GET /api/drafts/{id}/revisions", func(w http.ResponseWriter, _ *http.Request, all []erp.Preview) {
		list := []draft.Revision{}
		for n := len(all); n > 0; n-- {
			list = append(list, draft.Revision{DraftID: "draft-1", Revision: n, Values: all[n-1].Payload, Quote: draft.QuoteOf(all[n-1]), CreatedBy: "lin",
				CreatedAt: g.now().Add(time.Duration(n-9) * time.Minute)})
		}
		reply(w, 200, map[string]any{"revisions": list})
	})
	one("GET /api/drafts/{id}/diff", func(w http.ResponseWriter, r *http.Request, all []erp.Preview) {
		from, _ := strconv.Atoi(r.URL.Query().Get("from"))
		to, _ := strconv.Atoi(r.URL.Query().Get("to"))
		if min(from, to) < 1 || max(from, to) > len(all) {
			problem(w, 404, "not_found", nil)
			return
		}
		differences := draft.Diff(all[from-1], all[to-1])
		if differences == nil {
			differences = []draft.Difference{}
		}
		reply(w, 200, map[string]any{"draft_id": "draft-1", "from": from, "to": to, "differences": differences})
	})
}
