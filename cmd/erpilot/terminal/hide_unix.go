//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Hide switches the echo of a terminal off while somebody else reads its lines,
// and returns what switches it on again. Not a terminal: nothing to hide.
func Hide(in any) (restore func(), err error) {
	f, ok := in.(*os.File)
	if !ok || !IsTerminal(f) {
		return func() {}, nil
	}
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, fmt.Errorf("read the terminal's settings: %w", err)
	}
	hidden := *was
	hidden.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &hidden); err != nil {
		return nil, fmt.Errorf("switch the echo off: %w", err)
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }, nil
}
