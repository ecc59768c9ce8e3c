package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// document is a header with its lines, as stored or to be stored.
type document struct {
	kind   *kind
	number string
	status string
	// version is 0 for what is not stored yet.
	version int64
	// head holds the columns as text; NULL is left out.
	head  map[string]string
	lines []*docLine
	// delivered is, by line number, how much of an order examined deliveries have taken.
	delivered map[int]decimal.Decimal
	// waiting counts the documents that draw from this one and are not examined.
	waiting int
}

// docLine is a line as it is stored; the names are those of the columns. A line
// of a document that pays has only line_no, source and amount.
type docLine struct {
	Number      string          `json:"number,omitempty"`
	LineNo      int             `json:"line_no"`
	Product     string          `json:"product,omitempty"`
	ProductName string          `json:"product_name"`
	Unit        string          `json:"unit"`
	Factor      decimal.Decimal `json:"factor"`
	Quantity    decimal.Decimal `json:"quantity"`
	BasePrice   decimal.Decimal `json:"base_price"`
	Discount    decimal.Decimal `json:"discount"`
	UnitPrice   decimal.Decimal `json:"unit_price"`
	Amount      decimal.Decimal `json:"amount"`
	TaxRate     decimal.Decimal `json:"tax_rate"`
	TaxAmount   decimal.Decimal `json:"tax_amount"`
	Drawn       decimal.Decimal `json:"drawn"`
	DrawnAmount decimal.Decimal `json:"drawn_amount"`
	DrawnTax    decimal.Decimal `json:"drawn_tax"`
	Source      *string         `json:"source"`
	SourceLine  *int            `json:"source_line"`
}

// base is the quantity in the product's base unit.
func (l *docLine) base() decimal.Decimal { return l.Quantity.Mul(l.Factor) }

// remaining is what may still be drawn.
func (l *docLine) remaining() decimal.Decimal { return l.Quantity.Sub(l.Drawn) }

func (d *document) dec(column string) decimal.Decimal {
	x, err := decimal.NewFromString(d.head[column])
	if err != nil {
		return decimal.Zero // NULL, or no such column
	}
	return x
}

func (d *document) partner() string { return d.head[d.kind.partner] }

// open is what is not paid yet of an owed document.
func (d *document) open() decimal.Decimal { return d.dec("total").Sub(d.dec("settled")) }

func (d *document) line(no int) *docLine {
	for _, l := range d.lines {
		if l.LineNo == no {
			return l
		}
	}
	return nil
}

// sum brings total and tax to what the lines say.
func (d *document) sum() {
	if d.kind.partner == "" {
		return
	}
	total, tax := decimal.Zero, decimal.Zero
	for _, l := range d.lines {
		total, tax = total.Add(l.Amount), tax.Add(l.TaxAmount)
	}
	d.head["total"] = total.String()
	if d.kind.priced {
		d.head["tax_total"] = tax.String()
	}
}

// drawnWhole reports whether nothing remains.
func (d *document) drawnWhole() bool {
	for _, l := range d.lines {
		if l.remaining().IsPositive() {
			return false
		}
	}
	return true
}

// untouched reports whether nothing was drawn from it nor paid of it.
func (d *document) untouched() bool {
	for _, l := range d.lines {
		if !l.Drawn.IsZero() {
			return false
		}
	}
	return d.dec("settled").IsZero() && d.waiting == 0
}

// lineColumns are those of the kind's table of lines.
func (k *kind) lineColumns() []string {
	if k.pays {
		return []string{"line_no", "source", "amount"}
	}
	columns := []string{"line_no", "product", "product_name", "unit", "factor", "quantity", "drawn", "source", "source_line"}
	if k.priced {
		columns = append(columns, "base_price", "discount", "unit_price", "amount", "tax_rate", "tax_amount", "drawn_amount", "drawn_tax")
	}
	return columns
}

func (k *kind) table() string { return pgx.Identifier{"erp", k.form}.Sanitize() }

func (k *kind) lineTable() string { return pgx.Identifier{"erp", k.form + "_line"}.Sanitize() }

// batch sends statements in one round trip; the server runs them one after the
// other, so locks are taken in the order of the statements.
type batch struct {
	pgx.Batch
}

func (b *batch) run(ctx context.Context, tx pgx.Tx) error {
	if b.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, &b.Batch).Close()
}

// ask queues a query whose rows are scanned into values of T by position.
func ask[T any](b *batch, into func(T), sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		for _, x := range all {
			into(x)
		}
		return err
	})
}

// askJSON queues a query of one jsonb column.
func askJSON(b *batch, into func(raw []byte) error, sql string, args ...any) {
	b.Queue(sql, args...).Query(func(rows pgx.Rows) error {
		all, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err != nil {
			return err
		}
		for _, raw := range all {
			if err := into(raw); err != nil {
				return err
			}
		}
		return nil
	})
}

// hold queues the locking read of documents by number, in order, with their lines.
func (k *kind) hold(b *batch, tenant string, numbers []string, into map[string]*document) {
	askJSON(b, func(raw []byte) error {
		d, err := k.read(raw)
		if err == nil {
			into[d.number] = d
		}
		return err
	}, "SELECT to_jsonb(t) FROM "+k.table()+" t WHERE t.tenant_id = $1 AND t.number = ANY($2::text[]) ORDER BY t.number FOR NO KEY UPDATE", tenant, numbers)
	askJSON(b, func(raw []byte) error {
		var l docLine
		if err := json.Unmarshal(raw, &l); err != nil {
			return err
		}
		if l.Factor.IsZero() {
			l.Factor = one // lines that pay have none
		}
		if d := into[l.Number]; d != nil {
			d.lines = append(d.lines, &l)
		}
		return nil
	}, "SELECT to_jsonb(t) FROM "+k.lineTable()+" t WHERE t.tenant_id = $1 AND t.number = ANY($2::text[]) ORDER BY t.number, t.line_no", tenant, numbers)
}

var one = decimal.NewFromInt(1)

func (k *kind) read(raw []byte) (*document, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var row map[string]any
	if err := dec.Decode(&row); err != nil {
		return nil, err
	}
	d := &document{kind: k, head: map[string]string{}}
	for name, v := range row {
		switch v := v.(type) {
		case nil:
		case json.Number:
			s, err := nouns.NormalizeDecimal(v.String())
			if err != nil {
				return nil, err
			}
			d.head[name] = s
		default:
			d.head[name] = fmt.Sprint(v)
		}
	}
	d.number, d.status, d.version = d.head["number"], d.head["status"], d.dec("version").IntPart()
	return d, nil
}

// watch queues what stands behind documents of the kind, read under their lock:
// how many documents that are not examined draw from each (own is not counted),
// and what examined deliveries have taken of an order's lines.
func (k *kind) watch(b *batch, tenant string, numbers []string, own string, into map[string]*document) {
	next := k.next()
	if next == nil {
		return
	}
	from := " FROM " + next.lineTable() + " l JOIN " + next.table() + " d ON d.tenant_id = l.tenant_id AND d.number = l.number" +
		" WHERE l.tenant_id = $1 AND l.source = ANY($2::text[])"
	type waiting struct {
		Source string
		Count  int
	}
	ask(b, func(x waiting) {
		if d := into[x.Source]; d != nil {
			d.waiting = x.Count
		}
	}, "SELECT l.source, count(DISTINCT d.number)::int"+from+" AND d.number <> $3 AND d.status IN ('draft', 'submitted') GROUP BY 1", tenant, numbers, own)
	if !k.promises {
		return
	}
	type delivered struct {
		Source   string
		Line     int
		Quantity decimal.Decimal
	}
	ask(b, func(x delivered) {
		if d := into[x.Source]; d != nil {
			if d.delivered == nil {
				d.delivered = map[int]decimal.Decimal{}
			}
			d.delivered[x.Line] = x.Quantity
		}
	}, "SELECT l.source, l.source_line, sum(l.quantity)"+from+" AND d.status IN ('examined', 'closed') GROUP BY 1, 2", tenant, numbers)
}

// quoted joins column names, each behind the prefix.
func quoted(prefix string, columns []string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = prefix + pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(out, ", ")
}
