package builtin

import (
	"strings"
	"testing"
)

func TestAFormFileThatSaysNothingUsefulIsRefused(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"form":"x","labelzh":"承运商"}`: `unknown field "labelzh"`,
		`{"form":"x","fields":[{"field":"active","type":"option","options":[{"value":"true","label_zh":"是"}]}]}`:                "options of active",
		`{"form":"x","fields":[{"field":"active","type":"option","options":[{"value":"true","label":{"zh":"是"}}]}]}`:            `option "true" of active`,
		`{"form":"x","fields":[{"field":"active","type":"option","options":[{"value":"true","label":{"zh":"是","en":"Yes"}}]}]}`: "",
	} {
		_, err := parseForm([]byte(raw))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}
