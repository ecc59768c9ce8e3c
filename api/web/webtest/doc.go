// Package webtest is a gateway without a database, a worker or an ERP, for
// tests of the page: it serves the page, takes logins, keeps conversations in
// memory, streams their journal over the real wire (schema/event) and answers
// decisions as it is told.
//
// A test drives it: Say is what a person's message leads to, Decide what a
// decision does; without them the Tour answers. Streams can be cut, logins
// expired and answers made to fail, at any moment.
package webtest
