package text

import (
	"maps"
	"strings"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// Text is one sentence in both languages.
type Text struct {
	Zh string `json:"zh"`
	En string `json:"en"`
}

// In returns the text in a language with its places filled from params. A
// place without a param stays empty.
func (t Text) In(locale identity.Locale, params map[string]string) string {
	s := t.Zh
	if locale == identity.English {
		s = t.En
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("{" + rest)
			return b.String()
		}
		b.WriteString(params[name])
		s = after
	}
}

// Fault is the sentence for a person: what happened and what to do.
func Fault(code fault.Code, params fault.Params, locale identity.Locale) string {
	t, ok := Faults[code]
	if !ok {
		t = Faults[fault.Internal]
	}
	return t.In(locale, told(code, params, locale))
}

// told are the params as a person reads them: values of the wire ("submitted",
// "native") by their words. The page's faultText does the same.
func told(code fault.Code, params fault.Params, locale identity.Locale) fault.Params {
	groups := map[string]string{"status": "status", "channel": "channel"}
	if code == fault.StateChanged {
		groups["old"], groups["new"] = "state", "state"
	}
	out := maps.Clone(params)
	for name, group := range groups {
		if w, ok := Page[group+"."+params[name]]; ok {
			out[name] = w.In(locale, nil)
		}
	}
	return out
}
