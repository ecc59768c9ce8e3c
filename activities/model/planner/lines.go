package planner

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// line is one wanted line of an order.
type line struct{ quantity, unit, product string }

// order is what a person asks to order.
type order struct {
	lines     []line
	warehouse string
	delivery  string
	remark    string
	// unclear is a part that is no line; the order is not made then.
	unclear string
}

const (
	num    = `([0-9０-９][0-9０-９,]*(?:\.[0-9]+)?|[一二两三四五六七八九十百千]+)`
	unitZh = `(箱|盒|瓶|袋|包|罐|听|桶|件|个|只|套|公斤|千克|吨|支|条)`
	unitEn = `(boxes|box|cases|case|cartons|carton|bottles|bottle|bags|bag|packs|pack|packets|packet|cans|can|tins|tin|jars|jar|pieces|piece|pcs|pc|units|unit|items|item|sets|set|kgs|kg|tons|ton)`
	unit   = `(?:` + unitZh + `|` + unitEn + `\b)?`
)

var (
	numberFirst = regexp.MustCompile(`(?i)^` + num + `\s*(?:[x×*]\s*)?` + unit + `\s*(?:of\b\s*|的)?\s*(.+)$`)
	numberLast  = regexp.MustCompile(`(?i)^(.+?)\s*[x×*:：]?\s*` + num + `\s*` + unit + `$`)

	separators = regexp.MustCompile(`(?i)\s*(?:[、，；;,\n+]|\s+and\s+|\s+plus\s+)\s*|(?:以及|还有|和|及)` + `\s*`)

	// thousands is a comma inside a number, not between two lines.
	thousands = regexp.MustCompile(`([0-9]),([0-9]{3}(?:[^0-9a-zA-Z]|$))`)

	// measure alone is the size in a name ("Oat Milk, 250 ml") and no product.
	measure = regexp.MustCompile(`(?i)^(?:ml|l|g|kg|克|毫升|升)$`)

	deliveryPart  = regexp.MustCompile(`(?i)[，,；;]?\s*(?:(?:交货|送货|发货|交付)(?:日期)?(?:为|是|[:：])?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})|([0-9]{4}-[0-9]{2}-[0-9]{2})\s*(?:前)?(?:交货|送货|发货|交付)|(?:delivery|deliver|delivered|due)(?:\s+date)?(?:\s+(?:on|by))?\s*:?\s*([0-9]{4}-[0-9]{2}-[0-9]{2}))`)
	warehousePart = regexp.MustCompile(`(?i)[，,；;]?\s*(?:仓库\s*[:：]?\s*([^\s，,；;。]+)|从\s*([^\s，,；;。]+?仓库?)\s*(?:发货|出货|发|出)?|(?:from\s+(?:the\s+)?)?warehouse\s*:?\s*([^\s,;.]+)|from\s+(?:the\s+)?([^\s,;.]+(?:\s+[^\s,;.]+)?)\s+warehouse)`)
	remarkPart    = regexp.MustCompile(`(?i)[，,；;]?\s*(?:备注|remark|note)\s*[:：]\s*(.+)$`)
)

// parseOrder reads the part of a message after the colon.
func parseOrder(text string) order {
	var o order
	take := func(re *regexp.Regexp) string {
		m := re.FindStringSubmatchIndex(text)
		if m == nil {
			return ""
		}
		got := ""
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				got = text[m[i]:m[i+1]]
			}
		}
		text = text[:m[0]] + text[m[1]:]
		return strings.TrimSpace(got)
	}
	o.remark = take(remarkPart)
	o.delivery = take(deliveryPart)
	o.warehouse = take(warehousePart)
	for _, part := range parts(thousands.ReplaceAllString(text, "$1$2")) {
		l, kind := parseLine(part)
		if kind == neither {
			o.unclear = part
			return o
		}
		o.lines = append(o.lines, l)
	}
	return o
}

// parts cuts at separators. What is no line, or is without a unit and written the
// other way round than the first one ("5 boxes of Biluochun, Grade 1"), belongs to the part before:
// its separator was part of a name.
func parts(text string) []string {
	var out []string
	first := neither
	at, begin := 0, 0
	push := func(from, to int) {
		p := strings.Trim(text[from:to], " \t\n,，;；。.")
		if p == "" {
			return
		}
		l, kind := parseLine(p)
		if len(out) > 0 && (first == neither || kind == neither || kind != first && l.unit == "") {
			out[len(out)-1] = strings.TrimSpace(text[begin:to])
			_, first = parseLine(out[0])
			return
		}
		if len(out) == 0 {
			first = kind
		}
		begin = from
		out = append(out, p)
	}
	for _, m := range separators.FindAllStringIndex(text, -1) {
		push(at, m[0])
		at = m[1]
	}
	push(at, len(text))
	return out
}

// style is where a line has its number.
type style int

const (
	neither style = iota
	leading
	trailing
)

func parseLine(part string) (line, style) {
	part = strings.Trim(part, " \t\n,，;；。.")
	group := func(m []int, i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return part[m[2*i]:m[2*i+1]]
	}
	if m := numberFirst.FindStringSubmatchIndex(part); m != nil && !torn(part, m[3]) {
		name := strings.TrimSpace(group(m, 4))
		some := group(m, 1) == "一" && strings.ContainsAny(firstRune(part[m[3]:]), "些点下")
		if q, ok := number(group(m, 1)); ok && !some && name != "" && !measure.MatchString(name) {
			return line{q, group(m, 2) + group(m, 3), name}, leading
		}
	}
	if m := numberLast.FindStringSubmatchIndex(part); m != nil && !glued(part, m[3], m[4]) {
		if q, ok := number(group(m, 2)); ok {
			return line{q, group(m, 3) + group(m, 4), strings.TrimSpace(group(m, 1))}, trailing
		}
	}
	return line{}, neither
}

// torn tells that the number goes on after its match.
func torn(part string, end int) bool {
	return strings.ContainsAny(firstRune(part[end:]), "0123456789０１２３４５６７８９.,一二两三四五六七八九十百千")
}

// glued tells that the number is the end of a word, such as the key P-0001.
func glued(part string, nameEnd, numberStart int) bool {
	if nameEnd != numberStart || nameEnd == 0 {
		return false
	}
	c, _ := utf8.DecodeLastRuneInString(part[:nameEnd])
	return c < utf8.RuneSelf && c != ' ' && c != ')' || torn(string(c), 0)
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}
