package planner

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

// result is what a tool answered; fields is nil when it was no JSON object.
type result struct {
	raw    string
	fields row
}

// row is a record of the ERP.
type row map[string]any

// str is a value as text, "" when it is missing or no plain value.
func (r row) str(name string) string {
	switch v := r[name].(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return fmt.Sprint(v)
	default:
		return ""
	}
}

func (r row) sub(name string) row {
	m, _ := r[name].(map[string]any)
	return m
}

func (r row) list(name string) []row {
	items, _ := r[name].([]any)
	var out []row
	for _, x := range items {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// failure is why a call did not work, as a sentence for the person; "" when it did.
func (r result) failure(locale identity.Locale) string {
	if r.fields == nil {
		return orElse(strings.TrimSpace(r.raw), text.Fault(fault.Internal, nil, locale))
	}
	e := r.fields.sub("error")
	if e == nil {
		return r.fields.str("error")
	}
	params := fault.Params{}
	for _, from := range []row{e.sub("params"), e} {
		for k := range from {
			if v := from.str(k); v != "" {
				params[k] = v
			}
		}
	}
	code := fault.Code(e.str("code"))
	if _, known := text.Faults[code]; known {
		return text.Fault(code, params, locale)
	}
	return orElse(orElse(params["detail"], params["message"]), orElse(string(code), text.Fault(fault.Internal, nil, locale)))
}

// rows are the records of a list.
func (r result) rows() []row { return r.fields.list("rows") }

// count is how many records match: the total, else what a count says.
func (r result) count() string {
	for _, k := range []string{"total", "count"} {
		if s := r.fields.str(k); s != "" {
			return s
		}
	}
	return fmt.Sprint(len(r.rows()))
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// plain makes ERP text safe to stand in Markdown.
func plain(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "[", "\\[", "]", "\\]", "<", "&lt;", "`", "'", "\r", " ", "\n", " ").Replace(s)
}
