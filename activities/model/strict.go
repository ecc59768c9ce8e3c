package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

const (
	// maxDepth bounds the nesting of arguments.
	maxDepth = 16
	// maxNumber bounds the literal of a number, in bytes.
	maxNumber = 64
	// maxExponent keeps the decimal comparison small.
	maxExponent = 400
)

// strict says what keeps raw from being one clean JSON object, "" when nothing
// does. It refuses what JSON readers disagree about: names given twice, text
// after the object, broken UTF-8, half surrogate pairs, NUL, and numbers that
// lose digits as IEEE doubles.
func strict(raw []byte) string {
	switch {
	case len(raw) > MaxArgumentBytes:
		return fmt.Sprintf("The arguments are larger than %d bytes.", MaxArgumentBytes)
	case len(bytes.TrimSpace(raw)) == 0:
		return "The arguments are empty. Send one JSON object; {} if there is nothing to say."
	case !utf8.Valid(raw):
		return "The arguments are not valid UTF-8."
	case bytes.TrimSpace(raw)[0] != '{':
		return "The arguments must be one JSON object."
	case loneSurrogate(raw):
		return `The arguments hold half a surrogate pair (\ud800 to \udfff).`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if detail := walk(d, "", 0); detail != "" {
		return detail
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return "There is text after the JSON object."
	}
	return ""
}

// walk reads one value; at is the path to it.
func walk(d *json.Decoder, at string, depth int) string {
	tok, err := d.Token()
	if err != nil {
		return malformed(err, d)
	}
	switch v := tok.(type) {
	case string:
		return text(v, at)
	case json.Number:
		return number(v.String(), at)
	case json.Delim:
		if depth == maxDepth {
			return fmt.Sprintf("The arguments are nested deeper than %d levels.", maxDepth)
		}
		return walkInside(d, v, at, depth)
	default:
		return ""
	}
}

func walkInside(d *json.Decoder, open json.Delim, at string, depth int) string {
	seen := map[string]bool{}
	for i := 0; d.More(); i++ {
		inner := at + "." + strconv.Itoa(i)
		if open == '{' {
			tok, err := d.Token()
			if err != nil {
				return malformed(err, d)
			}
			name, ok := tok.(string)
			if !ok {
				return malformed(errors.New("name expected"), d)
			}
			if detail := text(name, at); detail != "" {
				return detail
			}
			if seen[name] {
				return fmt.Sprintf("%s is given twice.", path(at+"."+name))
			}
			seen[name] = true
			inner = at + "." + name
		}
		if detail := walk(d, inner, depth+1); detail != "" {
			return detail
		}
	}
	if _, err := d.Token(); err != nil {
		return malformed(err, d)
	}
	return ""
}

func malformed(err error, d *json.Decoder) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "The arguments are not valid JSON: they end too early."
	}
	return fmt.Sprintf("The arguments are not valid JSON near byte %d: %s.", d.InputOffset(), err)
}

func text(s, at string) string {
	if strings.ContainsRune(s, 0) {
		return path(at) + " holds a NUL character."
	}
	return ""
}

// number refuses a literal whose digits the canonical form would change:
// RFC 8785 writes numbers as doubles.
func number(literal, at string) string {
	lossy := fmt.Sprintf("%s: the number %s loses digits; send it as a string.", path(at), short(literal, maxNumber))
	if len(literal) > maxNumber {
		return lossy
	}
	if _, exp, ok := strings.Cut(strings.ToLower(literal), "e"); ok {
		if n, err := strconv.Atoi(exp); err != nil || n > maxExponent || n < -maxExponent {
			return lossy
		}
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return lossy
	}
	want, err := decimal.NewFromString(literal)
	if err != nil {
		return lossy
	}
	got, err := decimal.NewFromString(strconv.FormatFloat(f, 'g', -1, 64))
	if err != nil || !got.Equal(want) {
		return lossy
	}
	return ""
}

func path(at string) string {
	if at = strings.TrimPrefix(at, "."); at != "" {
		return short(at, 80)
	}
	return "arguments"
}

// loneSurrogate finds a \u escape of half a pair. encoding/json would make
// U+FFFD of it without a word.
func loneSurrogate(raw []byte) bool {
	unit := func(i int) (uint64, bool) {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return 0, false
		}
		n, err := strconv.ParseUint(string(raw[i+2:i+6]), 16, 16)
		return n, err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		n, ok := unit(i)
		switch {
		case !ok:
			i++
		case n >= 0xD800 && n < 0xDC00:
			low, ok := unit(i + 6)
			if !ok || low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		case n >= 0xDC00 && n <= 0xDFFF:
			return true
		default:
			i += 5
		}
	}
	return false
}
