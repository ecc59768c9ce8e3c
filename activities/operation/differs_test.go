package operation

import (
	"encoding/json"
	"testing"

	schema "github.com/erpilot/erpilot/schema/erp"
)

func TestOnlyGovernedValuesAskForAnotherApproval(t *testing.T) {
	t.Parallel()
	form := schema.Form{Fields: []schema.Field{{Name: "price"}, {Name: "remark", Ungoverned: true}, {Name: "lines", Type: schema.Lines}}}
	preview := func(action, payload string, changed ...string) schema.Preview {
		p := schema.Preview{Action: action, Payload: json.RawMessage(payload)}
		for _, f := range changed {
			p.Diffs = append(p.Diffs, schema.Diff{Field: f, Before: "a", After: "b"})
		}
		p.Diffs = append(p.Diffs, schema.Diff{Field: "total", Derived: true})
		return p
	}
	for name, c := range map[string]struct {
		approved, saved   schema.Preview
		changed, governed bool
	}{
		"the same, spelt otherwise": {preview("create", `{"price":"1","lines":[{"q":"1"}]}`), preview("create", `{ "lines": [{"q":"1"}], "price": "1" }`), false, false},
		"a price":                   {preview("create", `{"price":"1"}`), preview("create", `{"price":"2"}`), true, true},
		"a line":                    {preview("create", `{"lines":[{"q":"1"}]}`), preview("create", `{"lines":[{"q":"1"},{"q":"1"}]}`), true, true},
		"a value that is new":       {preview("create", `{}`), preview("create", `{"price":"2"}`), true, true},
		"a remark":                  {preview("create", `{"price":"1","remark":"x"}`), preview("create", `{"price":"1","remark":"y"}`), true, false},
		"a whole record of which one value changes": {preview("update", `{"price":"1"}`, "price"),
			preview("update", `{"price":"1","name":"as it was"}`, "price"), false, false},
		"an update of another value": {preview("update", `{"price":"1"}`, "price"), preview("update", `{"price":"1","name":"new"}`, "price", "name"), true, true},
		"an update that leaves one out": {preview("update", `{"price":"1","name":"new"}`, "price", "name"),
			preview("update", `{"price":"1","name":"as it was"}`, "price"), true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed, governed, err := differs(form, c.approved, c.saved)
			if err != nil || changed != c.changed || governed != c.governed {
				t.Errorf("changed %v, governed %v, %v", changed, governed, err)
			}
		})
	}
	if _, _, err := differs(form, preview("create", `[]`), preview("create", `{}`)); err == nil {
		t.Error("a payload that is no object was compared")
	}
}
