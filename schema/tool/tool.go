package tool

import "encoding/json"

// Effect says what a call may do to the world.
type Effect string

const (
	// Read looks and changes nothing; reads of one step run side by side.
	Read Effect = "read"
	// Ask waits for a person.
	Ask Effect = "ask"
	// Draft writes to drafts only; it reserves nothing and needs no approval.
	Draft Effect = "draft"
	// Write becomes an operation: preview, approval, one execution.
	Write Effect = "write"
)

// Risk labels a call on the card and in the UI.
type Risk string

const (
	RiskRead Risk = "read"
	// RiskConfirm touches one object.
	RiskConfirm Risk = "confirm"
	// RiskBatchConfirm touches many rows and says so; it is no batch approval.
	RiskBatchConfirm Risk = "batch_confirm"
)

// Tool is one entry of the catalogue.
type Tool struct {
	Name string `json:"name"`
	// Description is the Markdown the model reads.
	Description string `json:"description"`
	Effect      Effect `json:"effect"`
	// SchemaVersion rises whenever Parameters or their meaning change. A call
	// approved under another version is refused as contract_changed.
	SchemaVersion int `json:"schema_version"`
	// Parameters is the JSON Schema (2020-12) of the arguments, an object.
	Parameters json.RawMessage `json:"parameters"`
}

// Catalogue is the set of tools that a deployment offers, in prompt order.
type Catalogue []Tool

// Find returns the tool of that name.
func (c Catalogue) Find(name string) (Tool, bool) {
	for _, t := range c {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}
