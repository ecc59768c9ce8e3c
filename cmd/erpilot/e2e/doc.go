// Package e2e holds the end-to-end tests: real Postgres with the demo data, a
// real Temporal server, the real worker and gateway, and people's ways to them
// (HTTP, the page in a browser, Temporal's own CLI).
package e2e
