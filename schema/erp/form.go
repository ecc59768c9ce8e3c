package erp

// Type is the kind of value of a field.
type Type string

const (
	Text     Type = "text"
	Decimal  Type = "decimal"
	Integer  Type = "integer"
	Money    Type = "money"
	Date     Type = "date"
	DateTime Type = "datetime"
	Option   Type = "option"
	// Link names a record of another form by its key.
	Link Type = "link"
	// Lines is a grid of rows; Field.Lines describes its columns.
	Lines Type = "lines"
)

// Label is a text in both languages of the product.
type Label struct {
	Zh string `json:"zh"`
	En string `json:"en"`
}

// In returns the text for a locale ("en" is English, all else Chinese).
func (l Label) In(locale string) string {
	if locale == "en" && l.En != "" {
		return l.En
	}
	return l.Zh
}

// Kind tells records, which people key in, from reports, which are only read.
type Kind string

const (
	KindRecord Kind = "record"
	// KindReport is a prebuilt question: its rows are computed and link to records.
	KindReport Kind = "report"
)

// Control is how a page shows a field that is keyed in. "" leaves it to the type.
type Control string

const (
	ControlText     Control = "text"
	ControlTextArea Control = "textarea"
	ControlNumber   Control = "number"
	ControlDate     Control = "date"
	ControlSelect   Control = "select"
	// ControlLookup searches records of Field.LinkForm.
	ControlLookup Control = "lookup"
	ControlSwitch Control = "switch"
	ControlGrid   Control = "grid"
)

// Form describes one kind of record. Forms are data: they come from the ERP.
type Form struct {
	// Form is the id, such as "sales_order".
	Form  string `json:"form"`
	Label Label  `json:"label"`
	// Help says in a sentence what the form is for.
	Help   Label  `json:"help,omitzero"`
	Domain string `json:"domain"`
	// Kind is KindRecord or KindReport; "" from an ERP that does not tell is a record.
	Kind Kind `json:"kind,omitempty"`
	// Key is the field that names a record for people and in links ("code", "number").
	Key     string   `json:"key"`
	Fields  []Field  `json:"fields"`
	Actions []Action `json:"actions"`
}

// Find returns the field of that name.
func (f Form) Find(name string) (Field, bool) {
	for _, x := range f.Fields {
		if x.Name == name {
			return x, true
		}
	}
	return Field{}, false
}

// Field describes one value of a form.
type Field struct {
	Name     string `json:"name"`
	Label    Label  `json:"label"`
	Type     Type   `json:"type"`
	Required bool   `json:"required,omitempty"`
	ReadOnly bool   `json:"read_only,omitempty"`
	// Fixed fields are given when a record is made and never change afterwards.
	Fixed bool `json:"fixed,omitempty"`
	// Listed fields are the columns of a list; Hidden ones are left off the page of a
	// record (they are still read).
	Listed bool `json:"listed,omitempty"`
	Hidden bool `json:"hidden,omitempty"`
	// Control is how the field is keyed in; Default is what a new record begins
	// with, normalised text, "today" for the tenant's date.
	Control Control `json:"control,omitempty"`
	Default string  `json:"default,omitempty"`
	// Help is a hint beside the field.
	Help Label `json:"help,omitzero"`
	// MaxLength is in characters, 0 without a limit. Min and Max are decimals, ""
	// without a limit; Scale is the number of decimals, nil without a limit.
	MaxLength int    `json:"max_length,omitempty"`
	Min       string `json:"min,omitempty"`
	Max       string `json:"max,omitempty"`
	Scale     *int32 `json:"scale,omitempty"`
	// Pattern is an RE2 expression that the whole text must match.
	Pattern string `json:"pattern,omitempty"`
	// Ungoverned fields may differ between what was approved and what a person saves
	// in the native form without asking again (a remark).
	Ungoverned bool `json:"ungoverned,omitempty"`
	// Filter and Sort tell whether a reader may use the field so.
	Filter bool `json:"filter,omitempty"`
	Sort   bool `json:"sort,omitempty"`
	// LinkForm is the form that a Link field names.
	LinkForm string `json:"link_form,omitempty"`
	// Options of an Option field.
	Options []Choice `json:"options,omitempty"`
	// Lines are the columns of a Lines field.
	Lines []Field `json:"lines,omitempty"`
}

// Choice is one value of an Option field.
type Choice struct {
	Value string `json:"value"`
	Label Label  `json:"label"`
}

// Action is what a form offers besides reading.
type Action struct {
	Action string `json:"action"`
	Label  Label  `json:"label"`
	// Write actions go through a proposal; read actions belong to read_form.
	Write bool `json:"write"`
	// Batch actions touch many rows; the card says so.
	Batch bool `json:"batch,omitempty"`
	// Manual actions are not written when they are approved: the person finishes
	// them in the native form, which is prefilled.
	Manual bool `json:"manual,omitempty"`
	// States are the states of a document in which the action is offered; none
	// means all, or that the form has no states.
	States []string `json:"states,omitempty"`
	// Danger marks what cannot be undone by another action (delete, cancel).
	Danger bool `json:"danger,omitempty"`
	// Args are the values that the action itself takes, besides the record.
	Args []Field `json:"args,omitempty"`
}

// Capabilities say what a connector guarantees and what it only checks, so that
// the card can tell the person.
type Capabilities struct {
	// DryRun: Preview is computed by the ERP itself and rolled back.
	DryRun bool `json:"dry_run"`
	// IdempotentExecute: a client_token runs at most once, held by the ERP.
	IdempotentExecute bool `json:"idempotent_execute"`
	// Fence: FindCommit can shut out an attempt that is still open. Without it
	// a doubtful write goes to a person.
	Fence bool `json:"fence"`
	// FactsUnderLock: facts are compared inside the write transaction.
	FactsUnderLock bool `json:"facts_under_lock"`
}
