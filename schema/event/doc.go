// Package event names what is written into a conversation's journal and how it
// looks on the wire.
//
// The journal is append-only and ordered; every screen is drawn from it. A
// stored event has a seq; text deltas are a second class without one, replaced
// by the stored message. The wire is AG-UI over SSE (wire.go).
//
// # Intentional
//
// Phases of a call are events of their own (started, pending, resolved, executing,
// finished) and are never merged: "approved" is not "created". Unknown types pass
// through as CUSTOM frames, so that an older gateway serves a newer worker.
//
// # Rejected
//
// Storing AG-UI frames: the wire is a view that may change, the journal may not.
// New top-level AG-UI types: older clients throw on them.
package event
