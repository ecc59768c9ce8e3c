package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// moveDocument takes a document from one status to another, or deletes it.
type moveDocument struct {
	k      *kind
	action string
}

type transition struct {
	from []string
	to   string
}

// transitions by action. An examined order of which nothing was drawn may be
// cancelled, too.
var transitions = map[string]transition{
	"submit":    {[]string{"draft"}, "submitted"},
	"withdraw":  {[]string{"submitted"}, "draft"},
	"examine":   {[]string{"submitted"}, "examined"},
	"unexamine": {[]string{"examined"}, "submitted"},
	"close":     {[]string{"examined"}, "closed"},
	"cancel":    {[]string{"draft", "submitted"}, "cancelled"},
	"delete":    {[]string{"draft"}, ""},
}

// errAgain asks for the whole transaction to be run again: what was read before
// the locks were held has changed meanwhile.
var errAgain = errors.New("read anew")

func (b moveDocument) gather(ctx context.Context, j *job) (step, error) {
	s := &docStep{k: b.k, wrong: *j.problems(), payload: map[string]any{}}
	p := j.problems()
	if len(j.change.Payload) == 0 {
		j.change.Payload = json.RawMessage("{}")
	}
	args := parse(j.change.Payload, j.form.parts[b.action], true, zoneOf(j.id), p)
	if err := p.err(); err != nil {
		return nil, err
	}
	for k, v := range args {
		s.payload[k] = v
	}
	if err := s.m.start(ctx, j); err != nil {
		return nil, err
	}
	if err := s.holdOwn(ctx, j); err != nil {
		return nil, err
	}
	for _, d := range s.sources {
		s.noteDocument(d)
	}
	s.noteDocument(s.own)
	return s, s.holdMoved(ctx, j)
}

// holdOwn locks the sources of the target and then the target, and reads both.
func (s *docStep) holdOwn(ctx context.Context, j *job) error {
	var numbers []string
	if s.k.source != "" {
		err := j.tx.QueryRow(ctx, "SELECT coalesce(array_agg(DISTINCT l.source), '{}') FROM "+s.k.lineTable()+" l WHERE l.tenant_id = $1 AND l.number = $2 AND l.source IS NOT NULL",
			j.tenant, j.change.Target).Scan(&numbers)
		if err != nil {
			return err
		}
	}
	slices.Sort(numbers)
	sources, own := map[string]*document{}, map[string]*document{}
	var b batch
	if len(numbers) > 0 {
		src := kindOf(s.k.source)
		src.hold(&b, j.tenant, numbers, sources)
		src.watch(&b, j.tenant, numbers, j.change.Target, sources)
	}
	target := []string{j.change.Target}
	s.k.hold(&b, j.tenant, target, own)
	s.k.watch(&b, j.tenant, target, "", own)
	if j.change.Action == "delete" {
		ask(&b, func(x struct{ Before bool }) { s.submitted = x.Before },
			"SELECT EXISTS (SELECT FROM erp.record_history WHERE tenant_id = $1 AND form = $2 AND key = $3 AND action = 'withdraw')", j.tenant, s.k.form, j.change.Target)
	}
	if err := b.run(ctx, j.tx); err != nil {
		return err
	}
	if s.own = own[j.change.Target]; s.own == nil {
		return fault.New(fault.NotFound, "noun", j.form.Form, "id", clip(j.change.Target))
	}
	for _, n := range numbers {
		if d := sources[n]; d != nil {
			s.sources = append(s.sources, d)
		}
	}
	for _, l := range s.own.lines {
		if l.Source == nil {
			continue
		}
		d := sources[*l.Source]
		if d == nil {
			return errAgain
		}
		x := draw{source: d, quantity: l.Quantity, amount: l.Amount, tax: l.TaxAmount}
		if l.SourceLine != nil {
			if x.from = d.line(*l.SourceLine); x.from == nil {
				return errAgain
			}
		}
		s.draws = append(s.draws, x)
	}
	return nil
}

// holdMoved locks what the transition touches beyond documents.
func (s *docStep) holdMoved(ctx context.Context, j *job) error {
	action, d := j.change.Action, s.own
	examines := action == "examine" || action == "unexamine"
	n := need{kind: s.k, partner: d.partner(), currency: d.head["currency"], alone: examines && (s.k.owed || s.k.pays)}
	touched := []*document{d}
	if !s.k.pays {
		n.products = productsOf(d)
	}
	if examines && s.k.moves != nil || s.k.promises && action != "examine" && action != "unexamine" && action != "delete" {
		n.warehouses = []string{d.head["warehouse"]}
		if to := d.head["to_warehouse"]; to != "" {
			n.warehouses = append(n.warehouses, to)
		}
		for _, x := range s.sources {
			// An order that was closed promises again what it did not deliver.
			if s.k.delivers && x.status == "closed" {
				touched = append(touched, x)
			}
		}
		n.products = productsOf(touched...)
	}
	if action == "unexamine" && s.k.moves != nil {
		if err := s.readMoves(ctx, j); err != nil {
			return err
		}
		for _, x := range s.plan.moves {
			n.products = append(n.products, x.Product)
		}
	}
	if err := s.m.hold(ctx, j, n); err != nil {
		return err
	}
	s.notePartner(j, false, n.alone)
	if !s.k.pays {
		s.noteNames(j, productsOf(d))
	}
	if action == "examine" && s.k.produces && s.k.moves != nil {
		s.noteMaterials(j, d)
	}
	if n.warehouses != nil {
		places := s.places(touched...)
		for _, x := range s.plan.moves {
			places = append(places, place{x.Product, x.Warehouse})
		}
		slices.SortFunc(places, place.compare)
		s.noteStock(j, slices.Compact(places))
	}
	return nil
}

// readMoves plans to take back what the ledger holds of the document, whatever
// the bill of material says today.
func (s *docStep) readMoves(ctx context.Context, j *job) error {
	var b batch
	var rows []move
	ask(&b, func(x move) { rows = append(rows, x) }, "SELECT product, warehouse, -sum(quantity), reason FROM erp.stock_ledger"+
		" WHERE tenant_id = $1 AND document = $2 AND form IN ($3, '') GROUP BY product, warehouse, reason", j.tenant, s.own.number, s.k.form)
	err := b.run(ctx, j.tx)
	s.plan.moves, s.plan.reversal = netted(rows), true
	return err
}

// checkMove judges the transition by the document's status and what hangs on it.
func (s *docStep) checkMove(j *job, p *problems) {
	action, d := j.change.Action, s.own
	t := transitions[action]
	from := t.from
	if action == "cancel" && (d.kind.form == "sales_order" || d.kind.form == "purchase_order") {
		from = append(slices.Clone(from), "examined")
	}
	status, _ := j.form.find("status")
	if !slices.Contains(from, d.status) {
		if action == "cancel" && d.status == "cancelled" {
			p.add("status", "单据 "+d.number+" 已取消", d.number+" is cancelled already")
			return
		}
		p.add("status", fmt.Sprintf("单据 %s 的状态是%s，不能%s", d.number, status.show(d.status, "zh"), j.action.Label.Zh),
			fmt.Sprintf("%s is %s: it cannot be changed by %q", d.number, status.show(d.status, "en"), j.action.Label.En))
		return
	}
	switch {
	case (action == "unexamine" || action == "cancel" && d.status == "examined") && !d.untouched():
		p.add("status", "单据 "+d.number+" 已有下游单据，请先处理下游单据", "other documents were made of "+d.number+": deal with them first")
	case action == "close" && d.waiting > 0:
		p.add("status", fmt.Sprintf("单据 %s 还有 %d 张未审核的下游单据", d.number, d.waiting), fmt.Sprintf("%d documents drawn from %s are not examined", d.waiting, d.number))
	case action == "delete" && s.submitted:
		p.add("status", "单据 "+d.number+" 曾经提交过，只能取消", d.number+" has been submitted before: it can only be cancelled")
	case action == "examine" || action == "submit":
		s.checkTaken(p, action)
	}
}

// checkTaken judges what a document that takes effect relies on.
func (s *docStep) checkTaken(p *problems, action string) {
	if x := s.m.partner; action == "submit" && x != nil && !x.Active && (s.k.sells || s.k.buys) {
		p.add(s.k.partner, x.Name+" 已停用", objectName("en", x.Name, x.NameEn, x.Code)+" is inactive")
	}
	for i, l := range s.own.lines {
		path := "lines[" + strconv.Itoa(i+1) + "]."
		if x := s.m.products[l.Product]; action == "submit" && s.k.sells && x != nil && x.Status != "on_sale" {
			p.add(path+"product", x.Name+" 已停售", objectName("en", x.Name, x.NameEn, x.Code)+" is discontinued")
		}
		if action != "examine" || l.Source == nil || i >= len(s.draws) {
			continue
		}
		d := s.draws[i].source
		switch {
		case d.status != "examined":
			p.add(path+"source", d.number+" 未审核或已完结", d.number+" is not examined, or is closed")
		case s.k.pays && l.Amount.GreaterThan(d.open()):
			p.add(path+"amount", fmt.Sprintf("%s 未结金额只有 %s", d.number, d.open()), fmt.Sprintf("%s has only %s open", d.number, d.open()))
		}
	}
	if action == "examine" && s.k.produces && s.k.moves != nil {
		for i, l := range s.own.lines {
			if len(s.m.materials[l.Product]) == 0 {
				p.add("lines["+strconv.Itoa(i+1)+"].product", l.ProductName+" 没有物料清单", l.ProductName+" has no bill of material")
			}
		}
	}
}

// planNew plans the effects of the change; nothing is wrong with it by now.
func (s *docStep) planNew(j *job) {
	if s.own != nil {
		if s.docs == nil {
			s.planMove(j.change.Action)
		}
		return
	}
	if !s.k.pays {
		s.drawing(1)
	}
	for _, d := range s.docs {
		s.plan.promise(nil, promised(d, d.status, nil))
		if s.k.immediate && inEffect(d.status) {
			s.plan.moves = append(s.plan.moves, s.k.moves(d, &s.m)...)
		}
	}
	s.plan.moves = netted(s.plan.moves)
}

func (s *docStep) planMove(action string) {
	d := s.own
	to := transitions[action].to
	s.plan.promise(promised(d, d.status, d.delivered), promised(d, to, d.delivered))
	switch action {
	case "cancel", "delete":
		if !s.k.pays {
			s.drawing(-1)
		}
	case "examine":
		if s.k.moves != nil {
			s.plan.moves = netted(s.k.moves(d, &s.m))
		}
		s.planSources(1)
	case "unexamine":
		s.planSources(-1)
	}
	if s.k.owed && (action == "examine" || action == "unexamine") {
		s.plan.balance = d.dec("total")
		if action == "unexamine" {
			s.plan.balance = s.plan.balance.Neg()
		}
	}
}

// planSources plans what examining (sign 1) or taking it back (−1) does to the
// documents behind: a source that is wholly drawn, and by examined documents only,
// is closed and opened again; what is owed is paid; an order is delivered.
func (s *docStep) planSources(sign int64) {
	for _, d := range s.sources {
		c := sourceChange{doc: d, drawn: map[int]draw{}, status: d.status}
		delivered := map[int]decimal.Decimal{}
		for no, q := range d.delivered {
			delivered[no] = q
		}
		for _, x := range s.draws {
			switch {
			case x.source != d:
			case x.from == nil:
				c.settled = c.settled.Add(x.amount.Mul(decimal.NewFromInt(sign)))
			default:
				delivered[x.from.LineNo] = delivered[x.from.LineNo].Add(x.quantity.Mul(decimal.NewFromInt(sign)))
			}
		}
		whole := d.drawnWhole() && d.waiting == 0
		if s.k.pays {
			whole = d.dec("settled").Add(c.settled).Equal(d.dec("total"))
			s.plan.balance = s.plan.balance.Sub(c.settled)
		}
		switch {
		case sign > 0 && whole && d.status == "examined":
			c.status = "closed"
		case sign < 0 && d.status == "closed":
			c.status = "examined"
		}
		if s.k.delivers {
			s.plan.promise(promised(d, d.status, d.delivered), promised(d, c.status, delivered))
		}
		if c.status != d.status || !c.settled.IsZero() {
			s.plan.sources = append(s.plan.sources, c)
		}
	}
}

// cancelNotes say what cancelling does not do.
func cancelNotes(k *kind) []nouns.Label {
	switch {
	case k.form == "sales_order":
		return []nouns.Label{{
			Zh: "取消订单只释放预留的库存，不会退款：已收的款项请另行处理。",
			En: "Cancelling gives the promised stock free and refunds nothing: money that was received must be dealt with separately.",
		}}
	case k.source != "" && !k.pays:
		return []nouns.Label{{
			Zh: "取消后来源单据的数量可以重新下推；库存和余额没有变动，因为单据尚未审核。",
			En: "What was drawn can be drawn from the source again. Stock and balances do not move, because the document was not examined.",
		}}
	case k.form == "purchase_order":
		return []nouns.Label{{
			Zh: "取消采购订单不会退款：已付的款项请另行处理。",
			En: "Cancelling a purchase order refunds nothing: money that was paid must be dealt with separately.",
		}}
	case k.pays:
		return []nouns.Label{{
			Zh: "取消只作废单据，不会退款，也不影响未结金额。",
			En: "Cancelling voids the document. It moves no money and leaves open amounts as they are.",
		}}
	}
	return nil
}

// unexamineNotes say what taking an examination back does and does not do.
func unexamineNotes(k *kind) []nouns.Label {
	switch {
	case k.delivers:
		return []nouns.Label{{
			Zh: "反审核把货物记回仓库并恢复订单的预留；已实际运出的货物不会因此回来。",
			En: "The goods are booked back into the warehouse and promised to the order again; what has really left does not come back by this.",
		}}
	case k.moves != nil:
		return []nouns.Label{{
			Zh: "反审核用冲销流水恢复库存；原来的流水仍然保留。",
			En: "Stock is brought back by reversing rows of the ledger; the earlier rows stay.",
		}}
	case k.pays:
		return []nouns.Label{{
			Zh: "反审核只恢复未结金额，不会退款。",
			En: "The amounts are open again; no money is paid back.",
		}}
	}
	return nil
}
