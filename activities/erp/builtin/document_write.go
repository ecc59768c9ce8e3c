package builtin

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// historyRow is a row of erp.record_history. Key and comment nil are the number of
// the new document at place Ord.
type historyRow struct {
	Ord     int          `json:"ord"`
	Form    string       `json:"form"`
	Key     *string      `json:"key"`
	Version int64        `json:"version"`
	Action  string       `json:"action"`
	Comment *string      `json:"comment"`
	Diffs   []nouns.Diff `json:"diffs"`
}

// apply writes in one round trip, whatever the number of lines: promises, ledger,
// sources, and last the document itself, whose counter is the most wanted lock.
func (s *docStep) apply(ctx context.Context, j *job) (outcome, error) {
	var b batch
	var numbers []string
	after := map[place]level{}
	comment := (*string)(nil)
	if s.own != nil {
		comment = &s.own.number
	}
	var history []historyRow
	s.writeStock(&b, j)
	for _, c := range s.plan.sources {
		s.writeSource(&b, j, c)
		history = append(history, historyRow{Ord: s.madeFrom(c.doc), Form: c.doc.kind.form, Key: &c.doc.number, Version: c.doc.version + 1,
			Action: sourceAction(c), Comment: comment, Diffs: sourceDiffs(j, c, false)})
	}
	switch {
	case s.own == nil:
		s.writeNew(&b, j, history, &numbers)
	case s.docs != nil:
		numbers = []string{s.own.number}
		s.writeAgain(&b, j)
	default:
		numbers = []string{s.own.number}
		s.writeMove(&b, j, history)
	}
	s.readLevels(&b, j, after)
	if err := b.run(ctx, j.tx); err != nil {
		return outcome{}, err
	}
	if len(numbers) == 0 {
		return outcome{}, fault.New(fault.Internal, "detail", "no document was written")
	}
	preview, err := s.preview(j, numbers, after)
	out := outcome{bill: numbers[0], preview: preview}
	if len(numbers) > 1 {
		out.bills = numbers
	}
	return out, err
}

// madeFrom is the place (from 1) of the new document that draws from the source.
func (s *docStep) madeFrom(source *document) int {
	for i, d := range s.docs {
		for _, l := range d.lines {
			if l.Source != nil && *l.Source == source.number {
				return i + 1
			}
		}
	}
	return 1
}

type allocation struct {
	Product   string          `json:"product"`
	Warehouse string          `json:"warehouse"`
	Quantity  decimal.Decimal `json:"quantity"`
}

// writeStock queues promises that go, then goods, then promises that come: so no
// row ever promises more than there is. The rows are locked already.
func (s *docStep) writeStock(b *batch, j *job) {
	var less, more []allocation
	for _, at := range slices.SortedFunc(maps.Keys(s.plan.allocate), place.compare) {
		x := allocation{at.product, at.warehouse, s.plan.allocate[at]}
		if x.Quantity.IsNegative() {
			less = append(less, x)
		} else {
			more = append(more, x)
		}
	}
	allocate := func(list []allocation) {
		if len(list) > 0 {
			b.Queue("UPDATE erp.stock s SET allocated = s.allocated + x.quantity, version = s.version + 1"+
				" FROM jsonb_to_recordset($2::jsonb) x(product text, warehouse text, quantity numeric)"+
				" WHERE s.tenant_id = $1 AND s.product = x.product AND s.warehouse = x.warehouse", j.tenant, asJSON(list))
		}
	}
	allocate(less)
	if s.own != nil && len(s.plan.moves) > 0 {
		b.Queue("INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, form, document, reversal)"+
			" SELECT $1, x.product, x.warehouse, x.quantity, x.reason, $3, $4, $5 FROM jsonb_to_recordset($2::jsonb) x(product text, warehouse text, quantity numeric, reason text)"+
			" ORDER BY x.product, x.warehouse", j.tenant, asJSON(s.plan.moves), s.k.form, s.own.number, s.plan.reversal)
	}
	allocate(more)
}

// asJSON encodes what is made of texts, numbers and dates only, and cannot fail.
func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// writeSource queues what was drawn from a source's lines, paid of it and its status.
func (s *docStep) writeSource(b *batch, j *job, c sourceChange) {
	k := c.doc.kind
	type drawnLine struct {
		LineNo   int             `json:"line_no"`
		Quantity decimal.Decimal `json:"quantity"`
		Amount   decimal.Decimal `json:"amount"`
		Tax      decimal.Decimal `json:"tax"`
	}
	var lines []drawnLine
	for _, no := range slices.Sorted(maps.Keys(c.drawn)) {
		x := c.drawn[no]
		lines = append(lines, drawnLine{no, x.quantity, x.amount, x.tax})
	}
	if len(lines) > 0 {
		set := "drawn = l.drawn + x.quantity"
		if k.priced {
			set += ", drawn_amount = l.drawn_amount + x.amount, drawn_tax = l.drawn_tax + x.tax"
		}
		b.Queue("UPDATE "+k.lineTable()+" l SET "+set+" FROM jsonb_to_recordset($3::jsonb) x(line_no int, quantity numeric, amount numeric, tax numeric)"+
			" WHERE l.tenant_id = $1 AND l.number = $2 AND l.line_no = x.line_no", j.tenant, c.doc.number, asJSON(lines))
	}
	values := map[string]any{"status": c.status}
	if c.status != c.doc.status {
		values["closed_at"] = nil
		if c.status == "closed" {
			values["closed_at"] = j.began.UTC().Format(time.RFC3339Nano)
		}
	}
	if !c.settled.IsZero() {
		values["settled"] = c.doc.dec("settled").Add(c.settled)
	}
	k.set(b, j, c.doc.number, values)
}

// set queues an update of a header; the version moves with it.
func (k *kind) set(b *batch, j *job, number string, values map[string]any) {
	columns := slices.Sorted(maps.Keys(values))
	sql := "UPDATE " + k.table() + " t SET "
	for _, c := range columns {
		name := pgx.Identifier{c}.Sanitize()
		sql += name + " = r." + name + ", "
	}
	b.Queue(sql+"version = t.version + 1 FROM jsonb_populate_record(NULL::"+k.table()+", $3::jsonb) r WHERE t.tenant_id = $1 AND t.number = $2", j.tenant, number, asJSON(values))
}

// writeNew queues the one statement that makes number, header, lines, ledger and
// history: the counter is locked there, and nothing may dawdle behind it.
func (s *docStep) writeNew(b *batch, j *job, history []historyRow, numbers *[]string) {
	type newDocument struct {
		Head  map[string]string `json:"head"`
		Lines []*docLine        `json:"lines"`
		Moves []move            `json:"moves"`
	}
	rows := make([]newDocument, len(s.docs))
	var columns []string
	for i, d := range s.docs {
		head := maps.Clone(d.head)
		head["status"], head["created_by"] = d.status, j.id.User.UserID
		if inEffect(d.status) {
			head["examined_by"], head["examined_at"] = j.id.User.UserID, j.began.UTC().Format(time.RFC3339Nano)
		}
		rows[i] = newDocument{Head: head, Lines: d.lines}
		columns = slices.Sorted(maps.Keys(head))
		history = append(history, historyRow{Ord: i + 1, Form: s.k.form, Version: 1, Action: j.change.Action, Comment: new(string), Diffs: s.headDiffs(j, d, nil)})
	}
	// Only documents that are made one at a time move goods at once.
	rows[0].Moves = s.plan.moves
	ledger := ""
	if len(s.plan.moves) > 0 {
		ledger = `, m AS (INSERT INTO erp.stock_ledger (tenant_id, product, warehouse, quantity, reason, form, document)
  SELECT $1, x.product, x.warehouse, x.quantity, x.reason, $2, n.number
    FROM n, jsonb_to_recordset(n.doc->'moves') x(product text, warehouse text, quantity numeric, reason text) ORDER BY x.product, x.warehouse)`
	}
	sql := `WITH c AS (
  INSERT INTO erp.counters (tenant_id, counter, last) VALUES ($1, $2, $3::bigint)
  ON CONFLICT (tenant_id, counter) DO UPDATE SET last = erp.counters.last + $3::bigint RETURNING last
), n AS (
  SELECT x.ord, x.doc, $4::text || '-' || lpad((c.last - $3::bigint + x.ord)::text, greatest(6, length((c.last - $3::bigint + x.ord)::text)), '0') AS number
    FROM c, jsonb_array_elements($5::jsonb) WITH ORDINALITY x(doc, ord)
), h AS (
  INSERT INTO ` + s.k.table() + ` (tenant_id, number, ` + quoted("", columns) + `)
  SELECT $1, n.number, ` + quoted("r.", columns) + ` FROM n, jsonb_populate_record(NULL::` + s.k.table() + `, n.doc->'head') r
), l AS (
  INSERT INTO ` + s.k.lineTable() + ` (tenant_id, number, ` + quoted("", s.k.lineColumns()) + `)
  SELECT $1, n.number, ` + quoted("r.", s.k.lineColumns()) + ` FROM n, jsonb_populate_recordset(NULL::` + s.k.lineTable() + `, n.doc->'lines') r
)` + ledger + `, y AS (
  INSERT INTO erp.record_history (tenant_id, form, key, version, actor, channel, action, op_id, comment, diffs)
  SELECT $1, x.form, coalesce(x.key, n.number), x.version, $7, $8, x.action, $9, coalesce(x.comment, n.number), x.diffs
    FROM jsonb_to_recordset($6::jsonb) x(ord int, form text, key text, version bigint, action text, comment text, diffs jsonb) JOIN n ON n.ord = x.ord
)
SELECT number FROM n ORDER BY ord`
	ask(b, func(x struct{ Number string }) { *numbers = append(*numbers, x.Number) }, sql,
		j.tenant, s.k.form, len(s.docs), s.k.prefix, asJSON(rows), asJSON(history), j.id.User.UserID, j.channel, j.opID)
}

func (s *docStep) writeHistory(b *batch, j *job, rows []historyRow) {
	for i := range rows {
		if rows[i].Diffs == nil {
			rows[i].Diffs = []nouns.Diff{}
		}
	}
	b.Queue(`INSERT INTO erp.record_history (tenant_id, form, key, version, actor, channel, action, op_id, comment, diffs)
  SELECT $1, x.form, x.key, x.version, $3, $4, x.action, $5, x.comment, x.diffs
    FROM jsonb_to_recordset($2::jsonb) x(form text, key text, version bigint, action text, comment text, diffs jsonb)`,
		j.tenant, asJSON(rows), j.id.User.UserID, j.channel, j.opID)
}

// writeAgain queues a draft's new values and lines.
func (s *docStep) writeAgain(b *batch, j *job) {
	d := s.docs[0]
	values := map[string]any{}
	for c, v := range d.head {
		// Columns that are no fields belong to the tables (generated ones for reports).
		_, field := j.form.find(c)
		if field && !derivedColumns[c] || c == "currency" || c == "exchange_rate" || c == "total" || c == "tax_total" {
			values[c] = v
		}
	}
	s.k.set(b, j, d.number, values)
	b.Queue("DELETE FROM "+s.k.lineTable()+" WHERE tenant_id = $1 AND number = $2", j.tenant, d.number)
	columns := s.k.lineColumns()
	b.Queue("INSERT INTO "+s.k.lineTable()+" (tenant_id, number, "+quoted("", columns)+") SELECT $1, $2, "+quoted("r.", columns)+
		" FROM jsonb_populate_recordset(NULL::"+s.k.lineTable()+", $3::jsonb) r", j.tenant, d.number, asJSON(d.lines))
	s.writeHistory(b, j, []historyRow{{Form: s.k.form, Key: &d.number, Version: d.version + 1, Action: j.change.Action, Comment: new(string), Diffs: s.headDiffs(j, d, s.own)}})
}

// writeMove queues the new status, or deletes the document.
func (s *docStep) writeMove(b *batch, j *job, history []historyRow) {
	d, action := s.own, j.change.Action
	reason, _ := s.payload["reason"].(string)
	if action == "delete" {
		b.Queue("DELETE FROM "+s.k.lineTable()+" WHERE tenant_id = $1 AND number = $2", j.tenant, d.number)
		b.Queue("DELETE FROM "+s.k.table()+" WHERE tenant_id = $1 AND number = $2", j.tenant, d.number)
	} else {
		now := j.began.UTC().Format(time.RFC3339Nano)
		values := map[string]any{"status": transitions[action].to}
		switch action {
		case "examine":
			values["examined_by"], values["examined_at"] = j.id.User.UserID, now
		case "unexamine":
			values["examined_by"], values["examined_at"] = nil, nil
		case "close":
			values["closed_at"] = now
		case "cancel":
			values["cancelled_at"], values["cancel_reason"] = now, reason
		}
		s.k.set(b, j, d.number, values)
	}
	history = append(history, historyRow{Form: s.k.form, Key: &d.number, Version: d.version + 1, Action: action, Comment: &reason, Diffs: s.moveDiffs(j)})
	s.writeHistory(b, j, history)
}

// readLevels queues reading the stock as it is after the change.
func (s *docStep) readLevels(b *batch, j *job, after map[place]level) {
	var products, warehouses []string
	for at := range s.plan.after(s.m.stock) {
		products, warehouses = append(products, at.product), append(warehouses, at.warehouse)
	}
	if len(products) == 0 {
		return
	}
	s.m.askStock(b, after, "SELECT s.product, s.warehouse, s.quantity, s.allocated FROM erp.stock s JOIN unnest($2::text[], $3::text[]) x(product, warehouse)"+
		" ON x.product = s.product AND x.warehouse = s.warehouse WHERE s.tenant_id = $1", j.tenant, products, warehouses)
}
