package repair

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// rawString collects the inside of JSON strings as it came over the wire, so that
// runes and escapes that were split between two of them are whole again.
type rawString struct {
	raw []byte
	// seen is how much of raw has been given out by next.
	seen int
}

// add appends a JSON string; null and nothing add nothing. An object or array is
// taken as the text that it is (some servers send arguments that way).
// It reports false for any other value.
func (r *rawString) add(v json.RawMessage) bool {
	switch {
	case len(v) == 0 || string(v) == "null":
		return true
	case v[0] == '"' && len(v) >= 2:
		r.raw = append(r.raw, v[1:len(v)-1]...)
		return true
	case v[0] == '{' || v[0] == '[':
		q, err := json.Marshal(string(v))
		if err != nil {
			return false
		}
		return r.add(q)
	default:
		return false
	}
}

// next returns the text that became whole since the last call.
func (r *rawString) next() string {
	fresh := r.raw[r.seen:]
	whole := len(fresh) - unfinished(fresh)
	s, ok := unquote(fresh[:whole])
	if !ok {
		return ""
	}
	r.seen += whole
	return s
}

// text returns everything; false when it is not a sound string.
func (r *rawString) text() (string, bool) {
	s, ok := unquote(r.raw)
	if !ok {
		return "", false
	}
	// encoding/json writes U+FFFD for half a rune or half a surrogate pair. What
	// was not sent as U+FFFD is damage.
	if strings.ContainsRune(s, utf8.RuneError) && !bytes.ContainsRune(r.raw, utf8.RuneError) &&
		!bytes.Contains(bytes.ToLower(r.raw), []byte(`\ufffd`)) {
		return s, false
	}
	return s, true
}

func unquote(raw []byte) (string, bool) {
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw), true
	}
	q := make([]byte, 0, len(raw)+2)
	q = append(append(append(q, '"'), raw...), '"')
	var s string
	err := json.Unmarshal(q, &s)
	return s, err == nil
}

// unfinished is how many bytes at the end must wait for more: an open rune, or
// a high surrogate whose partner may follow.
func unfinished(b []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return i
			}
			break
		}
	}
	const escape = len(`\ud83d`)
	if len(b) >= escape {
		tail := b[len(b)-escape:]
		if tail[0] == '\\' && tail[1] == 'u' && !escaped(b, len(b)-escape) {
			if n, err := strconv.ParseUint(string(tail[2:]), 16, 16); err == nil && n >= 0xD800 && n < 0xDC00 {
				return escape
			}
		}
	}
	return 0
}

// escaped tells whether the backslash at i is itself escaped.
func escaped(b []byte, i int) bool {
	n := 0
	for i--; i >= 0 && b[i] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}

// empty tells whether nothing but white space came.
func (r *rawString) empty() bool { return len(bytes.TrimSpace(r.raw)) == 0 }
