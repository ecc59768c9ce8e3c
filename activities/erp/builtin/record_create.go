package builtin

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// createRecord makes one row. A code that is left empty is given by the ERP, where
// the form has a series of codes.
type createRecord struct{}

type createStep struct {
	recordStep
	// numbered says that the ERP gives the code.
	numbered bool
}

func (createRecord) gather(ctx context.Context, j *job) (step, error) {
	s := &createStep{recordStep: recordStep{bad: j.problems()}}
	if err := s.parse(ctx, j); err != nil {
		return nil, err
	}
	var err error
	if s.draft, s.list, err = j.holdDraft(ctx); err != nil {
		return nil, err
	}
	if err := s.hold(ctx, j, ""); err != nil {
		return nil, err
	}
	s.key = s.set[j.form.KeyField]
	s.object = s.name(j)
	return s, s.judge(ctx, j)
}

// parse fills in what the form begins with, then reads the payload.
func (s *createStep) parse(ctx context.Context, j *job) error {
	p := j.problems()
	obj, ok := object(j.change.Payload)
	if !ok {
		p.add("", "内容应为 JSON 对象", "the payload must be a JSON object")
		return p.err()
	}
	for _, f := range j.form.fields {
		raw, given := obj[f.Name]
		if f.Default == "" || f.ReadOnly || given && !isNull(raw) && string(raw) != `""` {
			continue
		}
		v := f.Default
		if v == "today" {
			var err error
			if v, err = j.q.ErpToday(ctx, j.tenant); err != nil {
				return err
			}
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		obj[f.Name] = text
	}
	whole, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	s.set = parse(whole, j.form.fields, true, zoneOf(j.id), p)
	if key, ok := j.form.find(j.form.KeyField); ok && !key.ReadOnly && s.set[key.Name] == "" && !slices.ContainsFunc(p.list, named(key.Name)) {
		if _, s.numbered = codePrefix[j.form.Form]; !s.numbered {
			p.add(key.Name, "必填", "is required")
		}
	}
	return p.err()
}

func (s *createStep) check(j *job) error {
	if err := s.draft.check(j); err != nil {
		return err
	}
	return s.bad.err()
}

func (s *createStep) apply(ctx context.Context, j *job) (outcome, error) {
	out := outcome{preview: nouns.Preview{Provisional: s.numbered}}
	var err error
	// The payload says what was chosen: a code that the ERP gives is chosen by the write.
	if out.preview.Payload, err = s.row(j.form); err != nil {
		return outcome{}, err
	}
	if s.numbered {
		if s.key, err = j.nextCode(ctx); err != nil {
			return outcome{}, err
		}
		s.set[j.form.KeyField] = s.key
	}
	row, err := s.row(j.form)
	if err != nil {
		return outcome{}, err
	}
	var columns, from []string
	for _, f := range j.form.fields {
		v, ok := s.set[f.Name]
		if !ok {
			continue
		}
		name := pgx.Identifier{f.Name}.Sanitize()
		columns, from = append(columns, name), append(from, "r."+name)
		if v == "" {
			continue
		}
		d := s.diff(j, f, "", v)
		d.Derived = s.numbered && f.Name == j.form.KeyField
		out.preview.Diffs = append(out.preview.Diffs, d)
	}
	if err := s.giveWay(ctx, j); err != nil {
		return outcome{}, err
	}
	var version int64
	err = j.write(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, "INSERT INTO "+j.form.base()+" AS t (tenant_id, "+strings.Join(columns, ", ")+") SELECT $1, "+strings.Join(from, ", ")+
			" FROM jsonb_populate_record(NULL::"+j.form.base()+", $2::jsonb) r RETURNING t."+j.form.key()+"::text, t.version", j.tenant, row).Scan(&s.key, &version)
	})
	if err != nil {
		return outcome{}, err
	}
	s.object = s.name(j)
	out.bill, out.preview.Object = s.key, s.object
	if s.numbered { // the code is not theirs before it is written
		unnamed := s.recordStep
		unnamed.key = ""
		out.preview.Object = cmp.Or(unnamed.name(j), s.object)
	}
	if err := j.remember(ctx, j.form.Form, s.key, version, out.preview.Diffs); err != nil {
		return outcome{}, err
	}
	out.preview.Diffs = append(out.preview.Diffs, s.aside...)
	return out, nil
}
