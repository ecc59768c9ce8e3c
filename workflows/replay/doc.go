// Package replay holds recorded histories of both workflows, one for each way
// through them, and the tests that replay them: a change that would break a
// workflow which waits over a deploy fails here first.
//
// `go tool task record` records them anew, when a change is meant to be
// incompatible; otherwise use workflow.GetVersion.
package replay
