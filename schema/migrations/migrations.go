// Package migrations holds the numbered SQL files that make the database.
//
// The files are data: activities/store runs them with tern. They only ever
// expand or contract, so that old binaries run beside new ones.
package migrations

import "embed"

// Files are the migrations, named NNN_name.sql; tern runs them in order of NNN.
//
//go:embed *.sql
var Files embed.FS
