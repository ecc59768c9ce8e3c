// Package builtin is an ERP core on Postgres behind the port erp.Connector.
//
// # Design
//
// Forms are rows (erp.forms, form_fields, form_actions): reading, validation and
// proposals follow them. A form is installed from one file in forms/; what has
// behaviour beyond changing fields of a row is one behaviour in Go. A read is put
// together from identifiers that the rows name (quoted) and values that are
// bound; there is nothing else in it that a caller could say.
//
// Preview and Execute run the same code: gather (lock and read, in one order of
// locks for all writes: draft, source documents, own document, partner, currencies,
// taxes, products, stock, counter), check, apply. Preview rolls back; so what a
// card shows is what the write did, once.
//
// # Documents
//
// All documents are driven by one engine; a kind is a row in kinds (document_kind.go)
// and, if its examination moves goods in its own way, one function. To add one: its
// tables and views, its form in forms/, its row. What they share:
//
//   - create, update, delete (drafts), submit, withdraw, examine, unexamine, close,
//     cancel, generate; immediate kinds are examined when they are made;
//   - drawing: generate takes what remains of examined sources, one document of all
//     or one each. Drawn quantity, amount and tax are kept in the source's lines; the
//     last part takes the rest, so parts add up to the whole. Cancelling gives back;
//   - a source closes when all of it is drawn by examined documents, and opens again
//     when one of them is taken back. So a closed source has no document behind it
//     that is not examined, and closing by hand refuses while there is one;
//   - promises: an order that is submitted or examined has allocated what examined
//     deliveries have not taken. Every change sets the allocation to the difference
//     of what the order held before and after it, also when it opens again;
//   - the ledger: examining writes rows, unexamine reverses what the ledger holds of
//     the document, whatever a bill of material says by then;
//   - receivables and payables open a balance, receipts and payments settle them.
//
// Writing takes one round trip whatever the number of lines: promises that go, goods,
// promises that come, sources, and last the statement with the counter.
//
// # Adding a form
//
// A master is a table and a file in forms/: one code makes, changes and deletes the
// rows of all of them (record_*.go). What fields cannot say is a rule in recordRules,
// codes that the ERP gives are a row in codePrefix. A report is a view with a text
// key and a file of kind report. A document is a row in kinds. The guide with whole
// examples is deploy/docs/add-a-form.md.
//
// # A write
//
//  1. insert the row (token, attempt) into erp.commits, outcome executed;
//  2. no row inserted: the token is answered (replay, token_reused) or fenced;
//  3. deadline, rights, facts under lock, rules: all judging before any write;
//  4. refused: turn the row into refused; else write the change;
//  5. audit row, commit.
//
// Where the tables themselves refuse a value (a CHECK), the transaction is lost and
// the refusal is written by a second one, under the same token and attempt.
//
// Nobody sees the row of step 1 before the commit, but everybody who inserts the
// same key waits for it: another execution on the partial unique index of final
// rows, FindCommit on the primary key.
//
// # Failure handling
//
// Before COMMIT is sent, an error means that nothing was written: failed, noted in
// erp.commit_attempts. During COMMIT it is fault.OutcomeUnknown, unless the server
// said ERROR. FindCommit inserts tombstones for every attempt up to the one asked
// about; where the insert waited for an attempt that committed, it reads that
// attempt's answer; where it did not, a zombie runs into the tombstone. A client
// that died silently is ended by idle_in_transaction_session_timeout (60 s).
// Deadlocks and serialisation failures are run again at once: nothing was written.
//
// # Intentional
//
// A stock level is compared with what the person saw, not with what is needed; so is
// a partner's balance, where the card shows one. Exchange rate and prices of a drawn
// document are its source's.
// Lines of one product are merged, and a note says so. The fact of a name is the
// name in both languages, so it does not depend on who looks. An unknown form
// answers permission_denied, like one outside the grants. The deadline is compared
// with the clock at the beginning of the transaction: a write that waited for a
// lock is not late. All rounding is half away from zero: unit prices to 4 decimals,
// amounts to the currency's own unit, totals are sums of rounded amounts.
//
// A key breaks the ties of a sort in the direction of that sort, so an index gives the
// page as it lies, read either way. A total is counted, never estimated. What a
// constraint refuses is named by its field after the attempt, not looked for before
// it: two writes at once are judged there and nowhere else. A master that others
// refer to is not deleted, it is made inactive.
//
// # Rejected
//
// Filtering by an index on an expression: row-level security lets only functions that
// cannot leak enter an index, and those of numeric, lower() or || are none of them. So
// reports are asked by columns (generated where need be), and a filter on an amount
// reads along another index.
//
// Serializable isolation (facts under explicit locks say *which* fact moved, and
// two orders of one customer do not fail each other), reserving stock in a draft
// (a forgotten draft would hold goods), sequences for document numbers (gaps).
package builtin
