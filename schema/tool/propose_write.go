package tool

import "encoding/json"

// ProposeWrite proposes one change of the ERP; a person confirms it.
const ProposeWrite = "propose_write"

// ProposeWriteVersion is the schema version of ProposeWrite.
const ProposeWriteVersion = 1

// Actions that ProposeWrite knows.
const (
	ActionCreate = "create"
	ActionUpdate = "update"
	ActionCancel = "cancel"
)

// ProposeWriteArgs are the arguments of ProposeWrite.
type ProposeWriteArgs struct {
	Form   string `json:"form"`
	Action string `json:"action"`
	// Target is the key of the record (update, cancel).
	Target string `json:"target,omitempty"`
	// DraftID and DraftRevision bind a create to a saved draft.
	DraftID       string `json:"draft_id,omitempty"`
	DraftRevision int    `json:"draft_revision,omitempty"`
	// Changes are the new values of an update by field name.
	Changes json.RawMessage `json:"changes,omitempty"`
	// Reason is what the person gave as reason, shown on the card.
	Reason string `json:"reason,omitempty"`
}

const proposeWriteSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64},
    "action": {"enum": ["create", "update", "cancel"]},
    "target": {"type": "string", "minLength": 1, "maxLength": 128, "description": "key of the record; for update and cancel"},
    "draft_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "from save_draft; for create"},
    "draft_revision": {"type": "integer", "minimum": 1, "maximum": 1000000, "description": "from save_draft; for create"},
    "changes": {
      "type": "object", "minProperties": 1, "maxProperties": 50,
      "description": "new values by field name; for update",
      "additionalProperties": {"type": ["string", "integer", "number", "boolean", "null"]}
    },
    "reason": {"type": "string", "maxLength": 500}
  },
  "required": ["form", "action"],
  "allOf": [
    {"if": {"properties": {"action": {"const": "create"}}, "required": ["action"]}, "then": {"required": ["draft_id", "draft_revision"]}},
    {"if": {"properties": {"action": {"const": "update"}}, "required": ["action"]}, "then": {"required": ["target", "changes"]}},
    {"if": {"properties": {"action": {"const": "cancel"}}, "required": ["action"]}, "then": {"required": ["target"]}}
  ],
  "additionalProperties": false
}`
