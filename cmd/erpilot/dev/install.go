//go:build unix

package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/erpilot/erpilot/activities/store/pgcluster"
)

// debianScript installs the server without a cluster of the package's own, which
// would start at once and at every boot, on port 5432. The switch for that is
// removed again: whoever installs another version later shall get what they
// expect.
const debianScript = `set -e
d=/etc/postgresql-common/createcluster.d
f=$d/erpilot.conf
mkdir -p "$d"
trap 'rm -f "$f"' EXIT
echo 'create_main_cluster = false' >"$f"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends postgresql`

// ensurePostgres installs the server binaries where none are and that is
// allowed and possible; else the error names the command.
func ensurePostgres(ctx context.Context, allowed bool, out *console) error {
	_, _, err := pgcluster.Installed()
	var missing *pgcluster.InstallError
	if !errors.As(err, &missing) || !allowed || len(missing.Found) > 0 {
		return err
	}
	cmd := installer(ctx)
	if cmd == nil {
		return err
	}
	out.line("PostgreSQL is not installed. Installing it now:  %s", pgcluster.InstallCommand())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, io.Writer(out), io.Writer(out)
	if runErr := cmd.Run(); runErr != nil {
		return fmt.Errorf("install PostgreSQL: %w; do it yourself with:  %s", runErr, pgcluster.InstallCommand())
	}
	_, _, err = pgcluster.Installed()
	return err
}

// installer is nil where only a person can install.
func installer(ctx context.Context) *exec.Cmd {
	has := func(name string) bool { _, err := exec.LookPath(name); return err == nil }
	root := os.Geteuid() == 0
	switch {
	case has("apt-get") && root:
		return exec.CommandContext(ctx, "/bin/sh", "-c", debianScript)
	case has("apt-get") && has("sudo"):
		return exec.CommandContext(ctx, "sudo", "/bin/sh", "-c", debianScript)
	case has("brew") && !root:
		return exec.CommandContext(ctx, "brew", "install", "postgresql@17")
	default:
		return nil
	}
}
