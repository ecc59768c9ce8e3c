package modeltest

import (
	"fmt"
	"strings"
)

// calls streams the tool calls of a step in its shape.
func (a *answer) calls() {
	switch a.step.Shape {
	case Interleaved:
		a.interleaved()
	case SameIndex:
		for _, c := range a.step.Calls {
			a.call(fmt.Sprintf(`{"index":0,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, c.ID, c.Tool, quote(c.Arguments)))
		}
	case ObjectArguments:
		for i, c := range a.step.Calls {
			a.call(fmt.Sprintf(`{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, i, c.ID, c.Tool, c.Arguments))
		}
	default:
		for i, c := range a.step.Calls {
			a.begin(i, c)
			for _, p := range a.pieces(c.Arguments) {
				a.more(i, c, p)
			}
		}
	}
}

func (a *answer) interleaved() {
	var rest [][]string
	most := 0
	for i, c := range a.step.Calls {
		a.begin(i, c)
		rest = append(rest, a.pieces(c.Arguments))
		most = max(most, len(rest[i]))
	}
	for n := range most {
		for i, c := range a.step.Calls {
			if n < len(rest[i]) {
				a.more(i, c, rest[i][n])
			}
		}
	}
}

func (a *answer) begin(i int, c Call) {
	a.call(fmt.Sprintf(`{%s"id":%q,"type":"function","function":{"name":%q,"arguments":""}}`, a.index(i), c.ID, c.Tool))
}

func (a *answer) more(i int, c Call, piece string) {
	switch a.step.Shape {
	case TypeInEach:
		a.call(fmt.Sprintf(`{%s"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, a.index(i), c.ID, c.Tool, piece))
	default:
		a.call(fmt.Sprintf(`{%s"function":{"arguments":%s}}`, a.index(i), piece))
	}
}

func (a *answer) index(i int) string {
	if a.step.Shape == NoIndex {
		return ""
	}
	return fmt.Sprintf(`"index":%d,`, i)
}

func (a *answer) call(deltas ...string) {
	a.event(`{"tool_calls":[`+strings.Join(deltas, ",")+`]}`, "")
}
