// Package pgcluster runs a private PostgreSQL server from the binaries that the
// machine already has: for `erpilot dev` and for tests.
//
// A cluster lives in one directory: data/ (the cluster), run/ (the socket) and
// postgres.log. Encoding is UTF8 and the locale C.UTF-8, because pg_trgm finds
// no Chinese under locale C.
//
// Security on a machine with several users: the server listens on no TCP port
// at all. Its socket is in a directory that only the owner may enter (0700),
// and behind it every role is trusted. So there is no password to generate, to
// store or to leak, no port that may be taken, and nobody but the owner and
// root gets in.
//
// As root: Postgres refuses to run as root, so it runs as the account
// `postgres`, else `nobody`. Where that account cannot reach the directory (a
// repository under /root, which is 0700) the cluster is kept in
// /var/lib/erpilot/<hash of the directory> and a link stands in its place. The
// permissions of directories that are not ours are never changed.
//
// Failures: a server that an earlier, killed run left behind is recognised by
// its postmaster.pid, its command line and its data directory, and stopped
// before the new one starts. A pid file whose number belongs to a stranger is
// removed and the stranger left alone.
//
// Intentional: an orphan is stopped and not adopted. A fast stop takes a
// fraction of a second, and a server that is our own child dies with us.
//
// Rejected: embedded-postgres (downloads binaries, fails as root), a container
// (needs a daemon), a shared system cluster (its roles and data are not ours).
package pgcluster
