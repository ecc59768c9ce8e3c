//go:build unix

package pgcluster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/erpilot/erpilot/activities/store/process"
)

// sharedHome is where clusters live that root keeps for an unprivileged account
// which cannot reach the wanted directory. Only root can write there.
const sharedHome = "/var/lib/erpilot"

// maxSocketPath is the shortest sun_path among the systems, less its final NUL.
const maxSocketPath = 103

// place is where a cluster's files are and whom they belong to.
type place struct {
	// wanted is the directory that the caller named.
	wanted string
	// home holds the files: wanted, or a directory that wanted links to.
	home string
	// socket is the directory of the socket, 0700.
	socket string
	// user is whom the server runs as, nil for the caller.
	user *process.User
}

func (p place) data() string    { return filepath.Join(p.home, "data") }
func (p place) logFile() string { return filepath.Join(p.home, "postgres.log") }

func (p place) all() []string {
	paths := []string{p.wanted}
	if p.home != p.wanted {
		paths = append(paths, p.home)
	}
	if !strings.HasPrefix(p.socket, p.home+"/") {
		paths = append(paths, p.socket)
	}
	return paths
}

// newPlace makes the directories and checks that the server can use them.
func newPlace(wanted string) (place, error) {
	p := place{wanted: wanted, home: wanted}
	if os.Geteuid() == 0 {
		var err error
		if p.user, err = process.LookupUser("postgres", "nobody"); err != nil {
			return p, fmt.Errorf("PostgreSQL refuses to run as root and there is %w", err)
		}
	}
	if err := p.makeHome(); err != nil {
		return p, err
	}
	p.socket = filepath.Join(p.home, "run")
	if len(filepath.Join(p.socket, ".s.PGSQL."+socketPort)) > maxSocketPath {
		p.socket = filepath.Join(os.TempDir(), fmt.Sprintf("erpilot-%d-%s", p.uid(), shortHash(wanted)))
	}
	return p, p.own(p.socket)
}

func (p *place) makeHome() error {
	if target, err := os.Readlink(p.wanted); err == nil {
		if filepath.Dir(target) != sharedHome {
			return fmt.Errorf("%s links to %s, which is not a cluster of Erpilot", p.wanted, target)
		}
		p.home = target
		return p.makeShared()
	}
	if err := os.MkdirAll(filepath.Dir(p.wanted), 0o755); err != nil {
		return err
	}
	if err := p.own(p.wanted); err != nil {
		return err
	}
	if p.user == nil || p.reachable(p.wanted) {
		return nil
	}
	if err := os.Remove(p.wanted); err != nil {
		return fmt.Errorf("%s cannot be used by the account %s: %w", p.wanted, p.user.Name, err)
	}
	p.home = filepath.Join(sharedHome, shortHash(p.wanted))
	if err := p.makeShared(); err != nil {
		return err
	}
	return os.Symlink(p.home, p.wanted)
}

func (p *place) makeShared() error {
	// The umask must not close it to the account.
	if err := errors.Join(os.MkdirAll(sharedHome, 0o755), os.Chmod(sharedHome, 0o711)); err != nil { // Others may pass, no more.
		return err
	}
	if err := p.own(p.home); err != nil {
		return err
	}
	if p.user != nil && !p.reachable(p.home) {
		return fmt.Errorf("the account %s cannot enter %s", p.user.Name, p.home)
	}
	return nil
}

// own makes a directory that belongs to the server's account and that nobody
// else may enter. An existing one of somebody else is refused: in a directory
// that all may write to it could be a trap.
func (p *place) own(dir string) error {
	err := os.Mkdir(dir, 0o700)
	made := err == nil
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%s: no owner known", dir)
	}
	if !made && int(stat.Uid) != p.uid() && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d: remove it, or choose another directory", dir, stat.Uid)
	}
	if p.user != nil && int(stat.Uid) != p.uid() {
		if err := os.Lchown(dir, p.uid(), int(p.user.GID)); err != nil {
			return err
		}
	}
	return os.Chmod(dir, 0o700)
}

func (p *place) uid() int {
	if p.user != nil {
		return int(p.user.UID)
	}
	return os.Geteuid()
}

// reachable tries it out instead of reading mode bits, which know no ACLs: a
// process of the account changes into the directory.
func (p *place) reachable(dir string) bool {
	_, err := process.Run(process.Spec{Path: "/bin/sh", Args: []string{"-c", ":"}, Dir: dir, User: p.user})
	return err == nil
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:6])
}
