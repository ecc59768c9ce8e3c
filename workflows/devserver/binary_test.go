//go:build unix

package devserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersionsOfTheServerInsideTheCLI(t *testing.T) {
	t.Parallel()
	for version, ok := range map[string]bool{
		"temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)":     true,
		"temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)": true,
		"temporal version 2.0.0 (Server 2.0.0, UI 3.0.0)":       true,
		"temporal version 1.4.0 (Server 1.28.9, UI 2.40.0)":     false,
		"temporal version 0.13.0 (server 1.24.0) (ui 2.27.1)":   false,
		"tctl version 1.18.1":                                   false,
	} {
		if err := newEnough("temporal", version); (err == nil) != ok {
			t.Errorf("%s: %v, want usable %t", version, err, ok)
		}
	}
}

func TestANamedBinaryThatIsNoGoodIsNeverReplaced(t *testing.T) {
	t.Setenv(EnvBinary, filepath.Join(t.TempDir(), "absent"))
	if path, err := Find("."); err == nil || !strings.Contains(err.Error(), EnvBinary) {
		t.Errorf("got %q, %v; want an error that names %s", path, err, EnvBinary)
	}
}

func TestOnlyThePinnedVersionCountsAsBuilt(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "deploy", "temporal")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := "module x\n\nrequire (\n\t" + cliModule + " v99.0.0 // indirect\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	// Any Go binary that is not the wanted one: this test.
	if err := built(root, os.Args[0]); err == nil || !strings.Contains(err.Error(), "v99.0.0") {
		t.Errorf("got %v, want an error that names the pinned version", err)
	}
}

func TestTheModuleRootIsFoundFromBelow(t *testing.T) {
	t.Parallel()
	root, ok := ModuleRoot(".")
	if !ok {
		t.Fatal("not found")
	}
	if _, err := os.Stat(filepath.Join(root, "Taskfile.yml")); err != nil {
		t.Error(err)
	}
	if _, ok := ModuleRoot(t.TempDir()); ok {
		t.Error("found one outside of the repository")
	}
}
