package terminal

import (
	"os"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// cells measures text in columns. Characters of ambiguous width count as one, as
// terminals draw them today; RUNEWIDTH_EASTASIAN=1 says that this one does not.
var cells = &runewidth.Condition{EastAsianWidth: os.Getenv("RUNEWIDTH_EASTASIAN") == "1", StrictEmojiNeutral: true}

// Width is the number of columns that the text takes.
func Width(s string) int { return cells.StringWidth(s) }

// Clean drops what would drive the terminal: control characters except newline
// and tab, and marks that reverse the direction of text.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return -1
		}
		return r
	}, s)
}

// Line is Clean for text that must stay on one line.
func Line(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// Cut shortens text to a number of columns.
func Cut(s string, columns int) string { return cells.Truncate(s, columns, "…") }

// pad fills a cell with spaces, on its left where right is set.
func pad(s string, columns int, right bool) string {
	fill := strings.Repeat(" ", max(0, columns-Width(s)))
	if right {
		return fill + s
	}
	return s + fill
}

// Table draws rows under a head, columns two spaces apart. Columns named in
// right are aligned to their right, for numbers. Every cell is cleaned.
func Table(head []string, rows [][]string, right ...int) string {
	widths := make([]int, len(head))
	all := append([][]string{head}, rows...)
	for r, row := range all {
		clean := make([]string, len(head))
		for c := range clean {
			if c < len(row) {
				clean[c] = Line(row[c])
			}
			widths[c] = max(widths[c], Width(clean[c]))
		}
		all[r] = clean
	}
	isRight := make([]bool, len(head))
	for _, c := range right {
		if c < len(isRight) {
			isRight[c] = true
		}
	}
	var b strings.Builder
	for r, row := range all {
		line := make([]string, len(row))
		for c, cell := range row {
			line[c] = pad(cell, widths[c], isRight[c])
		}
		b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
		if r == 0 {
			for c, w := range widths {
				line[c] = strings.Repeat("─", w)
			}
			b.WriteString(strings.Join(line, "  ") + "\n")
		}
	}
	return b.String()
}
