package demo_test

import (
	"reflect"
	"testing"

	"github.com/erpilot/erpilot/schema/demo"
)

// whole collects a year; scale 1 fits.
func whole(t demo.Tenant) demo.Batch {
	all := demo.Batch{Documents: map[string][]*demo.Document{}}
	for b := range t.Year() {
		for form, list := range b.Documents {
			all.Documents[form] = append(all.Documents[form], list...)
		}
		all.Ledger = append(all.Ledger, b.Ledger...)
		all.Stock, all.Counters = b.Stock, b.Counters
	}
	return all
}

func TestAYearIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	company := demo.Companies(1)[1]
	if !reflect.DeepEqual(whole(company), whole(company)) || !reflect.DeepEqual(demo.Companies(1)[1], company) {
		t.Error("two runs differ")
	}
}

func TestAYearHasEveryKindInEveryState(t *testing.T) {
	t.Parallel()
	for i, company := range demo.Companies(1) {
		y := whole(company)
		if n := y.Size(); i == 0 && (n < 18_000 || n > 26_000) || n < 1_500 {
			t.Errorf("%s: %d documents", company.Tenant, n)
		}
		states := map[string]int{}
		for form, list := range y.Documents {
			for _, d := range list {
				states[form+" "+d.Status]++
			}
		}
		for _, form := range demo.Documents {
			if len(y.Documents[form]) == 0 || y.Counters[form] != int64(len(y.Documents[form])) {
				t.Errorf("%s: %d of %s, counter %d", company.Tenant, len(y.Documents[form]), form, y.Counters[form])
			}
		}
		if i > 0 {
			continue
		}
		for _, state := range []string{"draft", "submitted", "examined", "closed", "cancelled"} {
			for _, form := range []string{"sales_order", "purchase_order"} {
				if states[form+" "+state] == 0 {
					t.Errorf("no %s %s", state, form)
				}
			}
		}
	}
}

func TestALargerYearComesInPiecesThatReferBackwards(t *testing.T) {
	t.Parallel()
	company := demo.Companies(8)[1]
	if n := len(company.Customers); n != 220*8 {
		t.Errorf("%d customers", n)
	}
	seen, batches, documents := map[string]bool{}, 0, 0
	// The order of Documents is the order in which they draw from each other.
	for b := range company.Year() {
		batches++
		documents += b.Size()
		if b.Size() > 21_000 {
			t.Errorf("a batch of %d", b.Size())
		}
		for _, form := range demo.Documents {
			for _, d := range b.Documents[form] {
				for _, l := range d.Lines {
					if l.Source != "" && !seen[l.Source] {
						t.Fatalf("%s draws from %s, which is not there yet", d.Number, l.Source)
					}
				}
				seen[d.Number] = true
			}
		}
	}
	if batches != 3 || documents < 18_000 {
		t.Errorf("%d documents in %d batches", documents, batches)
	}
}
