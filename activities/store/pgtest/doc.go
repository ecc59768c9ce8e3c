// Package pgtest gives each test a PostgreSQL database of its own.
//
// A test process builds the schema once, in a template database, and each test
// gets a copy of it, which takes some tens of milliseconds. The server is the
// one that ERPILOT_TEST_DATABASE_URL names (a superuser's URL); without it a
// throw-away cluster is started from the machine's own binaries, with fsync
// off. Where neither works the test fails and names the command to install: it
// is never skipped.
//
// The throw-away cluster ends with the test process, also when that panics,
// times out or is killed: a process.Guard stops it and removes its directory.
// No TestMain is needed.
//
// On a named server each process holds an advisory lock for its databases, and
// the next process drops those whose lock is free, so a killed run leaves
// nothing for long.
package pgtest
