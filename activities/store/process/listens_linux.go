package process

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Listens says whether the process itself listens on the TCP port. An answer at
// the port may come from somebody else who was faster.
func Listens(pid, port int) bool {
	for _, table := range []string{"tcp", "tcp6"} {
		for _, inode := range listeners(fmt.Sprintf("/proc/%d/net/%s", pid, table), port) {
			if holds(pid, "socket:["+inode+"]") {
				return true
			}
		}
	}
	return false
}

// listeners reads the kernel's table: the second field is the address in hex,
// the fourth the state (0A is LISTEN), the tenth the inode.
func listeners(table string, port int) (inodes []string) {
	f, err := os.Open(table)
	if err != nil {
		return nil
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || fields[3] != "0A" {
			continue
		}
		_, hex, ok := strings.Cut(fields[1], ":")
		if n, err := strconv.ParseInt(hex, 16, 32); ok && err == nil && int(n) == port {
			inodes = append(inodes, fields[9])
		}
	}
	return inodes
}

func holds(pid int, socket string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if target, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && target == socket {
			return true
		}
	}
	return false
}
