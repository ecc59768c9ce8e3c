package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestCommittedDistIsWhatTheSourcesBundleTo(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files, err := bundle(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, "dist", name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("dist/%s is stale (%v): run `go generate ./api/web`", name, err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(root, "dist"))
	if err != nil || len(entries) != len(files) {
		t.Errorf("dist holds %d files, the bundle has %d (%v): run `go generate ./api/web`", len(entries), len(files), err)
	}
	want, err := describe(root, files)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "dist.json")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("dist.json is stale (%v): run `go generate ./api/web`", err)
	}
}
