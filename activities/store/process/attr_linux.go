package process

import "syscall"

func attributes(u *User, death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential(u), Pdeathsig: death}
}

// arrangeDeath has nothing to do: the kernel sends the signal.
func (c *Child) arrangeDeath(syscall.Signal) error { return nil }
