package draft

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/erpilot/erpilot/schema/erp"
)

// Kind tells what happened to a field or a line between two revisions.
type Kind string

const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Difference is one field, or one whole line, that two revisions differ in. For a
// line that came or went Field is "lines", and Before or After say it whole.
type Difference struct {
	erp.Diff
	Kind Kind `json:"kind"`
	// Line is the number of the row in the newer revision, in the older one for a
	// row that went; 0 is the record itself.
	Line int `json:"line,omitempty"`
}

// Diff lists what b has otherwise than a, both previews as they were stored:
// fields by name, then lines in the order of b, then lines that went, then totals.
// Nil means that they are the same.
func Diff(a, b erp.Preview) []Difference {
	older, newer := sheetOf(a), sheetOf(b)
	labels := labelsOf(a, b)
	out := compare(older.header, newer.header, labels, "", 0, false)
	rest := slices.Clone(older.lines)
	for _, l := range newer.lines {
		at := slices.IndexFunc(rest, func(o row) bool { return o.key == l.key })
		if at < 0 {
			out = append(out, line(l, Added))
			continue
		}
		out = append(out, compare(rest[at].given, l.given, lineLabels, l.name, l.n, false)...)
		out = append(out, compare(rest[at].derived, l.derived, lineLabels, l.name, l.n, true)...)
		rest = slices.Delete(rest, at, at+1)
	}
	for _, l := range rest {
		out = append(out, line(l, Removed))
	}
	return append(out, compare(older.totals, newer.totals, totalLabels, "", 0, true)...)
}

// sheet is a preview as fields and rows of plain text.
type sheet struct {
	header, totals map[string]string
	lines          []row
}

// row is one line; key is what tells lines apart.
type row struct {
	n              int
	key, name, say string
	given, derived map[string]string
}

func sheetOf(p erp.Preview) sheet {
	s := sheet{header: map[string]string{}, totals: map[string]string{}}
	var payload map[string]json.RawMessage
	if json.Unmarshal(p.Payload, &payload) != nil {
		payload = nil
	}
	for name, raw := range payload {
		if name != "lines" {
			s.header[name] = plain(raw)
		}
	}
	put(s.totals, "total", p.Total)
	put(s.totals, "currency", p.Currency)
	if p.Currency != "" && s.header["currency"] == p.Currency {
		delete(s.totals, "currency")
	}
	var given []map[string]json.RawMessage
	if json.Unmarshal(payload["lines"], &given) != nil {
		given = nil
	}
	quote := QuoteOf(p)
	// The rows of the payload and of the preview are the same where their numbers
	// are: then one row holds what was given and what it was worth.
	for i := range max(len(given), len(quote.Lines)) {
		r := row{n: i + 1, given: map[string]string{}, derived: map[string]string{}}
		if i < len(given) {
			for name, raw := range given[i] {
				put(r.given, name, plain(raw))
			}
		}
		if i < len(quote.Lines) && (len(given) == len(quote.Lines) || i >= len(given)) {
			quoted(r, quote.Lines[i])
		}
		r.key = r.given["product"] + "\x00" + r.given["source"] + "\x00" + r.given["source_line"]
		r.say = strings.TrimSpace(r.given["quantity"] + orAmount(r) + " " + unitOf(r) + " " + nameOf(r))
		r.name = nameOf(r)
		s.lines = append(s.lines, r)
	}
	return s
}

// quoted puts what the ERP said of a line beside what was given.
func quoted(r row, l Line) {
	for _, x := range []struct{ name, value string }{{"product", l.Product}, {"quantity", l.Quantity}} {
		if r.given[x.name] == "" {
			put(r.given, x.name, x.value)
		}
	}
	for _, x := range []struct{ name, value string }{{"product_name", l.ProductName}, {"unit", l.Unit}, {"base_price", l.BasePrice},
		{"discount", l.Discount}, {"unit_price", l.UnitPrice}, {"amount", l.Amount}, {"warehouse", l.Warehouse}, {"status", l.Status},
		{"stock_before", l.StockBefore}} {
		if _, typed := r.given[x.name]; !typed {
			put(r.derived, x.name, x.value)
		}
	}
}

func orAmount(r row) string {
	if r.given["quantity"] == "" {
		return r.given["amount"]
	}
	return ""
}

func unitOf(r row) string {
	if u := r.given["unit"]; u != "" {
		return u
	}
	return r.derived["unit"]
}

// nameOf is the line's product, or the document that it settles.
func nameOf(r row) string {
	code := r.given["product"]
	if code == "" {
		return r.given["source"]
	}
	if name := r.derived["product_name"]; name != "" {
		return name + " (" + code + ")"
	}
	return code
}

// line tells a whole row that came or went.
func line(l row, kind Kind) Difference {
	d := Difference{Diff: erp.Diff{Field: "lines", Label: erp.Label{Zh: "明细", En: "Lines"}, Object: l.name}, Kind: kind, Line: l.n}
	if kind == Added {
		d.After = l.say
	} else {
		d.Before = l.say
	}
	return d
}

// compare lists the values that differ, by name.
func compare(a, b map[string]string, labels map[string]erp.Diff, object string, n int, derived bool) []Difference {
	names := map[string]bool{}
	for k := range a {
		names[k] = true
	}
	for k := range b {
		names[k] = true
	}
	sorted := make([]string, 0, len(names))
	for k := range names {
		sorted = append(sorted, k)
	}
	sort.Strings(sorted)
	var out []Difference
	for _, k := range sorted {
		before, after := a[k], b[k]
		if same(before, after) {
			continue
		}
		d := Difference{Diff: erp.Diff{Field: k, Label: erp.Label{Zh: k, En: k}, Object: object, Before: before, After: after, Derived: derived},
			Kind: Changed, Line: n}
		if l, ok := labels[k]; ok {
			d.Label, d.Type = l.Label, l.Type
		}
		switch "" {
		case before:
			d.Kind = Added
		case after:
			d.Kind = Removed
		}
		out = append(out, d)
	}
	return out
}

// same compares two values; decimals by what they are worth.
func same(a, b string) bool {
	if a == b {
		return true
	}
	x, err := erp.NormalizeDecimal(a)
	if err != nil {
		return false
	}
	y, err := erp.NormalizeDecimal(b)
	return err == nil && x == y
}

// plain is a JSON scalar as text; anything else stays JSON, null is "".
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// put leaves out what is empty.
func put(m map[string]string, name, value string) {
	if value != "" {
		m[name] = value
	}
}
