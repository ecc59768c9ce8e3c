package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// createOrder makes a sales order: it prices the lines, takes the goods from the
// warehouse and gives the order its number.
type createOrder struct{}

// orderLine is one line as asked for; lines of one product have been merged.
type orderLine struct {
	product  string
	quantity decimal.Decimal
}

type orderStep struct {
	header    values
	lines     []orderLine
	merged    bool
	warehouse pgdb.ErpWarehouse
	customer  *pgdb.ErpCustomer
	products  map[string]pgdb.ErpProduct
	discounts map[string]decimal.Decimal
	stock     map[string]decimal.Decimal
	draft     *draftState
	list      []nouns.Fact
}

type draftState struct {
	revision   int
	validUntil time.Time
}

func (createOrder) gather(ctx context.Context, j *job) (step, error) {
	s := &orderStep{}
	if err := s.parse(j); err != nil {
		return nil, err
	}
	if err := s.holdDraft(ctx, j); err != nil {
		return nil, err
	}
	if err := s.defaults(ctx, j); err != nil {
		return nil, err
	}
	return s, s.hold(ctx, j)
}

// parse reads the payload; lines of one product become one, in the place of the first.
func (s *orderStep) parse(j *job) error {
	p := j.problems()
	zone := zoneOf(j.id)
	header, obj := parse(j.change.Payload, j.form.fields, true, zone, p)
	rows := parseLines(obj["lines"], "lines", j.form.parts["lines"], zone, p)
	at := map[string]int{}
	for i, r := range rows {
		q, err := decimal.NewFromString(r["quantity"])
		if err != nil {
			continue // noted by parseLines
		}
		if !q.IsPositive() {
			p.add("lines["+strconv.Itoa(i+1)+"].quantity", "必须大于 0", "must be greater than 0")
			continue
		}
		if k, ok := at[r["product"]]; ok {
			s.lines[k].quantity = s.lines[k].quantity.Add(q)
			s.merged = true
			continue
		}
		at[r["product"]] = len(s.lines)
		s.lines = append(s.lines, orderLine{product: r["product"], quantity: q})
	}
	s.header = header
	return p.err()
}

// holdDraft locks the draft in share mode: whoever saves a new revision waits.
func (s *orderStep) holdDraft(ctx context.Context, j *job) error {
	c := j.change
	if c.DraftID == "" {
		return nil
	}
	missing := fault.New(fault.NotFound, "noun", "draft", "id", clip(c.DraftID))
	if !isUUID(c.DraftID) {
		return missing
	}
	rev, err := j.q.ErpHoldDraft(ctx, pgdb.ErpHoldDraftParams{TenantID: j.tenant, DraftID: c.DraftID, UserID: j.id.User.UserID, Form: c.Form})
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	if err != nil {
		return err
	}
	until, err := j.q.ErpDraftValidity(ctx, pgdb.ErpDraftValidityParams{TenantID: j.tenant, DraftID: c.DraftID, Revision: rev})
	if err != nil {
		return err
	}
	s.draft = &draftState{int(rev), until.UTC()}
	s.list = append(s.list,
		nouns.Fact{Kind: nouns.FactDraft, Form: c.Form, Key: c.DraftID, Field: "revision",
			Label: nouns.Label{Zh: "草稿版本", En: "Draft revision"}, Value: strconv.Itoa(s.draft.revision)},
		nouns.Fact{Kind: nouns.FactValidity, Form: c.Form, Key: c.DraftID, Field: "valid_until",
			Label: nouns.Label{Zh: "报价有效期", En: "Quote valid until"}, Value: s.draft.validUntil.Format(time.RFC3339Nano)})
	return nil
}

// defaults fills in the warehouse and the dates that the payload left open. The
// normalised payload names them, so the write does not choose again.
func (s *orderStep) defaults(ctx context.Context, j *job) error {
	var err error
	if code := s.header["warehouse"]; code != "" {
		s.warehouse, err = j.q.ErpWarehouse(ctx, pgdb.ErpWarehouseParams{TenantID: j.tenant, Code: code})
	} else {
		s.warehouse, err = j.q.ErpDefaultWarehouse(ctx, j.tenant)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		p := j.problems()
		p.add("warehouse", "没有这个仓库", "there is no such warehouse")
		return p.err()
	}
	if err != nil {
		return err
	}
	s.header["warehouse"] = s.warehouse.Code
	if s.header["order_date"] == "" {
		if s.header["order_date"], err = j.q.ErpToday(ctx, j.tenant); err != nil {
			return err
		}
	}
	if s.header["delivery_date"] == "" {
		s.header["delivery_date"] = s.header["order_date"]
	}
	return nil
}

// hold locks customer, products and stock, in that order, and notes the facts.
func (s *orderStep) hold(ctx context.Context, j *job) error {
	codes := make([]string, len(s.lines))
	for i, l := range s.lines {
		codes[i] = l.product
	}
	slices.Sort(codes)
	c, err := j.q.ErpHoldCustomer(ctx, pgdb.ErpHoldCustomerParams{TenantID: j.tenant, Code: s.header["customer"]})
	if err == nil {
		s.customer = &c
	} else if !errors.Is(err, pgx.ErrNoRows) {
		return err
	}
	products, err := j.q.ErpHoldProducts(ctx, pgdb.ErpHoldProductsParams{TenantID: j.tenant, Codes: codes})
	if err != nil {
		return err
	}
	s.products = map[string]pgdb.ErpProduct{}
	for _, p := range products {
		s.products[p.Code] = p
	}
	discounts, err := j.q.ErpDiscounts(ctx, pgdb.ErpDiscountsParams{TenantID: j.tenant, Customer: s.header["customer"], Codes: codes})
	if err != nil {
		return err
	}
	s.discounts = map[string]decimal.Decimal{}
	for _, code := range codes {
		for _, d := range discounts {
			// The discount for the product wins over the one for everything.
			if d.Product != nil && *d.Product == code {
				s.discounts[code] = d.Percent
				break
			}
			if d.Product == nil {
				s.discounts[code] = d.Percent
			}
		}
	}
	stock, err := j.q.ErpLockStock(ctx, pgdb.ErpLockStockParams{TenantID: j.tenant, Warehouse: s.warehouse.Code, Codes: codes})
	if err != nil {
		return err
	}
	s.stock = map[string]decimal.Decimal{}
	for _, r := range stock {
		s.stock[r.Product] = r.Quantity
	}
	s.note(j, codes)
	return nil
}

// note writes down what was read: what the card shows of customer, products and stock.
func (s *orderStep) note(j *job, codes []string) {
	add := func(kind nouns.FactKind, form, key, field, sub, zh, en, object, value string) {
		s.list = append(s.list, nouns.Fact{Kind: kind, Form: form, Key: key, Field: field, Sub: sub,
			Label: nouns.Label{Zh: zh, En: en}, Object: object, Value: value})
	}
	if c := s.customer; c != nil {
		object := objectName(j.locale(), c.Name, c.NameEn, c.Code)
		add(nouns.FactName, "customer", c.Code, "name", "", "客户名称", "Customer name", object, bothNames(c.Name, c.NameEn))
		add(nouns.FactState, "customer", c.Code, "active", "", "客户状态", "Customer status", object, strconv.FormatBool(c.Active))
		add(nouns.FactPrice, "customer", c.Code, "currency", "", "币种", "Currency", object, c.Currency)
	}
	for _, code := range codes {
		p, ok := s.products[code]
		if !ok {
			continue
		}
		object := objectName(j.locale(), p.Name, p.NameEn, p.Code)
		add(nouns.FactName, "product", code, "name", "", "产品名称", "Product name", object, bothNames(p.Name, p.NameEn))
		add(nouns.FactName, "product", code, "unit", "", "单位", "Unit", object, bothNames(p.Unit, p.UnitEn))
		add(nouns.FactProductStatus, "product", code, "status", "", "销售状态", "Sales status", object, p.Status)
		add(nouns.FactPrice, "product", code, "base_price", "", "基础价", "Base price", object, p.BasePrice.String())
		add(nouns.FactPrice, "product", code, "currency", "", "币种", "Currency", object, p.Currency)
		add(nouns.FactPrice, "customer_discount", s.header["customer"], "percent", code, "折扣（减 %）", "Discount (% off)", object, s.discounts[code].String())
	}
	for _, code := range codes {
		if p, ok := s.products[code]; ok {
			add(nouns.FactStock, "stock", code, "quantity", s.warehouse.Code, "库存", "Stock",
				objectName(j.locale(), p.Name, p.NameEn, p.Code), s.stock[code].String())
		}
	}
}

func (s *orderStep) facts() []nouns.Fact { return s.list }

func (s *orderStep) check(j *job) error {
	if d := s.draft; d != nil {
		if d.revision != j.change.DraftRevision {
			return fault.New(fault.DraftChanged, "old", strconv.Itoa(j.change.DraftRevision), "new", strconv.Itoa(d.revision))
		}
		if !j.began.Before(d.validUntil) {
			return fault.New(fault.QuoteChanged, "label", say(j.id, "报价有效期", "Quote validity"), "object", say(j.id, "草稿", "Draft"), "old", d.validUntil.Format(time.RFC3339), "new", j.began.UTC().Format(time.RFC3339),
				"detail", say(j.id, "报价已过有效期", "the quote is no longer valid"))
		}
	}
	p := j.problems()
	switch c := s.customer; {
	case c == nil:
		p.add("customer", "没有编码为 "+clip(s.header["customer"])+" 的客户", "there is no customer with the code "+clip(s.header["customer"]))
	case !c.Active:
		p.add("customer", c.Name+" 已停用", objectName("en", c.Name, c.NameEn, c.Code)+" is inactive")
	}
	if s.header["delivery_date"] < s.header["order_date"] {
		p.add("delivery_date", "不能早于下单日期", "must not be before the order date")
	}
	for i, l := range s.lines {
		path := "lines[" + strconv.Itoa(i+1) + "]."
		x, ok := s.products[l.product]
		if !ok {
			p.add(path+"product", "没有编码为 "+clip(l.product)+" 的产品", "there is no product with the code "+clip(l.product))
			continue
		}
		if x.Status != "on_sale" {
			p.add(path+"product", x.Name+" 已停售", objectName("en", x.Name, x.NameEn, x.Code)+" is discontinued")
		}
		if s.customer != nil && x.Currency != s.customer.Currency {
			p.add(path+"product", x.Name+" 的价格币种与客户不同", objectName("en", x.Name, x.NameEn, x.Code)+" is priced in another currency than the customer's")
		}
		if -l.quantity.Exponent() > int32(x.QuantityScale) && !l.quantity.Equal(l.quantity.Truncate(int32(x.QuantityScale))) {
			p.add(path+"quantity", fmt.Sprintf("单位 %s 最多 %d 位小数", x.Unit, x.QuantityScale), fmt.Sprintf("the unit %s has at most %d decimals", x.Unit, x.QuantityScale))
		}
		if have := s.stock[l.product]; l.quantity.GreaterThan(have) {
			p.add(path+"quantity", fmt.Sprintf("库存不足：%s 在 %s 只有 %s %s", x.Name, s.warehouse.Name, have, x.Unit),
				fmt.Sprintf("not enough stock: %s has %s %s in %s", objectName("en", x.Name, x.NameEn, x.Code), have, x.Unit, s.warehouse.Code))
		}
	}
	return p.err()
}

// payload is what Execute is given: everything that was chosen, and nothing derived.
func (s *orderStep) payload() (json.RawMessage, error) {
	m := map[string]any{}
	for k, v := range s.header {
		m[k] = v
	}
	lines := make([]map[string]string, len(s.lines))
	for i, l := range s.lines {
		lines[i] = map[string]string{"product": l.product, "quantity": l.quantity.String()}
	}
	m["lines"] = lines
	return json.Marshal(m)
}

// bothNames is a name whichever language it was read in.
func bothNames(zh, en string) string {
	if en == "" {
		return zh
	}
	return zh + " / " + en
}
