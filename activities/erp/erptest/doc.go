// Package erptest is the conformance suite of the port erp.Connector: what each
// ERP must do, whichever it is.
//
// Run takes a function that opens a fresh ERP with known data (Harness). It reads
// and writes through the port, disturbs the ERP behind its back, and looks at
// what became of it through the port again. Parts that a connector does not claim
// in its Capabilities are not run: they are not skipped silently, the names of
// the subtests say what was proven.
package erptest
