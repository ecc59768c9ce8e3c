package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// chooser picks 0 to n−1: rapid where a case is searched and shrunk, a seeded
// stream where several actors run at once.
type chooser func(label string, n int) int

func pick[T any](ch chooser, label string, from []T) T { return from[ch(label, len(from))] }

// paper is a document as an actor finds it.
type paper struct {
	Form, Number, Status string
}

// formOrder is that of the chains.
var formOrder = func() []string {
	var forms []string
	for _, c := range chains {
		forms = append(forms, c.form)
	}
	return forms
}()

var papers = "SELECT form, number, status FROM (" + unionOf(func(c chain) string {
	return fmt.Sprintf("SELECT %s AS form, number, status FROM erp.%s WHERE tenant_id = $1", quote(c.form), c.form)
})[len(" UNION ALL "):] + ") x ORDER BY form, number"

// actor does what comes to its mind, mostly things that make sense.
type actor struct {
	*shop
	conn *pgx.Conn
	ch   chooser
}

func (a *actor) papers(ctx context.Context) ([]paper, error) {
	rows, err := a.conn.Query(ctx, papers, a.tenant)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[paper])
}

// next is one change; it may make no sense.
func (a *actor) next(ctx context.Context) (nouns.Change, error) {
	all, err := a.papers(ctx)
	if err != nil {
		return nouns.Change{}, err
	}
	switch w := a.ch("what", 100); {
	case len(all) < 4 || w < 12:
		return a.create(), nil
	case w < 52:
		return a.generate(ctx, all)
	case w < 57:
		return a.update(all), nil
	case w < 62:
		return a.master(), nil
	}
	return a.move(all), nil
}

func (a *actor) quantity() string {
	return pick(a.ch, "quantity", []string{"1", "2", "3", "5", "10", "12", "40", "0.5", "0.001", "1.333", "12.345", "150"})
}

func (a *actor) lines(signed, priced bool) []map[string]any {
	var lines []map[string]any
	for range 1 + a.ch("lines", 3) {
		x := map[string]any{"product": pick(a.ch, "product", []string{"P-1", "P-2", "P-1", "P-2", "P-4", "P-3"}), "quantity": a.quantity()}
		if signed && a.ch("sign", 2) == 1 {
			x["quantity"] = "-" + a.quantity()
		}
		switch x["product"] {
		case "P-1":
			x["quantity"] = strconv.Itoa(1 + a.ch("pieces", 20))
			if signed && a.ch("sign", 2) == 1 {
				x["quantity"] = "-" + x["quantity"].(string)
			}
			x["unit"] = pick(a.ch, "unit", []string{"", "", "箱"})
		case "P-2":
			x["unit"] = pick(a.ch, "unit", []string{"", "", "袋"})
		}
		if priced && a.ch("priced", 2) == 1 {
			x["unit_price"] = pick(a.ch, "price", []string{"0", "0.01", "7.7777", "1234.5"})
		}
		lines = append(lines, x)
	}
	return lines
}

func (a *actor) create() nouns.Change {
	form := pick(a.ch, "new", []string{"quotation", "sales_order", "sales_order", "purchase_order", "purchase_order", "stock_adjustment", "stock_transfer", "production_order"})
	p := map[string]any{}
	switch form {
	case "quotation", "sales_order":
		p["customer"] = pick(a.ch, "customer", []string{"C-1", "C-2", "C-3"})
		p["lines"] = a.lines(false, false)
	case "purchase_order":
		p["supplier"] = pick(a.ch, "supplier", []string{"S-1", "S-2"})
		p["lines"] = a.lines(false, true)
	case "stock_adjustment":
		p["reason"], p["lines"] = "count", a.lines(true, false)
	case "stock_transfer":
		p["to_warehouse"], p["lines"] = "WH-2", a.lines(false, false)
	case "production_order":
		p["lines"] = []map[string]any{{"product": "P-3", "quantity": strconv.Itoa(1 + a.ch("made", 9))}}
	}
	if form != "quotation" && form != "stock_transfer" && a.ch("warehouse", 4) == 0 {
		p["warehouse"] = "WH-2"
	}
	if a.ch("draft", 5) == 0 {
		p["status"] = "draft"
	}
	return changing(form, "create", "", p)
}

// generate carries one or two documents on, whole or in parts.
func (a *actor) generate(ctx context.Context, all []paper) (nouns.Change, error) {
	var ready []paper
	for _, p := range all {
		if _, ok := next(p.Form); ok && (p.Status == "examined" || p.Status != "closed" && a.ch("unready", 12) == 0) {
			ready = append(ready, p)
		}
	}
	if len(ready) == 0 {
		return a.move(all), nil
	}
	src := pick(a.ch, "source", ready)
	// What has come far goes on, so that chains reach their ends.
	if far := pick(a.ch, "another", ready); slices.Index(formOrder, far.Form) > slices.Index(formOrder, src.Form) {
		src = far
	}
	to, _ := next(src.Form)
	sources := []string{src.Number}
	for _, p := range ready {
		if p.Form == src.Form && p.Number != src.Number && a.ch("also", 3) == 0 {
			sources = append(sources, p.Number)
		}
	}
	payload := map[string]any{"source_form": src.Form, "sources": sources, "mode": pick(a.ch, "mode", []string{"merge", "split"})}
	if a.ch("parts", 3) > 0 {
		lines, err := a.parts(ctx, to, sources)
		if err != nil {
			return nouns.Change{}, err
		}
		if len(lines) > 0 {
			payload["lines"] = lines
		}
	}
	if to.pays && a.ch("by hand", 3) == 0 {
		return a.pay(ctx, to, src, sources)
	}
	return changing(to.form, "generate", "", payload), nil
}

// parts are quantities, or amounts, of some lines of the sources.
func (a *actor) parts(ctx context.Context, to chain, sources []string) ([]map[string]any, error) {
	sql := "SELECT number, line_no, quantity - drawn FROM erp." + to.source + "_line WHERE tenant_id = $1 AND number = ANY($2) ORDER BY number, line_no"
	if to.pays {
		sql = "SELECT number, 0, open_amount FROM erp." + to.source + " WHERE tenant_id = $1 AND number = ANY($2) ORDER BY number"
	}
	rows, err := a.conn.Query(ctx, sql, a.tenant, sources)
	if err != nil {
		return nil, err
	}
	type open struct {
		Number string
		Line   int
		Left   decimal.Decimal
	}
	left, err := pgx.CollectRows(rows, pgx.RowToStructByPos[open])
	var lines []map[string]any
	for _, l := range left {
		if a.ch("take", 4) == 0 {
			continue
		}
		x := map[string]any{"source": l.Number, "line_no": l.Line}
		switch a.ch("how much", 4) {
		case 0: // all of it
		case 1:
			x["quantity"] = l.Left.Div(decimal.NewFromInt(3)).Truncate(2).String()
		case 2:
			x["quantity"] = decimal.Min(l.Left, decimal.NewFromInt(int64(1+a.ch("pieces", 5)))).String()
		case 3:
			x["quantity"] = a.quantity()
		}
		lines = append(lines, x)
	}
	return lines, err
}

// pay keys a receipt or payment in.
func (a *actor) pay(ctx context.Context, to chain, src paper, sources []string) (nouns.Change, error) {
	var partner string
	if err := a.conn.QueryRow(ctx, "SELECT "+to.partner+" FROM erp."+src.Form+" WHERE tenant_id = $1 AND number = $2", a.tenant, src.Number).Scan(&partner); err != nil {
		return nouns.Change{}, err
	}
	var lines []map[string]any
	for _, n := range sources {
		x := map[string]any{"source": n}
		if a.ch("all", 2) == 0 {
			x["amount"] = pick(a.ch, "amount", []string{"0.01", "1", "33.33", "500"})
		}
		lines = append(lines, x)
	}
	payload := map[string]any{to.partner: partner, "lines": lines}
	if a.ch("draft", 4) == 0 {
		payload["status"] = "draft"
	}
	return changing(to.form, "create", "", payload), nil
}

func (a *actor) update(all []paper) nouns.Change {
	p := pick(a.ch, "document", all)
	var drafts []paper
	for _, x := range all {
		if x.Status == "draft" {
			drafts = append(drafts, x)
		}
	}
	if len(drafts) > 0 {
		p = pick(a.ch, "draft", drafts)
	}
	set := map[string]any{"remark": pick(a.ch, "remark", []string{"改", "again", ""})}
	keyed := slices.Contains([]string{"quotation", "sales_order", "purchase_order", "stock_adjustment", "stock_transfer"}, p.Form)
	switch {
	case keyed && a.ch("lines too", 2) == 0:
		set["lines"] = a.lines(p.Form == "stock_adjustment", p.Form == "purchase_order")
	case p.Form == "sales_order" && a.ch("partner", 2) == 0:
		set["customer"] = pick(a.ch, "customer", []string{"C-1", "C-2", "C-3"})
	case p.Form == "sales_order":
		set["warehouse"] = pick(a.ch, "warehouse", []string{"WH-1", "WH-2"})
	}
	return changing(p.Form, "update", p.Number, set)
}

// master moves what documents are priced by; what is written already stays.
func (a *actor) master() nouns.Change {
	value := func() string { return pick(a.ch, "value", []string{"1", "7.25", "12.5", "50"}) }
	switch a.ch("master", 6) {
	case 0:
		return changing("product", "update", pick(a.ch, "product", []string{"P-1", "P-2", "P-3", "P-4"}), map[string]any{"base_price": value()})
	case 1:
		return changing("customer_discount", "update", pick(a.ch, "discount", []string{"C-1/*", "C-1/P-1"}), map[string]any{"percent": value()})
	case 2:
		return changing("exchange_rate", "update", "USD-1", map[string]any{"rate": value()})
	case 3:
		return changing("tax", "update", pick(a.ch, "tax", []string{"T13", "T6"}), map[string]any{"rate": value()})
	case 4:
		return changing("customer_price", "update", "L-1", map[string]any{"price": value()})
	}
	return changing("customer", "update", pick(a.ch, "customer", []string{"C-1", "C-2"}), map[string]any{"contact": value()})
}

// sensible are the actions that fit a status; examine comes often, so that chains grow.
var sensible = map[string][]string{
	"draft": {"submit", "submit", "submit", "cancel", "delete"}, "submitted": {"examine", "examine", "examine", "examine", "withdraw", "cancel"},
	"examined": {"unexamine", "unexamine", "close", "cancel"}, "closed": {"unexamine"}, "cancelled": {"submit"},
}

func (a *actor) move(all []paper) nouns.Change {
	if len(all) == 0 {
		return a.create()
	}
	// What can go on goes on first.
	var live []paper
	for _, p := range all {
		if p.Status == "submitted" || p.Status == "draft" {
			live = append(live, p)
		}
	}
	p := pick(a.ch, "document", all)
	if len(live) > 0 && a.ch("live", 4) > 0 {
		p = pick(a.ch, "document", live)
	}
	action := pick(a.ch, "action", sensible[p.Status])
	if a.ch("anything", 15) == 0 {
		action = pick(a.ch, "action", []string{"submit", "withdraw", "examine", "unexamine", "close", "cancel", "delete"})
	}
	return changing(p.Form, action, p.Number, map[string]any{})
}

// confirmed is what the layers above make of a preview that a person confirmed.
func confirmed(c nouns.Change, p nouns.Preview) nouns.Execution {
	c.Payload = p.Payload
	op := uuid.NewString()
	return nouns.Execution{ClientToken: "op:" + op + ":1", Digest: "d", Change: c, Facts: p.Facts, Deadline: time.Now().Add(time.Hour), Attempt: 1, OpID: op, DecidedBy: "boss", Channel: "web"}
}

// result is the preview that a write kept of itself.
func (a *actor) result(ctx context.Context, x nouns.Execution) (nouns.Preview, error) {
	var raw []byte
	var p nouns.Preview
	err := a.conn.QueryRow(ctx, "SELECT result FROM erp.commits WHERE tenant_id = $1 AND client_token = $2", a.tenant, x.ClientToken).Scan(&raw)
	if err == nil {
		err = json.Unmarshal(raw, &p)
	}
	return p, err
}
