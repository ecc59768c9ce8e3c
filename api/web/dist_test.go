package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const stale = "run `go generate ./api/web`"

func hash(t *testing.T, fsys fs.FS, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func hashes(t *testing.T, fsys fs.FS, roots ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, root := range roots {
		err := fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasSuffix(name, "_test.go") {
				found[name] = hash(t, fsys, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

func TestDistIsBuiltFromTheseSources(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("dist.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Inputs, Outputs map[string]string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hashes(t, os.DirFS("."), "src", "vendor", "build"), manifest.Inputs); diff != "" {
		t.Errorf("the sources are not those that dist was built from (-tree +dist.json), %s:\n%s", stale, diff)
	}
	if diff := cmp.Diff(hashes(t, Page(), "."), manifest.Outputs); diff != "" {
		t.Errorf("dist is not what was built (-tree +dist.json), %s:\n%s", stale, diff)
	}
}

func TestVendoredFilesAreTheReleasedOnes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("vendor/versions.json")
	if err != nil {
		t.Fatal(err)
	}
	var versions map[string]struct {
		LicenceFile string `json:"licence_file"`
		Files       map[string]struct {
			SHA256 string `json:"sha256"`
		}
	}
	if err := json.Unmarshal(raw, &versions); err != nil {
		t.Fatal(err)
	}
	tree := os.DirFS("vendor")
	known := map[string]bool{"versions.json": true}
	for name, pkg := range versions {
		known[pkg.LicenceFile] = true
		if info, err := fs.Stat(tree, pkg.LicenceFile); err != nil || info.Size() == 0 {
			t.Errorf("%s has no licence: %v", name, err)
		}
		for file, f := range pkg.Files {
			known[file] = true
			if got := hash(t, tree, file); got != f.SHA256 {
				t.Errorf("%s: %s was changed: %s, released as %s", name, file, got, f.SHA256)
			}
		}
	}
	for name := range hashes(t, tree, ".") {
		if !known[name] {
			t.Errorf("vendor/%s is not named in versions.json", name)
		}
	}
}

// zipped is the size of a file of the page as it travels.
func zipped(t *testing.T, name string) int {
	t.Helper()
	data, err := fs.ReadFile(Page(), name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// part finds what a bundle imports at once: parts are named by their hash.
var part = regexp.MustCompile(`(?:from|import)"\./([\w-]+\.js)"`)

func TestThePageStaysSmall(t *testing.T) {
	t.Parallel()
	first := map[string]bool{"assets/app.js": true}
	for queue := []string{"assets/app.js"}; len(queue) > 0; queue = queue[1:] {
		data, err := fs.ReadFile(Page(), queue[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range part.FindAllStringSubmatch(string(data), -1) {
			if name := "assets/" + m[1]; !first[name] {
				first[name] = true
				queue = append(queue, name)
			}
		}
	}
	all, err := fs.Glob(Page(), "assets/*.js")
	if err != nil {
		t.Fatal(err)
	}
	start, later := 0, 0
	for _, name := range all {
		if first[name] {
			start += zipped(t, name)
		} else {
			later += zipped(t, name)
		}
	}
	for _, c := range []struct {
		what        string
		size, limit int
	}{{"what a chat loads", start, 60 << 10}, {"what the ERP loads besides", later, 26 << 10}, {"the styles", zipped(t, "assets/app.css"), 10 << 10}} {
		if c.size == 0 || c.size > c.limit {
			t.Errorf("%s is %d bytes gzipped, the budget is %d", c.what, c.size, c.limit)
		}
	}
}

func TestSourcesMakeNoMarkupFromStrings(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("src")
	for name := range hashes(t, tree, ".") {
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if bytes.Contains(data, []byte(bad)) {
				t.Errorf("src/%s uses %s", name, bad)
			}
		}
	}
}
