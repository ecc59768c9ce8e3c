package tool

import "encoding/json"

// SaveDraft stores a record under preparation as a new revision.
const SaveDraft = "save_draft"

// SaveDraftVersion is the schema version of SaveDraft. Version 2 takes every form
// that has the action create; version 1 was made for sales orders.
const SaveDraftVersion = 2

// SaveDraftArgs are the arguments of SaveDraft.
type SaveDraftArgs struct {
	Form string `json:"form"`
	// DraftID continues a draft; empty begins a new one.
	DraftID string `json:"draft_id,omitempty"`
	// Values are all values of the record by field name; "lines" is a list of
	// objects where the form has lines. Quantities may come as numbers or as
	// decimal strings.
	Values json.RawMessage `json:"values"`
}

// saveDraftSchema asks of the forms that sell only what no model may leave out;
// every other rule is the form's own and is said by the ERP, field by field.
const saveDraftSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64},
    "draft_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "continue this draft; leave out for a new one"},
    "values": {
      "type": "object", "minProperties": 1, "maxProperties": 100,
      "description": "all values by field name, as find_forms names them; lines [{product, quantity, …}] where the form has lines",
      "properties": {
        "lines": {
          "type": "array", "minItems": 1, "maxItems": 200,
          "items": {
            "type": "object", "minProperties": 1, "maxProperties": 50,
            "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
          }
        }
      },
      "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
    }
  },
  "required": ["form", "values"],
  "if": {"properties": {"form": {"enum": ["quotation", "sales_order"]}}, "required": ["form"]},
  "then": {
    "properties": {
      "values": {
        "properties": {
          "customer": {"type": "string", "minLength": 1},
          "lines": {
            "items": {
              "properties": {
                "product": {"type": "string", "minLength": 1},
                "quantity": {"type": ["string", "integer", "number"]},
                "unit": {"type": "string"}
              },
              "required": ["product", "quantity"]
            }
          }
        },
        "required": ["customer", "lines"]
      }
    }
  },
  "additionalProperties": false
}`
