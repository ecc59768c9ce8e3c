package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/text"
	"github.com/erpilot/erpilot/schema/tool"
)

func TestGeneratedDictionaryIsCurrent(t *testing.T) {
	t.Parallel()
	for name, make := range outputs {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil || !bytes.Equal(got, make()) {
			t.Errorf("%s is stale (%v): run `go generate ./api/web`", name, err)
		}
	}
}

var place = regexp.MustCompile(`\{(\w+)\}`)

func TestBothLanguagesHaveATextWithTheSamePlaces(t *testing.T) {
	t.Parallel()
	for key, x := range text.Page {
		if x.Zh == "" || x.En == "" {
			t.Errorf("%s: a language is missing", key)
		}
		zh, en := place.FindAllString(x.Zh, -1), place.FindAllString(x.En, -1)
		slices.Sort(zh)
		slices.Sort(en)
		if diff := cmp.Diff(zh, en); diff != "" {
			t.Errorf("%s: places differ (-zh +en):\n%s", key, diff)
		}
	}
}

// groups are the keys that the page makes from values of the wire, with word().
var groups = regexp.MustCompile(`\bword\('(\w+)'`)

// spoken are the string literals of the sources.
var spoken = regexp.MustCompile("'([a-z][a-z_.0-9-]*)'")

func TestEveryTextIsUsedAndEveryUsedTextExists(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../src/*.ts*")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../src/erp/*.ts*")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	var all strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, ".gen.ts") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	used := map[string]bool{"theme.system": true, "theme.light": true, "theme.dark": true} // t(`theme.${…}`)
	for _, m := range spoken.FindAllStringSubmatch(all.String(), -1) {
		used[m[1]] = true
	}
	prefixes := map[string]bool{}
	for _, m := range groups.FindAllStringSubmatch(all.String(), -1) {
		prefixes[m[1]] = true
	}
	for key := range text.Page {
		group, _, _ := strings.Cut(key, ".")
		if !used[key] && !prefixes[group] {
			t.Errorf("%s is not used by the page", key)
		}
	}
	for _, m := range regexp.MustCompile(`\bt\('([^']+)'`).FindAllStringSubmatch(all.String(), -1) {
		if _, ok := text.Page[m[1]]; !ok {
			t.Errorf("the page uses %s, which has no text", m[1])
		}
	}
}

func TestEveryValueOfTheWireHasAWord(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, s := range operation.All {
		keys = append(keys, "status."+string(s))
	}
	for _, c := range []operation.Channel{operation.ChannelWeb, operation.ChannelTerminal, operation.ChannelTemporal, operation.ChannelDeadline, operation.ChannelOperator, operation.ChannelSystem} {
		keys = append(keys, "channel."+string(c))
	}
	for _, name := range []string{tool.FindForms, tool.ReadForm, tool.AskUser, tool.SaveDraft, tool.ProposeWrite} {
		keys = append(keys, "tool."+name)
	}
	keys = append(keys, "risk."+string(tool.RiskConfirm), "risk."+string(tool.RiskBatchConfirm))
	for _, key := range keys {
		if _, ok := text.Page[key]; !ok {
			t.Errorf("%s has no text", key)
		}
	}
}

func TestWhatEveryPageLoadsSaysNothingOfTheERPsOwn(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../src/*.ts*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for key := range pick(true) {
			if bytes.Contains(data, []byte("t('"+key+"'")) {
				t.Errorf("%s says %s, which only the pages of the ERP have", f, key)
			}
		}
	}
}
