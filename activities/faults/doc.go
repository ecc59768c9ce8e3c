// Package faults turns errors of activities into what may stand in a history: a
// code, whether another try helps, and nothing else.
//
// One interceptor does it for every activity, so that no error text of Postgres,
// of an ERP or of a model (they quote values, URLs, prompts) reaches Temporal.
// The text goes to the worker's log.
//
// # Intentional
//
// The message of a sealed error is its code. Whoever needs more reads the worker's
// log, where the cause stands beside workflow id and attempt.
//
// # Rejected
//
// Sealing in each activity: one forgotten return would put a row's values into a
// history for ever.
package faults
