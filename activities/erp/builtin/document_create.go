package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// createDocument makes a document of what was keyed in.
type createDocument struct{ k *kind }

// askedLine is a line as it was asked for.
type askedLine struct {
	product, unit string
	quantity      decimal.Decimal
	// price is what the line says, nil when it leaves it open.
	price *decimal.Decimal
}

func (b createDocument) gather(ctx context.Context, j *job) (step, error) {
	s := &docStep{k: b.k, wrong: *j.problems(), payload: map[string]any{}}
	p := j.problems()
	obj, args := splitArgs(j, p)
	header := parseObject(obj, "", j.form.fields, true, zoneOf(j.id), p)
	rows := parseLines(obj["lines"], "lines", j.form.parts["lines"], zoneOf(j.id), p)
	asked := s.askLines(rows, p)
	if err := p.err(); err != nil {
		return nil, err
	}
	var err error
	if s.draft, s.list, err = j.holdDraft(ctx); err != nil {
		return nil, err
	}
	d := &document{kind: b.k, status: statusOf(b.k, args["status"]), head: header}
	if d.status == "draft" {
		s.payload["status"] = "draft"
	}
	s.docs = []*document{d}
	if b.k.pays {
		return s, s.gatherPaid(ctx, j, d, rows)
	}
	return s, s.gatherKeyed(ctx, j, d, asked)
}

// splitArgs decodes the payload and takes the action's own arguments out of it.
func splitArgs(j *job, p *problems) (map[string]json.RawMessage, values) {
	raw := j.change.Payload
	obj, ok := object(raw)
	if !ok || len(raw) > maxPayload {
		p.add("", "内容应为 JSON 对象", "the payload must be a JSON object")
		return nil, nil
	}
	args := map[string]json.RawMessage{}
	fields := j.form.parts[j.change.Action]
	for _, f := range fields {
		if v, given := obj[f.Name]; given {
			args[f.Name] = v
			delete(obj, f.Name)
		}
	}
	return obj, parseObject(args, "", fields, true, zoneOf(j.id), p)
}

// statusOf is the status of a new document.
func statusOf(k *kind, asked string) string {
	switch {
	case asked == "draft":
		return "draft"
	case k.immediate:
		return "examined"
	}
	return "submitted"
}

// askLines reads the lines of goods. Those of a document that pays are read later.
func (s *docStep) askLines(rows []values, p *problems) []askedLine {
	if s.k.pays {
		return nil
	}
	var out []askedLine
	for i, r := range rows {
		q, err := decimal.NewFromString(r["quantity"])
		if err != nil {
			continue // noted by parseLines
		}
		path := "lines[" + strconv.Itoa(i+1) + "].quantity"
		switch {
		case s.k.signed && q.IsZero():
			p.add(path, "不能为 0", "must not be 0")
			continue
		case !s.k.signed && !q.IsPositive():
			p.add(path, "必须大于 0", "must be greater than 0")
			continue
		}
		x := askedLine{product: r["product"], unit: r["unit"], quantity: q}
		if v, err := decimal.NewFromString(r["unit_price"]); err == nil {
			x.price = &v
		}
		out = append(out, x)
	}
	return out
}

// gatherKeyed completes, locks, prices and notes a document of goods.
func (s *docStep) gatherKeyed(ctx context.Context, j *job, d *document, asked []askedLine) error {
	if err := s.m.start(ctx, j); err != nil {
		return err
	}
	s.complete(d)
	n := need{kind: s.k, partner: d.partner(), date: d.head[s.k.date], pricing: s.k.priced}
	for _, l := range asked {
		n.products = append(n.products, l.product)
	}
	if d.status != "draft" && (s.k.promises || s.k.immediate) {
		n.warehouses = []string{d.head["warehouse"]}
		if to := d.head["to_warehouse"]; to != "" {
			n.warehouses = append(n.warehouses, to)
		}
	}
	if err := s.m.hold(ctx, j, n); err != nil {
		return err
	}
	s.build(d, asked)
	s.notePartner(j, true, false)
	s.noteProducts(j, d)
	if n.warehouses != nil {
		s.noteStock(j, s.places(d))
	}
	s.keyedPayload(d)
	return nil
}

// complete fills in what the payload left open. The normalised payload names it,
// so the write does not choose again.
func (s *docStep) complete(d *document) {
	if d.head[s.k.date] == "" {
		d.head[s.k.date] = s.m.today
	}
	if s.k.until != "" && d.head[s.k.until] == "" {
		days := s.k.days
		if days == payDays {
			days = 0
			if s.m.partner != nil {
				days = s.m.partner.PaymentDays
			}
		}
		if at, err := time.Parse(time.DateOnly, d.head[s.k.date]); err == nil {
			d.head[s.k.until] = at.AddDate(0, 0, days).Format(time.DateOnly)
		}
	}
	if s.k.stored && d.head["warehouse"] == "" {
		d.head["warehouse"] = s.m.warehouse
	}
	if s.k.pays && d.head["method"] == "" {
		d.head["method"] = "transfer"
	}
}

// build makes the lines: units resolved, lines of one product and unit merged in
// the place of the first, priced.
func (s *docStep) build(d *document, asked []askedLine) {
	if s.k.partner != "" && s.m.partner != nil {
		d.head["currency"] = s.m.partner.Currency
		rate, ok := s.m.rate(s.m.partner.Currency)
		if !ok {
			s.noRate(s.m.partner.Currency, d)
			rate = one
		}
		d.head["exchange_rate"] = rate.String()
	}
	merged := false
	var prices []*decimal.Decimal
	for _, x := range asked {
		l := &docLine{Product: x.product, Unit: x.unit, Factor: one, Quantity: x.quantity}
		if p := s.m.products[x.product]; p != nil {
			l.ProductName = p.Name
			if u, ok := s.m.findUnit(p, x.unit); ok {
				l.Unit, l.Factor = u.Unit, u.Factor
			}
		}
		same := slices.IndexFunc(d.lines, func(y *docLine) bool { return y.Product == l.Product && y.Unit == l.Unit })
		if same >= 0 && samePrice(prices[same], x.price) {
			d.lines[same].Quantity = d.lines[same].Quantity.Add(l.Quantity)
			merged = true
			continue
		}
		d.lines, prices = append(d.lines, l), append(prices, x.price)
	}
	for i, l := range d.lines {
		l.LineNo = i + 1
		s.buildLine(d, l, prices[i])
	}
	d.sum()
	if merged {
		s.notes = append(s.notes, nouns.Label{Zh: "同一产品的多行已合并为一行。", En: "Lines of the same product were merged into one."})
	}
}

func samePrice(a, b *decimal.Decimal) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

func (s *docStep) noRate(currency string, d *document) {
	s.wrong.add("exchange_rate", fmt.Sprintf("没有 %s 在 %s 的汇率", clip(currency), d.head[s.k.date]), fmt.Sprintf("there is no exchange rate of %s for %s", clip(currency), d.head[s.k.date]))
}

// buildLine judges a line by its product and prices it.
func (s *docStep) buildLine(d *document, l *docLine, price *decimal.Decimal) {
	path := "lines[" + strconv.Itoa(l.LineNo) + "]."
	x := s.m.products[l.Product]
	if x == nil {
		s.wrong.add(path+"product", "没有编码为 "+clip(l.Product)+" 的产品", "there is no product with the code "+clip(l.Product))
		return
	}
	en := objectName("en", x.Name, x.NameEn, x.Code)
	if s.k.sells && x.Status != "on_sale" {
		s.wrong.add(path+"product", x.Name+" 已停售", en+" is discontinued")
	}
	if s.k.produces && !x.Made {
		s.wrong.add(path+"product", x.Name+" 不是自制产品", en+" is not made here")
	}
	if _, ok := s.m.findUnit(x, l.Unit); !ok {
		s.wrong.add(path+"unit", x.Name+" 没有单位 "+clip(l.Unit), en+" has no unit "+clip(l.Unit))
		return
	}
	if base := l.base(); !base.Equal(base.Truncate(x.Scale)) {
		s.wrong.add(path+"quantity", fmt.Sprintf("单位 %s 最多 %d 位小数", x.Unit, x.Scale), fmt.Sprintf("the unit %s has at most %d decimals", x.Unit, x.Scale))
	}
	if !s.k.priced || s.m.partner == nil {
		return
	}
	currency := s.m.partner.Currency
	switch {
	case s.k.sells:
		base, tag := s.m.sellPrice(x, l.base(), currency)
		if tag.missing != "" && !slices.ContainsFunc(s.wrong.list, func(p fault.Problem) bool { return p.Field == "exchange_rate" }) {
			s.noRate(tag.missing, d)
		}
		l.BasePrice, l.Discount = base.Mul(l.Factor).Round(priceScale), s.m.discounts[x.Code]
	case price != nil:
		l.BasePrice = *price
	default:
		asked, ok := s.m.asked[x.Code]
		if !ok {
			s.wrong.add(path+"unit_price", "供应商没有 "+x.Name+" 的价格，请填写单价", "the supplier has no price for "+en+": give a unit price")
		}
		l.BasePrice = asked.Mul(l.Factor).Round(priceScale)
	}
	l.TaxRate = s.m.taxRate(x)
	l.value(s.m.amountDigits(currency))
}

// noteProducts writes down what the lines rely on of each product, in the order of
// codes.
func (s *docStep) noteProducts(j *job, d *document) {
	currency, rates := "", map[string]bool{}
	if s.m.partner != nil {
		currency = s.m.partner.Currency
		if currency != s.m.home {
			rates[currency] = true
		}
	}
	if s.k.sells {
		for _, l := range d.lines {
			if x := s.m.products[l.Product]; x != nil && x.Currency != currency {
				rates[x.Currency], rates[currency] = true, true
			}
		}
	}
	if s.k.priced {
		delete(rates, s.m.home)
		for _, c := range slices.Sorted(maps.Keys(rates)) {
			value := ""
			if r, ok := s.m.rate(c); ok {
				value = r.String()
			}
			s.fact(nouns.FactPrice, "exchange_rate", c, "rate", "", nouns.Label{Zh: "汇率", En: "Exchange rate"}, c, value)
		}
	}
	for _, code := range productsOf(d) {
		x := s.m.products[code]
		if x == nil {
			continue
		}
		object := objectName(j.locale(), x.Name, x.NameEn, x.Code)
		s.noteNames(j, []string{code})
		if s.k.sells {
			s.fact(nouns.FactProductStatus, "product", code, "status", "", nouns.Label{Zh: "销售状态", En: "Sales status"}, object, x.Status)
		}
		s.notePrice(d, x, object, currency)
	}
}

// notePrice writes down by which prices, units and taxes the lines of a product
// were priced.
func (s *docStep) notePrice(d *document, x *product, object, currency string) {
	seen := map[string]bool{}
	for _, l := range d.lines {
		if l.Product != x.Code {
			continue
		}
		if u, ok := s.m.findUnit(x, l.Unit); ok && u.Unit != x.Unit && !seen["unit "+u.Unit] {
			seen["unit "+u.Unit] = true
			s.fact(nouns.FactPrice, "product_unit", x.Code+"/"+u.Unit, "factor", "", nouns.Label{Zh: "换算系数", En: "Factor of the unit"}, object, u.Factor.String())
		}
		if !s.k.sells {
			continue
		}
		_, tag := s.m.sellPrice(x, l.base(), currency)
		if seen["list "+tag.list] {
			continue
		}
		seen["list "+tag.list] = true
		if tag.list != "" {
			s.fact(nouns.FactPrice, "customer_price", tag.list, "price", x.Code, nouns.Label{Zh: "价目表价格", En: "Price of the price list"}, object, tag.price.String())
		} else {
			s.fact(nouns.FactPrice, "product", x.Code, "base_price", "", nouns.Label{Zh: "基础价", En: "Base price"}, object, tag.price.String())
		}
	}
	if !s.k.priced {
		return
	}
	if s.k.sells {
		s.fact(nouns.FactPrice, "product", x.Code, "currency", "", nouns.Label{Zh: "币种", En: "Currency"}, object, x.Currency)
		s.fact(nouns.FactPrice, "customer_discount", d.partner(), "percent", x.Code, nouns.Label{Zh: "折扣（减 %）", En: "Discount (% off)"}, object, s.m.discounts[x.Code].String())
	} else if asked, ok := s.m.asked[x.Code]; ok {
		s.fact(nouns.FactPrice, "supplier_price", d.partner()+"/"+x.Code, "price", "", nouns.Label{Zh: "供应商价格", En: "Supplier's price"}, object, asked.String())
	}
	s.fact(nouns.FactPrice, "product", x.Code, "tax", "", nouns.Label{Zh: "税率 %", En: "Tax rate %"}, object, s.m.taxRate(x).String())
}

// productsOf are the products of the documents' lines, each once, by code.
func productsOf(docs ...*document) []string {
	var codes []string
	for _, d := range docs {
		for _, l := range d.lines {
			codes = append(codes, l.Product)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// keyedPayload is what Execute is given: everything that was chosen, nothing derived.
func (s *docStep) keyedPayload(d *document) {
	for _, f := range writable(d) {
		if v := d.head[f]; v != "" {
			s.payload[f] = v
		}
	}
	lines := make([]map[string]string, len(d.lines))
	for i, l := range d.lines {
		switch {
		case s.k.pays:
			lines[i] = map[string]string{"source": *l.Source, "amount": l.Amount.String()}
		default:
			lines[i] = map[string]string{"product": l.Product, "quantity": l.Quantity.String(), "unit": l.Unit}
			if s.k.buys {
				lines[i]["unit_price"] = l.UnitPrice.String()
			}
		}
	}
	s.payload["lines"] = lines
}

// derived columns of a header are worked out, never keyed in.
var derivedColumns = map[string]bool{"tenant_id": true, "number": true, "status": true, "currency": true, "exchange_rate": true, "total": true, "tax_total": true,
	"settled": true, "open_amount": true, "cancel_reason": true, "created_by": true, "created_at": true, "examined_by": true, "examined_at": true,
	"closed_at": true, "cancelled_at": true, "version": true}

// writable are the columns of the header that are keyed in, sorted.
func writable(d *document) []string {
	var out []string
	for c := range d.head {
		if !derivedColumns[c] {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

func (s *docStep) check(j *job) error {
	if err := s.draft.check(j); err != nil {
		return err
	}
	p := j.problems()
	if s.k.partner != "" {
		s.checkPartner(p)
	}
	for _, d := range s.docs {
		s.checkHead(p, d)
	}
	if s.own != nil && s.docs == nil {
		s.checkMove(j, p)
	}
	p.list = append(p.list, s.wrong.list...)
	if err := p.err(); err != nil {
		return err
	}
	s.planNew(j)
	s.checkStock(p)
	return p.err()
}

func (s *docStep) checkPartner(p *problems) {
	keyed := len(s.docs) > 0 && (s.k.sells || s.k.buys || (s.k.pays && len(s.sources) == 0))
	code := ""
	for _, d := range s.docs {
		code = d.partner()
	}
	switch x := s.m.partner; {
	case x == nil && code == "": // no source gave one, which has been noted
	case x == nil:
		if s.k.partner == "customer" {
			p.add("customer", "没有编码为 "+clip(code)+" 的客户", "there is no customer with the code "+clip(code))
		} else {
			p.add("supplier", "没有编码为 "+clip(code)+" 的供应商", "there is no supplier with the code "+clip(code))
		}
	case keyed && !x.Active:
		p.add(s.k.partner, x.Name+" 已停用", objectName("en", x.Name, x.NameEn, x.Code)+" is inactive")
	}
}

func (s *docStep) checkHead(p *problems, d *document) {
	if until := s.k.until; until != "" && d.head[until] < d.head[s.k.date] {
		p.add(until, "不能早于单据日期", "must not be before the date of the document")
	}
	for _, c := range []string{"warehouse", "to_warehouse"} {
		code := d.head[c]
		if code == "" {
			continue
		}
		if w, ok := s.m.warehouses[code]; !ok {
			p.add(c, "没有这个仓库", "there is no such warehouse")
		} else if !w.Active {
			p.add(c, w.Name+" 已停用", objectName("en", w.Name, w.NameEn, code)+" is inactive")
		}
	}
	if to := d.head["to_warehouse"]; to != "" && to == d.head["warehouse"] {
		p.add("to_warehouse", "不能与调出仓库相同", "must differ from the warehouse it leaves")
	}
	if len(d.lines) > maxMade {
		p.add("lines", "最多 500 行", "must have at most 500 rows")
	}
}

// maxMade bounds the lines of a document that generate makes.
const maxMade = 500
