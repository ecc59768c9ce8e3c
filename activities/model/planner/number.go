package planner

import (
	"strings"

	"github.com/shopspring/decimal"
)

// digits are Chinese numerals and full-width digits.
var digits = map[rune]int64{
	'零': 0, '〇': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
}

var powers = map[rune]int64{'十': 10, '百': 100, '千': 1000}

// number reads a quantity or an amount: "10", "2.5", "1,200", "十二", "两百", "20万".
// It returns the decimal as plain text; false when the text is no number.
func number(text string) (string, bool) {
	text = strings.Map(func(r rune) rune {
		if r >= '０' && r <= '９' {
			return r - '０' + '0'
		}
		return r
	}, strings.TrimSpace(text))
	scale := decimal.New(1, 0)
	if rest, ok := strings.CutSuffix(text, "万"); ok {
		text, scale = strings.TrimSpace(rest), decimal.New(1, 4)
	} else if rest, ok := strings.CutSuffix(text, "亿"); ok {
		text, scale = strings.TrimSpace(rest), decimal.New(1, 8)
	}
	if text == "" || len(text) > 40 {
		return "", false
	}
	if n, ok := chinese(text); ok {
		return decimal.NewFromInt(n).Mul(scale).String(), true
	}
	if strings.ContainsAny(text, "eE+-") {
		return "", false
	}
	d, err := decimal.NewFromString(strings.ReplaceAll(text, ",", ""))
	if err != nil {
		return "", false
	}
	return d.Mul(scale).String(), true
}

// chinese reads numerals up to 9999.
func chinese(text string) (int64, bool) {
	var total, current int64
	for _, r := range text {
		if d, ok := digits[r]; ok {
			if current != 0 {
				return 0, false
			}
			current = d
			continue
		}
		p, ok := powers[r]
		if !ok {
			return 0, false
		}
		if current == 0 {
			current = 1
		}
		total += current * p
		current = 0
	}
	return total + current, true
}
