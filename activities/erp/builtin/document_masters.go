package builtin

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// masters are the records that a document relies on, as they were read under lock.
type masters struct {
	// today is the tenant's date, home its currency.
	today, home string
	// warehouse is the default one's code.
	warehouse  string
	warehouses map[string]warehouse
	partner    *partner
	digits     map[string]int32
	rates      map[string]decimal.Decimal
	taxes      map[string]decimal.Decimal
	products   map[string]*product
	units      map[string][]unit
	discounts  map[string]decimal.Decimal
	prices     map[string][]listPrice
	asked      map[string]decimal.Decimal
	materials  map[string][]material
	stock      map[place]level
	// balance is what the partner owes (a customer) or is owed (a supplier) in the
	// document's currency.
	balance decimal.Decimal
}

type warehouse struct {
	Code, Name, NameEn string
	Default, Active    bool
}

type partner struct {
	Code, Name, NameEn, Currency string
	Active                       bool
	PaymentDays                  int
	TaxExempt                    bool
}

type product struct {
	Code, Name, NameEn, Unit, UnitEn string
	Scale                            int32
	Status                           string
	Price                            decimal.Decimal
	Currency, Tax                    string
	Made                             bool
}

type unit struct {
	Product, Unit, UnitEn string
	Factor                decimal.Decimal
}

// listPrice is a row of the price list that may hold; Own says that it is the
// customer's own.
type listPrice struct {
	Product, Code string
	Own           bool
	Min, Price    decimal.Decimal
}

type material struct {
	Product, Material string
	Quantity          decimal.Decimal
	Name, NameEn      string
}

// place is where stock lies.
type place struct{ product, warehouse string }

// level is stock on hand and what of it is promised.
type level struct{ quantity, allocated decimal.Decimal }

func (l level) available() decimal.Decimal { return l.quantity.Sub(l.allocated) }

func (p place) compare(q place) int {
	if c := strings.Compare(p.product, q.product); c != 0 {
		return c
	}
	return strings.Compare(p.warehouse, q.warehouse)
}

// start reads what is not locked: date, currencies' digits, warehouses.
func (m *masters) start(ctx context.Context, j *job) error {
	m.warehouses, m.digits = map[string]warehouse{}, map[string]int32{}
	var b batch
	type start struct{ Today, Home string }
	ask(&b, func(s start) { m.today, m.home = s.Today, s.Home },
		"SELECT (clock_timestamp() AT TIME ZONE t.time_zone)::date::text, t.currency FROM tenants t WHERE t.tenant_id = $1", j.tenant)
	ask(&b, func(w warehouse) {
		m.warehouses[w.Code] = w
		if w.Default {
			m.warehouse = w.Code
		}
	}, "SELECT code, name, name_en, is_default, active FROM erp.warehouse WHERE tenant_id = $1", j.tenant)
	type currency struct {
		Code   string
		Digits int32
	}
	ask(&b, func(c currency) { m.digits[c.Code] = min(c.Digits, 2) }, "SELECT code, digits::int FROM erp.currency WHERE tenant_id = $1", j.tenant)
	return b.run(ctx, j.tx)
}

// need says what a change relies on.
type need struct {
	kind *kind
	// partner is the code; alone locks it for this change alone, because the balance
	// is shown.
	partner string
	alone   bool
	// currency is that of the balance.
	currency string
	// products are codes in any order; date is the day for which prices hold.
	products []string
	date     string
	// pricing reads prices, discounts, rates and tax.
	pricing bool
	// warehouses whose stock is locked for the products (and their materials).
	warehouses []string
}

// hold locks and reads, in the order of locks: partner, currency, tax, products,
// stock. It takes one round trip.
func (m *masters) hold(ctx context.Context, j *job, n need) error {
	m.products, m.stock, m.materials = map[string]*product{}, map[place]level{}, map[string][]material{}
	m.units, m.discounts = map[string][]unit{}, map[string]decimal.Decimal{}
	m.rates, m.taxes = map[string]decimal.Decimal{}, map[string]decimal.Decimal{}
	m.prices, m.asked = map[string][]listPrice{}, map[string]decimal.Decimal{}
	var b batch
	m.holdPartner(&b, j, n)
	if n.pricing {
		m.holdRates(&b, j, n)
	}
	if len(n.products) > 0 {
		m.holdProducts(&b, j, n)
	}
	if len(n.warehouses) > 0 {
		m.holdStock(&b, j, n)
	}
	return b.run(ctx, j.tx)
}

func (m *masters) holdPartner(b *batch, j *job, n need) {
	if n.kind.partner == "" {
		return
	}
	exempt, lock := "false", " FOR SHARE"
	if n.kind.partner == "customer" {
		exempt = "tax_exempt"
	}
	if n.alone {
		lock = " FOR NO KEY UPDATE"
	}
	ask(b, func(p partner) { m.partner = &p }, "SELECT code, name, name_en, currency, active, payment_days, "+exempt+
		" FROM erp."+n.kind.partner+" WHERE tenant_id = $1 AND code = $2"+lock, j.tenant, n.partner)
	if n.alone {
		owed := "receivable"
		if n.kind.partner == "supplier" {
			owed = "payable"
		}
		ask(b, func(x struct{ Open decimal.Decimal }) { m.balance = x.Open }, "SELECT coalesce(sum(t.open_amount), 0) FROM erp."+owed+" t WHERE t.tenant_id = $1 AND t."+n.kind.partner+
			" = $2 AND t.currency = $3 AND t.status = 'examined'", j.tenant, n.partner, n.currency)
	}
}

// holdRates locks all currencies and taxes of the tenant: there are few, and
// which ones count is known only when the products are.
func (m *masters) holdRates(b *batch, j *job, n need) {
	b.Queue("SELECT 1 FROM erp.currency WHERE tenant_id = $1 ORDER BY code FOR SHARE", j.tenant)
	type rate struct {
		Code string
		Rate decimal.Decimal
	}
	ask(b, func(r rate) { m.rates[r.Code] = r.Rate },
		"SELECT DISTINCT ON (currency) currency, rate FROM erp.exchange_rate WHERE tenant_id = $1 AND valid_from <= $2::text::date ORDER BY currency, valid_from DESC", j.tenant, n.date)
	ask(b, func(r rate) { m.taxes[r.Code] = r.Rate }, "SELECT code, rate FROM erp.tax WHERE tenant_id = $1 ORDER BY code FOR SHARE", j.tenant)
}

func (m *masters) holdProducts(b *batch, j *job, n need) {
	codes := slices.Compact(slices.Sorted(slices.Values(n.products)))
	ask(b, func(p product) { m.products[p.Code] = &p }, "SELECT code, name, name_en, unit, unit_en, quantity_scale::int, status, base_price, currency, coalesce(tax, ''), made"+
		" FROM erp.product WHERE tenant_id = $1 AND code = ANY($2::text[]) ORDER BY code FOR SHARE", j.tenant, codes)
	ask(b, func(u unit) { m.units[u.Product] = append(m.units[u.Product], u) },
		"SELECT product, unit, unit_en, factor FROM erp.product_unit WHERE tenant_id = $1 AND product = ANY($2::text[]) ORDER BY product, unit", j.tenant, codes)
	if n.kind.produces {
		ask(b, func(x material) { m.materials[x.Product] = append(m.materials[x.Product], x) },
			"SELECT b.product, b.material, b.quantity, p.name, p.name_en FROM erp.bill_of_material b JOIN erp.product p ON p.tenant_id = b.tenant_id AND p.code = b.material"+
				" WHERE b.tenant_id = $1 AND b.product = ANY($2::text[]) ORDER BY b.product, b.material", j.tenant, codes)
	}
	if !n.pricing {
		return
	}
	if n.kind.buys {
		type asked struct {
			Product string
			Price   decimal.Decimal
		}
		ask(b, func(x asked) { m.asked[x.Product] = x.Price },
			"SELECT product, price FROM erp.supplier_price WHERE tenant_id = $1 AND supplier = $2 AND product = ANY($3::text[])", j.tenant, n.partner, codes)
		return
	}
	type discount struct {
		Product string
		Percent decimal.Decimal
	}
	// The discount for the product comes last and wins over the one for everything.
	ask(b, func(d discount) {
		if d.Product != "" {
			m.discounts[d.Product] = d.Percent
			return
		}
		for _, code := range codes {
			m.discounts[code] = d.Percent
		}
	}, "SELECT coalesce(product, ''), percent FROM erp.customer_discount WHERE tenant_id = $1 AND customer = $2 AND (product IS NULL OR product = ANY($3::text[]))"+
		" ORDER BY product NULLS FIRST", j.tenant, n.partner, codes)
	ask(b, func(x listPrice) { m.prices[x.Product] = append(m.prices[x.Product], x) },
		"SELECT product, code, customer IS NOT NULL, min_quantity, price FROM erp.customer_price WHERE tenant_id = $1 AND product = ANY($2::text[])"+
			" AND (customer IS NULL OR customer = $3) AND valid_from <= $4::text::date AND (valid_until IS NULL OR valid_until >= $4::text::date)"+
			" ORDER BY product, customer IS NULL, min_quantity DESC, valid_from DESC", j.tenant, codes, n.partner, n.date)
}

func (m *masters) holdStock(b *batch, j *job, n need) {
	materials := ""
	if n.kind.produces {
		materials = " OR product IN (SELECT material FROM erp.bill_of_material WHERE tenant_id = $1 AND product = ANY($2::text[]))"
	}
	codes := slices.Compact(slices.Sorted(slices.Values(n.products)))
	m.askStock(b, m.stock, "SELECT product, warehouse, quantity, allocated FROM erp.stock WHERE tenant_id = $1 AND warehouse = ANY($3::text[]) AND (product = ANY($2::text[])"+materials+
		") ORDER BY product, warehouse FOR NO KEY UPDATE", j.tenant, codes, n.warehouses)
}

func (m *masters) askStock(b *batch, into map[place]level, sql string, args ...any) {
	type row struct {
		Product, Warehouse  string
		Quantity, Allocated decimal.Decimal
	}
	ask(b, func(r row) { into[place{r.Product, r.Warehouse}] = level{r.Quantity, r.Allocated} }, sql, args...)
}

// productName names a product, or a material, in the reader's language.
func (m *masters) productName(locale, code string) string {
	if p := m.products[code]; p != nil {
		return objectName(locale, p.Name, p.NameEn, p.Code)
	}
	for _, list := range m.materials {
		for _, x := range list {
			if x.Material == code {
				return objectName(locale, x.Name, x.NameEn, code)
			}
		}
	}
	return code
}

func (m *masters) warehouseName(locale, code string) string {
	w := m.warehouses[code]
	return objectName(locale, w.Name, w.NameEn, code)
}

// amountDigits is the number of decimals of an amount in the currency.
func (m *masters) amountDigits(currency string) int32 {
	if d, ok := m.digits[currency]; ok {
		return d
	}
	return digits(currency)
}
