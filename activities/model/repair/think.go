package repair

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// thinking parts text from reasoning that a server left in the text: a first
// block <think>…</think>, as Qwen and DeepSeek write it. Only a block at the very
// beginning counts.
type thinking struct {
	state thinkState
	// held is text whose side is not known yet.
	held string
}

type thinkState int

const (
	undecided thinkState = iota
	inside
	// after drops the white space behind the block.
	after
	outside
)

// feed takes the next text and returns what is surely reasoning and surely text.
func (t *thinking) feed(s string) (reasoning, text string) {
	t.held += s
	if t.state == undecided {
		lead := strings.TrimLeft(t.held, " \t\r\n")
		switch {
		case strings.HasPrefix(lead, thinkOpen):
			t.state, t.held = inside, lead[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, lead):
			return "", ""
		default:
			t.state = outside
		}
	}
	if t.state == inside {
		end := strings.Index(t.held, thinkClose)
		if end < 0 {
			keep := partial(t.held, thinkClose)
			reasoning, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
			return reasoning, ""
		}
		reasoning = t.held[:end]
		t.state, t.held = after, t.held[end+len(thinkClose):]
	}
	if t.state == after {
		if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
			t.state = outside
		}
	}
	text, t.held = t.held, ""
	return reasoning, text
}

// end returns what was held back; an open block stays reasoning.
func (t *thinking) end() (reasoning, text string) {
	s := t.held
	t.held = ""
	if t.state == inside {
		return s, ""
	}
	return "", s
}

// partial is how many bytes at the end of s may begin the mark.
func partial(s, mark string) int {
	for n := min(len(mark)-1, len(s)); n > 0; n-- {
		if strings.HasPrefix(mark, s[len(s)-n:]) {
			return n
		}
	}
	return 0
}

// partThinking does it for a whole text.
func partThinking(s string) (reasoning, text string) {
	var t thinking
	r, x := t.feed(s)
	r2, x2 := t.end()
	return r + r2, x + x2
}
