// Package temporaltest gives tests a real Temporal server: one per test process,
// with a task queue of its own for each test.
//
// The binary is the one that ERPILOT_TEMPORAL_BIN names, a new enough `temporal`
// on PATH, or the one built into .erpilot/bin. Where none is found the test
// fails and names the command that builds it: it is never skipped.
//
// The server ends with the test process, also when that panics or is killed.
package temporaltest
