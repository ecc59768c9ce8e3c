package erp

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/schema/fault"
)

// NormalizeDecimal writes a decimal in the one form that digests and facts
// compare: no exponent, no trailing zeros, no "-0". It refuses everything that
// is not a plain decimal of at most 40 characters (fault.Invalid).
func NormalizeDecimal(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 40 || strings.ContainsAny(s, "eE_xX") {
		return "", fault.New(fault.Invalid, "detail", "not a decimal number: "+s[:min(len(s), 40)])
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return "", fault.New(fault.Invalid, "detail", "not a decimal number: "+s)
	}
	return d.String(), nil
}
