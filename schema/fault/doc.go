// Package fault holds the one list of error codes that people, programs and
// logs of Erpilot share.
//
// An Error carries a Code for programs, Params for the sentence that a person
// reads (schema/text turns code and params into Chinese or English) and a Cause
// for the log. The cause never reaches a person: a failure without a code is
// Internal and says nothing more.
//
// # Failure handling
//
// Three tables read the codes and nothing else does: code to HTTP status in
// api/gateway, code to retryable in activities/faults, constraint to code in
// activities/store. A code that a table does not know is internal.
//
// # Intentional
//
// Refusals of a write (quote_changed, stock_changed, …) stand in the same list as
// errors: the card, the model and the HTTP answer must say the same word. They
// travel as results, not as errors.
//
// # Rejected
//
// Sentinel errors per package: the same failure would get another name in every
// layer, and none could cross Temporal or HTTP.
package fault
