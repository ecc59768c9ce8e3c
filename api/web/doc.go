// Package web is the page that people use: login, conversations, cards, inbox,
// and the records of the ERP, to be read.
//
// # How it is made
//
// src holds TSX and CSS, vendor holds the four files of Preact and marked that
// it needs, build (a module of its own) bundles them with esbuild's Go API, and
// dist is the result: committed, embedded, and served by Handler. No node is
// needed to build, run or check it. After a change in src, vendor, build or
// schema/text run `go generate ./api/web`.
//
// # How it works
//
// A conversation is its state (GET …/state) folded with the events after it
// (GET …/events): transcript.ts holds that fold and nothing else, stream.ts
// reads the events and resumes by Last-Event-ID, and a frame that comes twice
// changes nothing. decisions.ts keeps one decision id for each click on exactly
// one picture. records.ts reads forms and records (/erp/api/forms/…) and decides
// which fields are worth showing; what they are called and how they look comes
// from the form's metadata alone. Everything else draws.
//
// # When things fail
//
// A broken stream reconnects by itself under a banner; an expired login asks
// for the password over the page and loses neither text nor place; a decision
// whose answer is lost can be sent again and is still one decision; an unknown
// event is ignored; a defect of the page itself leaves a notice, not a white
// screen.
//
// # Intentional
//
//   - No innerHTML anywhere: Markdown becomes elements one by one, the policy
//     enforces Trusted Types, and raw HTML of a model is shown as text.
//   - Images in answers are links. Loading one would tell its host what was asked.
//   - Records are read only. Links to them open in place, and the way back leads
//     to the conversation; the browser's own keys open them in another tab.
//   - Confirm and Cancel look alike and have no shortcut.
//   - The token is in sessionStorage. A script that could read it could read a
//     cookie's effects as well; the policy keeps such scripts out.
//
// # Rejected
//
//   - EventSource: it sends no Authorization header, and a token in the address
//     ends up in logs.
//   - A chunk of its own for the records: they cost 3 KB.
//   - Hashed file names for the entry: an ETag does the same for two files.
package web
