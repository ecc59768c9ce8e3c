package text_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

func TestPlacesAreFilled(t *testing.T) {
	t.Parallel()
	s := text.Text{Zh: "{by} 于 {at} 决定", En: "decided by {by} at {at}, {missing}{"}
	params := map[string]string{"by": "{at}", "at": "noon"}
	if got := s.In(identity.Chinese, params); got != "{at} 于 noon 决定" {
		t.Errorf("zh: %q", got) // a param is not filled again
	}
	if got := s.In(identity.English, params); got != "decided by {at} at noon, {" {
		t.Errorf("en: %q", got)
	}
	if got := s.In("", nil); !strings.Contains(got, "决定") {
		t.Errorf("no language is Chinese: %q", got)
	}
}

// codes reads the constants of schema/fault from its source.
func codes(t *testing.T) []fault.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../fault/fault.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var list []fault.Code
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		for _, v := range spec.Values {
			if lit, ok := v.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				code, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, fault.Code(code))
			}
		}
		return true
	})
	if len(list) < 30 {
		t.Fatalf("found only %d codes", len(list))
	}
	return list
}

func TestEveryCodeHasASentence(t *testing.T) {
	t.Parallel()
	all := codes(t)
	for _, code := range all {
		if _, ok := text.Faults[code]; !ok {
			t.Errorf("no sentence for %s", code)
		}
	}
	for code := range text.Faults {
		if !slices.Contains(all, code) {
			t.Errorf("a sentence for %s, which is no code", code)
		}
	}
	if text.Fault("nothing of ours", nil, identity.English) != text.Faults[fault.Internal].En {
		t.Error("an unknown code does not read as internal")
	}
}

func TestValuesOfTheWireAreToldByTheirWords(t *testing.T) {
	t.Parallel()
	moved := fault.Params{"object": "SO-000001", "label": "状态", "old": "submitted", "new": "examined"}
	if got := text.Fault(fault.StateChanged, moved, identity.Chinese); got != "「SO-000001」的状态已从 已提交 变为 已审核，什么都没有写入。" {
		t.Error(got)
	}
	if moved["old"] != "submitted" {
		t.Error("the params were changed")
	}
	waiting := fault.Params{"object": "AR-000001", "label": "Documents drawn from it and not examined", "old": "0", "new": "1"}
	if got := text.Fault(fault.StateChanged, waiting, identity.English); got != "Documents drawn from it and not examined of AR-000001 changed from 0 to 1; nothing was written." {
		t.Error(got)
	}
	if got := text.Fault(fault.NotPending, fault.Params{"status": "awaiting_approval"}, identity.English); strings.Contains(got, "awaiting_approval") {
		t.Error(got)
	}
}

var place = regexp.MustCompile(`\{[^{}]*\}`)

func TestBothLanguagesSayTheSame(t *testing.T) {
	t.Parallel()
	check := func(where string, s text.Text) {
		if strings.TrimSpace(s.Zh) == "" || strings.TrimSpace(s.En) == "" {
			t.Errorf("%s lacks a language", where)
		}
		zh, en := place.FindAllString(s.Zh, -1), place.FindAllString(s.En, -1)
		slices.Sort(zh)
		slices.Sort(en)
		if !slices.Equal(slices.Compact(zh), slices.Compact(en)) {
			t.Errorf("%s has the places %v and %v", where, zh, en)
		}
	}
	for code, s := range text.Faults {
		check("fault "+string(code), s)
	}
	for name, dictionary := range map[string]map[string]text.Text{"page": text.Page, "terminal": text.Terminal, "details": text.Details} {
		for key, s := range dictionary {
			check(name+" "+key, s)
		}
	}
}
