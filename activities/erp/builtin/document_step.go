package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// docStep is a change of documents whose facts are known and locked. gather fills
// it, check plans the effects, apply writes them.
type docStep struct {
	k *kind
	m masters
	// own is the document that is changed, nil when documents are made.
	own *document
	// docs are what is written whole: new documents, or own with other values.
	docs []*document
	// sources are what the documents draw from, in lock order; draws are the parts.
	sources []*document
	draws   []draw
	// payload is the normalised payload.
	payload map[string]any
	draft   *heldDraft
	list    []nouns.Fact
	notes   []nouns.Label
	// wrong is found while gathering and told after the facts are compared.
	wrong problems
	plan  plan
	// submitted says of a draft that it was submitted before.
	submitted bool
}

// draw is a part of a source's line (or, of what is owed, of its amount) that a
// new line takes.
type draw struct {
	source *document
	// from is nil for what is owed.
	from *docLine
	// path is where it was asked for.
	path     string
	quantity decimal.Decimal
	amount   decimal.Decimal
	tax      decimal.Decimal
}

func (s *docStep) facts() []nouns.Fact { return s.list }

func (s *docStep) fact(kind nouns.FactKind, form, key, field, sub string, label nouns.Label, object, value string) {
	s.list = append(s.list, nouns.Fact{Kind: kind, Form: form, Key: key, Field: field, Sub: sub, Label: label, Object: object, Value: value})
}

// noteDocument writes down the state of a document that is changed or drawn from.
func (s *docStep) noteDocument(d *document) {
	s.fact(nouns.FactState, d.kind.form, d.number, "status", "", nouns.Label{Zh: "状态", En: "Status"}, d.number, d.status)
	if next := d.kind.next(); next != nil {
		s.fact(nouns.FactState, d.kind.form, d.number, "waiting", "", nouns.Label{Zh: "未审核的下游单据数", En: "Documents drawn from it and not examined"}, d.number, strconv.Itoa(d.waiting))
		for _, l := range d.lines {
			sub := strconv.Itoa(l.LineNo)
			switch {
			case next.pays: // what is open is told below
			case next.delivers:
				s.fact(nouns.FactState, d.kind.form, d.number, "undelivered", sub, nouns.Label{Zh: "未交数量", En: "Not delivered"}, lineObject(d, l), l.Quantity.Sub(d.delivered[l.LineNo]).String())
				fallthrough
			default:
				s.fact(nouns.FactState, d.kind.form, d.number, "remaining", sub, nouns.Label{Zh: "剩余数量", En: "Remaining quantity"}, lineObject(d, l), l.remaining().String())
			}
		}
	}
	if d.kind.owed {
		s.fact(nouns.FactState, d.kind.form, d.number, "remaining", "", nouns.Label{Zh: "未结金额", En: "Open amount"}, d.number, d.open().String())
	}
	s.fact(nouns.FactVersion, d.kind.form, d.number, "version", "", nouns.Label{Zh: "记录版本", En: "Record version"}, d.number, strconv.FormatInt(d.version, 10))
}

// lineObject names a line in every language.
func lineObject(d *document, l *docLine) string {
	return fmt.Sprintf("%s #%d %s", d.number, l.LineNo, l.Product)
}

// notePartner writes down what was read of customer or supplier.
func (s *docStep) notePartner(j *job, pricing, balance bool) {
	p, form := s.m.partner, s.k.partner
	if p == nil {
		return
	}
	object := s.partnerName(j)
	name, state := nouns.Label{Zh: "客户名称", En: "Customer name"}, nouns.Label{Zh: "客户状态", En: "Customer status"}
	owed, label := "receivable", nouns.Label{Zh: "应收余额", En: "Receivable balance"}
	if form == "supplier" {
		name, state = nouns.Label{Zh: "供应商名称", En: "Supplier name"}, nouns.Label{Zh: "供应商状态", En: "Supplier status"}
		owed, label = "payable", nouns.Label{Zh: "应付余额", En: "Payable balance"}
	}
	s.fact(nouns.FactName, form, p.Code, "name", "", name, object, bothNames(p.Name, p.NameEn))
	if pricing {
		s.fact(nouns.FactState, form, p.Code, "active", "", state, object, strconv.FormatBool(p.Active))
		s.fact(nouns.FactPrice, form, p.Code, "currency", "", nouns.Label{Zh: "币种", En: "Currency"}, object, p.Currency)
	}
	if balance {
		s.fact(nouns.FactState, form, p.Code, owed, "", label, object, s.m.balance.String())
	}
}

func (s *docStep) partnerName(j *job) string {
	if p := s.m.partner; p != nil {
		return objectName(j.locale(), p.Name, p.NameEn, p.Code)
	}
	return ""
}

// noteNames writes down what a person reads of the products.
func (s *docStep) noteNames(j *job, codes []string) {
	for _, code := range codes {
		if x := s.m.products[code]; x != nil {
			object := objectName(j.locale(), x.Name, x.NameEn, x.Code)
			s.fact(nouns.FactName, "product", code, "name", "", nouns.Label{Zh: "产品名称", En: "Product name"}, object, bothNames(x.Name, x.NameEn))
			s.fact(nouns.FactName, "product", code, "unit", "", nouns.Label{Zh: "单位", En: "Unit"}, object, bothNames(x.Unit, x.UnitEn))
		}
	}
}

// noteStock writes down the levels of the places, in lock order: what is available
// where stock is promised, else what lies there.
func (s *docStep) noteStock(j *job, places []place) {
	for _, p := range places {
		field, label, value := "quantity", nouns.Label{Zh: "库存", En: "Stock on hand"}, s.m.stock[p].quantity
		if s.k.promises {
			field, label, value = "available", nouns.Label{Zh: "可用库存", En: "Available stock"}, s.m.stock[p].available()
		}
		s.fact(nouns.FactStock, "stock", p.product, field, p.warehouse, label, s.m.productName(j.locale(), p.product), value.String())
	}
}

// places are where the effects of the documents lie, in lock order; materials
// are among them.
func (s *docStep) places(docs ...*document) []place {
	var out []place
	for _, d := range docs {
		for _, l := range d.lines {
			out = append(out, place{l.Product, d.head["warehouse"]})
			if to := d.head["to_warehouse"]; to != "" {
				out = append(out, place{l.Product, to})
			}
			for _, x := range s.m.materials[l.Product] {
				out = append(out, place{x.Material, d.head["warehouse"]})
			}
		}
	}
	slices.SortFunc(out, place.compare)
	return slices.Compact(out)
}

func (s *docStep) rawPayload() (json.RawMessage, error) { return json.Marshal(s.payload) }

// bothNames is a name whichever language it was read in.
func bothNames(zh, en string) string {
	if en == "" {
		return zh
	}
	return zh + " / " + en
}
