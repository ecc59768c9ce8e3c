package terminal

import (
	"io"
	"regexp"
	"strings"
)

// Markdown draws Markdown as plain text while it arrives: lines of text at once,
// a table when it is complete, because only then its columns are known.
//
// It understands what Erpilot itself writes: tables, headings, bold, code,
// escapes. Anything else is shown as it is.
type Markdown struct {
	// Base is put before the links that begin with "/"; empty leaves them as they are.
	Base string

	w io.Writer
	// line is the line that is being written; shown is how much of it is on screen.
	line, shown string
	table       [][]string
	right       []int
	// open says that the last thing written was no end of a line.
	open bool
	err  error
}

// NewMarkdown returns a renderer that writes to w.
func NewMarkdown(w io.Writer) *Markdown { return &Markdown{w: w} }

// Write takes the next piece of the text.
func (m *Markdown) Write(piece string) {
	for {
		before, after, newline := strings.Cut(Clean(piece), "\n")
		m.line += before
		if !newline {
			m.peek()
			return
		}
		m.end()
		piece = after
	}
}

// Close ends the text: the last line and an open table are drawn. It returns the
// first error of the writer.
func (m *Markdown) Close() error {
	if m.line != "" {
		m.end()
	}
	m.draw()
	return m.err
}

// Pause makes room for lines of others: it ends a line that is half shown, and
// keeps a table or a line that is not shown yet for later. It reports whether the
// screen was in the middle of a line.
func (m *Markdown) Pause() bool {
	open := m.open
	m.open = false
	return open
}

// peek shows the part of an unfinished line that later text cannot change.
func (m *Markdown) peek() {
	if m.line == "" || strings.ContainsAny(m.line, "|*`\\&#_[") {
		return
	}
	m.draw()
	m.put(m.line[len(m.shown):])
	m.shown = m.line
}

// end handles a complete line.
func (m *Markdown) end() {
	line, shown := m.line, m.shown
	m.line, m.shown = "", ""
	if shown == "" && strings.HasPrefix(strings.TrimSpace(line), "|") {
		m.row(line)
		return
	}
	m.draw()
	if shown != "" && !strings.ContainsAny(line, "|*`\\&#_[") {
		m.put(line[len(shown):] + "\n")
		return
	}
	text := m.plain(line)
	if rest, ok := strings.CutPrefix(text, m.plain(shown)); ok && shown != "" {
		text = rest
	}
	m.put(text + "\n")
}

func (m *Markdown) row(line string) {
	cells := splitRow(line)
	if len(m.table) == 1 && isRule(cells) {
		m.right = nil
		for i, c := range cells {
			if strings.HasSuffix(strings.TrimSpace(c), ":") {
				m.right = append(m.right, i)
			}
		}
		return
	}
	for i := range cells {
		cells[i] = Plain(link.ReplaceAllString(guard.Replace(cells[i]), "$1")) // where it leads would tear the columns apart
	}
	m.table = append(m.table, cells)
}

func (m *Markdown) draw() {
	if len(m.table) == 0 {
		return
	}
	m.put(Table(m.table[0], m.table[1:], m.right...))
	m.table, m.right = nil, nil
}

// Open reports whether the screen is in the middle of a line.
func (m *Markdown) Open() bool { return m.open }

func (m *Markdown) put(s string) {
	if s != "" {
		m.open = !strings.HasSuffix(s, "\n")
	}
	if _, err := io.WriteString(m.w, s); err != nil && m.err == nil {
		m.err = err
	}
}

// splitRow cuts a table row at the bars that are not escaped.
func splitRow(line string) []string {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var cells []string
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && i+1 < len(line):
			cell.WriteByte(line[i])
			i++
			cell.WriteByte(line[i])
		case line[i] == '|':
			cells = append(cells, cell.String())
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	return append(cells, cell.String())
}

func isRule(cells []string) bool {
	for _, c := range cells {
		if c = strings.TrimSpace(c); c == "" || strings.Trim(c, ":-") != "" {
			return false
		}
	}
	return true
}

var (
	heading = regexp.MustCompile(`^\s{0,3}#{1,6}\s+`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\(([^)\s]+)\)`)
	inside  = regexp.MustCompile(`\]\(/`)
	bold    = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	code    = regexp.MustCompile("`([^`]+)`")
	// guard hides escaped characters from the other rules: private use characters.
	guard = strings.NewReplacer(`\\`, "\ue000", `\|`, "\ue001", `\*`, "\ue002", `\_`, "\ue003", "\\`", "\ue004", `\[`, "\ue005", `\]`, "\ue006",
		`\#`, "\ue007", `\!`, "\ue008")
	unguard = strings.NewReplacer("\ue000", `\`, "\ue001", "|", "\ue002", "*", "\ue003", "_", "\ue004", "`", "\ue005", "[", "\ue006", "]",
		"\ue007", "#", "\ue008", "!", "&lt;", "<", "&gt;", ">", "&amp;", "&")
)

func (m *Markdown) plain(line string) string {
	if m.Base != "" {
		line = inside.ReplaceAllString(line, "]("+strings.ReplaceAll(m.Base, "$", "$$")+"/")
	}
	return Plain(line)
}

// Plain is one line of Markdown without its marks.
func Plain(line string) string {
	line = guard.Replace(line)
	line = heading.ReplaceAllString(line, "")
	line = link.ReplaceAllString(line, "$1 <$2>")
	line = bold.ReplaceAllString(line, "$1")
	line = code.ReplaceAllString(line, "$1")
	return Clean(unguard.Replace(line))
}

// Render draws a whole text.
func Render(text string) string {
	var b strings.Builder
	m := NewMarkdown(&b)
	m.Write(text)
	_ = m.Close() // a Builder does not fail
	return b.String()
}
