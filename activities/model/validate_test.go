package model

import (
	"strings"
	"sync"
	"testing"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

func TestEveryBuiltinSchemaCompiles(t *testing.T) {
	t.Parallel()
	for _, x := range tool.Builtin() {
		if _, err := compiled(x); err != nil {
			t.Error(err)
		}
	}
}

func TestValidateAcceptsAndCanonicalises(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ tool, in, want string }{
		"order of names and white space": {tool.FindForms, "{ \"query\" : \"订单\" ,\n\"domain\":\"sales\"}", `{"domain":"sales","query":"订单"}`},
		"escapes":                        {tool.FindForms, `{"query":"\u8ba2\u5355 \ud83d\ude00"}`, `{"query":"订单 😀"}`},
		"quantity as number":             {tool.SaveDraft, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":10}]}}`, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":10}]}}`},
		"quantity as string":             {tool.SaveDraft, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":"12345678901234567890.123"}]}}`, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":"12345678901234567890.123"}]}}`},
		"fraction keeps its value":       {tool.SaveDraft, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":0.10}]}}`, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":0.1}]}}`},
		"record":                         {tool.ReadForm, `{"form":"customer","mode":"record","id":"C-1"}`, `{"form":"customer","id":"C-1","mode":"record"}`},
		"between":                        {tool.ReadForm, `{"form":"sales_order","mode":"count","filters":[{"field":"total","op":"between","value":["1","2"]}]}`, `{"filters":[{"field":"total","op":"between","value":["1","2"]}],"form":"sales_order","mode":"count"}`},
		"cancel":                         {tool.ProposeWrite, `{"form":"sales_order","action":"cancel","target":"SO-1"}`, `{"action":"cancel","form":"sales_order","target":"SO-1"}`},
		"examine":                        {tool.ProposeWrite, `{"form":"delivery","action":"examine","target":"DN-1"}`, `{"action":"examine","form":"delivery","target":"DN-1"}`},
		"generate": {tool.ProposeWrite, `{"form":"delivery","action":"generate","changes":{"sources":["SO-1"],"source_form":"sales_order","lines":[{"source":"SO-1","line_no":2,"quantity":"5"}],"remark":"x"}}`,
			`{"action":"generate","changes":{"lines":[{"line_no":2,"quantity":"5","source":"SO-1"}],"remark":"x","source_form":"sales_order","sources":["SO-1"]},"form":"delivery"}`},
		"lines of an update": {tool.ProposeWrite, `{"form":"quotation","action":"update","target":"QT-1","changes":{"lines":[{"product":"P","quantity":"2"}]}}`,
			`{"action":"update","changes":{"lines":[{"product":"P","quantity":"2"}]},"form":"quotation","target":"QT-1"}`},
		"a record without lines": {tool.SaveDraft, `{"form":"customer","values":{"name":"N"}}`, `{"form":"customer","values":{"name":"N"}}`},
		"a reading action":       {tool.ReadForm, `{"form":"ar_ageing","mode":"list","action":"export"}`, `{"action":"export","form":"ar_ageing","mode":"list"}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, print, err := Validate(tool.Builtin(), turn.RequestCall{Tool: c.tool, Arguments: c.in})
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("canonical\n got %s\nwant %s", got, c.want)
			}
			if len(print) != 64 {
				t.Errorf("fingerprint %q", print)
			}
		})
	}
}

func TestValidateRefusesAndExplains(t *testing.T) {
	t.Parallel()
	line := func(q string) string {
		return `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P","quantity":` + q + `}]}}`
	}
	cases := map[string]struct{ tool, in, says string }{
		"empty":              {tool.FindForms, "", "empty"},
		"malformed":          {tool.FindForms, `{"query":`, "end too early"},
		"single quotes":      {tool.FindForms, `{'query':'x'}`, "not valid JSON"},
		"trailing comma":     {tool.FindForms, `{"query":"x",}`, "not valid JSON"},
		"trailing text":      {tool.FindForms, `{"query":"x"} and more`, "after the JSON object"},
		"two objects":        {tool.FindForms, `{"query":"x"}{"query":"y"}`, "after the JSON object"},
		"array":              {tool.FindForms, `["x"]`, "one JSON object"},
		"null":               {tool.FindForms, `null`, "one JSON object"},
		"name twice":         {tool.FindForms, `{"query":"x","query":"y"}`, "query is given twice"},
		"name twice escaped": {tool.FindForms, `{"query":"x","\u0071uery":"y"}`, "query is given twice"},
		"name twice inside":  {tool.ProposeWrite, `{"form":"c","action":"update","target":"C","changes":{"phone":"1","phone":"2"}}`, "changes.phone is given twice"},
		"NUL":                {tool.FindForms, `{"query":"a\u0000b"}`, "NUL"},
		"half a pair":        {tool.FindForms, `{"query":"\ud83d"}`, "surrogate"},
		"bad UTF-8":          {tool.FindForms, "{\"query\":\"\xff\"}", "UTF-8"},
		"too deep":           {tool.FindForms, `{"query":` + strings.Repeat(`[`, 40) + strings.Repeat(`]`, 40) + `}`, "nested deeper"},
		"too large":          {tool.FindForms, `{"query":"` + strings.Repeat("x", MaxArgumentBytes) + `"}`, "larger than"},
		"missing field":      {tool.FindForms, `{}`, "query"},
		"missing line field": {tool.SaveDraft, `{"form":"sales_order","values":{"customer":"C","lines":[{"product":"P"}]}}`, "quantity"},
		"unknown field":      {tool.FindForms, `{"query":"x","tenant":"y"}`, "tenant"},
		"wrong type":         {tool.FindForms, `{"query":5}`, "query"},
		"bad operator":       {tool.ReadForm, `{"form":"c","mode":"list","filters":[{"field":"a","op":"like","value":"x"}]}`, "contains"},
		"limit":              {tool.ReadForm, `{"form":"c","mode":"list","limit":51}`, "limit"},
		"record without id":  {tool.ReadForm, `{"form":"c","mode":"record"}`, "id"},
		"create, no draft":   {tool.ProposeWrite, `{"form":"c","action":"create"}`, "draft_id"},
		"generate, nothing":  {tool.ProposeWrite, `{"form":"c","action":"generate"}`, "changes"},
		"generate, no form":  {tool.ProposeWrite, `{"form":"c","action":"generate","changes":{"sources":["A"]}}`, "source_form"},
		"generate, twice":    {tool.ProposeWrite, `{"form":"c","action":"generate","changes":{"source_form":"s","sources":["A","A"]}}`, "sources"},
		"line of a source":   {tool.ProposeWrite, `{"form":"c","action":"generate","changes":{"source_form":"s","sources":["A"],"lines":[{"line":1}]}}`, "source"},
		"examine, no target": {tool.ProposeWrite, `{"form":"c","action":"examine"}`, "target"},
		"a made-up action":   {tool.ProposeWrite, `{"form":"c","action":"DROP TABLE","target":"x"}`, "action"},
		"nine options":       {tool.AskUser, `{"question":"q","options":["1","2","3","4","5","6","7","8","9"],"allow_free_text":false}`, "options"},
		"no way to answer":   {tool.AskUser, `{"question":"q","options":[],"allow_free_text":false}`, "options"},
		"number too long":    {tool.SaveDraft, line("12345678901234567890"), "send it as a string"},
		"number too exact":   {tool.SaveDraft, line("0.12345678901234567890123"), "send it as a string"},
		"number too large":   {tool.SaveDraft, line("1e999999999"), "send it as a string"},
		"number too small":   {tool.SaveDraft, line("1e-999999999"), "send it as a string"},
		"number underflows":  {tool.SaveDraft, line("1e-390"), "send it as a string"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, print, err := Validate(tool.Builtin(), turn.RequestCall{Tool: c.tool, Arguments: c.in})
			if err == nil {
				t.Fatalf("accepted as %s", got)
			}
			if got != nil || print != "" {
				t.Errorf("refused, yet gives %s %s", got, print)
			}
			if err.Code != fault.ArgumentsInvalid || err.Params["tool"] != c.tool {
				t.Errorf("error %v %v", err.Code, err.Params)
			}
			if d := err.Params["detail"]; !strings.Contains(d, c.says) || len(d) > maxDetail+8 {
				t.Errorf("detail %q does not say %q", d, c.says)
			}
		})
	}
}

func TestAnUnknownToolIsToldWhatThereIs(t *testing.T) {
	t.Parallel()
	_, _, err := Validate(tool.Builtin(), turn.RequestCall{Tool: "drop_table", Arguments: "{}"})
	if err == nil || err.Code != fault.ToolUnknown {
		t.Fatalf("got %v", err)
	}
	if d := err.Params["detail"]; !strings.Contains(d, "drop_table") || !strings.Contains(d, tool.ReadForm) {
		t.Errorf("detail %q", d)
	}
}

func TestFingerprintDependsOnToolVersionAndValues(t *testing.T) {
	t.Parallel()
	cat := tool.Builtin()
	call := func(c tool.Catalogue, args string) string {
		_, p, err := Validate(c, turn.RequestCall{Tool: tool.FindForms, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	base := call(cat, `{"query":"a","domain":"b"}`)
	if base != call(cat, `{"domain":"b", "query":"a"}`) {
		t.Error("order of names changes the fingerprint")
	}
	if base == call(cat, `{"query":"a"}`) {
		t.Error("values do not change the fingerprint")
	}
	raised := tool.Builtin()
	raised[0].SchemaVersion++
	if base == call(raised, `{"query":"a","domain":"b"}`) {
		t.Error("schema version does not change the fingerprint")
	}
}

func TestValidateIsSafeSideBySide(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, _, err := Validate(tool.Builtin(), turn.RequestCall{Tool: tool.ReadForm, Arguments: `{"form":"c","mode":"list"}`}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
