package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryToolSaysWhatItIs(t *testing.T) {
	t.Parallel()
	want := map[string]Effect{
		FindForms: Read, ReadForm: Read, AskUser: Ask, CollectForm: Ask, SaveDraft: Draft, ProposeWrite: Write,
	}
	got := map[string]Effect{}
	for _, x := range Builtin() {
		got[x.Name] = x.Effect
		if len(strings.TrimSpace(x.Description)) < 40 {
			t.Errorf("%s: description too short: %q", x.Name, x.Description)
		}
		if x.SchemaVersion < 1 {
			t.Errorf("%s: schema version %d", x.Name, x.SchemaVersion)
		}
		var schema struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
			Additional *bool          `json:"additionalProperties"`
		}
		if err := json.Unmarshal(x.Parameters, &schema); err != nil {
			t.Errorf("%s: schema is not JSON: %v", x.Name, err)
		}
		if schema.Type != "object" || schema.Additional == nil || *schema.Additional {
			t.Errorf("%s: schema is not a closed object", x.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("catalogue (-want +got):\n%s", diff)
	}
}

// Each struct names exactly the properties of its schema: an example with all of
// them decodes strictly and encodes to the same JSON.
func TestArgumentStructsMatchTheirSchemas(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		into    any
		example string
	}{
		FindForms:    {&FindFormsArgs{}, `{"query":"订单","domain":"sales"}`},
		ReadForm:     {&ReadFormArgs{}, `{"form":"customer","mode":"record","id":"C-1","filters":[{"field":"region","op":"eq","value":"east"}],"sort":[{"field":"code","desc":true}],"fields":["code"],"cursor":"x","limit":50,"action":"export"}`},
		AskUser:      {&AskUserArgs{}, `{"question":"Which?","options":["a","b"],"allow_free_text":true}`},
		CollectForm:  {&CollectFormArgs{}, `{"form":"quotation","title":"Please fill in the quotation.","values":{"customer":"C-1","lines":[{"product":"P-1"}]}}`},
		SaveDraft:    {&SaveDraftArgs{}, `{"form":"sales_order","draft_id":"d","values":{"customer":"C-1","lines":[{"product":"P-1","quantity":"10"}]}}`},
		ProposeWrite: {&ProposeWriteArgs{}, `{"form":"customer","action":"update","target":"C-1","draft_id":"d","draft_revision":2,"changes":{"phone":"1"},"reason":"moved"}`},
	}
	for _, x := range Builtin() {
		c, ok := cases[x.Name]
		if !ok {
			t.Errorf("%s: no example", x.Name)
			continue
		}
		d := json.NewDecoder(bytes.NewReader([]byte(c.example)))
		d.DisallowUnknownFields()
		if err := d.Decode(c.into); err != nil {
			t.Errorf("%s: %v", x.Name, err)
			continue
		}
		out, err := json.Marshal(c.into)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, c.example), decode(t, string(out))); diff != "" {
			t.Errorf("%s changes in a round trip:\n%s", x.Name, diff)
		}
		var schema struct{ Properties map[string]any }
		if err := json.Unmarshal(x.Parameters, &schema); err != nil {
			t.Fatal(err)
		}
		for name := range schema.Properties {
			if _, ok := decode(t, c.example)[name]; !ok {
				t.Errorf("%s: example misses property %s", x.Name, name)
			}
		}
	}
}

func decode(t *testing.T, s string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(s), &m); err != nil {
		t.Fatal(err)
	}
	return m
}
