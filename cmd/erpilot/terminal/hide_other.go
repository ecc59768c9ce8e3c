//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

import "errors"

// Hide cannot switch the echo off here: a password is not typed in the clear.
func Hide(in any) (restore func(), err error) {
	if IsTerminal(in) {
		return nil, errors.New("the echo cannot be switched off here; set ERPILOT_PASSWORD")
	}
	return func() {}, nil
}
