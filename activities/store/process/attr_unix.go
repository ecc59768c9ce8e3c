//go:build unix && !linux

package process

import (
	"sync"
	"syscall"
)

// attributes has no parent-death signal to set here.
func attributes(u *User, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: credential(u)}
}

// arrangeDeath lets a Guard do what only the kernel of Linux does by itself.
func (c *Child) arrangeDeath(death syscall.Signal) error {
	name := map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM"}[death]
	if name == "" {
		name = "KILL"
	}
	guard, err := NewGuard(name)
	if err != nil {
		return err
	}
	if err := guard.Watch(c); err != nil {
		return err
	}
	guards.Store(c, guard)
	return nil
}

// guards are kept from the garbage collector, which would close their pipes.
var guards sync.Map
