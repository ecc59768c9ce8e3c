package builtin

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// linked is the record that a link field names. Row is nil where there is none.
type linked struct {
	form   *form
	key    string
	zh, en string
	row    values
}

// lockRank is the place of a form in the order in which all writes lock; a form
// that is not named comes first, for nothing that is named leads back to it.
var lockRank = map[string]int{"customer": 1, "supplier": 1, "currency": 2, "tax": 3, "product": 4, "warehouse": 5}

// hold locks the record itself and all that the change links it to, in the common
// order. Links are locked as strongly as the triggers of prices and discounts lock
// them afterwards: a weaker lock first would be a deadlock waiting to happen.
func (s *recordStep) hold(ctx context.Context, j *job, strength string) error {
	type want struct{ form, key, field string }
	var wants []want
	if j.change.Target != "" {
		wants = append(wants, want{form: j.form.Form, key: j.change.Target})
	}
	names := []string{}
	for _, x := range j.form.fields {
		if v := s.set[x.Name]; x.Type == nouns.Link && v != "" {
			wants = append(wants, want{x.LinkForm, v, x.Name})
			names = append(names, x.LinkForm)
		}
	}
	forms, err := j.linkForms(ctx, names)
	if err != nil {
		return err
	}
	slices.SortStableFunc(wants, func(a, b want) int {
		return cmp.Or(cmp.Compare(lockRank[a.form], lockRank[b.form]), cmp.Compare(a.form, b.form), cmp.Compare(a.key, b.key))
	})
	s.links = map[string]linked{}
	for _, w := range wants {
		if w.field == "" {
			if s.old, err = j.lockRow(ctx, j.form, w.key, strength); err != nil {
				return err
			}
			continue
		}
		f := forms[w.form]
		if f == nil {
			s.links[w.field] = linked{key: w.key}
			continue
		}
		row, err := j.lockRow(ctx, f, w.key, "NO KEY UPDATE")
		if err != nil {
			return err
		}
		l := linked{form: f, key: w.key, row: row}
		if f.NameZhField != "" {
			l.zh, l.en = row[f.NameZhField], row[f.NameEnField]
		}
		s.links[w.field], s.links[w.field+"="+w.key] = l, l
		if row != nil && l.zh != "" && s.old[w.field] != w.key {
			s.list = append(s.list, nouns.Fact{Kind: nouns.FactName, Form: w.form, Key: w.key, Field: f.NameZhField,
				Label: nouns.Label{Zh: f.LabelZh + "名称", En: f.LabelEn + " name"}, Object: objectName(j.locale(), l.zh, l.en, w.key), Value: bothNames(l.zh, l.en)})
		}
	}
	return nil
}

// oldLinks reads the names of what the record was linked to before.
func (s *recordStep) oldLinks(ctx context.Context, j *job) error {
	var names []string
	for _, x := range j.form.fields {
		if x.Type == nouns.Link && s.old[x.Name] != "" {
			names = append(names, x.LinkForm)
		}
	}
	forms, err := j.linkForms(ctx, names)
	if err != nil {
		return err
	}
	for _, x := range j.form.fields {
		f, v := forms[x.LinkForm], s.old[x.Name]
		if x.Type != nouns.Link || v == "" || f == nil || f.NameZhField == "" {
			continue
		}
		l := linked{form: f, key: v}
		err := j.tx.QueryRow(ctx, "SELECT t."+pgx.Identifier{f.NameZhField}.Sanitize()+"::text, t."+pgx.Identifier{f.NameEnField}.Sanitize()+"::text FROM "+f.base()+
			" t WHERE t.tenant_id = $1 AND t."+f.key()+" = $2", j.tenant, v).Scan(&l.zh, &l.en)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		s.links[x.Name+"="+v] = l
		if _, ok := s.links[x.Name]; !ok {
			s.links[x.Name] = l
		}
	}
	return nil
}

// linkForms are forms by name, whatever the person may do with them: what a link
// leads to must exist, whoever looks.
func (j *job) linkForms(ctx context.Context, names []string) (map[string]*form, error) {
	out := map[string]*form{}
	if len(names) == 0 {
		return out, nil
	}
	slices.Sort(names)
	forms, err := j.forms.load(ctx, pgdb.New(j.tx), j.id, slices.Compact(names))
	for _, f := range forms {
		out[f.Form] = f
	}
	return out, err
}

// dangling notes the links that lead nowhere.
func (s *recordStep) dangling(j *job) {
	for _, x := range j.form.fields {
		v, given := s.set[x.Name]
		if x.Type != nouns.Link || !given || v == "" {
			continue
		}
		if l := s.links[x.Name]; l.row == nil {
			s.bad.add(x.Name, "没有“"+clip(v)+"”这个"+x.Label.Zh, "there is no "+x.LinkForm+" "+clip(v))
		}
	}
}
