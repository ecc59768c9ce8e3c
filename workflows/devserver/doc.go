// Package devserver runs a Temporal development server (one process, SQLite) for
// `erpilot dev` and for tests.
//
// The binary is the `temporal` CLI. It is pinned and built in a module of its
// own, deploy/temporal, so that the product's go.mod does not carry a whole
// Temporal server; a `temporal` on PATH serves as well if its server is new
// enough.
//
// Start returns only when workflows can really be started: a search attribute
// that is missing, or that the server has not noticed yet, fails every workflow
// task that sets it, for ever.
//
// Intentional: the server's own ports beside the given ones (history, matching,
// metrics) are chosen by the CLI. All of them are on loopback.
package devserver
