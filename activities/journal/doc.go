// Package journal writes and reads the event log of conversations, and carries
// the text of messages that are still being written.
//
// # Design
//
// Two classes of delivery. Stored events (Append, Read) have a gapless seq per
// conversation, are in Postgres before anybody sees them, and are what every
// screen is drawn from. Deltas (Carrier) are pieces of a message under way; they
// have no seq, may be lost, and are replaced by the stored message.
//
//	activity ── Append ──► journal table ──► NOTIFY erpilot_journal ──► Watcher ──► Hub ──► readers
//	activity ── Publish ─► Hub (one process)
//	                    └► PG: deltas table, NOTIFY erpilot_deltas ──► Watcher ──► Hub ──► readers
//
// Hub is the carrier where worker and gateway are one process. PG puts the same
// hub behind an UNLOGGED table, for processes apart. A Watcher feeds a hub with
// the wake-ups of other processes, on a connection of its own; each second it
// also asks for the heads of watched conversations, so a lost NOTIFY costs a
// second and nothing else.
//
// The hub keeps the text so far of each open message per (conversation, message,
// attempt) and hands it to a new reader first. It trims overlaps, so a reader
// gets each byte once and in order.
//
// State reads a whole conversation in one repeatable-read snapshot together with
// the head seq, so a stream that goes on after it neither misses nor repeats.
// PostMessage and Answer are the two ways by which a person's words enter.
//
// # Failure handling
//
// A publisher never waits: a reader that falls 256 pieces behind is closed and
// comes back with its cursor; a batch that Postgres does not take is dropped.
// Piece size is bounded (4 KiB), so the queue of a reader is at most 1 MiB.
// The Watcher reconnects for ever, and wakes all readers when it is back.
//
// # Intentional
//
// An answer to a question opens no turn: its message belongs to the turn that
// asked, with the step of the asking call, so that it stands after the question.
// The message id is derived from the idempotency key; that makes a resent answer
// recognisable although it has no turn row of its own.
//
// # Rejected
//
// A transaction per token (saturates Postgres at some 5,000 a second), tokens in
// the NOTIFY payload (8,000 bytes, and lost with the connection), and deltas in
// the journal itself (a reload would replay thousands of rows).
package journal
