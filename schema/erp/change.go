package erp

import (
	"encoding/json"
	"time"
)

// OpType is the kind of a change, as the staging queue names it.
type OpType string

const (
	OpCreate   OpType = "create"
	OpUpdate   OpType = "update"
	OpDelete   OpType = "delete"
	OpExamine  OpType = "examine"
	OpGenerate OpType = "generate"
	// OpAction is a form's own action, such as cancel.
	OpAction OpType = "action"
)

// Generate is the payload of a generate: which documents, or which lines of them,
// are carried into a new document of Change.Form. Its other keys are values of
// that document (a date, a remark).
type Generate struct {
	// SourceForm is the form of the sources ("quotation").
	SourceForm string `json:"source_form"`
	// Sources are the numbers of the source documents, all of one partner and currency.
	Sources []string `json:"sources"`
	// Lines selects lines and quantities; empty takes all that remains of each source.
	Lines []SourceLine `json:"lines,omitempty"`
	// Mode is GenerateMerge (the zero value: one document of all sources) or
	// GenerateSplit (one document for each source).
	Mode string `json:"mode,omitempty"`
}

// Modes of a Generate.
const (
	GenerateMerge = "merge"
	GenerateSplit = "split"
)

// SourceLine is one line of a source; Quantity "" means all that remains.
type SourceLine struct {
	Source   string `json:"source"`
	LineNo   int    `json:"line_no"`
	Quantity string `json:"quantity,omitempty"`
}

// Change is one intended write, before anything is known about its effects.
type Change struct {
	Form string `json:"form"`
	// Action is "create", "update", "cancel", … as the form declares it.
	Action string `json:"action"`
	OpType OpType `json:"op_type"`
	// Target is the key of the record; empty for create, and for generate, whose
	// sources stand in the payload.
	Target string `json:"target,omitempty"`
	// Payload is the canonical JSON of the values: all values for create, the
	// changed ones for update, the action's arguments otherwise.
	Payload json.RawMessage `json:"payload"`
	// DraftID and DraftRevision bind a create to the draft that was shown.
	DraftID       string `json:"draft_id,omitempty"`
	DraftRevision int    `json:"draft_revision,omitempty"`
}

// FactKind tells which refusal a moved fact leads to.
type FactKind string

const (
	// FactPrice covers base price, discount, tax and currency of a line.
	FactPrice FactKind = "price"
	// FactName covers names and units that the person read.
	FactName FactKind = "name"
	// FactProductStatus is whether a product may be sold.
	FactProductStatus FactKind = "product_status"
	FactStock         FactKind = "stock"
	// FactVersion is the row version of a record.
	FactVersion FactKind = "version"
	// FactState is the state of a document.
	FactState FactKind = "state"
	// FactDraft is the newest revision of a draft.
	FactDraft FactKind = "draft"
	// FactValidity is the time until which a quote holds.
	FactValidity FactKind = "validity"
)

// Fact is something the preview relied on and the write re-checks.
type Fact struct {
	Kind FactKind `json:"kind"`
	// Form, Key and Field say where the fact lives ("product", "P-0001", "base_price").
	Form  string `json:"form"`
	Key   string `json:"key"`
	Field string `json:"field"`
	// Sub tells apart facts of one key (the warehouse of a stock level).
	Sub string `json:"sub,omitempty"`
	// Label and Object are what a person reads ("Base price", "Green tea").
	Label  Label  `json:"label"`
	Object string `json:"object"`
	// Value is normalised text: decimals by NormalizeDecimal, times RFC 3339.
	Value string `json:"value"`
}

// Diff is one row of the card: a field, old and new.
type Diff struct {
	Field string `json:"field"`
	Label Label  `json:"label"`
	// Type is the kind of the values, so that numbers are shown as numbers and
	// telephone numbers are not; empty when the connector does not say.
	Type Type `json:"type,omitempty"`
	// Object names the row when the field is not of the record itself.
	Object string `json:"object,omitempty"`
	// Before is empty for what does not exist yet.
	Before string `json:"before"`
	After  string `json:"after"`
	// Derived rows follow from the change (stock, totals) and were not asked for.
	Derived bool `json:"derived,omitempty"`
}

// Line is one row of a document on the card.
type Line struct {
	Product     string `json:"product"`
	ProductName string `json:"product_name"`
	Unit        string `json:"unit"`
	Quantity    string `json:"quantity"`
	BasePrice   string `json:"base_price"`
	// Discount is the percent taken off, "0" to "100".
	Discount    string `json:"discount"`
	UnitPrice   string `json:"unit_price"`
	Amount      string `json:"amount"`
	Warehouse   string `json:"warehouse"`
	StockBefore string `json:"stock_before"`
	StockAfter  string `json:"stock_after"`
}

// Preview is the immutable picture of a change that a person confirms.
type Preview struct {
	Form      string `json:"form"`
	FormLabel Label  `json:"form_label"`
	Action    string `json:"action"`
	// ActionLabel is the verb of the button ("新建", "Create").
	ActionLabel Label `json:"action_label"`
	// Object names the record for people: "华东贸易有限公司 (C-0001)".
	Object string `json:"object"`
	Target string `json:"target,omitempty"`
	// TargetTable and TargetModule are the ERP's own names, for the staging row.
	TargetTable  string `json:"target_table,omitempty"`
	TargetModule string `json:"target_module,omitempty"`
	// Payload is the complete, normalised set of values that will be written.
	Payload  json.RawMessage `json:"payload"`
	Diffs    []Diff          `json:"diffs"`
	Lines    []Line          `json:"lines,omitempty"`
	Total    string          `json:"total,omitempty"`
	Currency string          `json:"currency,omitempty"`
	// Facts are in the order in which the write locks and compares them.
	Facts []Fact `json:"facts"`
	// Notes say what the change does not do ("cancelling refunds nothing").
	Notes []Label `json:"notes,omitempty"`
	// Batch marks a change that touches many rows.
	Batch bool `json:"batch,omitempty"`
	// Provisional says that numbers made by the ERP may still differ.
	Provisional bool `json:"provisional,omitempty"`
}

// Execution is one attempt to write a confirmed change.
type Execution struct {
	// ClientToken is the idempotency key: "op:<op_id>:<revision>".
	ClientToken string `json:"client_token"`
	// Digest is what was confirmed; the same token with another is TokenReused.
	Digest string `json:"digest"`
	// Change carries Preview.Payload, so that the write chooses nothing again.
	Change Change `json:"change"`
	// Facts are those of the preview, all of them: one that is left out has moved.
	Facts []Fact `json:"facts"`
	// Deadline is checked against the ERP database's clock inside the write.
	Deadline time.Time `json:"deadline"`
	// Attempt counts from 1, for the attempt rows.
	Attempt int `json:"attempt"`
	// OpID, DecidedBy and Channel go to the audit row of the write.
	OpID      string `json:"op_id"`
	DecidedBy string `json:"decided_by"`
	Channel   string `json:"channel"`
	// Handed says that a person saves in the native form. A refusal is then told
	// and not kept, so that the person can mend it and save again under the token.
	Handed bool `json:"handed,omitempty"`
	// Completes names the tenant's workflow to wake after the commit, "" for none:
	// the ERP keeps the message in its outbox, in the same transaction.
	Completes string `json:"completes,omitempty"`
}

// CommitStatus is what the ERP knows under a client_token.
type CommitStatus string

const (
	// CommitExecuted is final: written exactly once.
	CommitExecuted CommitStatus = "executed"
	// CommitRefused is final: nothing was written.
	CommitRefused CommitStatus = "refused"
	// CommitFenced is a tombstone: no attempt under this token and attempt
	// number, or an earlier one, can commit any more. Nothing was written.
	CommitFenced CommitStatus = "fenced"
	// CommitUnknown: the connector cannot tell; a person must look.
	CommitUnknown CommitStatus = "unknown"
)

// Refusal says why nothing was written.
type Refusal struct {
	// Code is a fault.Code: draft_changed, quote_changed, stock_changed, …
	Code string `json:"code"`
	// Fact names what moved, nil for refusals without one.
	Fact *Fact  `json:"fact,omitempty"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
	// Detail is a sentence of the ERP for validation_failed.
	Detail string `json:"detail,omitempty"`
}

// Commit is the ERP's answer about one client_token.
type Commit struct {
	Status CommitStatus `json:"status"`
	Digest string       `json:"digest"`
	// Bill is the number of the document that was written; Link opens it.
	Bill string `json:"bill,omitempty"`
	// Bills are all documents, where more than one was made.
	Bills   []string  `json:"bills,omitempty"`
	Link    string    `json:"link,omitempty"`
	Refusal *Refusal  `json:"refusal,omitempty"`
	At      time.Time `json:"at"`
	// Replayed says that an earlier attempt had written it.
	Replayed bool `json:"replayed,omitempty"`
}
