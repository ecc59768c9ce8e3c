package draft

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/erp"
)

func preview(payload, total string, lines ...erp.Line) erp.Preview {
	return erp.Preview{Form: "sales_order", Object: "晨光 (C-0001)", Payload: json.RawMessage(payload), Total: total, Currency: "CNY", Lines: lines,
		Diffs: []erp.Diff{{Field: "remark", Label: erp.Label{Zh: "备注", En: "Remark"}, Type: erp.Text, After: "x"},
			{Field: "total", Label: erp.Label{Zh: "总金额", En: "Total"}, After: total, Derived: true}},
		Facts: []erp.Fact{{Kind: erp.FactProductStatus, Form: "product", Key: "P-1", Field: "status", Value: "on_sale"}}}
}

func tea(quantity, price, amount string) erp.Line {
	return erp.Line{Product: "P-1", ProductName: "龙井", Unit: "箱", Quantity: quantity, BasePrice: price, Discount: "0", UnitPrice: price, Amount: amount, StockBefore: "40"}
}

func TestAQuoteHoldsWhatTheLinesWereWorth(t *testing.T) {
	t.Parallel()
	q := QuoteOf(preview(`{"customer":"C-0001"}`, "1200", tea("10", "120", "1200")))
	if len(q.Lines) != 1 || q.Lines[0].Status != "on_sale" || q.Lines[0].StockBefore != "40" || q.Lines[0].BasePrice != "120" {
		t.Errorf("%+v", q.Lines)
	}
	if len(q.Fields) != 1 || q.Fields[0].Field != "remark" {
		t.Errorf("%+v", q.Fields)
	}
	raw, err := json.Marshal(q.Lines[0])
	if err != nil {
		t.Fatal(err)
	}
	var flat map[string]any
	if err := json.Unmarshal(raw, &flat); err != nil || flat["product_name"] != "龙井" || flat["status"] != "on_sale" {
		t.Errorf("%s", raw)
	}
	if p, q := ParseQuote(json.RawMessage(`{`)); p.Form != "" || q.Object != "" {
		t.Error("what cannot be read is not empty")
	}
}

// short tells a difference in one line.
func short(list []Difference) (out []string) {
	for _, d := range list {
		s := string(d.Kind) + " " + d.Field
		if d.Object != "" {
			s += " of " + d.Object
		}
		s += ": " + d.Before + " → " + d.After
		if d.Derived {
			s += " (derived)"
		}
		out = append(out, s)
	}
	return out
}

func TestRevisionsAreComparedByFieldAndLine(t *testing.T) {
	t.Parallel()
	a := preview(`{"customer":"C-0001","remark":"急","lines":[{"product":"P-1","quantity":"10"},{"product":"P-2","quantity":"5"}]}`, "1400",
		tea("10", "120", "1200"), erp.Line{Product: "P-2", ProductName: "铁观音", Unit: "箱", Quantity: "5", UnitPrice: "40", Amount: "200"})
	b := preview(`{"customer":"C-0002","delivery_date":"2026-05-06","lines":[{"product":"P-3","quantity":"1"},{"product":"P-1","quantity":"12"}]}`, "1570",
		erp.Line{Product: "P-3", ProductName: "礼盒", Unit: "盒", Quantity: "1", UnitPrice: "10", Amount: "10"}, tea("12", "130", "1560"))
	want := []string{
		"changed customer: C-0001 → C-0002",
		"added delivery_date:  → 2026-05-06",
		"removed remark: 急 → ",
		"added lines of 礼盒 (P-3):  → 1 盒 礼盒 (P-3)",
		"changed quantity of 龙井 (P-1): 10 → 12",
		"changed amount of 龙井 (P-1): 1200 → 1560 (derived)",
		"changed base_price of 龙井 (P-1): 120 → 130 (derived)",
		"changed unit_price of 龙井 (P-1): 120 → 130 (derived)",
		"removed lines of 铁观音 (P-2): 5 箱 铁观音 (P-2) → ",
		"changed total: 1400 → 1570 (derived)",
	}
	got := Diff(a, b)
	if diff := cmp.Diff(want, short(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, d := range got {
		switch d.Field {
		case "remark":
			if d.Label.Zh != "备注" || d.Line != 0 {
				t.Errorf("%+v", d)
			}
		case "quantity":
			if d.Line != 2 || d.Type != erp.Decimal || d.Label.En != "Quantity" {
				t.Errorf("%+v", d)
			}
		}
	}
}

func TestTheSameIsNoDifference(t *testing.T) {
	t.Parallel()
	a := preview(`{"customer":"C","lines":[{"product":"P-1","quantity":"10"}]}`, "1200", tea("10", "120", "1200"))
	b := preview(`{"lines":[{"quantity":10.00,"product":"P-1"}],"customer":"C"}`, "1200.00", tea("10", "120.0000", "1200.00"))
	if got := Diff(a, b); got != nil {
		t.Errorf("%v", short(got))
	}
	if got := Diff(erp.Preview{}, erp.Preview{Payload: json.RawMessage(`{"name":"N"}`)}); len(got) != 1 || got[0].Kind != Added {
		t.Errorf("%v", short(got))
	}
}

func TestOnlyAPriceThatMovedIsDerived(t *testing.T) {
	t.Parallel()
	payload := `{"customer":"C","lines":[{"product":"P-1","quantity":"10"}]}`
	for _, d := range Diff(preview(payload, "1200", tea("10", "120", "1200")), preview(payload, "1300", tea("10", "130", "1300"))) {
		if !d.Derived {
			t.Errorf("%+v", d)
		}
	}
}

func TestTwoLinesOfOneProductKeepTheirOrder(t *testing.T) {
	t.Parallel()
	a := erp.Preview{Payload: json.RawMessage(`{"lines":[{"product":"P","quantity":"1"},{"product":"P","quantity":"2"}]}`)}
	b := erp.Preview{Payload: json.RawMessage(`{"lines":[{"product":"P","quantity":"1"},{"product":"P","quantity":"3"}]}`)}
	if diff := cmp.Diff([]string{"changed quantity of P: 2 → 3"}, short(Diff(a, b))); diff != "" {
		t.Error(diff)
	}
}
