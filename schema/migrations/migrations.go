package migrations

import "embed"

// Files are the migrations, named NNN_name.sql; tern runs them in order of NNN.
//
//go:embed *.sql
var Files embed.FS
