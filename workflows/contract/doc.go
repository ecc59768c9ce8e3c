// Package contract holds the names that cross Temporal: workflows, activities,
// updates, signals, queries, ids, inputs and results.
//
// Both sides import it; activities are called by name, so workflow code links
// neither pgx nor a model client. Histories hold what stands here and nothing
// else: ids and small values, never texts, tokens, arguments or result rows.
//
// # Intentional
//
// It imports the SDK for two things only: typed search attributes and the options by
// which an operation is started, so that a turn and the gateway start it alike.
//
// # Rejected
//
// Activities as methods that workflows name: workflow code would link the database
// driver and the model client, and a renamed method would break replay unnoticed.
package contract
