// Package chat names what a conversation is made of: messages, turns, calls
// and the pendings that wait for a person.
//
// # Design
//
// A message opens a turn; a turn makes calls; a call that needs a person makes a
// pending. State is all of it at one moment, with the journal's head: a screen draws
// State and then follows the journal from there.
//
// # Intentional
//
// A turn that waits holds nothing and counts as waiting, not as running: a
// conversation may have many of them and at most one that runs.
package chat
