package erptest

import (
	"testing"
)

// Run proves that a connector keeps the port's promises. open gives a fresh ERP
// and ends it with the test.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	t.Helper()
	can := open(t).Connector.Capabilities()
	group := func(name string, tests map[string]func(*testing.T, *suite)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, start(t, open(t)))
				})
			}
		})
	}
	// Reads change nothing, so they share one ERP.
	t.Run("reading", func(t *testing.T) {
		t.Parallel()
		s := start(t, open(t))
		for name, test := range reading {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, s)
			})
		}
	})
	group("writing", writing)
	group("drift", drift)
	group("rights", rights)
	group("paging", paging)
	group("exact", exact)
	group("actions", actions)
	if can.IdempotentExecute {
		group("once", once)
		group("handed", handed)
		group("given up", given)
	}
	if can.IdempotentExecute && can.Fence {
		group("doubt", doubt)
		group("left", left)
	}
}
