// Package envelope marks text that comes from the ERP, so that a model can tell
// data from instructions.
//
// The mark is a pair of tags. Inside, the data is JSON in which every < is
// escaped, so that data cannot close the envelope whatever it says.
//
// Rejected: a random delimiter for each turn. The same result must read the same
// when a step is run again, and an escape holds without a secret.
package envelope

import (
	"bytes"
	"encoding/json"
	"strings"
)

const (
	open = "<erp_data>\n"
	shut = "\n</erp_data>"
)

// Wrap returns the result inside the envelope. JSON stays JSON; anything else
// becomes a JSON string.
func Wrap(result string) string {
	raw := []byte(result)
	if !json.Valid(raw) {
		raw, _ = json.Marshal(result)
	}
	var b bytes.Buffer
	b.WriteString(open)
	json.HTMLEscape(&b, bytes.TrimSpace(raw))
	b.WriteString(shut)
	return b.String()
}

// Open returns the JSON inside an envelope, or the text itself when it is in none.
func Open(text string) string {
	s := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(s, strings.TrimSpace(open)); ok {
		if inner, ok := strings.CutSuffix(inner, strings.TrimSpace(shut)); ok {
			return strings.TrimSpace(inner)
		}
	}
	return s
}
