package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// recordStep makes, changes or deletes one row of a form's base table. It serves
// every form whose writable fields are columns of that table, beside its key and
// `version`; what a form asks beyond that is a rule (record_rule.go).
type recordStep struct {
	// object names the record for people, key is "" until the ERP has given one.
	object, key string
	// old is the row before, nil for a new one; set is what the change gives. An empty
	// value that is no text is NULL.
	old, set values
	links    map[string]linked
	draft    *heldDraft
	list     []nouns.Fact
	// bad is what the rules found wrong, told by check.
	bad *problems
	// before writes another row that must give way first; nil without one.
	before func(ctx context.Context, j *job) (nouns.Diff, error)
	// aside is what before changed.
	aside []nouns.Diff
}

// recordBehaviour is what changes the rows of a form without a behaviour of its
// own. A form with lines is a document: nothing generic may touch its totals.
func recordBehaviour(f *form, action string) (behaviour, bool) {
	if nouns.Kind(f.Kind) == nouns.KindReport || f.document() {
		return nil, false
	}
	switch action {
	case "create":
		return createRecord{}, true
	case "update":
		return updateRecord{}, true
	case "delete":
		return deleteRecord{}, true
	}
	return nil, false
}

func (s *recordStep) facts() []nouns.Fact { return s.list }

// lockRow locks a row of a form's base table and reads it; nil when there is none.
// Strength is "NO KEY UPDATE" or "UPDATE".
func (j *job) lockRow(ctx context.Context, f *form, key, strength string) (values, error) {
	var raw []byte
	err := j.tx.QueryRow(ctx, "SELECT to_jsonb(t) FROM "+f.base()+" t WHERE t.tenant_id = $1 AND t."+f.key()+" = $2 FOR "+strength, j.tenant, key).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return f.rowValues(raw)
}

func (f *form) base() string { return pgx.Identifier{"erp", f.BaseTable}.Sanitize() }

func (f *form) key() string { return pgx.Identifier{f.KeyField}.Sanitize() }

func (j *job) missing() error {
	return fault.New(fault.NotFound, "noun", j.form.Form, "id", clip(j.change.Target))
}

// rowValues normalises a row of the base table by the form's fields; what is NULL
// is left out.
func (f *form) rowValues(raw []byte) (values, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var row map[string]any
	if err := dec.Decode(&row); err != nil {
		return nil, err
	}
	vals := values{}
	for _, x := range f.fields {
		v, ok := row[x.Name]
		if !ok || v == nil {
			continue
		}
		s := fmt.Sprint(v)
		if x.Type == nouns.Decimal || x.Type == nouns.Money {
			var err error
			if s, err = nouns.NormalizeDecimal(s); err != nil {
				return nil, err
			}
		}
		vals[x.Name] = s
	}
	return vals, nil
}

// row is the change as JSON that jsonb_populate_record reads, each text by its
// column's own type.
func (s *recordStep) row(f *form) (json.RawMessage, error) {
	m := map[string]any{}
	for k, v := range s.set {
		m[k] = v
		if x, ok := f.find(k); ok && v == "" && x.Type != nouns.Text {
			m[k] = nil
		}
	}
	return json.Marshal(m)
}

// now is the record as it will be.
func (s *recordStep) now(name string) string {
	if v, ok := s.set[name]; ok {
		return v
	}
	return s.old[name]
}

// name is what people call the record: its own name, or the names of what it
// connects, with the key.
func (s *recordStep) name(j *job) string {
	f := j.form
	if f.NameZhField != "" {
		return objectName(j.locale(), s.now(f.NameZhField), s.now(f.NameEnField), s.key)
	}
	var all []string
	for _, x := range f.fields {
		if x.Type != nouns.Link || x.ReadOnly {
			continue
		}
		if l, ok := s.links[x.Name]; ok && l.zh != "" {
			all = append(all, nouns.Label{Zh: l.zh, En: l.en}.In(j.locale()))
		}
	}
	name := strings.Join(all, " × ")
	switch {
	case name == "":
		return s.key
	case s.key == "":
		return name
	}
	return name + " (" + s.key + ")"
}

// diff is one row of the card; link and option values come with their names.
func (s *recordStep) diff(j *job, x field, before, after string) nouns.Diff {
	show := func(v string) string {
		if x.Type == nouns.Link && v != "" {
			if l, ok := s.links[x.Name+"="+v]; ok {
				return objectName(j.locale(), l.zh, l.en, v)
			}
		}
		return x.show(v, j.locale())
	}
	return nouns.Diff{Field: x.Name, Label: x.Label, Type: x.Type, Before: show(before), After: show(after)}
}

func (j *job) versionFact(key, object, value string) nouns.Fact {
	return nouns.Fact{Kind: nouns.FactVersion, Form: j.form.Form, Key: key, Field: "version",
		Label: nouns.Label{Zh: "记录版本", En: "Record version"}, Object: object, Value: value}
}

// objectName names a record for people: "上海晨光贸易有限公司 (C-0001)".
func objectName(locale, zh, en, key string) string {
	name := nouns.Label{Zh: zh, En: en}.In(locale)
	switch {
	case name == "":
		return key
	case key == "":
		return name
	}
	return name + " (" + key + ")"
}
