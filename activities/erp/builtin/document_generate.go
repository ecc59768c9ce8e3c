package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// generateDocument carries what remains of source documents into new ones: one of
// all sources (merge) or one for each (split).
type generateDocument struct{ k *kind }

const maxSources = 50

// wanted is a line of a source that was asked for; quantity nil is all that remains.
type wanted struct {
	// at is the place in the list of what was asked for.
	at       int
	source   string
	line     int
	quantity *decimal.Decimal
}

func (b generateDocument) gather(ctx context.Context, j *job) (step, error) {
	s := &docStep{k: b.k, wrong: *j.problems(), payload: map[string]any{}}
	p := j.problems()
	head, numbers, picks, split := s.parseGenerate(j, p)
	if err := p.err(); err != nil {
		return nil, err
	}
	if err := s.m.start(ctx, j); err != nil {
		return nil, err
	}
	held, err := s.holdSources(ctx, j, numbers)
	if err != nil {
		return nil, err
	}
	parts := s.pick(numbers, picks, held)
	var groups [][]draw
	for _, part := range parts {
		if len(groups) == 0 || (split && groups[len(groups)-1][0].source != part.source) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], part)
	}
	for _, g := range groups {
		s.docs = append(s.docs, s.drawn(g, head))
	}
	s.draws = parts
	if err := s.completeDrawn(ctx, j); err != nil {
		return nil, err
	}
	mode := nouns.GenerateMerge
	if split {
		mode = nouns.GenerateSplit
	}
	s.payload["source_form"], s.payload["sources"], s.payload["mode"] = b.k.source, numbers, mode
	s.payload["lines"] = pickedPayload(parts)
	return s, nil
}

func pickedPayload(parts []draw) []map[string]any {
	lines := make([]map[string]any, len(parts))
	for i, x := range parts {
		if x.from == nil {
			lines[i] = map[string]any{"source": x.source.number, "quantity": x.amount.String()}
			continue
		}
		lines[i] = map[string]any{"source": x.source.number, "line_no": x.from.LineNo, "quantity": x.quantity.String()}
	}
	return lines
}

// parseGenerate reads the keys of nouns.Generate; what is left are values of the
// new document's header.
func (s *docStep) parseGenerate(j *job, p *problems) (head values, numbers []string, picks []wanted, split bool) {
	obj, ok := object(j.change.Payload)
	if !ok || len(j.change.Payload) > maxPayload {
		p.add("", "内容应为 JSON 对象", "the payload must be a JSON object")
		return nil, nil, nil, false
	}
	src := kindOf(s.k.source)
	if form, ok := scalarOf(obj["source_form"]); !ok || form != "" && form != src.form {
		p.add("source_form", "来源应为 "+src.form, "the source must be "+src.form)
	}
	numbers = parseSources(obj["sources"], p)
	switch mode, ok := scalarOf(obj["mode"]); {
	case ok && (mode == "" || mode == nouns.GenerateMerge):
	case ok && mode == nouns.GenerateSplit:
		split = true
	default:
		p.add("mode", "应为 merge 或 split", "must be merge or split")
	}
	picks = s.parsePicks(obj["lines"], numbers, p)
	for _, key := range []string{"source_form", "sources", "mode", "lines"} {
		delete(obj, key)
	}
	// What the source decides is not keyed in.
	var fields []field
	for _, f := range j.form.fields {
		fixed := f.Name == s.k.partner || f.Name == "warehouse" && src.stored || f.Type == nouns.Lines
		if fixed {
			f.ReadOnly, f.Required = true, false
		}
		fields = append(fields, f)
	}
	return parseObject(obj, "", fields, true, zoneOf(j.id), p), numbers, picks, split
}

// scalarOf is a text or number, "" when it is left out; false for anything else.
func scalarOf(raw json.RawMessage) (string, bool) {
	if raw == nil || isNull(raw) {
		return "", true
	}
	s, bad := scalar(raw)
	return strings.TrimSpace(s), bad == nil
}

// parseSources reads numbers, as a list or as a text with commas between them.
func parseSources(raw json.RawMessage, p *problems) []string {
	var numbers []string
	if text, ok := scalarOf(raw); ok && text != "" {
		numbers = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",，、; \n\t", r) })
	} else if raw != nil && json.Unmarshal(raw, &numbers) != nil {
		p.add("sources", "应为单号列表", "must be a list of document numbers")
		return nil
	}
	for i := range numbers {
		numbers[i] = strings.TrimSpace(numbers[i])
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	if len(numbers) == 0 || len(numbers) > maxSources {
		p.add("sources", "应有 1 到 50 张来源单据", "must have 1 to 50 source documents")
		return nil
	}
	for _, n := range numbers {
		if n == "" || len(n) > 40 || !storable(n) {
			p.add("sources", "不是有效的单号："+clip(n), "not a document number: "+clip(n))
		}
	}
	return numbers
}

// pickKeys are those of nouns.SourceLine, and amount.
var pickKeys = []string{"source", "line_no", "quantity", "amount"}

// parsePicks reads the selected lines; none selects all that remains. quantity is
// an amount where the source is paid, and may be called so.
func (s *docStep) parsePicks(raw json.RawMessage, numbers []string, p *problems) []wanted {
	if raw == nil || isNull(raw) {
		return nil
	}
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil {
		p.add("lines", "应为列表", "must be a list")
		return nil
	}
	if len(rows) > maxMade {
		p.add("lines", "最多 500 行", "must have at most 500 rows")
		return nil
	}
	var out []wanted
	seen := map[[2]string]bool{}
	for i, r := range rows {
		path := "lines[" + strconv.Itoa(i+1) + "]"
		obj, ok := object(r)
		if !ok {
			p.add(path, "应为对象", "must be an object")
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(obj)) {
			_, ok := scalarOf(obj[key])
			switch {
			case !slices.Contains(pickKeys, key):
				p.add(path+"."+clip(key), "没有这个字段", "is not a field of this form")
			case !ok:
				p.add(path+"."+key, "应为文本或数字", "must be a text or a number")
			}
		}
		w := wanted{at: i}
		w.source, _ = scalarOf(obj["source"])
		no, _ := scalarOf(obj["line_no"])
		w.line, _ = strconv.Atoi(no)
		if s.k.pays {
			w.line = 0
		}
		if !slices.Contains(numbers, w.source) {
			p.add(path+".source", "不在来源单据中", "is not one of the sources")
		}
		if seen[[2]string{w.source, strconv.Itoa(w.line)}] {
			p.add(path, "重复选择了同一行", "selects the same line twice")
		}
		seen[[2]string{w.source, strconv.Itoa(w.line)}] = true
		for _, key := range []string{"quantity", "amount"} {
			text, ok := scalarOf(obj[key])
			if !ok || text == "" {
				continue // left out, or noted
			}
			f := field{Field: nouns.Field{Type: nouns.Decimal}}
			v, bad := f.normalise(text, nil)
			if bad != nil {
				p.add(path+"."+key, bad.zh, bad.en)
				continue
			}
			q, _ := decimal.NewFromString(v) // normalised above
			if !q.IsPositive() {
				p.add(path+"."+key, "必须大于 0", "must be greater than 0")
			}
			w.quantity = &q
		}
		out = append(out, w)
	}
	return out
}

// holdSources locks the sources in the order of their numbers and notes them.
func (s *docStep) holdSources(ctx context.Context, j *job, numbers []string) (map[string]*document, error) {
	src, held := kindOf(s.k.source), map[string]*document{}
	var b batch
	src.hold(&b, j.tenant, numbers, held)
	src.watch(&b, j.tenant, numbers, "", held)
	if err := b.run(ctx, j.tx); err != nil {
		return nil, err
	}
	for _, n := range numbers {
		d := held[n]
		if d == nil {
			s.wrong.add("sources", "没有单据 "+clip(n), "there is no document "+clip(n))
			continue
		}
		s.sources = append(s.sources, d)
		s.noteDocument(d)
		if until := d.head["valid_until"]; until != "" && until < s.m.today {
			s.notes = append(s.notes, nouns.Label{Zh: n + " 的报价有效期至 " + until + "，已过期。", En: n + " was valid until " + until + " only."})
		}
		if d.status != "examined" {
			s.wrong.add("sources", d.number+" 未审核或已完结，不能生成下游单据", d.number+" is not examined or is closed: nothing can be made of it")
		}
	}
	return held, nil
}

// pick turns what was asked for into parts of the sources, and judges them.
func (s *docStep) pick(numbers []string, picks []wanted, held map[string]*document) []draw {
	all := len(picks) == 0
	if all {
		for _, n := range numbers {
			d := held[n]
			switch {
			case d == nil:
			case s.k.pays:
				picks = append(picks, wanted{source: n})
			default:
				for _, l := range d.lines {
					if l.remaining().IsPositive() {
						picks = append(picks, wanted{source: n, line: l.LineNo})
					}
				}
			}
		}
	}
	slices.SortStableFunc(picks, func(a, b wanted) int { return strings.Compare(a.source, b.source) })
	var out []draw
	for _, w := range picks {
		path := "lines[" + strconv.Itoa(w.at+1) + "]"
		if all {
			path = "sources"
		}
		d := held[w.source]
		if d == nil {
			continue // noted
		}
		if s.k.pays {
			out = append(out, s.pickAmount(d, w, path))
			continue
		}
		l := d.line(w.line)
		if l == nil {
			s.wrong.add(path+".line_no", fmt.Sprintf("%s 没有第 %d 行", d.number, w.line), fmt.Sprintf("%s has no line %d", d.number, w.line))
			continue
		}
		x := draw{source: d, from: l, path: path, quantity: l.remaining()}
		if w.quantity != nil {
			x.quantity = *w.quantity
		}
		switch {
		case !l.remaining().IsPositive():
			s.wrong.add(path+".quantity", lineObject(d, l)+" 已全部下推", lineObject(d, l)+" has nothing left to draw")
		case x.quantity.GreaterThan(l.remaining()):
			s.wrong.add(path+".quantity", fmt.Sprintf("%s 只剩 %s", lineObject(d, l), l.remaining()), fmt.Sprintf("%s has only %s left", lineObject(d, l), l.remaining()))
		default:
			x.amount, x.tax = l.part(x.quantity, s.digitsOf(d))
		}
		out = append(out, x)
	}
	if len(out) == 0 && len(s.wrong.list) == 0 {
		s.wrong.add("sources", "来源单据已全部下推", "nothing is left to draw from the sources")
	}
	return out
}

// quantityScale is the number of decimals of a quantity, in whatever unit.
const quantityScale = 3

// checkParts refuses parts that stock cannot hold: half a piece, or a third of a
// bag whose kilograms would be rounded. All that remains is always a part.
func (s *docStep) checkParts() {
	for _, x := range s.draws {
		if x.from == nil || x.quantity.Equal(x.from.remaining()) {
			continue
		}
		scale, unit := int32(quantityScale), x.from.Unit
		if p := s.m.products[x.from.Product]; p != nil {
			scale, unit = p.Scale, p.Unit
		}
		base := x.quantity.Mul(x.from.Factor)
		switch {
		case !x.quantity.Equal(x.quantity.Truncate(quantityScale)):
			s.wrong.add(x.path+".quantity", fmt.Sprintf("最多 %d 位小数", quantityScale), fmt.Sprintf("has more than %d decimals", quantityScale))
		case !base.Equal(base.Truncate(scale)):
			s.wrong.add(x.path+".quantity", fmt.Sprintf("折合 %s %s，单位 %s 最多 %d 位小数", base, unit, unit, scale), fmt.Sprintf("is %s %s: the unit %s has at most %d decimals", base, unit, unit, scale))
		}
	}
}

// digitsOf are the decimals of a document's amounts.
func (s *docStep) digitsOf(d *document) int32 { return s.m.amountDigits(d.head["currency"]) }

// pickAmount is the part of what is owed that is paid.
func (s *docStep) pickAmount(d *document, w wanted, path string) draw {
	x := draw{source: d, amount: d.open()}
	if w.quantity != nil {
		x.amount = *w.quantity
	}
	switch {
	case !d.open().IsPositive():
		s.wrong.add(path+".amount", d.number+" 已结清", d.number+" is settled")
	case x.amount.GreaterThan(d.open()):
		s.wrong.add(path+".amount", fmt.Sprintf("%s 未结金额只有 %s", d.number, d.open()), fmt.Sprintf("%s has only %s open", d.number, d.open()))
	case !x.amount.Equal(x.amount.Truncate(s.digitsOf(d))):
		s.wrong.add(path+".amount", fmt.Sprintf("最多 %d 位小数", s.digitsOf(d)), fmt.Sprintf("has more than %d decimals", s.digitsOf(d)))
	}
	return x
}

// drawn makes the document of the parts.
func (s *docStep) drawn(parts []draw, head values) *document {
	d := &document{kind: s.k, status: "submitted", head: map[string]string{}}
	for k, v := range head {
		d.head[k] = v
	}
	first := parts[0].source
	for _, c := range []string{s.k.partner, "currency", "exchange_rate", "warehouse"} {
		if v := first.head[c]; c != "" && v != "" && (c != "warehouse" || s.k.stored) {
			d.head[c] = v
		}
	}
	for i, x := range parts {
		for _, c := range []string{s.k.partner, "currency", "warehouse"} {
			if c != "" && x.source.head[c] != first.head[c] {
				s.wrong.add("sources", fmt.Sprintf("%s 与 %s 的%s不同，不能合并", x.source.number, first.number, map[bool]string{true: "仓库", false: "往来单位或币种"}[c == "warehouse"]),
					fmt.Sprintf("%s and %s differ in %s and cannot be merged", x.source.number, first.number, c))
				break
			}
		}
		number := x.source.number
		if x.from == nil {
			d.lines = append(d.lines, &docLine{LineNo: i + 1, Amount: x.amount, Source: &number, Factor: one})
			continue
		}
		l, no := *x.from, x.from.LineNo
		l.Number, l.LineNo, l.Source, l.SourceLine = "", i+1, &number, &no
		l.Quantity, l.Amount, l.TaxAmount = x.quantity, x.amount, x.tax
		l.Drawn, l.DrawnAmount, l.DrawnTax = decimal.Zero, decimal.Zero, decimal.Zero
		d.lines = append(d.lines, &l)
	}
	d.sum()
	return d
}

// completeDrawn locks what the new documents rely on besides their sources.
func (s *docStep) completeDrawn(ctx context.Context, j *job) error {
	n := need{kind: s.k, products: productsOf(s.docs...)}
	for _, d := range s.docs {
		n.partner = d.partner()
		if s.k.stored && d.head["warehouse"] == "" {
			d.head["warehouse"] = s.m.warehouse
		}
		if s.k.promises {
			n.warehouses = append(n.warehouses, d.head["warehouse"])
		}
	}
	if s.k.pays {
		n.products = nil
	}
	if err := s.m.hold(ctx, j, n); err != nil {
		return err
	}
	s.checkParts()
	for _, d := range s.docs {
		if d.partner() != n.partner {
			s.wrong.add("sources", "来源单据的往来单位不同", "the sources have different partners")
			break
		}
		s.complete(d)
		for _, c := range writable(d) {
			if c != s.k.partner && (c != "warehouse" || !kindOf(s.k.source).stored) {
				s.payload[c] = d.head[c]
			}
		}
	}
	s.notePartner(j, s.k.sells, false)
	s.noteNames(j, n.products)
	for _, code := range n.products {
		if x := s.m.products[code]; x != nil && s.k.sells {
			s.fact(nouns.FactProductStatus, "product", code, "status", "", nouns.Label{Zh: "销售状态", En: "Sales status"}, s.m.productName(j.locale(), code), x.Status)
			if x.Status != "on_sale" {
				s.wrong.add("sources", x.Name+" 已停售", objectName("en", x.Name, x.NameEn, code)+" is discontinued")
			}
		}
	}
	if s.k.promises {
		s.noteStock(j, s.places(s.docs...))
	}
	return nil
}

// gatherPaid completes a receipt or payment that was keyed in: its lines name what
// they settle.
func (s *docStep) gatherPaid(ctx context.Context, j *job, d *document, rows []values) error {
	var numbers []string
	var picks []wanted
	for i, r := range rows {
		w := wanted{at: i, source: r["source"]}
		if q, err := decimal.NewFromString(r["amount"]); err == nil {
			w.quantity = &q
		}
		if slices.Contains(numbers, w.source) {
			s.wrong.add("lines", "同一张单据出现两次："+clip(w.source), "names a document twice: "+clip(w.source))
			continue
		}
		numbers, picks = append(numbers, w.source), append(picks, w)
	}
	slices.Sort(numbers)
	if err := s.m.start(ctx, j); err != nil {
		return err
	}
	held, err := s.holdSources(ctx, j, numbers)
	if err != nil {
		return err
	}
	s.draws = s.pick(numbers, picks, held)
	if len(s.draws) > 0 {
		made := s.drawn(s.draws, d.head)
		if want := d.partner(); want != made.partner() {
			s.wrong.add("lines", "单据属于另一往来单位 "+made.partner(), "the documents belong to "+made.partner())
			made.head[s.k.partner] = want
		}
		made.status = d.status
		*d = *made
	}
	s.complete(d)
	if err := s.m.hold(ctx, j, need{kind: s.k, partner: d.partner()}); err != nil {
		return err
	}
	s.notePartner(j, false, false)
	s.keyedPayload(d)
	return nil
}
