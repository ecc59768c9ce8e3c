package erp_test

import (
	"testing"

	"github.com/erpilot/erpilot/schema/erp"
)

func TestMovedNamesTheFirstFactInLockOrder(t *testing.T) {
	t.Parallel()
	fact := func(kind erp.FactKind, key, value string) erp.Fact {
		return erp.Fact{Kind: kind, Form: "product", Key: key, Field: "f", Value: value}
	}
	was := []erp.Fact{fact(erp.FactPrice, "A", "1"), fact(erp.FactStock, "A", "5"), fact(erp.FactStock, "B", "6")}
	if r := erp.Moved(was, was); r != nil {
		t.Errorf("nothing moved, but %+v", r)
	}
	is := []erp.Fact{fact(erp.FactPrice, "A", "1"), fact(erp.FactStock, "A", "4"), fact(erp.FactStock, "B", "7")}
	if r := erp.Moved(was, is); r == nil || r.Code != "stock_changed" || r.Old != "5" || r.New != "4" || r.Fact.Key != "A" {
		t.Errorf("%+v", r)
	}
	if r := erp.Moved(was, was[:2]); r == nil || r.Old != "6" || r.New != "" || r.Fact.Key != "B" {
		t.Errorf("a fact that vanished: %+v", r)
	}
	if r := erp.Moved(was[1:], was); r == nil || r.Code != "quote_changed" || r.Old != "" || r.New != "1" {
		t.Errorf("a fact that appeared: %+v", r)
	}
}
