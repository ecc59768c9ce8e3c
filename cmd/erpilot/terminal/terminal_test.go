package terminal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

func TestTableAlignsByColumnsOnTheScreen(t *testing.T) {
	t.Parallel()
	got := terminal.Table([]string{"名称", "n"}, [][]string{{"龙井", "5"}, {"Tea\x1b[31m\nx", "1,000"}, {"short"}}, 1)
	want := "" +
		"名称           n\n" +
		"─────────  ─────\n" +
		"龙井           5\n" +
		"Tea[31m x  1,000\n" +
		"short\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const sample = "## 结果\n\n找到 **3** 个 `客户`：\n\n| 编号 | 名称 | 额度 |\n| --- | --- | ---: |\n| C-1 | 晨光 \\| 分店 | 10 |\n| C-22 | a\\*b\\_c &lt;x&gt; | 2,000 |\n\n见 [单据](/erp/x)。\n- 一\n- two"

func TestMarkdownBecomesText(t *testing.T) {
	t.Parallel()
	want := "结果\n\n找到 3 个 客户：\n\n编号  名称          额度\n────  ───────────  ─────\nC-1   晨光 | 分店     10\nC-22  a*b_c <x>    2,000\n\n见 单据 </erp/x>。\n- 一\n- two\n"
	got := terminal.Render(sample)
	if diff := cmp.Diff(columns(want), columns(got)); diff != "" {
		t.Errorf("%s\n%s", diff, got)
	}
}

// columns drops what only depends on widths.
func columns(s string) string {
	return regexp.MustCompile(`─+`).ReplaceAllString(regexp.MustCompile(` {2,}`).ReplaceAllString(s, "  "), "─")
}

func TestMarkdownReadsTheSameHoweverItArrives(t *testing.T) {
	t.Parallel()
	whole := terminal.Render(sample)
	for size := 1; size < 12; size++ {
		var b strings.Builder
		m := terminal.NewMarkdown(&b)
		runes := []rune(sample)
		for piece := range slices.Chunk(runes, size) {
			m.Write(string(piece))
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, b.String()); diff != "" {
			t.Errorf("pieces of %d: %s", size, diff)
		}
	}
}

func TestMarkdownShowsPlainTextBeforeItsLineEnds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	m := terminal.NewMarkdown(&b)
	m.Write("Working on")
	m.Write(" it")
	if got := b.String(); got != "Working on it" || !m.Open() {
		t.Errorf("the screen shows %q, open %v", got, m.Open())
	}
}

func TestATableSurvivesALineInBetween(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	m := terminal.NewMarkdown(&b)
	m.Base = "http://erp.example"
	m.Write("Two orders:\n\n| Number | Total |\n| --- | --- |\n| [SO-1](/erp/1) | 1 |\n| [SO")
	if m.Pause() {
		t.Error("the screen is not in the middle of a line")
	}
	b.WriteString("queued\n")
	m.Write("-2](/erp/2) | 2 |\n\nAll ")
	if !m.Pause() {
		t.Error("the screen is in the middle of a line")
	}
	b.WriteString("\nqueued\n")
	m.Write("are in [ERP](/erp/).\n")
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	want := "Two orders:\n\nqueued\nNumber  Total\n──────  ─────\nSO-1    1\nSO-2    2\n\nAll \nqueued\nare in ERP <http://erp.example/erp/>.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCleanDropsWhatDrivesTheTerminal(t *testing.T) {
	t.Parallel()
	if got := terminal.Clean("a\x1b]0;x\x07b\u009bc\u202ed\te\nf\r"); got != "a]0;xbcd\te\nf" {
		t.Errorf("got %q", got)
	}
}

func TestLanguageIsTheFlagThenThePersonThenTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		flag string
		own  identity.Locale
		lang string
		want identity.Locale
	}{
		{"en", identity.Chinese, "zh_CN.UTF-8", identity.English},
		{"", identity.English, "zh_CN.UTF-8", identity.English},
		{"", "", "en_US.UTF-8", identity.English},
		{"", "", "C.UTF-8", identity.Chinese},
		{"", "", "", identity.Chinese},
	} {
		t.Setenv("LC_ALL", "")
		t.Setenv("LC_MESSAGES", "")
		t.Setenv("LANG", c.lang)
		if got := terminal.Language(c.flag, c.own); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}

func TestLeftNamesTheTwoLargestUnits(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "over", 0: "over", 59 * time.Second: "59 s", 61 * time.Second: "1 min 1 s", 90 * time.Minute: "1 h 30 min", 49 * time.Hour: "2 d 1 h",
	} {
		if got := terminal.Left(d, identity.English); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}

func TestFaultPutsStatesChannelsAndTimesInWords(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("CST", 8*60*60)
	got := terminal.Fault(fault.AlreadyDecided, fault.Params{"by": "wang\x1b[2J", "status": "rejected", "channel": "web", "at": "2026-12-01T01:00:00Z"},
		identity.English, zone)
	if want := "wang[2J has already decided (" + text.Page["status.rejected"].En + ") at 2026-12-01 09:00 CST through the web page."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

var place = regexp.MustCompile(`\{[a-z]+\}`)

func places(s string) []string {
	found := place.FindAllString(s, -1)
	slices.Sort(found)
	return slices.Compact(found)
}

// TestEverySentenceHasItsPlaces reads the sources of the commands: every key they
// say exists, is given all its places, and every key of the dictionary is said.
func TestEverySentenceHasItsPlaces(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, dir := range []string{".", "../chat", "../approvals"} {
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					if s, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
						said[s] = true
					}
				case *ast.CallExpr:
					checkCall(t, dir+"/"+name, n)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for key, s := range text.Terminal {
		if diff := cmp.Diff(places(s.Zh), places(s.En)); diff != "" {
			t.Errorf("%s: the languages have other places: %s", key, diff)
		}
		_, short, _ := strings.Cut(key, ".")
		made := slices.ContainsFunc(slices.Collect(maps.Keys(said)), func(s string) bool {
			return strings.HasSuffix(s, ".") && strings.HasPrefix(key, s) || strings.HasPrefix(s, "approvals.will.") && strings.HasPrefix(key, s)
		})
		if !said[key] && !said[short] && !made {
			t.Errorf("%s is never said", key)
		}
	}
}

// checkCall looks at say("key", "place", value, …) and word(…).
func checkCall(t *testing.T, where string, call *ast.CallExpr) {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "say" && f.Sel.Name != "word" || len(call.Args) == 0 {
		return
	}
	literal := func(e ast.Expr) string {
		if l, ok := e.(*ast.BasicLit); ok {
			s, _ := strconv.Unquote(l.Value)
			return s
		}
		return ""
	}
	key := literal(call.Args[0])
	if key == "" {
		return
	}
	dictionary := text.Terminal
	if f.Sel.Name == "word" {
		dictionary = text.Page
	}
	sentence, ok := dictionary[key]
	if !ok {
		t.Errorf("%s: there is no sentence %q", where, key)
		return
	}
	var given []string
	for i := 1; i < len(call.Args); i += 2 {
		given = append(given, "{"+literal(call.Args[i])+"}")
	}
	slices.Sort(given)
	if diff := cmp.Diff(places(sentence.Zh), given); diff != "" {
		t.Errorf("%s: %q: %s", where, key, diff)
	}
}
