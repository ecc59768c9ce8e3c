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

// updateRecord changes fields of one row of a form's base table. It works for
// every form whose writable fields are columns of that table, beside its key and
// `version`.
type updateRecord struct{}

type recordStep struct {
	object string
	old    values
	set    values
	list   []nouns.Fact
}

func (updateRecord) gather(ctx context.Context, j *job) (step, error) {
	p := j.problems()
	set, _ := parse(j.change.Payload, j.form.fields, false, zoneOf(j.id), p)
	if len(set) == 0 && len(p.list) == 0 {
		p.add("", "没有要修改的字段", "there is no field to change")
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	var raw []byte
	err := j.tx.QueryRow(ctx, "SELECT to_jsonb(t) FROM "+j.base()+" t WHERE t.tenant_id = $1 AND t."+j.key()+" = $2 FOR NO KEY UPDATE",
		j.tenant, j.change.Target).Scan(&raw)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "noun", j.form.Form, "id", clip(j.change.Target))
	}
	if err != nil {
		return nil, err
	}
	s := &recordStep{set: set}
	if s.old, err = j.rowValues(raw); err != nil {
		return nil, err
	}
	s.object = objectName(j.locale(), s.old[j.form.NameZhField], s.old[j.form.NameEnField], j.change.Target)
	for _, f := range j.form.fields {
		if _, ok := set[f.Name]; ok {
			s.list = append(s.list, nouns.Fact{Kind: nouns.FactVersion, Form: j.form.Form, Key: j.change.Target, Field: f.Name,
				Label: f.Label, Object: s.object, Value: s.old[f.Name]})
		}
	}
	s.list = append(s.list, nouns.Fact{Kind: nouns.FactVersion, Form: j.form.Form, Key: j.change.Target, Field: "version",
		Label: nouns.Label{Zh: "记录版本", En: "Record version"}, Object: s.object, Value: s.old["version"]})
	return s, nil
}

func (s *recordStep) facts() []nouns.Fact { return s.list }

func (s *recordStep) check(j *job) error {
	for k, v := range s.set {
		if s.old[k] != v {
			return nil
		}
	}
	p := j.problems()
	p.add("", "新值与现值相同，没有变化", "the new values are the present ones: nothing changes")
	return p.err()
}

func (s *recordStep) apply(ctx context.Context, j *job) (outcome, error) {
	var columns []string
	out := outcome{bill: j.change.Target, preview: nouns.Preview{Object: s.object}}
	for _, f := range j.form.fields {
		v, ok := s.set[f.Name]
		if !ok {
			continue
		}
		name := pgx.Identifier{f.Name}.Sanitize()
		columns = append(columns, name+" = r."+name)
		if s.old[f.Name] != v {
			out.preview.Diffs = append(out.preview.Diffs, nouns.Diff{Field: f.Name, Label: f.Label, Type: f.Type,
				Before: f.show(s.old[f.Name], j.locale()), After: f.show(v, j.locale())})
		}
	}
	payload, err := json.Marshal(s.set)
	if err != nil {
		return outcome{}, err
	}
	out.preview.Payload = payload
	// jsonb_populate_record reads each text by its column's own type.
	tag, err := j.tx.Exec(ctx, "UPDATE "+j.base()+" t SET "+strings.Join(columns, ", ")+", version = t.version + 1"+
		" FROM jsonb_populate_record(NULL::"+j.base()+", $3::jsonb) r WHERE t.tenant_id = $1 AND t."+j.key()+" = $2", j.tenant, j.change.Target, payload)
	if err != nil {
		return outcome{}, err
	}
	if tag.RowsAffected() != 1 {
		return outcome{}, fault.New(fault.Internal, "detail", "the locked row is gone")
	}
	return out, nil
}

func (j *job) base() string { return pgx.Identifier{"erp", j.form.BaseTable}.Sanitize() }

func (j *job) key() string { return pgx.Identifier{j.form.KeyField}.Sanitize() }

// rowValues normalises a row of the base table by the form's fields.
func (j *job) rowValues(raw []byte) (values, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var row map[string]any
	if err := dec.Decode(&row); err != nil {
		return nil, err
	}
	vals := values{}
	for _, f := range j.form.fields {
		v, ok := row[f.Name]
		if !ok || v == nil {
			continue
		}
		s := fmt.Sprint(v)
		if f.Type == nouns.Decimal || f.Type == nouns.Money {
			var err error
			if s, err = nouns.NormalizeDecimal(s); err != nil {
				return nil, err
			}
		}
		vals[f.Name] = s
	}
	return vals, nil
}

// objectName names a record for people: "上海晨光贸易有限公司 (C-0001)".
func objectName(locale, zh, en, key string) string {
	name := nouns.Label{Zh: zh, En: en}.In(locale)
	if name == "" {
		return key
	}
	return name + " (" + key + ")"
}
