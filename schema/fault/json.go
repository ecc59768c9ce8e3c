package fault

import (
	"encoding/json"
	"errors"
	"strings"
)

// JSONDetail says what is wrong with a JSON body in our own words, from the error
// of its decoder, whose words name Go types.
func JSONDetail(err error) string {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if t.Field == "" {
			return "the body must be a JSON object"
		}
		return "field " + t.Field + " has the wrong type"
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return "unknown field " + name
	}
	return "the body is not valid JSON"
}
