// Package turn decides how the agent loop goes on. It is pure: the workflow
// Turn and the activity Generate carry out what Next says.
//
// # Design
//
// Next is a function of the state before a reply, the shape of the reply (no text, no
// arguments) and the limits. It tells what to carry out, what to put before people,
// and whether the model is asked again.
//
// # Failure handling
//
// Whatever is malformed goes back to the model, twice in a row at most; a reply that
// was cut or withheld never runs a call.
//
// # Intentional
//
// At the last step a write is still put before the person: the limit bounds what the
// model does, not what the person decides.
package turn
