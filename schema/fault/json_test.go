package fault_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/erpilot/erpilot/schema/fault"
)

func TestBrokenJSONIsDescribedInOurOwnWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`[]`: "the body must be a JSON object", `{"n":"x"}`: "field n has the wrong type", `{"m":1}`: `unknown field "m"`, `{`: "the body is not valid JSON",
	} {
		d := json.NewDecoder(strings.NewReader(body))
		d.DisallowUnknownFields()
		var into struct {
			N int `json:"n"`
		}
		if got := fault.JSONDetail(d.Decode(&into)); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
