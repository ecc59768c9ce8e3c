package erp

import "github.com/erpilot/erpilot/schema/fault"

// Refusal is the code to which a moved fact of the kind leads.
func (k FactKind) Refusal() fault.Code {
	switch k {
	case FactStock:
		return fault.StockChanged
	case FactVersion:
		return fault.RecordChanged
	case FactState:
		return fault.StateChanged
	case FactDraft:
		return fault.DraftChanged
	case FactPrice, FactName, FactProductStatus, FactValidity:
	}
	return fault.QuoteChanged
}

// Moved finds the first fact, in the order of is, that is not as it was; nil when
// all hold. A fact that appeared or vanished has moved too.
func Moved(was, is []Fact) *Refusal {
	type key struct {
		kind                  FactKind
		form, key, field, sub string
	}
	of := func(f Fact) key { return key{f.Kind, f.Form, f.Key, f.Field, f.Sub} }
	old := make(map[key]Fact, len(was))
	for _, f := range was {
		old[of(f)] = f
	}
	refuse := func(f Fact, from, to string) *Refusal {
		return &Refusal{Code: string(f.Kind.Refusal()), Fact: &f, Old: from, New: to}
	}
	for _, f := range is {
		o, ok := old[of(f)]
		if !ok || o.Value != f.Value {
			return refuse(f, o.Value, f.Value)
		}
		delete(old, of(f))
	}
	for _, f := range was {
		if _, ok := old[of(f)]; ok {
			return refuse(f, f.Value, "")
		}
	}
	return nil
}
