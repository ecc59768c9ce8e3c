// Package chat is `erpilot chat`: the gateway's conversations in a terminal.
//
// # Design
//
// One loop owns the screen. It is fed by three sources: frames of the event
// stream, lines of standard input, and interrupts. The screen is append-only:
// what was printed stays, so a program can read it as well as a person, and
// nothing depends on cursor control. Text of the agent appears as it arrives;
// a table appears when it is complete.
//
// In a pipe a line is taken only when the conversation is at rest (the turn has
// ended, or waits for a person), and the program ends at the end of the input
// once everything has come to rest. So `printf 'ask\ny\n' | erpilot chat` asks,
// waits for the card, and confirms it.
//
// # Deciding
//
// `y` confirms, `n` cancels; a bare Enter never does anything, and free text is
// never a decision. A decision names the pending, revision and digest of the card
// as it was printed; its decision_id is made once per intent and kept over
// retries. In a terminal, a card that appeared less than a moment before the
// answer was typed is not decided: the person cannot have read it.
//
// # Failure handling
//
//   - A lost stream reconnects with Last-Event-ID and a growing pause. Frames of
//     one stored event are taken together, by the id on the last of them, so every
//     event is shown once.
//   - A message is sent again with its Idempotency-Key, a decision with its
//     decision_id: neither can happen twice.
//   - An expired login asks for the password again and goes on where it was.
//
// # Intentional
//
// Leaving does not log out: what was confirmed and still waits runs under the
// person's session. `/logout` ends it.
//
// # Rejected
//
// A full-screen interface (raw mode, cursor control): it cannot be piped, read
// aloud or copied, and a decision by a single key is one slip away from a write.
package chat
