// Package process starts child processes that do not outlive their parent, and
// recognises the ones that did.
//
// Three lines of defence, because each has a hole:
//
//   - Stop, called by the parent on every orderly end.
//   - The parent-death signal of Linux, which also works when the parent is
//     killed with -9. It is bound to the thread that forked, so each child is
//     forked from a thread of its own that lives as long as the child.
//   - A Guard: a tiny shell process that waits for the end of a pipe. It works
//     on every Unix and can also remove directories.
//
// A Record, written to a file, lets the next run find what all three missed. It
// names the process by number and start time, so that a stranger who got the
// number later is never signalled.
//
// Intentional: children get a process group of their own. A terminal sends
// Ctrl-C to the whole foreground group; the parent must be the one to decide
// in which order its children stop.
//
// Rejected: killing by name, and trusting a process number alone.
package process
