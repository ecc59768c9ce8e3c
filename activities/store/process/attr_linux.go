package process

import "syscall"

func attributes(u *User, death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential(u), Pdeathsig: death}
}
