package turn

import (
	"strings"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/text"
)

// domainMap lists the domains that the person may look into, each with its forms,
// in the ERP's own order: one line a domain, so that a prompt with forty forms
// stays short. Reports are marked; what they hold is told by find_forms.
func domainMap(forms []erp.Form) string {
	var order []string
	lines := map[string]string{}
	for _, f := range forms {
		if _, known := lines[f.Domain]; !known {
			order = append(order, f.Domain)
			lines[f.Domain] = "- " + f.Domain + domainName(f.Domain) + ":"
		} else {
			lines[f.Domain] += ";"
		}
		lines[f.Domain] += " `" + f.Form + "`"
		if f.Kind == erp.KindReport {
			lines[f.Domain] += " (report)"
		}
		lines[f.Domain] += " " + f.Label.Zh + " / " + f.Label.En
	}
	var b strings.Builder
	for _, d := range order {
		b.WriteString(lines[d] + "\n")
	}
	return b.String()
}

// domainName is the domain in both languages, "" for one that only its ERP knows.
func domainName(domain string) string {
	t, ok := text.Domains[domain]
	if !ok {
		return ""
	}
	return " (" + t.In("zh", nil) + " / " + t.In("en", nil) + ")"
}
