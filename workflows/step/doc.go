// Package step carries out activities under the policies that all workflows
// share: which are local, how often they are tried, and what is shown of them.
//
// Short steps on our own database are local activities. When a local one gives
// up because Postgres is away, the regular activity of the same name follows
// without limit: no turn and no operation fails because of that.
//
// # Intentional
//
// ExecuteOperation goes through Once: what follows a failed write is decided by the
// workflow, never by a retry policy.
package step
