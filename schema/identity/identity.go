package identity

import (
	"regexp"
	"strings"

	"github.com/erpilot/erpilot/schema/fault"
)

// Tenant is one subsidiary of one brand. Every row, cache key and query is
// scoped by it.
type Tenant struct {
	BrandID      string `json:"brand_id"`
	SubsidiaryID string `json:"subsidiary_id"`
}

var part = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// ParseTenant reads the form that String writes. Both parts are 1 to 32 of
// a-z, 0-9 and '-'; anything else is fault.Invalid.
func ParseTenant(s string) (Tenant, error) {
	brand, subsidiary, ok := strings.Cut(s, ".")
	if !ok || !part.MatchString(brand) || !part.MatchString(subsidiary) {
		return Tenant{}, fault.New(fault.Invalid, "detail", "tenant must be <brand>.<subsidiary>")
	}
	return Tenant{BrandID: brand, SubsidiaryID: subsidiary}, nil
}

// String is the tenant's id in rows (tenant_id), search attributes and tokens:
// "<brand>.<subsidiary>".
func (t Tenant) String() string { return t.BrandID + "." + t.SubsidiaryID }

// IsZero reports whether no tenant is set. A zero tenant sees no rows.
func (t Tenant) IsZero() bool { return t == Tenant{} }

// Locale is the language that a person reads. The zero value means Chinese.
type Locale string

const (
	Chinese Locale = "zh"
	English Locale = "en"
)

// AcceptedLocale is the first language of ours in an Accept-Language header
// (RFC 9110 §12.5.4; weights are ignored, as browsers send them in order). It is
// otherwise when the header names none.
func AcceptedLocale(header string, otherwise Locale) Locale {
	for _, tag := range strings.Split(header, ",") {
		tag, _, _ = strings.Cut(strings.TrimSpace(strings.ToLower(tag)), ";")
		base, _, _ := strings.Cut(tag, "-")
		switch l := Locale(base); l {
		case Chinese, English:
			return l
		}
	}
	return otherwise
}

// User is a person of one tenant, as the ERP knows them.
type User struct {
	Tenant Tenant `json:"tenant"`
	// UserID is the ERP's stable id of the person, unique within the tenant.
	UserID      string `json:"user_id"`
	Username    string `json:"username"`
	DisplayName string `json:"display_name"`
	// Locale is the default language; the person may choose another on screen.
	Locale Locale `json:"locale"`
	// TimeZone is an IANA name; times are UTC inside and shown in it.
	TimeZone string `json:"time_zone"`
	// Roles name what approval policies refer to ("clerk", "approver").
	Roles []string `json:"roles"`
}

// Grant allows one action of one form. Action "read" is reading; "*" is every action.
type Grant struct {
	Form   string `json:"form"`
	Action string `json:"action"`
}

// Grants is what a user may touch. Nil allows nothing.
type Grants []Grant

// Allows reports whether the action of the form is granted. It is the one
// place that decides; every reader and writer asks it.
func (g Grants) Allows(form, action string) bool {
	for _, x := range g {
		if x.Form == form && (x.Action == action || x.Action == "*") {
			return true
		}
	}
	return false
}

// Forms returns the forms that may be read, in the order granted, each once.
func (g Grants) Forms() []string {
	var forms []string
	seen := map[string]bool{}
	for _, x := range g {
		if !seen[x.Form] && g.Allows(x.Form, "read") {
			seen[x.Form] = true
			forms = append(forms, x.Form)
		}
	}
	return forms
}
