// Package store is the door to Postgres: the pool, the tenant-scoped
// transaction, migrations and the audit row.
//
// # Design
//
// All access goes through DB.Tx, which opens the transaction and sets
// erpilot.tenant in the same round trip. Row-level security (FORCE) shows
// nothing when it is not set, so a forgotten tenant reads no rows instead of
// everybody's. The pool becomes the role erpilot_app after connecting; only
// migrations run as the owner. Queries are sqlc's, from schema/queries.
//
// A read of one statement goes through DB.One: scope and statement travel
// together, one round trip instead of three.
//
// # Failure handling
//
// A connection that breaks while COMMIT is under way leaves the outcome
// unknown: Tx then returns fault.OutcomeUnknown, and whoever wrote must look
// the result up. Everything else that Postgres cannot do now is
// fault.Unavailable; constraint violations pass through as *pgconn.PgError.
//
// # Intentional
//
// Tx never retries: the one retrier is Temporal. LISTEN has a connection of its
// own (Listen), because a pooled one would have to be kept out of the pool.
//
// # Rejected
//
// A pool per tenant (connections × tenants), and setting the tenant per
// session (one forgotten reset leaks across requests).
package store
