package builtin

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
)

func TestPasswordFitsOnlyItself(t *testing.T) {
	t.Parallel()
	hash := HashPassword("demo1234")
	if !checkPassword(hash, "demo1234") || checkPassword(hash, "demo1235") || checkPassword(hash, "") {
		t.Error("the hash fits the wrong passwords")
	}
	if hash == HashPassword("demo1234") {
		t.Error("two hashes of one password are equal: the salt is not random")
	}
	for _, bad := range []string{"", "x", nobody, "$argon2id$v=19$m=1,t=0,p=0$$", "$argon2id$v=19$m=99999999,t=1,p=1$AAAA$AAAA", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=8,t=1,p=1$AAAA$"} {
		if checkPassword(bad, "") || checkPassword(bad, "demo1234") {
			t.Errorf("%q fits a password", bad)
		}
	}
}

func TestAmountsAreRoundedHalfAwayFromZeroPerLine(t *testing.T) {
	t.Parallel()
	d := decimal.RequireFromString
	for _, c := range []struct{ base, percent, quantity, currency, unit, amount string }{
		{"620", "8", "10", "CNY", "570.4", "5704"},
		{"0.0001", "50", "1", "CNY", "0.0001", "0"}, // 0.00005 rounds up
		{"33.335", "0", "1", "CNY", "33.335", "33.34"},
		{"99.99", "33.33", "3", "USD", "66.6633", "199.99"},
		{"100.5", "0", "1", "JPY", "100.5", "101"},
		{"10", "100", "7", "CNY", "0", "0"},
	} {
		u := unitPrice(d(c.base), d(c.percent))
		if a := amount(d(c.quantity), u, digits(c.currency)); u.String() != c.unit || a.String() != c.amount {
			t.Errorf("%+v gives %s and %s", c, u, a)
		}
	}
}

func TestObjectsRefuseWhatJSONWouldLetPass(t *testing.T) {
	t.Parallel()
	for _, s := range []string{`{"a":1,"a":2}`, `{"a":1} x`, `{"a":1}{}`, `[]`, `null`, `"x"`, ``, `{`, `{"a"`} {
		if _, ok := object(json.RawMessage(s)); ok {
			t.Errorf("%s is taken for an object", s)
		}
	}
	if o, ok := object(json.RawMessage(` {"a":{"b":[1]},"c":null} `)); !ok || len(o) != 2 || !isNull(o["c"]) {
		t.Errorf("%v %v", o, ok)
	}
}

func TestFiltersBindEveryValue(t *testing.T) {
	t.Parallel()
	f := &form{}
	f.Form = "x"
	f.fields = []field{{Field: nouns.Field{Name: "name", Type: nouns.Text, Filter: true}}}
	evil := `'; DROP TABLE erp.users; --`
	for _, op := range textOps {
		value := json.RawMessage(strings.ReplaceAll(`"EVIL"`, "EVIL", evil))
		if op == nouns.In {
			value = json.RawMessage("[" + string(value) + "]")
		}
		w := &where{}
		if err := w.filter(f, nouns.Filter{Field: "name", Op: op, Value: value}, time.UTC); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(w.String(), "DROP") || len(w.args) != 1 || w.args[0] != evil {
			t.Errorf("%s: %s with %v", op, w, w.args)
		}
	}
}

func TestValuesNormalise(t *testing.T) {
	t.Parallel()
	shanghai, err := time.LoadLocation("Asia/Shanghai")
	if err != nil {
		t.Fatal(err)
	}
	option := field{Field: nouns.Field{Type: nouns.Option, Options: []nouns.Choice{{Value: "east", Label: nouns.Label{Zh: "华东", En: "East China"}}}}}
	of := func(t nouns.Type) field { return field{Field: nouns.Field{Type: t}} }
	for _, c := range []struct {
		f        field
		in, want string
	}{
		{of(nouns.Text), "  e\u0301té ", "été"},
		{of(nouns.Money), "0012.500", "12.5"}, {of(nouns.Money), "-0", "0"},
		{of(nouns.Integer), " 42 ", "42"},
		{of(nouns.Date), "2024-02-29", "2024-02-29"},
		{of(nouns.DateTime), "2026-01-01", "2025-12-31T16:00:00Z"}, {of(nouns.DateTime), "2026-01-01T00:00:00+02:00", "2025-12-31T22:00:00Z"},
		{option, "华东", "east"}, {option, "EAST", "east"}, {option, "east china", "east"},
	} {
		if got, bad := c.f.normalise(c.in, shanghai); bad != nil || got != c.want {
			t.Errorf("%s %q gives %q (%v), want %q", c.f.Type, c.in, got, bad, c.want)
		}
	}
	for _, c := range []struct {
		f  field
		in string
	}{
		{of(nouns.Text), "a\x00"}, {of(nouns.Text), "\xff"}, {of(nouns.Text), "\x1b[31m"},
		{of(nouns.Money), "1e5"}, {of(nouns.Money), "NaN"}, {of(nouns.Money), "Infinity"}, {of(nouns.Money), "1,000"}, {of(nouns.Money), "0x10"}, {of(nouns.Money), ""},
		{of(nouns.Integer), "1.5"}, {of(nouns.Date), "2026-02-30"}, {of(nouns.Date), "2023-02-29"}, {of(nouns.Date), "01/02/2026"}, {of(nouns.Date), "9999-01-01"},
		{option, "west"}, {of(nouns.Lines), "x"},
	} {
		if got, bad := c.f.normalise(c.in, shanghai); bad == nil {
			t.Errorf("%s takes %q as %q", c.f.Type, c.in, got)
		}
	}
}

func TestCursorsRefuseForgery(t *testing.T) {
	t.Parallel()
	good := cursor{Query: "q", After: texts("a", "b")}.String()
	if c, err := parseCursor(good, "q", 2); err != nil || *c.After[1] != "b" {
		t.Errorf("%+v %v", c, err)
	}
	for _, s := range []string{"", "x", good + "x", strings.Repeat("A", 5000), cursor{Query: "other", After: texts("a", "b")}.String(), cursor{Query: "q", After: texts("a")}.String()} {
		if _, err := parseCursor(s, "q", 2); err == nil {
			t.Errorf("%q passes", clip(s))
		}
	}
}

func texts(all ...string) []*string {
	out := make([]*string, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	return out
}

func TestSentencesFollowTheReader(t *testing.T) {
	t.Parallel()
	p := problems{}
	p.add("customer", "已停用", "is inactive")
	if s := p.err().Error(); !strings.Contains(s, "已停用") {
		t.Error(s)
	}
	var id erp.Identity
	id.User.Locale = "en"
	p = problems{id: id}
	p.add("customer", "已停用", "is inactive")
	if s := p.err().Error(); !strings.Contains(s, "is inactive") {
		t.Error(s)
	}
}

func TestProblemsAreToldByTheLabelsOfTheirFields(t *testing.T) {
	t.Parallel()
	f := &form{fields: []field{{Field: nouns.Field{Name: "status", Label: nouns.Label{Zh: "状态", En: "Status"}}}},
		parts: map[string][]field{"lines": {{Field: nouns.Field{Name: "quantity", Label: nouns.Label{Zh: "数量", En: "Quantity"}}}},
			"cancel": {{Field: nouns.Field{Name: "reason", Label: nouns.Label{Zh: "原因", En: "Reason"}}}}}}
	for locale, want := range map[identity.Locale]map[string]string{
		identity.Chinese: {"status": "状态", "lines[2].quantity": "第 2 行 数量", "lines[3]": "第 3 行", "reason": "原因", "unknown": "unknown"},
		identity.English: {"status": "Status", "lines[2].quantity": "line 2, Quantity", "lines[3]": "line 3", "reason": "Reason"},
	} {
		p := &problems{id: erp.Identity{User: identity.User{Locale: locale}}, form: f, action: "cancel"}
		for path, label := range want {
			if got := p.label(path); got != label {
				t.Errorf("%s in %s is %q, want %q", path, locale, got, label)
			}
		}
	}
}
