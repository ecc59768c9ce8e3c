// Package heartbeat reports that a long activity lives: so a dead worker is
// noticed in seconds, and cancellation reaches the activity at all.
//
// # Intentional
//
// The report has no content: progress is in Postgres, and what stands in a heartbeat
// lands in a failure.
package heartbeat
