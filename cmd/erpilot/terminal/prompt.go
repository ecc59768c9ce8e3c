package terminal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// ErrNoPassword says that there is nobody to ask and ERPILOT_PASSWORD is not set.
var ErrNoPassword = errors.New("no password: set ERPILOT_PASSWORD or run in a terminal")

// IsTerminal reports whether a reader or writer is a terminal with a person.
func IsTerminal(x any) bool {
	f, ok := x.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Password asks without echo; ERPILOT_PASSWORD answers for programs. Where in is
// a pipe, its lines are for something else: the terminal itself is asked, as by
// ssh. ErrNoPassword where there is none.
func Password(in io.Reader, out io.Writer, prompt string) (string, error) {
	if p := os.Getenv("ERPILOT_PASSWORD"); p != "" {
		return p, nil
	}
	f, ok := in.(*os.File)
	if !ok {
		return "", ErrNoPassword
	}
	if !IsTerminal(f) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return "", ErrNoPassword
		}
		defer tty.Close()
		f, out = tty, tty
	}
	_, _ = fmt.Fprint(out, prompt)
	raw, err := term.ReadPassword(int(f.Fd()))
	_, _ = fmt.Fprintln(out)
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return string(raw), nil
}

// Ask prints a question and reads one line, without its end. io.EOF says that
// nobody answers.
func Ask(in *bufio.Reader, out io.Writer, prompt string) (string, error) {
	_, _ = fmt.Fprint(out, prompt)
	line, err := in.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimSpace(line), nil
}
