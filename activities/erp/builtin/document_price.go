package builtin

import (
	"github.com/shopspring/decimal"
)

// priceTag is how a price was found: what the quote relied on.
type priceTag struct {
	// list is the code of the row of the price list, "" for the product's own price.
	list string
	// price is in the product's currency, for a base unit.
	price decimal.Decimal
	// converted says that rates were used; missing names a currency without one.
	converted bool
	missing   string
}

// sellPrice finds the price of a base unit in the document's currency: the price
// list's for the quantity, else the product's.
func (m *masters) sellPrice(p *product, quantity decimal.Decimal, currency string) (decimal.Decimal, priceTag) {
	tag := priceTag{price: p.Price}
	// Best first: the customer's own, the largest minimum, the newest.
	for _, x := range m.prices[p.Code] {
		if !x.Min.GreaterThan(quantity) {
			tag.price, tag.list = x.Price, x.Code
			break
		}
	}
	if p.Currency == currency {
		return tag.price, tag
	}
	tag.converted = true
	from, ok := m.rate(p.Currency)
	if !ok {
		tag.missing = p.Currency
		return decimal.Zero, tag
	}
	to, ok := m.rate(currency)
	if !ok {
		tag.missing = currency
		return decimal.Zero, tag
	}
	return tag.price.Mul(from).DivRound(to, priceScale), tag
}

// rate is the worth of one unit of a currency in the tenant's own.
func (m *masters) rate(currency string) (decimal.Decimal, bool) {
	if currency == m.home {
		return one, true
	}
	r, ok := m.rates[currency]
	return r, ok
}

// taxRate is the percent that is contained in a price.
func (m *masters) taxRate(p *product) decimal.Decimal {
	if p.Tax == "" || (m.partner != nil && m.partner.TaxExempt) {
		return decimal.Zero
	}
	return m.taxes[p.Tax]
}

// taxIn is the tax that an amount contains.
func taxIn(amount, rate decimal.Decimal, digits int32) decimal.Decimal {
	return amount.Mul(rate).DivRound(hundred.Add(rate), digits)
}

// value works out unit price, amount and tax of a line whose base price, discount
// and tax rate are known.
func (l *docLine) value(digits int32) {
	l.UnitPrice = unitPrice(l.BasePrice, l.Discount)
	l.Amount = amount(l.Quantity, l.UnitPrice, digits)
	l.TaxAmount = taxIn(l.Amount, l.TaxRate, digits)
}

// part is what quantity of a line comes to when it is drawn: quantity × unit
// price, never more than is left; the last part takes the rest of amount and tax,
// so that the parts add up to the whole. Each part leaves at least as much amount
// as tax, so that this holds for the last one, too.
func (l *docLine) part(quantity decimal.Decimal, digits int32) (part, tax decimal.Decimal) {
	amountLeft, taxLeft := l.Amount.Sub(l.DrawnAmount), l.TaxAmount.Sub(l.DrawnTax)
	if quantity.Equal(l.remaining()) {
		return amountLeft, taxLeft
	}
	part = decimal.Min(amount(quantity, l.UnitPrice, digits), amountLeft)
	tax = decimal.Max(taxIn(part, l.TaxRate, digits), taxLeft.Sub(amountLeft.Sub(part)))
	return part, decimal.Min(tax, part, taxLeft)
}

// findUnit resolves a unit of a product by its name in either language; "" is the
// base unit. The name returned is the one that is stored.
func (m *masters) findUnit(p *product, name string) (unit, bool) {
	if name == "" || name == p.Unit || (p.UnitEn != "" && name == p.UnitEn) {
		return unit{Product: p.Code, Unit: p.Unit, UnitEn: p.UnitEn, Factor: one}, true
	}
	for _, u := range m.units[p.Code] {
		if name == u.Unit || (u.UnitEn != "" && name == u.UnitEn) {
			return u, true
		}
	}
	return unit{}, false
}
