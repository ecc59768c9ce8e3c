// Package app puts the parts of Erpilot together: the worker that carries out
// turns and operations, and the gateway that people reach.
//
// It is the one place that sees every package; the commands and the end-to-end
// tests start the same parts from here.
//
// # Failure handling
//
// Open refuses what it cannot reach and says which setting names it. Serve ends when
// its context ends or a part fails, and drains the worker before it returns.
//
// # Intentional
//
// One process gets its deltas from hand to hand (journal.Hub); several processes
// share them through Postgres (journal.PG). Nothing else differs between `dev` and a
// deployment of many.
package app
