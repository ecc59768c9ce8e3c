package builtin

import "github.com/shopspring/decimal"

// priceScale is the number of decimals of a unit price.
const priceScale = 4

var hundred = decimal.NewFromInt(100)

// digits is the number of decimals of a currency's amounts. Unknown ones have two.
func digits(currency string) int32 {
	switch currency {
	case "JPY", "KRW", "VND", "CLP":
		return 0
	}
	return 2
}

// unitPrice takes percent off a base price; half away from zero at 4 decimals,
// as numeric round() does in the CHECK of the line.
func unitPrice(base, percent decimal.Decimal) decimal.Decimal {
	return base.Mul(hundred.Sub(percent)).Div(hundred).Round(priceScale)
}

// amount is quantity × unit price, rounded once per line, half away from zero, to
// the currency's own unit. Totals are sums of rounded amounts, so that the lines
// on the paper add up.
func amount(quantity, price decimal.Decimal, digits int32) decimal.Decimal {
	return quantity.Mul(price).Round(digits)
}
