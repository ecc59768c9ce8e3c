package erp

import "encoding/json"

// Mode is the shape of a read.
type Mode string

const (
	List   Mode = "list"
	Count  Mode = "count"
	Record Mode = "record"
)

// Op compares a field with a value.
type Op string

const (
	Eq       Op = "eq"
	Ne       Op = "ne"
	Lt       Op = "lt"
	Lte      Op = "lte"
	Gt       Op = "gt"
	Gte      Op = "gte"
	Contains Op = "contains"
	Prefix   Op = "prefix"
	In       Op = "in"
	Between  Op = "between"
)

// Filter is one allow-listed condition; all of a query's filters must hold.
type Filter struct {
	Field string `json:"field"`
	Op    Op     `json:"op"`
	// Value is a string or number; a list for In, a pair for Between.
	Value json.RawMessage `json:"value"`
}

// Sort orders by a field; the key of the form always breaks ties.
type Sort struct {
	Field string `json:"field"`
	Desc  bool   `json:"desc,omitempty"`
}

// MaxLimit caps the rows of one page.
const MaxLimit = 50

// Query is one read of a form.
type Query struct {
	Form string `json:"form"`
	// Mode's zero value means List.
	Mode Mode `json:"mode,omitempty"`
	// ID is the key of the record (Mode Record).
	ID      string   `json:"id,omitempty"`
	Filters []Filter `json:"filters,omitempty"`
	Sort    []Sort   `json:"sort,omitempty"`
	// Fields to return; empty means the form's list fields.
	Fields []string `json:"fields,omitempty"`
	// Cursor continues a page; it is opaque and belongs to one form, filter and sort.
	Cursor string `json:"cursor,omitempty"`
	// Limit is 1..MaxLimit; zero means 20.
	Limit int `json:"limit,omitempty"`
}

// Row is one record: field name to value. Decimals are strings, dates are
// "2006-01-02", links are keys, lines are lists of rows.
type Row map[string]any

// Page answers a Query.
type Page struct {
	Form string `json:"form"`
	Rows []Row  `json:"rows,omitempty"`
	// Total counts all matching rows (List, Count).
	Total int `json:"total"`
	// Truncated says that more rows match than are shown; NextCursor reads on.
	Truncated  bool   `json:"truncated"`
	NextCursor string `json:"next_cursor,omitempty"`
	// Record is the whole record (Mode Record).
	Record Row `json:"record,omitempty"`
}
