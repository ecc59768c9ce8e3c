package browser

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/axe.min.js
var axe string

// Axe fails the test for every violation of WCAG 2.0 to 2.2, A and AA, on the
// screen as it is now. name says which screen that is.
func (tab *Tab) Axe(name string) {
	tab.t.Helper()
	if !Eval[bool](tab, "!!window.axe") {
		run(tab, "load axe", chromedp.Evaluate[bool](axe+";true"))
	}
	found := Eval[string](tab, `axe.run(document, {resultTypes: ['violations'], runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']})
		.then(r => JSON.stringify(r.violations.map(v => ({id: v.id, help: v.help, nodes: v.nodes.map(n => n.html.slice(0, 200) + ' :: ' + n.failureSummary)}))))`)
	var violations []struct {
		ID    string   `json:"id"`
		Help  string   `json:"help"`
		Nodes []string `json:"nodes"`
	}
	if err := json.Unmarshal([]byte(found), &violations); err != nil {
		tab.t.Fatalf("axe on %s: %v", name, err)
	}
	for _, v := range violations {
		tab.t.Errorf("axe on %s: %s", name, fmt.Sprintf("%s (%s)\n  %s", v.ID, v.Help, strings.Join(v.Nodes, "\n  ")))
	}
}
