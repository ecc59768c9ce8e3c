package terminal

import (
	"maps"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/text"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Word is the text of a value of the wire ("status", "executed"); a value
// without one is shown as it is.
func Word(kind, value string, l identity.Locale) string {
	if t, ok := text.Page[kind+"."+value]; ok {
		return t.In(l, nil)
	}
	return Line(value)
}

// Fault is the sentence of a refusal, its states, channels and times in words.
func Fault(code fault.Code, params fault.Params, l identity.Locale, zone *time.Location) string {
	said := maps.Clone(params)
	for name, value := range said {
		switch name {
		case "status", "channel":
			said[name] = Word(name, value, l)
		case "at", "deadline":
			if t, err := time.Parse(time.RFC3339, value); err == nil {
				said[name] = Clock(t, zone)
			}
		default:
			said[name] = Line(value)
		}
	}
	return text.Fault(code, said, l)
}

// By tells who decided, when and through which channel; name stands for the
// person where it is known.
func By(o operation.Outcome, name string, l identity.Locale, zone *time.Location) string {
	if name == "" {
		name = o.By
	}
	verdict := Word("status", string(o.Status), l)
	if t, ok := text.Page["verdict."+string(o.Status)]; ok {
		verdict = t.In(l, nil)
	}
	if name == "" {
		return verdict + ", " + Clock(o.At, zone)
	}
	return text.Terminal["by"].In(l, map[string]string{"verdict": verdict, "by": Line(name), "at": Clock(o.At, zone),
		"channel": Word("channel", string(o.Channel), l)})
}
