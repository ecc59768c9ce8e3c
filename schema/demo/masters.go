package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Currency of a tenant; Digits are the decimals of an amount.
type Currency struct {
	Code, Name, NameEn string
	Digits             int
}

// Rate is the worth of one unit in the tenant's currency from a day on, in
// hundred-millionths.
type Rate struct {
	Code, Currency string
	From           time.Time
	Rate           int64
}

// Tax is a rate in hundredths of a percent, contained in the price.
type Tax struct {
	Code, Name, NameEn string
	Rate               int64
}

// Unit is another unit of a product, of Factor base units.
type Unit struct {
	Product, Unit, UnitEn string
	Factor                int64
}

// ListPrice is a row of the price list; Customer "" is for all, Until zero is
// open. MinQuantity is in base units, Price in ten-thousandths.
type ListPrice struct {
	Code, Customer, Product string
	MinQuantity, Price      int64
	From, Until             time.Time
}

// Supplier of a tenant.
type Supplier struct {
	Code, Name, NameEn, Contact, Phone, Email, Currency string
	PaymentDays                                         int
}

// SupplierPrice is asked for a base unit, in ten-thousandths of the supplier's currency.
type SupplierPrice struct {
	Supplier, Product string
	Price             int64
}

// Material goes into one base unit of a product, in millionths of its own unit.
type Material struct {
	Product, Material string
	Quantity          int64
}

var currencies = []Currency{
	{"CNY", "人民币", "Renminbi", 2}, {"USD", "美元", "US dollar", 2}, {"EUR", "欧元", "Euro", 2}, {"HKD", "港元", "Hong Kong dollar", 2},
	{"JPY", "日元", "Japanese yen", 0},
}

var taxes = []Tax{
	{"VAT13", "增值税 13%", "VAT 13%", 1300}, {"VAT9", "增值税 9%", "VAT 9%", 900}, {"VAT0", "零税率", "VAT 0%", 0},
}

const suppliers = 48

var factories = []word{{"农业", "Agriculture"}, {"茶厂", "Tea Factory"}, {"食品厂", "Food Factory"}, {"工艺品", "Crafts"}, {"粮油", "Grain & Oil"}, {"饮料厂", "Beverage Works"}}

// masters adds what orders of a year need besides customers and products. It has
// a generator of its own, so that names, prices and orders do not depend on it.
func (t *Tenant) masters(r *rand.Rand) {
	t.Currencies, t.Taxes = currencies, taxes
	t.rates(r)
	foreign := []string{"USD", "EUR", "HKD", "JPY"}
	terms := []int{30, 30, 30, 15, 45, 60, 90, 7}
	for i := range t.Customers {
		c := &t.Customers[i]
		c.Currency, c.PaymentDays, c.TaxExempt = t.Currency, pick(r, terms), i%60 == 33
		if i%25 == 17 {
			c.Currency, c.TaxExempt = foreign[i/25%len(foreign)], true
		}
	}
	for i := range t.Products {
		p := &t.Products[i]
		p.Tax, p.Made = "VAT13", p.Category == "gift"
		if p.Category == "grain" {
			p.Tax = "VAT9"
		}
		if p.Category == "utensil" && i%9 == 4 {
			p.Tax = "VAT0"
		}
		t.units(p)
	}
	t.priceList(r)
	t.purchasing(r)
}

func (t *Tenant) rates(r *rand.Rand) {
	for i, c := range []string{"USD", "EUR", "HKD", "JPY"} {
		rate := []int64{712_000_000, 781_000_000, 91_200_000, 4_720_000}[i]
		for m := range 13 {
			from := time.Date(2025, time.Month(11+m), 1, 0, 0, 0, 0, time.UTC)
			t.Rates = append(t.Rates, Rate{c + "-" + from.Format("200601"), c, from, rate})
			rate += rate / 1000 * int64(r.IntN(21)-10) / 1000 * 1000
		}
	}
}

func (t *Tenant) units(p *Product) {
	add := func(unit, en string, factor int64) {
		t.Units = append(t.Units, Unit{p.Code, unit, en, factor})
	}
	switch p.Category {
	case "utensil":
		add("箱", "carton", 12)
	case "gift":
		add("箱", "carton", 6)
	case "grain":
		add("袋", "sack", 25)
		add("吨", "tonne", 1000)
	default:
		add("托", "pallet", 40)
	}
}

// priceList has tiers for some products and prices of their own for some
// customers, none of them for what the tour uses.
func (t *Tenant) priceList(r *rand.Rand) {
	add := func(customer string, p Product, min, percent int64, from, until time.Time) {
		t.Prices = append(t.Prices, ListPrice{fmt.Sprintf("PL-%04d", len(t.Prices)+1), customer, p.Code, min, p.Price * percent, from, until})
	}
	spring := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := 9; i < len(t.Products); i += 16 {
		add("", t.Products[i], 24, 95, firstDay, spring.AddDate(0, 0, -1))
		add("", t.Products[i], 12, 96, spring, time.Time{})
		add("", t.Products[i], 24, 92, spring, time.Time{})
	}
	for i := 5; i < len(t.Customers); i += 19 {
		at := r.IntN(len(t.Products) - 10)
		for k := range 3 {
			add(t.Customers[i].Code, t.Products[2+at+3*k], 0, 93, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{})
		}
	}
}

// purchasing makes suppliers, what they ask, and what goes into the products that
// are made here.
func (t *Tenant) purchasing(r *rand.Rand) {
	taken := map[string]bool{}
	for len(t.Suppliers) < suppliers {
		i := len(t.Suppliers)
		city, firm, factory := pick(r, pick(r, regions).cities), pick(r, firms), pick(r, factories)
		name := city.zh + firm.zh + factory.zh + "有限公司"
		if taken[name] {
			continue
		}
		taken[name] = true
		person, first := pick(r, surnames), pick(r, given)
		s := Supplier{Code: fmt.Sprintf("S-%04d", i+1), Name: name, NameEn: city.en + " " + firm.en + " " + factory.en + " Co., Ltd.", Contact: person.zh + first.zh,
			Phone: fmt.Sprintf("1%d%09d", 3+r.IntN(7), r.IntN(1_000_000_000)), Email: fmt.Sprintf("%s.%s@s%04d.example", first.en, person.en, i+1),
			Currency: t.Currency, PaymentDays: pick(r, []int{30, 30, 45, 60})}
		switch i % 12 {
		case 7:
			s.Currency = "USD"
		case 11:
			s.Currency = "JPY"
		}
		t.Suppliers = append(t.Suppliers, s)
	}
	for _, p := range t.Products {
		if p.Made {
			t.recipe(r, p)
			continue
		}
		first := r.IntN(suppliers)
		for k := range 2 {
			s := t.Suppliers[(first+7*k)%suppliers]
			own := p.Price * int64(62+3*k+r.IntN(8))
			if s.Currency != t.Currency {
				own = divide(own*100_000_000, t.rate(s.Currency, firstDay))
			}
			t.SupplierPrices = append(t.SupplierPrices, SupplierPrice{s.Code, p.Code, own})
		}
	}
	// The tour asks the first supplier for what it sells; the year buys elsewhere.
	for _, p := range t.Products[:2] {
		if own := (SupplierPrice{t.Suppliers[0].Code, p.Code, p.Price * 64}); !slices.ContainsFunc(t.SupplierPrices, func(o SupplierPrice) bool {
			return o.Supplier == own.Supplier && o.Product == own.Product
		}) {
			t.SupplierPrices = append(t.SupplierPrices, own)
		}
	}
}

func (t *Tenant) recipe(r *rand.Rand, p Product) {
	seen := map[string]bool{}
	for len(seen) < 2+r.IntN(2) {
		m := t.Products[2+r.IntN(len(t.Products)-2)]
		if m.Made || m.Scale == 0 && m.Category == "utensil" || seen[m.Code] {
			continue
		}
		seen[m.Code] = true
		t.Materials = append(t.Materials, Material{p.Code, m.Code, pick(r, []int64{50_000, 100_000, 125_000, 166_667, 200_000})})
	}
}

// rate is the worth of a currency on a day.
func (t *Tenant) rate(currency string, day time.Time) int64 {
	rate := int64(100_000_000)
	for _, x := range t.Rates {
		if x.Currency == currency && !x.From.After(day) {
			rate = x.Rate
		}
	}
	return rate
}
