//go:build unix

package process

import (
	"fmt"
	"os/user"
	"strconv"
	"syscall"
)

// LookupUser returns the first of the named accounts that exists.
func LookupUser(names ...string) (*User, error) {
	for _, name := range names {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errU := strconv.ParseUint(u.Uid, 10, 32)
		gid, errG := strconv.ParseUint(u.Gid, 10, 32)
		if errU != nil || errG != nil {
			continue
		}
		return &User{Name: name, UID: uint32(uid), GID: uint32(gid)}, nil
	}
	return nil, fmt.Errorf("no account named any of %q", names)
}

// credential drops all supplementary groups: a server needs none of them.
func credential(u *User) *syscall.Credential {
	if u == nil {
		return nil
	}
	return &syscall.Credential{Uid: u.UID, Gid: u.GID}
}
