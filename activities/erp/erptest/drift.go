package erptest

import (
	"context"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// drift: what the person saw has moved by the time of the write. Each is refused,
// names the fact with old and new value, writes nothing, and a fresh proposal works.
var drift = map[string]func(*testing.T, *suite){
	"a price": func(t *testing.T, s *suite) {
		s.drifts(t, s.order("2", "1"), fault.QuoteChanged, nouns.FactPrice, "1234.5", func(ctx context.Context) error {
			return s.Disturb.Price(ctx, s.Products[0], "1234.5")
		})
	},
	"a discount": func(t *testing.T, s *suite) {
		s.drifts(t, s.order("2", "1"), fault.QuoteChanged, nouns.FactPrice, "33", func(ctx context.Context) error {
			return s.Disturb.Discount(ctx, s.Customer, s.Products[1], "33")
		})
	},
	"a name": func(t *testing.T, s *suite) {
		s.drifts(t, s.order("2", "1"), fault.QuoteChanged, nouns.FactName, "", func(ctx context.Context) error {
			return s.Disturb.ProductName(ctx, s.Products[0], "改名的茶")
		})
	},
	"a stock level, though there is enough": func(t *testing.T, s *suite) {
		s.drifts(t, s.order("2", "1"), fault.StockChanged, nouns.FactStock, "", func(ctx context.Context) error {
			return s.Disturb.Stock(ctx, s.Products[0], "5")
		})
	},
	"a record": func(t *testing.T, s *suite) {
		c := nouns.Change{Form: "customer", Action: "update", Target: s.Customer, Payload: raw(map[string]any{"phone": "021-5555"})}
		s.drifts(t, c, fault.RecordChanged, nouns.FactVersion, "021-7777", func(ctx context.Context) error {
			return s.Disturb.Phone(ctx, s.Customer, "021-7777")
		})
	},
	"another field of the record": func(t *testing.T, s *suite) {
		c := nouns.Change{Form: "customer", Action: "update", Target: s.Customer, Payload: raw(map[string]any{"contact": "某人"})}
		s.drifts(t, c, fault.RecordChanged, nouns.FactVersion, "", func(ctx context.Context) error {
			return s.Disturb.Phone(ctx, s.Customer, "021-7777")
		})
	},
	"a product's status": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("2", "1"))
		must(t, s.Disturb.Discontinue(context.Background(), s.Products[0]))
		r := s.refused(t, x, fault.QuoteChanged)
		s.names(t, r, nouns.FactProductStatus)
	},
	"the customer's status": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("2", "1"))
		must(t, s.Disturb.Deactive(context.Background(), s.Customer))
		r := s.refused(t, x, fault.StateChanged)
		s.names(t, r, nouns.FactState)
	},
	"a document's state": func(t *testing.T, s *suite) {
		_, x := s.preview(t, nouns.Change{Form: "sales_order", Action: "cancel", Target: s.Open, Payload: raw(map[string]any{})})
		must(t, s.Disturb.Close(context.Background(), s.Open))
		r := s.refused(t, x, fault.StateChanged)
		s.names(t, r, nouns.FactState)
		if r.Old != "submitted" || r.New != "closed" {
			t.Errorf("old %q, new %q", r.Old, r.New)
		}
	},
	"a draft": func(t *testing.T, s *suite) {
		ctx := context.Background()
		draft, err := s.Drafts.New(ctx)
		must(t, err)
		c := s.order("2", "1")
		c.DraftID, c.DraftRevision = draft, 1
		_, x := s.preview(t, c)
		must(t, s.Drafts.Revise(ctx, draft))
		r := s.refused(t, x, fault.DraftChanged)
		s.names(t, r, nouns.FactDraft)
		if r.Old != "1" || r.New != "2" {
			t.Errorf("old %q, new %q", r.Old, r.New)
		}
		_, err = s.Connector.Preview(ctx, s.clerk, c)
		wantCode(t, err, fault.DraftChanged)
		c.DraftRevision = 2
		_, x = s.preview(t, c)
		s.executed(t, x)
	},
	"the validity of a quote": func(t *testing.T, s *suite) {
		ctx := context.Background()
		draft, err := s.Drafts.New(ctx)
		must(t, err)
		c := s.order("2", "1")
		c.DraftID, c.DraftRevision = draft, 1
		_, x := s.preview(t, c)
		must(t, s.Drafts.Lapse(ctx, draft))
		s.names(t, s.refused(t, x, fault.QuoteChanged), nouns.FactValidity)
	},
	"a draft of somebody else is unknown": func(t *testing.T, s *suite) {
		draft, err := s.Drafts.New(context.Background())
		must(t, err)
		c := s.order("2", "1")
		c.DraftID, c.DraftRevision = draft, 1
		_, err = s.Connector.Preview(context.Background(), s.manager, c)
		wantCode(t, err, fault.NotFound)
		c.DraftID = "not-a-draft"
		_, err = s.Connector.Preview(context.Background(), s.clerk, c)
		wantCode(t, err, fault.NotFound)
	},
	"what remains of a source": func(t *testing.T, s *suite) {
		if len(s.Chain) < 2 {
			return // nothing is made of anything here
		}
		ctx := context.Background()
		order := s.as(t, s.manager, s.previewAs(t, s.manager, s.order("10", "5"))).Bill
		s.as(t, s.manager, s.previewAs(t, s.manager, nouns.Change{Form: "sales_order", Action: "examine", Target: order, Payload: raw(map[string]any{})}))
		part := func(quantity string) nouns.Change {
			return nouns.Change{Form: s.Chain[1], Action: "generate", Payload: raw(nouns.Generate{SourceForm: s.Chain[0], Sources: []string{order},
				Lines: []nouns.SourceLine{{Source: order, LineNo: 1, Quantity: quantity}}})}
		}
		mine := s.previewAs(t, s.manager, part("3"))
		s.as(t, s.manager, s.previewAs(t, s.manager, part("2")))
		got, err := s.Connector.Execute(ctx, s.manager, mine)
		must(t, err)
		// There is still enough, but not what the person saw.
		if got.Status != nouns.CommitRefused || got.Refusal == nil || got.Refusal.Code != string(fault.StateChanged) {
			t.Fatalf("%+v", got)
		}
		s.names(t, got.Refusal, nouns.FactState)
		s.as(t, s.manager, s.previewAs(t, s.manager, part("8")))
		s.cannot(t, part("1"), "draw more than there was")
	},
	"facts that were left out count as moved": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("2", "1"))
		x.Facts = nil
		s.refused(t, x, fault.QuoteChanged)
	},
	"nothing that was not relied on": func(t *testing.T, s *suite) {
		_, x := s.preview(t, s.order("2", "1"))
		must(t, s.Disturb.Phone(context.Background(), s.Customer, "021-7777"))
		s.executed(t, x)
	},
}

// drifts previews, disturbs, expects the refusal, and proposes again.
func (s *suite) drifts(t *testing.T, c nouns.Change, code fault.Code, kind nouns.FactKind, value string, disturb func(context.Context) error) {
	t.Helper()
	_, x := s.preview(t, c)
	must(t, disturb(context.Background()))
	r := s.refused(t, x, code)
	s.names(t, r, kind)
	if value != "" && r.New != value {
		t.Errorf("the refusal says that it is %q now, want %q", r.New, value)
	}
	_, x = s.preview(t, c)
	s.executed(t, x)
}

func (s *suite) names(t *testing.T, r *nouns.Refusal, kind nouns.FactKind) {
	t.Helper()
	if r.Fact == nil || r.Fact.Kind != kind || r.Old == r.New || r.Old == "" {
		t.Errorf("the refusal is %+v about %+v, want the fact of kind %s with old and new value", r, r.Fact, kind)
	}
}
