package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// maxDetail bounds an explanation, in bytes.
const maxDetail = 600

// maxReasons bounds how many violations one explanation names.
const maxReasons = 5

// explain names the violations of a schema: where, what, what is expected.
func explain(err error) string {
	v, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return "The arguments do not fit the schema."
	}
	var reasons []string
	leaves(v, message.NewPrinter(language.English), &reasons)
	slices.Sort(reasons)
	reasons = slices.Compact(reasons)
	more := ""
	if len(reasons) > maxReasons {
		more = fmt.Sprintf("; and %d more", len(reasons)-maxReasons)
		reasons = reasons[:maxReasons]
	}
	return "The arguments do not fit the schema: " + strings.Join(reasons, "; ") + more + ". Send the call again with all arguments corrected."
}

func leaves(v *jsonschema.ValidationError, p *message.Printer, out *[]string) {
	if len(v.Causes) > 0 {
		for _, c := range v.Causes {
			leaves(c, p, out)
		}
		return
	}
	at := "arguments"
	if len(v.InstanceLocation) > 0 {
		at = strings.Join(v.InstanceLocation, ".")
	}
	text := v.ErrorKind.LocalizedString(p)
	if e, ok := v.ErrorKind.(*kind.Enum); ok {
		text = fmt.Sprintf("must be one of %v", e.Want)
	}
	*out = append(*out, short(at, 80)+": "+short(text, 160))
}

// short cuts a text to n bytes at a rune.
func short(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
