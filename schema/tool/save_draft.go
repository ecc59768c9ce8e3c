package tool

import "encoding/json"

// SaveDraft stores a business document under preparation as a new revision.
const SaveDraft = "save_draft"

// SaveDraftVersion is the schema version of SaveDraft.
const SaveDraftVersion = 1

// SaveDraftArgs are the arguments of SaveDraft.
type SaveDraftArgs struct {
	Form string `json:"form"`
	// DraftID continues a draft; empty begins a new one.
	DraftID string `json:"draft_id,omitempty"`
	// Values are all values of the document by field name; "lines" is a list of
	// objects. Quantities may come as numbers or as decimal strings.
	Values json.RawMessage `json:"values"`
}

// SalesOrderValues is the shape of Values for form sales_order.
type SalesOrderValues struct {
	Customer     string           `json:"customer"`
	Warehouse    string           `json:"warehouse,omitempty"`
	DeliveryDate string           `json:"delivery_date,omitempty"`
	Remark       string           `json:"remark,omitempty"`
	Lines        []SalesOrderLine `json:"lines"`
}

// SalesOrderLine is one line of SalesOrderValues. Quantity is a JSON number or a
// decimal string.
type SalesOrderLine struct {
	Product  string          `json:"product"`
	Quantity json.RawMessage `json:"quantity"`
	Unit     string          `json:"unit,omitempty"`
}

const saveDraftSchema = `{
  "type": "object",
  "properties": {
    "form": {"type": "string", "minLength": 1, "maxLength": 64},
    "draft_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "continue this draft; leave out for a new one"},
    "values": {
      "type": "object", "minProperties": 1, "maxProperties": 100,
      "description": "all values by field name; for sales_order: customer, warehouse, delivery_date, remark and lines [{product, quantity, unit}]",
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
  "if": {"properties": {"form": {"const": "sales_order"}}, "required": ["form"]},
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
