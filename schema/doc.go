// Package schema is the root of the nouns: pure Go without clock, randomness or
// I/O, and the SQL that belongs to them.
//
// # Words
//
//   - tenant: brand + subsidiary; scopes every row (identity)
//   - conversation: a named thread of one user (chat)
//   - turn: one input and all that follows; workflow Turn (chat, turn)
//   - step: one model call and the tool calls it asked for (turn)
//   - call: one tool call, with one result (chat, tool)
//   - pending: what waits for a person: approval, question or form (chat)
//   - operation: one proposed change of the ERP; workflow Operation (operation)
//   - draft, revision: a document under preparation, immutable per edit
//   - preview: the picture that a person confirms (erp)
//   - fact: what the preview relied on and the write re-checks (erp)
//   - digest: SHA-256 over what was seen and what will run (operation)
//   - client_token: idempotency key of one write, "op:<op_id>:<revision>"
//   - risk: read, confirm, batch_confirm (tool)
//   - grant: a form and action that a user may touch (identity)
//   - journal: the append-only event log of a conversation (event)
//
// # The way of one message
//
//	POST message → row, turn-<conversation>-<n> → Generate: model, reads, drafts
//	  → write: staged, previewed → op-<op_id> → card → decision
//	  → ExecuteOperation: facts under lock, one commit → op_result → the turn goes on
//
// # Intentional
//
// Nouns do not know who stores or shows them. Rules that several layers need
// (operation.Check, turn.Next, operation.Digest, event.Wire) are functions here,
// so that each exists once and is tested without any server.
package schema
