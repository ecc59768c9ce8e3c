package operation

import (
	"encoding/json"
	"strings"
	"testing"

	schema "github.com/erpilot/erpilot/schema/erp"
)

func TestTheReasonReachesAnActionThatAsksForOne(t *testing.T) {
	t.Parallel()
	cancel := schema.Action{Action: "cancel", Args: []schema.Field{{Name: "reason", MaxLength: 3}}}
	for _, c := range []struct {
		action                schema.Action
		payload, reason, want string
	}{
		{cancel, `{}`, "late", `{"reason":"lat"}`},
		{cancel, `{}`, "", `{}`},
		{cancel, `{"reason":"own"}`, "late", `{"reason":"own"}`},
		{schema.Action{Action: "examine"}, `{}`, "late", `{}`},
		{cancel, `[]`, "late", `[]`},
	} {
		if got := string(withReason(c.action, json.RawMessage(c.payload), c.reason)); got != c.want {
			t.Errorf("%s with %q: %s, want %s", c.payload, c.reason, got, c.want)
		}
	}
}

func TestTheSourcesOfAGenerateStandBesideIt(t *testing.T) {
	t.Parallel()
	got := string(sourceRef(json.RawMessage(`{"source_form":"sales_order","sources":["SO-1"],"lines":[{"source":"SO-1","line_no":2,"quantity":"5"}],"remark":"x"}`)))
	if want := `{"form":"sales_order","lines":[{"source":"SO-1","line_no":2,"quantity":"5"}],"sources":["SO-1"]}`; got != want {
		t.Errorf("%s", got)
	}
	if got := string(sourceRef(json.RawMessage(`{"source_form":"quotation","sources":["QT-1","QT-2"]}`))); got != `{"form":"quotation","sources":["QT-1","QT-2"]}` {
		t.Errorf("%s", got)
	}
	if sourceRef(json.RawMessage(`{"x":1}`)) != nil {
		t.Error("a payload without sources has some")
	}
}

func TestActionsOfAFormAreNamed(t *testing.T) {
	t.Parallel()
	if !strings.Contains(writes(schema.Form{Actions: []schema.Action{{Action: "examine", Write: true}, {Action: "export"}}}), "examine") || writes(schema.Form{}) == "" {
		t.Error("the actions of a form are not named")
	}
}
