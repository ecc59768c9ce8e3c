// Package draft names what is under preparation: drafts, their immutable
// revisions with the quote of the moment, and what two revisions differ in.
//
// # Design
//
// A revision holds the values as they were given and the quote: what the ERP's own
// preview of exactly these values showed when they were saved. Values and prices
// of two revisions are compared by their quotes, because those are normalised: 10
// and "10.0" are one quantity.
//
// # Failure handling
//
// A quote that cannot be read gives an empty one; the differences are then those
// of what can.
//
// # Intentional
//
//   - Lines are told apart by what they name (product, source), not by their place:
//     a line put in front does not change all behind it.
//   - What follows from prices and stock is marked Derived, so that a person sees
//     at once what somebody typed and what merely moved.
//
// # Rejected
//
// JSON Patch between payloads: it tells paths, not facts, and a program has to
// read it to a person.
package draft
