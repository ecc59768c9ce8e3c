package tool

import "encoding/json"

// ProposeWrite proposes one change of the ERP; a person confirms it.
const ProposeWrite = "propose_write"

// ProposeWriteVersion is the schema version of ProposeWrite. Version 2 knows every
// write action of a form; version 1 knew create, update and cancel.
const ProposeWriteVersion = 2

// Actions that mean the same in every form; a form may declare others.
const (
	ActionCreate    = "create"
	ActionUpdate    = "update"
	ActionDelete    = "delete"
	ActionSubmit    = "submit"
	ActionWithdraw  = "withdraw"
	ActionExamine   = "examine"
	ActionUnexamine = "unexamine"
	ActionClose     = "close"
	ActionCancel    = "cancel"
	ActionGenerate  = "generate"
)

// ProposeWriteArgs are the arguments of ProposeWrite.
type ProposeWriteArgs struct {
	Form   string `json:"form"`
	Action string `json:"action"`
	// Target is the key of the record; empty for create and generate.
	Target string `json:"target,omitempty"`
	// DraftID and DraftRevision bind a create to a saved draft.
	DraftID       string `json:"draft_id,omitempty"`
	DraftRevision int    `json:"draft_revision,omitempty"`
	// Changes are the new values of an update by field name, the arguments of an
	// action, or for generate the keys of erp.Generate beside header values.
	Changes json.RawMessage `json:"changes,omitempty"`
	// Reason is what the person gave as reason, shown on the card.
	Reason string `json:"reason,omitempty"`
}

const proposeWriteSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64, "description": "form id; for generate that of the new document"},
    "action": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$", "description": "a write action of the form, such as create, update, examine, generate, cancel"},
    "target": {"type": "string", "minLength": 1, "maxLength": 128, "description": "key of the record; for all but create and generate"},
    "draft_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "from save_draft; for create"},
    "draft_revision": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "from save_draft; for create"},
    "changes": {
      "type": "object", "minProperties": 1, "maxProperties": 50,
      "description": "update: new values by field name, lines as a whole; an action: its arguments; generate: source_form, sources, lines, mode and values of the new document",
      "properties": {
        "source_form": {"type": "string", "minLength": 1, "maxLength": 64, "description": "generate: form of the sources"},
        "sources": {
          "type": "array", "minItems": 1, "maxItems": 50, "uniqueItems": true,
          "description": "generate: numbers of the source documents, all of one partner and currency",
          "items": {"type": "string", "minLength": 1, "maxLength": 128}
        },
        "mode": {"type": "string", "maxLength": 64, "description": "generate: merge (one document of all sources) or split (one for each)"},
        "lines": {
          "type": "array", "minItems": 1, "maxItems": 200,
          "description": "generate: {source, line_no, quantity} for a part of the sources, left out for all that remains; update: all lines",
          "items": {
            "type": "object", "minProperties": 1, "maxProperties": 50,
            "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
          }
        }
      },
      "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
    },
    "reason": {"type": "string", "maxLength": 500}
  },
  "required": ["form", "action"],
  "allOf": [
    {"if": {"properties": {"action": {"const": "create"}}, "required": ["action"]}, "then": {"required": ["draft_id", "draft_revision"]}},
    {"if": {"properties": {"action": {"const": "update"}}, "required": ["action"]}, "then": {"required": ["target", "changes"]}},
    {"if": {"properties": {"action": {"const": "generate"}}, "required": ["action"]}, "then": {
      "required": ["changes"],
      "properties": {
        "changes": {
          "required": ["source_form", "sources"],
          "properties": {"lines": {"items": {
            "properties": {
              "source": {"type": "string", "minLength": 1, "maxLength": 128},
              "line_no": {"type": "integer", "minimum": 0, "maximum": 500},
              "quantity": {"type": ["string", "integer", "number"]}
            },
            "required": ["source"],
            "additionalProperties": false
          }}}
        }
      }
    }},
    {"if": {"not": {"properties": {"action": {"enum": ["create", "generate"]}}}, "required": ["action"]}, "then": {"required": ["target"]}}
  ],
  "additionalProperties": false
}`
