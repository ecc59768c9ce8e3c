// Package tool is the catalogue of what the agent can call.
//
// A tool is three things side by side: <name>.go with the argument struct and
// its JSON Schema, <name>.md with the text the model reads, and a handler in
// activities. The catalogue declares effect and schema version, so that nobody
// has to guess whether a call may change something.
//
// # Intentional
//
// Effect and schema version stand in the catalogue and nowhere else: whether a call
// may change something is decided by code that no prompt can reach. There is one
// write tool; who gets a right to another action does not need another tool.
//
// # Rejected
//
// Schemas derived from the argument structs by reflection: the text and the limits
// that a model reads are part of the product and are written by hand; a test holds
// struct and schema together.
package tool
