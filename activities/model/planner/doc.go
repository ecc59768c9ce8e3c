// Package planner is the demo planner: a deterministic, rule-based llms.Model of
// langchaingo that carries the tour of the README in Chinese and English without
// a language model. It is labelled as such on every screen.
//
// # Design
//
// The planner keeps nothing. At each step it looks at the person's last message
// and at the calls and results since, and runs the handler of the message's
// intent from its begin. A handler asks for results with session.need: what the
// transcript has is answered at once, what it lacks becomes the reply's tool
// calls, and the handler is run again at the next step. So a handler reads as
// straight code, and a planner that died in between goes on where it was.
//
// A number tells its document's kind, and a kind what is made of it: so one
// handler carries the whole chain from quotation to receipt. Where a source is not
// examined yet, that is proposed first, and the handler goes on when it was
// confirmed. Reports are read by what find_forms tells of them: their labels and
// what they can be filtered by.
//
// A message that fits no intent gets a plain answer: this is the demo planner, it
// did not understand, and this is what it can do.
//
// # Failure handling
//
// A result that is an error is reported in the tool's own words and ends the
// turn; nothing is tried a second time. A name that fits several records becomes
// a question, a name that fits none a sentence. Units are compared with the
// product's own: ten boxes never become ten bags in silence.
//
// # Intentional
//
//   - ERP text is shown as data: Markdown in it is escaped.
//   - A question never proposes anything, whatever verbs it holds.
//   - Only what a tool result says is reported as written.
//
// # Rejected
//
//   - Guessing (fuzzy matches, defaults for missing quantities): a demo that
//     writes something else than was said teaches the wrong thing.
package planner
