package builtin

// productionMoves puts what was made into the warehouse and takes the materials
// out, by the bill of material, rounded to the 3 decimals of stock.
func productionMoves(d *document, m *masters) []move {
	var out []move
	for _, l := range d.lines {
		out = append(out, move{l.Product, d.head["warehouse"], l.base(), "production"})
		for _, x := range m.materials[l.Product] {
			out = append(out, move{x.Material, d.head["warehouse"], l.base().Mul(x.Quantity).Round(3).Neg(), "consumption"})
		}
	}
	return out
}

// noteMaterials writes down the bill of material by which is produced.
func (s *docStep) noteMaterials(j *job, d *document) {
	for _, code := range productsOf(d) {
		for _, x := range s.m.materials[code] {
			s.fact("price", "bill_of_material", code+"/"+x.Material, "quantity", "", materialLabel, objectName(j.locale(), x.Name, x.NameEn, x.Material), x.Quantity.String())
		}
	}
}
