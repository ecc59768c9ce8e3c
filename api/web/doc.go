// Package web is the page that people use: login, conversations, cards, inbox,
// and the native pages of the ERP.
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
// src/erp are the pages of the ERP: catalogue, lists and reports, records with
// their actions and history, keying in, making the next document, stagings,
// to-dos. draft.ts holds what is being keyed in: values and lines, the preview
// that the ERP makes of them, what is wrong and where, and one token for each
// press of save. They are bundled apart and loaded when the first of them opens.
//
// # When things fail
//
// A broken stream reconnects by itself under a banner; an expired login asks
// for the password over the page and loses neither text nor place; a decision
// whose answer is lost can be sent again and is still one decision, and so is a
// save, under its token; a record that somebody else has saved meanwhile is shown
// in both versions; what is keyed in is not left without a question; an unknown
// event is ignored; a defect of the page itself leaves a notice, not a white
// screen.
//
// # Intentional
//
//   - No innerHTML anywhere: Markdown becomes elements one by one, the policy
//     enforces Trusted Types, and raw HTML of a model is shown as text.
//   - Images in answers are links. Loading one would tell its host what was asked.
//   - Links to records open in place, and the way back leads to the conversation;
//     the browser's own keys open them in another tab.
//   - What a value may be is judged by the ERP alone, in its preview and at the
//     save; the page knows no rule twice and marks the field that the ERP names.
//   - A native save asks no second person: it is the person's own hand. A staging
//     under another policy goes back to approval when a governed value differs.
//   - Confirm and Cancel look alike and have no shortcut.
//   - The token is in sessionStorage. A script that could read it could read a
//     cookie's effects as well; the policy keeps such scripts out.
//
// # Rejected
//
//   - EventSource: it sends no Authorization header, and a token in the address
//     ends up in logs.
//   - Working out totals in the page: it would show a price that the ERP does not take.
//   - Hashed file names for the entry: an ETag does the same for two files.
package web
