//go:build unix && !linux

package process

import (
	"fmt"
	"os/exec"
	"strconv"
)

// Listens says whether the process itself listens on the TCP port. An answer at
// the port may come from somebody else who was faster. Without lsof the answer
// is yes.
func Listens(pid, port int) bool {
	lsof, err := exec.LookPath("lsof")
	if err != nil {
		return true
	}
	return exec.Command(lsof, "-nP", "-a", "-p", strconv.Itoa(pid), fmt.Sprintf("-iTCP:%d", port), "-sTCP:LISTEN").Run() == nil
}
