package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"
	"golang.org/x/text/unicode/norm"

	nouns "github.com/erpilot/erpilot/schema/erp"
)

// complaint is why a value is not one of its field, in both languages.
type complaint struct{ zh, en string }

func (c *complaint) Error() string { return c.en }

func complain(zh, en string, args ...any) *complaint {
	return &complaint{fmt.Sprintf(zh, args...), fmt.Sprintf(en, args...)}
}

// scalar reads a JSON string, number or boolean as text. It refuses lists,
// objects and null.
func scalar(raw json.RawMessage) (string, *complaint) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", complain("不是有效的值", "not a valid value")
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", complain("应为文本或数字", "must be a text or a number")
}

// storable reports whether Postgres can hold a text.
func storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// normalise turns text into the one form in which a value of the field is
// compared, bound and stored. It checks the type only, not the field's bounds.
func (f field) normalise(s string, zone *time.Location) (string, *complaint) {
	if !utf8.ValidString(s) {
		return "", complain("不是有效的文本", "not valid text")
	}
	switch f.Type {
	case nouns.Text, nouns.Link:
		s = norm.NFC.String(strings.TrimSpace(s))
		for _, r := range s {
			// Only where a page offers several lines may a text have them.
			if unicode.IsControl(r) && (r != '\n' && r != '\t' || f.Control == nouns.ControlText) {
				return "", complain("含有控制字符", "contains control characters")
			}
			// A card must read as it is written: nothing may turn the order of its letters.
			if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
				return "", complain("含有改变文字方向的字符", "contains characters that turn the direction of text")
			}
		}
		return s, nil
	case nouns.Option:
		want := strings.TrimSpace(s)
		for _, o := range f.Options {
			if o.Value == want || strings.EqualFold(o.Value, want) || o.Label.Zh == want || strings.EqualFold(o.Label.En, want) {
				return o.Value, nil
			}
		}
		return "", complain("“%s”不是可选值（可选：%s）", "%q is not an option (options: %s)", clip(want), f.optionList())
	case nouns.Decimal, nouns.Money:
		d, err := nouns.NormalizeDecimal(s)
		if err != nil {
			return "", complain("“%s”不是数字", "%q is not a number", clip(s))
		}
		return d, nil
	case nouns.Integer:
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return "", complain("“%s”不是整数", "%q is not an integer", clip(s))
		}
		return strconv.FormatInt(n, 10), nil
	case nouns.Date:
		d, err := time.Parse(time.DateOnly, strings.TrimSpace(s))
		if err != nil || d.Year() < 1900 || d.Year() > 2200 {
			return "", complain("“%s”不是日期（格式 2026-01-31）", "%q is not a date (as in 2026-01-31)", clip(s))
		}
		return d.Format(time.DateOnly), nil
	case nouns.DateTime:
		s = strings.TrimSpace(s)
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			// A bare date is the person's own midnight.
			t, err = time.ParseInLocation(time.DateOnly, s, zone)
		}
		if err != nil || t.Year() < 1900 || t.Year() > 2200 {
			return "", complain("“%s”不是时间", "%q is not a time", clip(s))
		}
		return t.UTC().Format(time.RFC3339Nano), nil
	case nouns.Lines:
	}
	return "", complain("此字段不能这样使用", "this field cannot be used so")
}

// check adds the bounds of the field to normalise; it is for values to be written.
func (f field) check(s string, zone *time.Location) (string, *complaint) {
	if strings.TrimSpace(s) == "" {
		if f.Required {
			return "", complain("必填", "is required")
		}
		if f.Type == nouns.Text {
			return "", nil
		}
		return "", complain("不能为空", "must not be empty")
	}
	v, bad := f.normalise(s, zone)
	if bad != nil {
		return "", bad
	}
	if f.MaxLength > 0 && utf8.RuneCountInString(v) > f.MaxLength {
		return "", complain("超过 %d 个字符", "is longer than %d characters", f.MaxLength)
	}
	if f.Pattern != "" {
		re, err := regexp.Compile(f.Pattern)
		if err != nil || !re.MatchString(v) {
			return "", complain("格式不正确", "has a wrong format")
		}
	}
	if f.Type == nouns.Decimal || f.Type == nouns.Money || f.Type == nouns.Integer {
		d, _ := decimal.NewFromString(v) // normalised above
		switch {
		case f.Scale != nil && -d.Exponent() > *f.Scale:
			return "", complain("最多 %d 位小数", "has more than %d decimals", *f.Scale)
		case f.min != nil && d.LessThan(*f.min):
			return "", complain("不能小于 %s", "must not be less than %s", f.min)
		case f.max != nil && d.GreaterThan(*f.max):
			return "", complain("不能大于 %s", "must not be greater than %s", f.max)
		}
	}
	return v, nil
}

func (f field) optionList() string {
	var all []string
	for _, o := range f.Options {
		all = append(all, o.Value+" "+o.Label.Zh)
	}
	return strings.Join(all, ", ")
}

// show is a value as a person reads it on a card: an option by its label.
func (f field) show(value, locale string) string {
	for _, o := range f.Options {
		if o.Value == value {
			return o.Label.In(locale)
		}
	}
	return value
}

// clip keeps a quoted value short, and free of what a card must not show and
// Postgres cannot hold.
func clip(s string) string {
	const limit = 40
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return utf8.RuneError
		}
		return r
	}, s)
	if r := []rune(s); len(r) > limit {
		return string(r[:limit]) + "…"
	}
	return s
}
