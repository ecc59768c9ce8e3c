package builtin

import (
	"context"
	"maps"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// updateDocument changes a draft: values of its header, or its lines as a whole.
// Other lines, another partner or another day price it anew.
type updateDocument struct{ k *kind }

func (b updateDocument) gather(ctx context.Context, j *job) (step, error) {
	s := &docStep{k: b.k, wrong: *j.problems(), payload: map[string]any{}}
	p := j.problems()
	obj, _ := splitArgs(j, p)
	set := parseObject(obj, "", j.form.fields, false, zoneOf(j.id), p)
	rows := parseLines(obj["lines"], "lines", j.form.parts["lines"], zoneOf(j.id), p)
	asked := s.askLines(rows, p)
	if len(set) == 0 && rows == nil && len(p.list) == 0 {
		p.add("", "没有要修改的字段", "there is no field to change")
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	if err := s.m.start(ctx, j); err != nil {
		return nil, err
	}
	if err := s.holdOwn(ctx, j); err != nil {
		return nil, err
	}
	own := s.own
	same := rows == nil
	for name, v := range set {
		same = same && own.head[name] == v
	}
	if same {
		s.wrong.add("", "新值与现值相同，没有变化", "the new values are the present ones: nothing changes")
	}
	if own.status != "draft" {
		s.wrong.add("status", "单据 "+own.number+" 不是草稿，不能修改", own.number+" is no draft and cannot be changed")
	}
	if rows != nil && (len(s.draws) > 0 || b.k.pays) {
		s.wrong.add("lines", "来自来源单据的明细不能修改，请取消后重新生成", "lines that come from other documents cannot be changed: cancel it and generate again")
	}
	if len(s.draws) > 0 {
		for _, c := range []string{b.k.partner, "warehouse"} {
			if v, given := set[c]; given && v != own.head[c] {
				s.wrong.add(c, "由来源单据决定，不能修改", "is decided by the source and cannot be changed")
			}
		}
	}
	for _, f := range j.form.fields {
		if _, ok := set[f.Name]; ok {
			s.fact(nouns.FactVersion, b.k.form, own.number, f.Name, "", f.Label, own.number, own.head[f.Name])
		}
	}
	s.noteDocument(own)
	d := &document{kind: b.k, number: own.number, status: own.status, version: own.version, head: maps.Clone(own.head)}
	maps.Copy(d.head, set)
	s.docs = []*document{d}
	for k, v := range set {
		s.payload[k] = v
	}
	reprice := rows != nil || d.partner() != own.partner() || d.head[b.k.date] != own.head[b.k.date]
	if len(s.draws) > 0 || b.k.pays || !reprice {
		d.lines = own.lines
		err := s.m.hold(ctx, j, need{kind: b.k, partner: d.partner(), products: productsOf(own)})
		s.notePartner(j, false, false)
		return s, err
	}
	if rows == nil {
		asked = askedAgain(own)
	}
	header := s.payload
	s.payload = map[string]any{}
	if err := s.gatherKeyed(ctx, j, d, asked); err != nil {
		return nil, err
	}
	if rows != nil {
		header["lines"] = s.payload["lines"]
	}
	s.payload = header
	return s, nil
}

// askedAgain are the lines of a stored document as they would be keyed in.
func askedAgain(d *document) []askedLine {
	out := make([]askedLine, len(d.lines))
	for i, l := range d.lines {
		out[i] = askedLine{product: l.Product, unit: l.Unit, quantity: l.Quantity}
		if d.kind.buys {
			price := l.UnitPrice
			out[i].price = &price
		}
	}
	return out
}
