package builtin

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// updateRecord changes fields of one row.
type updateRecord struct{}

type updateStep struct{ recordStep }

func (updateRecord) gather(ctx context.Context, j *job) (step, error) {
	s := &updateStep{recordStep{key: j.change.Target, bad: j.problems()}}
	var err error
	if s.set, err = j.changed(); err != nil {
		return nil, err
	}
	if err := s.hold(ctx, j, "NO KEY UPDATE"); err != nil {
		return nil, err
	}
	if s.old == nil {
		return nil, j.missing()
	}
	if err := s.oldLinks(ctx, j); err != nil {
		return nil, err
	}
	s.object = (&recordStep{old: s.old, key: s.key, links: s.links}).name(j)
	for _, f := range j.form.fields {
		if _, ok := s.set[f.Name]; ok {
			s.list = append(s.list, nouns.Fact{Kind: nouns.FactVersion, Form: j.form.Form, Key: s.key, Field: f.Name,
				Label: f.Label, Object: s.object, Value: s.old[f.Name]})
		}
	}
	s.list = append(s.list, j.versionFact(s.key, s.object, s.old["version"]))
	return s, s.judge(ctx, j)
}

// changed reads the payload of an update. What is optional and no text is cleared
// by null or an empty text.
func (j *job) changed() (values, error) {
	p := j.problems()
	obj, ok := object(j.change.Payload)
	if !ok {
		p.add("", "内容应为 JSON 对象", "the payload must be a JSON object")
		return nil, p.err()
	}
	cleared := values{}
	for _, f := range j.form.fields {
		raw, given := obj[f.Name]
		if given && f.Fixed {
			p.add(f.Name, "新建后不能修改", "cannot be changed once the record is made")
			delete(obj, f.Name)
			continue
		}
		if given && !f.ReadOnly && !f.Required && (f.Type == nouns.Link || f.Type == nouns.Date) && (isNull(raw) || string(raw) == `""`) {
			cleared[f.Name] = ""
			delete(obj, f.Name)
		}
	}
	rest, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	set := parse(rest, j.form.fields, false, zoneOf(j.id), p)
	for k := range cleared {
		set[k] = ""
	}
	if len(set) == 0 && len(p.list) == 0 {
		p.add("", "没有要修改的字段", "there is no field to change")
	}
	return set, p.err()
}

func (s *updateStep) check(j *job) error {
	if err := s.bad.err(); err != nil {
		return err
	}
	for k, v := range s.set {
		if s.old[k] != v {
			return nil
		}
	}
	p := j.problems()
	p.add("", "新值与现值相同，没有变化", "the new values are the present ones: nothing changes")
	return p.err()
}

func (s *updateStep) apply(ctx context.Context, j *job) (outcome, error) {
	var columns []string
	out := outcome{bill: s.key, preview: nouns.Preview{Object: s.object}}
	for _, f := range j.form.fields {
		v, ok := s.set[f.Name]
		if !ok {
			continue
		}
		name := pgx.Identifier{f.Name}.Sanitize()
		columns = append(columns, name+" = r."+name)
		if s.old[f.Name] != v {
			out.preview.Diffs = append(out.preview.Diffs, s.diff(j, f, s.old[f.Name], v))
		}
	}
	var err error
	if out.preview.Payload, err = s.row(j.form); err != nil {
		return outcome{}, err
	}
	if err := s.giveWay(ctx, j); err != nil {
		return outcome{}, err
	}
	var version int64
	err = j.write(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "UPDATE "+j.form.base()+" t SET "+strings.Join(columns, ", ")+", version = t.version + 1"+
			" FROM jsonb_populate_record(NULL::"+j.form.base()+", $3::jsonb) r WHERE t.tenant_id = $1 AND t."+j.form.key()+" = $2 RETURNING t.version",
			j.tenant, s.key, out.preview.Payload).Scan(&version)
	})
	if err != nil {
		return outcome{}, err
	}
	if old, _ := strconv.ParseInt(s.old["version"], 10, 64); version != old+1 {
		return outcome{}, fault.New(fault.Internal, "detail", "the locked row has moved")
	}
	if err := j.remember(ctx, j.form.Form, s.key, version, out.preview.Diffs); err != nil {
		return outcome{}, err
	}
	out.preview.Diffs = append(out.preview.Diffs, s.aside...)
	return out, nil
}

// giveWay writes the other row that must change first.
func (s *recordStep) giveWay(ctx context.Context, j *job) error {
	if s.before == nil {
		return nil
	}
	d, err := s.before(ctx, j)
	s.aside = []nouns.Diff{d}
	return err
}
