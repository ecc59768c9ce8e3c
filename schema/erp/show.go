package erp

import "strings"

// Show writes a value as a person reads it: figures with their digits grouped,
// money with at least two decimals. Telephone numbers, codes and whatever has no
// type stay as they are, as does text that is no decimal.
func Show(t Type, s string) string {
	if t != Money && t != Decimal && t != Integer {
		return s
	}
	n, err := NormalizeDecimal(s)
	if err != nil {
		return s
	}
	sign := ""
	if strings.HasPrefix(n, "-") {
		sign, n = "-", n[1:]
	}
	whole, part, _ := strings.Cut(n, ".")
	if t == Money {
		part += strings.Repeat("0", max(0, 2-len(part)))
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		part = "." + part
	}
	return sign + whole + part
}

// Title says what the change does: verb and form ("Create sales order"), or the
// label alone where it names its object itself ("Cancel order") or is of the form's
// own action.
func (p Preview) Title(locale string) string {
	action, form := p.ActionLabel.In(locale), p.FormLabel.In(locale)
	switch p.Action {
	case "create", "update", "delete", "examine", "generate":
	case "submit", "withdraw", "unexamine", "close", "cancel":
		if strings.Contains(p.ActionLabel.En, " ") {
			return action
		}
	default:
		return action
	}
	if locale != "en" {
		return action + form
	}
	// "Sales order" begins small within a phrase, "VAT rate" does not.
	if len(form) > 1 && form[0] >= 'A' && form[0] <= 'Z' && (form[1] == ' ' || form[1] >= 'a' && form[1] <= 'z') {
		form = strings.ToLower(form[:1]) + form[1:]
	}
	return action + " " + form
}

// InLines reports whether the lines of the preview say the row already: their
// stock, the total or the currency. Nothing needs to be said twice.
func (p Preview) InLines(d Diff) bool {
	if len(p.Lines) == 0 || !d.Derived {
		return false
	}
	if d.Object == "" {
		return d.Before == "" && d.After == p.Total || d.After == p.Currency
	}
	for _, l := range p.Lines {
		if strings.Contains(d.Object, l.Product) && d.Before == l.StockBefore && d.After == l.StockAfter {
			return true
		}
	}
	return false
}
