package tool

// FindForms answers "which form holds this?".
const FindForms = "find_forms"

// FindFormsVersion is the schema version of FindForms. Since version 2 the result
// holds kind, domain, help and actions, and fields of the best matches only.
const FindFormsVersion = 2

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
    "query": {"type": "string", "maxLength": 200, "description": "id, name, business term or a few words; empty lists all forms"},
    "domain": {"type": "string", "maxLength": 64, "description": "one domain of the map, for example sales"}
  },
  "required": ["query"],
  "additionalProperties": false
}`
