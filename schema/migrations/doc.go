// Package migrations holds the numbered SQL files that make the database.
//
// The files are data: activities/store runs them with tern. They only ever
// expand or contract, so that old binaries run beside new ones.
//
// # Intentional
//
// Rules that the database can hold are CHECK, UNIQUE, foreign key or row-level
// security here and not code elsewhere: one running turn a conversation, one result a
// call, one final commit a client_token, append-only audit.
//
// # Rejected
//
// Down migrations: what was expanded is contracted by a later version, and a backup
// is the way back from a mistake.
package migrations
