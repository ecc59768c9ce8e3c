package builtin

// masters writes what documents refer to.
func (l demoLoader) masters() error {
	t := l.t
	currencies := rowsOf("currency", "tenant_id, code, name, name_en, digits")
	for _, x := range t.Currencies {
		currencies.text(l.tenant, x.Code, x.Name, x.NameEn).integer(x.Digits).end()
	}
	rates := rowsOf("exchange_rate", "tenant_id, code, currency, valid_from, rate")
	for _, x := range t.Rates {
		rates.text(l.tenant, x.Code, x.Currency).day(x.From).fixed(x.Rate, 8).end()
	}
	taxes := rowsOf("tax", "tenant_id, code, name, name_en, rate")
	for _, x := range t.Taxes {
		taxes.text(l.tenant, x.Code, x.Name, x.NameEn).fixed(x.Rate, 2).end()
	}
	warehouses := rowsOf("warehouse", "tenant_id, code, name, name_en, is_default")
	for _, w := range t.Warehouses {
		warehouses.text(l.tenant, w.Code, w.Name, w.NameEn).yes(w.Default).end()
	}
	if err := l.write(currencies, rates, taxes, warehouses); err != nil {
		return err
	}
	if err := l.products(); err != nil {
		return err
	}
	return l.partners()
}

func (l demoLoader) products() error {
	products := rowsOf("product", "tenant_id, code, name, name_en, category, unit, unit_en, quantity_scale, status, base_price, currency, tax, made")
	for _, p := range l.t.Products {
		products.text(l.tenant, p.Code, p.Name, p.NameEn, p.Category, p.Unit, p.UnitEn).integer(p.Scale).text(p.Status).fixed(p.Price, 2).text(l.t.Currency).
			maybe(p.Tax).yes(p.Made).end()
	}
	units := rowsOf("product_unit", "tenant_id, product, unit, unit_en, factor")
	for _, u := range l.t.Units {
		units.text(l.tenant, u.Product, u.Unit, u.UnitEn).fixed(u.Factor, 0).end()
	}
	materials := rowsOf("bill_of_material", "tenant_id, product, material, quantity")
	for _, m := range l.t.Materials {
		materials.text(l.tenant, m.Product, m.Material).fixed(m.Quantity, 6).end()
	}
	return l.write(products, units, materials)
}

func (l demoLoader) partners() error {
	t := l.t
	customers := rowsOf("customer", "tenant_id, code, name, name_en, region, contact, phone, email, credit_limit, currency, active, payment_days, tax_exempt")
	for _, c := range t.Customers {
		customers.text(l.tenant, c.Code, c.Name, c.NameEn, c.Region, c.Contact, c.Phone, c.Email).fixed(c.CreditLimit, 0).text(c.Currency).
			yes(c.Active).integer(c.PaymentDays).yes(c.TaxExempt).end()
	}
	discounts := rowsOf("customer_discount", "tenant_id, customer, product, percent")
	for _, d := range t.Discounts {
		discounts.text(l.tenant, d.Customer).maybe(d.Product).fixed(d.Percent, 0).end()
	}
	prices := rowsOf("customer_price", "tenant_id, code, customer, product, min_quantity, price, valid_from, valid_until")
	for _, p := range t.Prices {
		prices.text(l.tenant, p.Code).maybe(p.Customer).text(p.Product).fixed(p.MinQuantity, 0).fixed(p.Price, 4).day(p.From).day(p.Until).end()
	}
	suppliers := rowsOf("supplier", "tenant_id, code, name, name_en, contact, phone, email, currency, payment_days")
	for _, s := range t.Suppliers {
		suppliers.text(l.tenant, s.Code, s.Name, s.NameEn, s.Contact, s.Phone, s.Email, s.Currency).integer(s.PaymentDays).end()
	}
	offers := rowsOf("supplier_price", "tenant_id, supplier, product, price")
	for _, p := range t.SupplierPrices {
		offers.text(l.tenant, p.Supplier, p.Product).fixed(p.Price, 4).end()
	}
	return l.write(customers, discounts, prices, suppliers, offers)
}
