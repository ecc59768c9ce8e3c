package tool

import "encoding/json"

// CollectForm shows the person a form of the ERP to fill in, and waits for it.
const CollectForm = "collect_form"

// CollectFormVersion is the schema version of CollectForm.
const CollectFormVersion = 1

// CollectFormArgs are the arguments of CollectForm.
type CollectFormArgs struct {
	// Form is what a new record of is wanted: its fields that can be keyed in are shown.
	Form string `json:"form"`
	// Title is the sentence above the form, in the person's language.
	Title string `json:"title"`
	// Values are what is known already, by field name; "lines" is a list of objects.
	Values json.RawMessage `json:"values,omitempty"`
}

const collectFormSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64},
    "title": {"type": "string", "minLength": 1, "maxLength": 300},
    "values": {
      "type": "object", "maxProperties": 100,
      "description": "what is known already, by field name",
      "properties": {
        "lines": {
          "type": "array", "maxItems": 100,
          "items": {"type": "object", "maxProperties": 50, "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}}
        }
      },
      "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
    }
  },
  "required": ["form", "title"],
  "additionalProperties": false
}`
