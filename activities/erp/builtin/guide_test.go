package builtin_test

import (
	"os"
	"strings"
	"testing"
)

func TestTheGuideToFormsQuotesWhatIsThere(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../deploy/docs/add-a-form.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := 0
	for i, block := range strings.Split(string(guide), "```") {
		language, text, _ := strings.Cut(block, "\n")
		var where []string
		switch {
		case i%2 == 0:
			continue
		case language == "json":
			where = []string{"forms/tax.json"}
		case language == "go":
			where = []string{"record_rule.go", "document_kind.go", "document_effects.go"}
		default:
			continue
		}
		found := false
		for _, name := range where {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(source), strings.TrimSpace(text))
		}
		if quoted++; !found {
			t.Errorf("the guide quotes what is in none of %v:\n%s", where, text)
		}
	}
	if quoted != 4 {
		t.Errorf("%d quotations", quoted)
	}
}
