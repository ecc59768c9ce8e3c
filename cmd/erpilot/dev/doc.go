// Package dev brings up everything on one machine: Postgres, Temporal with its
// UI, migrations, demo data, worker, gateway and page. It is `erpilot dev`, and
// `go tool task up`.
//
// # Order
//
//	lock ─ ports ─┬─ Postgres ─ migrations ─ demo data ─┬─ worker + gateway ─ "ready"
//	              └─ Temporal ─ search attributes ──────┘
//
// Worker and gateway run in this process: it starts fastest, and workflows can
// start eagerly. What they are is given by Parts; this package knows servers,
// ports and the order, and nothing of the product.
//
// # State
//
// All of it is below one directory (.erpilot, ERPILOT_STATE_DIR): postgres/,
// temporal/, bin/, ports.json, secret, up.lock. --reset removes all but bin.
//
// # Failures
//
//   - A database that ERPILOT_DATABASE_URL names and that does not answer ends
//     the start. So does a Temporal that ERPILOT_TEMPORAL_ADDRESS names. There is
//     no falling back to another one, ever.
//   - A server that ends while all runs ends `up` with the reason and the place
//     of its log.
//   - up.lock is a file lock, so it is gone with its process, however that went.
//     A second `up` says where the first one runs.
//   - After a kill -9, servers that survive are found by pid file and start time
//     (process.Record, pgcluster) and stopped before new ones start.
//
// # Intentional
//
// Loopback only: demo logins are printed, the database trusts whoever reaches
// its socket. Ports that were picked once are remembered, so that bookmarks and
// the CLI's profile keep working.
//
// # Rejected
//
// Child processes for worker and gateway (slower, no eager start), docker
// compose (needs a daemon; deploy/compose.yml is there for who has one).
package dev
