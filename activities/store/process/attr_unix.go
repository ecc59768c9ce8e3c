//go:build unix && !linux

package process

import "syscall"

// attributes has no parent-death signal to set here: the Guard does that job.
func attributes(u *User, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential(u)}
}
