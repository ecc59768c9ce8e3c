// Package erptest is the conformance suite of the port erp.Connector: what each
// ERP must do, whichever it is.
//
// Run takes a function that opens a fresh ERP with known data (Harness). It reads
// and writes through the port, disturbs the ERP behind its back, and looks at
// what became of it through the port again. Parts that a connector does not claim
// in its Capabilities are not run: they are not skipped silently, the names of
// the subtests say what was proven.
//
// # Groups
//
// reading, paging, exact (validation, decimals, dates), writing, actions (every write
// that the harness names in Cases: preview = result, and its right; the Chain of
// documents made of each other), drift (each kind of fact), rights (and tenants);
// with IdempotentExecute also once, handed and given up; with Fence also doubt and
// left. What a lesser ERP does not have it leaves out of the harness: an empty Chain,
// a nil History.
//
// # Intentional
//
// Each subtest that writes opens an ERP of its own, so that counts prove that nothing
// else was written. Cases run one after the other on one ERP.
package erptest
