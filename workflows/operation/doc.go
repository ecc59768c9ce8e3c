// Package operation is the workflow of one proposed change of the ERP: it waits
// for a decision, holds the deadline, writes once, and reconciles what is in doubt.
//
// # Design
//
// The workflow keeps the order of things; the staging row is the truth. Each
// step is an activity that is a compare-and-set on the row, and the workflow
// adopts what the row says. Decisions come by update (the page, the terminal) or
// by signal (Temporal's own CLI and UI); both end in one claim: checked by the
// pure operation.Check, serialised by a mutex in order of arrival, then
// authorised by an activity. A deadline that fires while a claim is open waits
// for it; a claim accepted before the deadline counts.
//
// # Failure handling
//
// ExecuteOperation runs once and is never repeated by Temporal. Any error leads
// to FindCommit, which fences the attempts and is repeated until the ERP answers;
// only when nothing was written does another attempt follow, three in all. A
// failed operation stays open for retry until its deadline. A reset workflow runs
// the same steps again and finds the row, or the ERP's commit record, ahead of it.
//
// # By hand
//
// An operation whose form is manual is handed off instead of written: its person
// saves it in the ERP's own form until a deadline of its own. The signal that says so
// proves nothing and carries nothing: CompleteOperation asks the ERP for the commit
// under the operation's token. Who leaves the form, or lets the deadline pass, ends the
// operation; the ERP shuts the token out first, so that a save at the same moment is
// either the outcome or refused. A save that needs another approval comes as the update
// revise and takes the operation back to awaiting_approval. The branch exists only for
// operations that do not execute by themselves, so that no older history changes.
//
// # Intentional
//
// The turn is told by the activity that settled the row, not by this workflow:
// one history event less on both sides, and it also works after a reset.
//
// # Rejected
//
// Continue-as-new while waiting (a wait costs nothing), and a result through the
// child future (it does not survive a reset of the turn).
package operation
