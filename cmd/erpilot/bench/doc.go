// Package bench measures the product against bare Temporal on the same server.
//
// # Design
//
// One report, BenchmarkReport, is one run of everything: a private Postgres as
// `erpilot dev` starts it (fsync on) with the demo data, a Temporal development
// server on an SQLite file, and worker and gateway in this process, so that
// workflows start eagerly. The model answers at once, so what is left is the
// product's own time: HTTP, workflow, journal, policy, audit, stream. People are
// HTTP clients with an open event stream, as the page is.
//
// Two workflows without a product serve as yardsticks: (a) an empty one, and (b)
// one with the same number of no-op regular activities as the product's work has
// parts. They run on the same server, by the same client, in turn with the
// product (A, B, A, B, …), so that whatever slows the machine slows all of them.
//
// # Intentional
//
// The numbers of one machine mean little, ratios travel better; medians, because
// other programs share the cores. Nothing here fails for being slow: a benchmark
// informs, tests judge.
//
// `go test` never runs it; `go tool task bench` does.
package bench
