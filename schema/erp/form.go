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

// Form describes one kind of record. Forms are data: they come from the ERP.
type Form struct {
	// Form is the id, such as "sales_order".
	Form   string `json:"form"`
	Label  Label  `json:"label"`
	Domain string `json:"domain"`
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
