package tool

// FindForms answers "which form holds this?".
const FindForms = "find_forms"

// FindFormsVersion is the schema version of FindForms.
const FindFormsVersion = 1

// FindFormsArgs are the arguments of FindForms.
type FindFormsArgs struct {
	// Query is a name, a business term or a few words; empty lists everything
	// the caller may see.
	Query string `json:"query"`
	// Domain narrows the search to one domain of the map; empty means all.
	Domain string `json:"domain,omitempty"`
}

const findFormsSchema = `{
  "type": "object",
  "properties": {
    "query": {"type": "string", "maxLength": 200, "description": "name, business term or a few words; empty lists all forms"},
    "domain": {"type": "string", "maxLength": 64, "description": "one domain of the map, for example sales"}
  },
  "required": ["query"],
  "additionalProperties": false
}`
