package builtin

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

const (
	maxPayload = 1 << 20
	maxLines   = 100
)

// values are checked values by field name: normalised text.
type values map[string]string

// parse reads a payload by the fields that may be written; lines fields are left
// to parseLines. Unknown and read-only fields are problems, missing required
// ones too when all is set (create).
func parse(raw json.RawMessage, fields []field, all bool, zone *time.Location, p *problems) values {
	obj, ok := object(raw)
	if !ok || len(raw) > maxPayload {
		p.add("", "内容应为 JSON 对象", "the payload must be a JSON object")
		return nil
	}
	return parseObject(obj, "", fields, all, zone, p)
}

func parseObject(obj map[string]json.RawMessage, path string, fields []field, all bool, zone *time.Location, p *problems) values {
	vals := values{}
	var keys []string
	for k := range obj {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		f, ok := findField(fields, k)
		switch {
		case !ok:
			p.add(path+clip(k), "没有这个字段", "is not a field of this form")
			continue
		case f.ReadOnly:
			p.add(path+k, "只读，不能填写", "is read-only")
			continue
		case f.Type == nouns.Lines:
			continue
		}
		if isNull(obj[k]) {
			// In a new record null is the same as left out.
			if !all {
				p.add(path+k, "不能为空", "must not be null")
			}
			continue
		}
		s, bad := scalar(obj[k])
		if bad == nil && all && s == "" && !f.Required {
			continue // an optional value that is left empty
		}
		var v string
		if bad == nil {
			v, bad = f.check(s, zone)
		}
		if bad != nil {
			p.add(path+k, bad.zh, bad.en)
			continue
		}
		vals[k] = v
	}
	for _, f := range fields {
		if raw, given := obj[f.Name]; all && f.Required && !f.ReadOnly && (!given || isNull(raw)) {
			p.add(path+f.Name, "必填", "is required")
		}
	}
	return vals
}

// parseLines reads the rows of a lines field: 1 to 100.
func parseLines(raw json.RawMessage, name string, columns []field, zone *time.Location, p *problems) []values {
	if raw == nil || isNull(raw) {
		return nil // "required" is said by parse
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		p.add(name, "应为列表", "must be a list")
		return nil
	}
	if len(rows) == 0 || len(rows) > maxLines {
		p.add(name, "应有 1 到 100 行", "must have 1 to 100 rows")
		return nil
	}
	out := make([]values, 0, len(rows))
	for i, r := range rows {
		path := name + "[" + strconv.Itoa(i+1) + "]."
		obj, ok := object(r)
		if !ok {
			p.add(name+"["+strconv.Itoa(i+1)+"]", "应为对象", "must be an object")
			continue
		}
		out = append(out, parseObject(obj, path, columns, true, zone, p))
	}
	return out
}

// object decodes a JSON object and refuses one that names a key twice, or that is
// no UTF-8: the decoder would replace what it cannot read.
func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if !utf8.Valid(raw) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	obj := map[string]json.RawMessage{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, false
		}
		k, _ := t.(string) // keys of an object are strings
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, false
		}
		if _, twice := obj[k]; twice {
			return nil, false
		}
		obj[k] = v
	}
	if _, err := dec.Token(); err != nil {
		return nil, false
	}
	return obj, !dec.More()
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
