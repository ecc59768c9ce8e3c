// Package turn is the workflow of one input of a person and all that follows.
//
// # Design
//
// The workflow carries out what the pure schema/turn.Next decides. The activity
// Generate asks the model and carries out its reads, step by step, each stored
// before the next, until something needs a person or the turn is over; then the
// workflow stages writes, questions and forms, gives the running slot of the
// conversation back and waits. It learns that an answer or an outcome is there
// by signal, asks for the slot again, and goes on.
//
// # Failure handling
//
// A retried Generate finds stored replies and results and pays nothing twice.
// Steps on our own database are repeated until they succeed. A model that stays
// unreachable ends the turn as failed; resume starts it again after the stored
// step. A turn that is terminated leaves its operations alone: they are children
// on a disconnected context with parent close policy ABANDON.
//
// # Intentional
//
// Reads happen inside Generate and not as activities of their own: each step is
// stored in Postgres, so that separate history events would buy no durability,
// and a read turn costs 11 events instead of 23. A failing model call returns
// what was reached before it, so that each step has all its attempts.
//
// # Rejected
//
// A workflow for a whole conversation: long histories, continue-as-new with
// pendings inside, and one bad deploy stops all of a person's work.
package turn
