// Package turn carries out what the workflow Turn asks for: the steps of the
// agent, questions and forms to the person, and the running slot of the conversation.
//
// # Design
//
// Generate is a loop over stored steps. A step is one reply of the model: it is
// stored with its calls before anything of it is carried out, under (turn, step),
// so that a retry finds it and pays nothing twice. Reads of a step run side by
// side, drafts one after the other; each result is stored with its journal event.
// What follows a reply is decided by the pure schema/turn.Next.
//
// A saved draft is a revision with the quote of its moment: the preview of exactly
// these values. A proposal that still waits with an older revision is withdrawn in
// the same call; activities/operation finds the proof in our own rows. What is
// being written at that moment is refused by its own fact, the draft's revision.
//
// The transcript is assembled by turn, not by journal order: each call has
// exactly one result, and an open one says that it is awaited and not executed.
//
// # Failure handling
//
// A model that fails after at least one step of this activity has been stored
// ends the activity as a success: the workflow schedules the next one, with all
// its attempts. Streamed text of a failed call is taken back by message_reset.
//
// # Intentional
//
// Tool results that report an error are results, not errors of the activity: the
// model reads them and goes on. Only infrastructure trouble is retried.
package turn
