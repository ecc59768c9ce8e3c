//go:build unix && !linux

package process

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// startTime asks ps, which every Unix has, for state and start time.
func startTime(pid int) (string, error) {
	cmd := exec.Command("ps", "-o", "state=,lstart=", "-p", strconv.Itoa(pid))
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	state, started, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !ok || strings.HasPrefix(state, "Z") {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return strings.TrimSpace(started), nil
}
