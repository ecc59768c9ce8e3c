package builtin

import (
	"flag"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

// Properties run a few cases from a fixed seed, so that a run proves the same
// each time. -rapid.checks=1000 -rapid.seed=0 looks further.
func init() {
	for name, value := range map[string]string{"rapid.checks": "6", "rapid.seed": "20261130", "rapid.nofailfile": "true", "rapid.shrinktime": "10s"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// many draws 100 cases in each check: these need no database.
func many(t *testing.T, property func(t *rapid.T)) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		for range 100 {
			property(t)
		}
	})
}

func drawDecimal(t *rapid.T, label string, least, most int64, scale int32) decimal.Decimal {
	return decimal.New(rapid.Int64Range(least, most).Draw(t, label), -scale)
}

// drawLine is a line with any price, discount, tax and quantity that the tables hold.
func drawLine(t *rapid.T) (*docLine, int32) {
	digits := rapid.SampledFrom([]int32{0, 2, 3, 4}).Draw(t, "digits")
	l := &docLine{
		Factor:    one,
		Quantity:  drawDecimal(t, "quantity", 1, rapid.SampledFrom([]int64{10, 10_000, 1_000_000_000}).Draw(t, "most"), 3),
		BasePrice: drawDecimal(t, "price", 0, rapid.SampledFrom([]int64{50, 1_000_000, 1_000_000_000_000}).Draw(t, "dearest"), priceScale),
		Discount:  drawDecimal(t, "discount", 0, 10_000, 2),
		TaxRate:   drawDecimal(t, "tax", 0, 9_999, 2),
	}
	l.value(digits)
	return l, digits
}

func TestALineIsWorthItsPriceLessDiscountAndContainsItsTax(t *testing.T) {
	t.Parallel()
	many(t, func(t *rapid.T) {
		l, digits := drawLine(t)
		half := decimal.New(5, -digits-1)
		exact := l.Quantity.Mul(l.UnitPrice)
		if d := l.Amount.Sub(exact).Abs(); d.GreaterThan(half) || !l.Amount.Equal(l.Amount.Truncate(digits)) || l.Amount.IsNegative() {
			t.Fatalf("the amount of %s × %s is %s", l.Quantity, l.UnitPrice, l.Amount)
		}
		price := l.BasePrice.Mul(hundred.Sub(l.Discount)).Div(hundred)
		if d := l.UnitPrice.Sub(price).Abs(); d.GreaterThan(decimal.New(5, -priceScale-1)) || l.UnitPrice.GreaterThan(l.BasePrice) {
			t.Fatalf("%s less %s%% is %s", l.BasePrice, l.Discount, l.UnitPrice)
		}
		// tax ÷ (amount − tax) is the rate, as near as the digits allow.
		if l.TaxAmount.IsNegative() || l.TaxAmount.GreaterThan(l.Amount) || !l.TaxAmount.Equal(l.TaxAmount.Truncate(digits)) {
			t.Fatalf("the tax in %s is %s", l.Amount, l.TaxAmount)
		}
		off := l.TaxAmount.Mul(hundred.Add(l.TaxRate)).Sub(l.Amount.Mul(l.TaxRate)).Abs()
		if off.GreaterThan(half.Mul(hundred.Add(l.TaxRate))) {
			t.Fatalf("the tax in %s at %s%% is %s", l.Amount, l.TaxRate, l.TaxAmount)
		}
	})
}

func TestPartsOfALineAddUpHoweverItIsDivided(t *testing.T) {
	t.Parallel()
	many(t, func(t *rapid.T) {
		l, digits := drawLine(t)
		var amounts, taxes decimal.Decimal
		draw := func(q decimal.Decimal) {
			a, x := l.part(q, digits)
			if a.IsNegative() || x.IsNegative() || x.GreaterThan(a) || !a.Equal(a.Truncate(digits)) || !x.Equal(x.Truncate(digits)) {
				t.Fatalf("%s of %s is worth %s with %s tax", q, l.Quantity, a, x)
			}
			l.Drawn, l.DrawnAmount, l.DrawnTax = l.Drawn.Add(q), l.DrawnAmount.Add(a), l.DrawnTax.Add(x)
			amounts, taxes = amounts.Add(a), taxes.Add(x)
			if l.DrawnAmount.GreaterThan(l.Amount) || l.DrawnTax.GreaterThan(l.TaxAmount) {
				t.Fatalf("%s of %s are drawn, tax %s of %s", l.DrawnAmount, l.Amount, l.DrawnTax, l.TaxAmount)
			}
		}
		for range rapid.IntRange(0, 12).Draw(t, "parts") {
			left := l.remaining().Shift(3).IntPart()
			if left <= 1 {
				break
			}
			draw(drawDecimal(t, "part", 1, left-1, 3))
			if rapid.IntRange(0, 4).Draw(t, "back") == 0 {
				// A part that is given back leaves everything as it was for the others.
				q, a, x := l.Drawn, l.DrawnAmount, l.DrawnTax
				if p := l.remaining().Shift(3).IntPart(); p > 1 {
					draw(drawDecimal(t, "taken back", 1, p-1, 3))
					l.Drawn, l.DrawnAmount, l.DrawnTax, amounts, taxes = q, a, x, a, x
				}
			}
		}
		draw(l.remaining())
		if !amounts.Equal(l.Amount) || !taxes.Equal(l.TaxAmount) {
			t.Fatalf("the parts add up to %s with %s tax, the whole is %s with %s", amounts, taxes, l.Amount, l.TaxAmount)
		}
	})
}

func TestAPriceThereAndBackAgainStaysNear(t *testing.T) {
	t.Parallel()
	many(t, func(t *rapid.T) {
		m := masters{home: "CNY", rates: map[string]decimal.Decimal{"USD": drawDecimal(t, "rate", 1_000_000, 99_999_999_999, 8)}}
		price := drawDecimal(t, "price", 0, 1_000_000_000, priceScale)
		in, _ := m.sellPrice(&product{Code: "P", Price: price, Currency: "USD"}, one, "CNY")
		out, tag := m.sellPrice(&product{Code: "P", Price: in, Currency: "CNY"}, one, "USD")
		// One rounding at each end, the first one divided by the rate.
		limit := decimal.New(1, -priceScale).Add(decimal.New(1, -priceScale).Div(m.rates["USD"]))
		if !tag.converted || tag.missing != "" || out.Sub(price).Abs().GreaterThan(limit) {
			t.Fatalf("%s USD at %s are %s CNY, and those %s USD", price, m.rates["USD"], in, out)
		}
		if same, tag := m.sellPrice(&product{Price: price, Currency: "USD"}, one, "USD"); tag.converted || !same.Equal(price) {
			t.Fatalf("%s became %s in its own currency", price, same)
		}
		if _, tag := m.sellPrice(&product{Price: price, Currency: "EUR"}, one, "CNY"); tag.missing != "EUR" {
			t.Fatalf("a missing rate is not told: %+v", tag)
		}
	})
}

func TestMovesAreNettedWithoutLoss(t *testing.T) {
	t.Parallel()
	many(t, func(t *rapid.T) {
		var all []move
		sum := map[place]decimal.Decimal{}
		for range rapid.IntRange(0, 20).Draw(t, "moves") {
			x := move{rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "product"), rapid.SampledFrom([]string{"1", "2"}).Draw(t, "warehouse"), drawDecimal(t, "quantity", -5, 5, 1), "sale"}
			all = append(all, x)
			sum[place{x.Product, x.Warehouse}] = sum[place{x.Product, x.Warehouse}].Add(x.Quantity)
		}
		last := place{}
		for _, x := range netted(all) {
			at := place{x.Product, x.Warehouse}
			if x.Quantity.IsZero() || !x.Quantity.Equal(sum[at]) || last.compare(at) >= 0 {
				t.Fatalf("%+v of %+v", x, all)
			}
			last = at
			delete(sum, at)
		}
		for at, q := range sum {
			if !q.IsZero() {
				t.Fatalf("%v lost %s", at, q)
			}
		}
	})
}
