package demo

// step is the smallest amount of a currency, in hundredths.
func step(currency string) int64 {
	for _, c := range currencies {
		if c.Code == currency && c.Digits == 0 {
			return 100
		}
	}
	return 1
}

// priced is a line of q base units as the ERP prices it for a customer: price
// list, else base price; in the currency of the document; less the discount.
// bulk sells it in the other unit where that comes out even.
func (y *year) priced(d *Document, product int, q int64, bulk bool) Line {
	p := &y.t.Products[product]
	base := p.Price * 100
	var best *ListPrice
	for k := range y.prices[product] {
		x := &y.prices[product][k]
		if x.Customer != "" && x.Customer != d.Partner || x.MinQuantity > q || x.From.After(d.Date) || !x.Until.IsZero() && x.Until.Before(d.Date) {
			continue
		}
		if best == nil || x.Customer > best.Customer || x.Customer == best.Customer && x.MinQuantity >= best.MinQuantity {
			best, base = x, x.Price
		}
	}
	if d.Currency != y.t.Currency {
		base = divide(base*100_000_000, d.Rate)
	}
	percent, ok := y.discount[[2]string{d.Partner, p.Code}]
	if !ok {
		percent = y.discount[[2]string{d.Partner, ""}]
	}
	l := Line{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Factor: 1, Quantity: q * 1000, Discount: percent}
	if u := y.units[product]; bulk && q%u.Factor == 0 {
		l.Unit, l.Factor, l.Quantity = u.Unit, u.Factor, q/u.Factor*1000
	}
	l.Base = base * l.Factor
	l.UnitPrice = divide(l.Base*(100-percent), 100)
	y.amounts(d, &l, product)
	return l
}

// offered is a line of q base units as a supplier asks for it.
func (y *year) offered(d *Document, product int, q, price int64, bulk bool) Line {
	p := &y.t.Products[product]
	l := Line{Product: p.Code, ProductName: p.Name, Unit: p.Unit, Factor: 1, Quantity: q * 1000}
	if u := y.units[product]; bulk && q%u.Factor == 0 {
		l.Unit, l.Factor, l.Quantity = u.Unit, u.Factor, q/u.Factor*1000
	}
	l.Base = price * l.Factor
	l.UnitPrice = l.Base
	y.amounts(d, &l, product)
	return l
}

func (y *year) amounts(d *Document, l *Line, product int) {
	s := step(d.Currency)
	l.Amount = amount(l.Quantity, l.UnitPrice, s)
	if !y.partners[d.Partner].exempt {
		l.TaxRate = y.tax[product]
		l.Tax = taxIn(l.Amount, l.TaxRate, s)
	}
}
