package tool

import "github.com/erpilot/erpilot/schema/erp"

// ReadForm lists, counts or opens records of a form.
const ReadForm = "read_form"

// ReadFormVersion is the schema version of ReadForm. Version 2 has Action.
const ReadFormVersion = 2

// ReadFormArgs are the arguments of ReadForm: an erp.Query, and a reading action.
type ReadFormArgs struct {
	erp.Query
	// Action is a reading action of the form ("export"); empty just reads.
	Action string `json:"action,omitempty"`
}

const readFormSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64, "description": "form id, such as customer, sales_order or ar_ageing"},
    "action": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$", "description": "a reading action of the form, such as export; leave out to read"},
    "mode": {"enum": ["list", "count", "record"], "description": "list rows, count them, or open one record by id"},
    "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "key of the record; only with mode record"},
    "filters": {
      "type": "array", "maxItems": 10,
      "description": "all must hold",
      "items": {
        "type": "object",
        "properties": {
          "field": {"type": "string", "minLength": 1, "maxLength": 64},
          "op": {"enum": ["eq", "ne", "lt", "lte", "gt", "gte", "contains", "prefix", "in", "between"]},
          "value": {
            "description": "a value; a list of values for in; a list of two for between",
            "anyOf": [
              {"type": ["string", "integer", "number", "boolean"]},
              {"type": "array", "minItems": 1, "maxItems": 100, "items": {"type": ["string", "integer", "number"]}}
            ]
          }
        },
        "required": ["field", "op", "value"],
        "additionalProperties": false
      }
    },
    "sort": {
      "type": "array", "maxItems": 3,
      "items": {
        "type": "object",
        "properties": {
          "field": {"type": "string", "minLength": 1, "maxLength": 64},
          "desc": {"type": "boolean"}
        },
        "required": ["field"],
        "additionalProperties": false
      }
    },
    "fields": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 64}, "description": "fields to return; leave out for the usual ones"},
    "cursor": {"type": "string", "maxLength": 1024, "description": "next_cursor of the page before"},
    "limit": {"type": "integer", "minimum": 1, "maximum": 50}
  },
  "required": ["form", "mode"],
  "if": {"properties": {"mode": {"const": "record"}}, "required": ["mode"]},
  "then": {"required": ["id"]},
  "additionalProperties": false
}`
