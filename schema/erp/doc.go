// Package erp names what any ERP shows to Erpilot: forms and fields, reads,
// changes, previews with their facts, executions and commits.
//
// The built-in ERP and every foreign one speak these nouns through the port
// activities/erp.Connector. Money and quantities are decimals and travel as
// strings; times are UTC.
//
// # Design
//
// A Change is what is wanted; a Preview is what it would do, with the Facts it
// relies on; an Execution is one attempt to do exactly that; a Commit is what the ERP
// knows under the client_token. Capabilities say which of the guarantees an ERP
// gives, so that the card can say what is only checked.
//
// # Failure handling
//
// A Refusal names the fact with old and new value. CommitFenced is no refusal: it
// says that one attempt can never commit, and the next one may.
//
// # Intentional
//
// Values of a Row are strings where precision matters: a decimal never becomes a
// float on its way to a screen or a model.
//
// # Rejected
//
// A generic "patch" of records: the ERP must know which action it is asked for.
package erp
