package main

import (
	"bytes"
	"io/fs"
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
	err = fs.WalkDir(os.DirFS(filepath.Join(root, "dist")), ".", func(name string, d fs.DirEntry, err error) error {
		if _, known := files[name]; err == nil && !d.IsDir() && !known {
			t.Errorf("dist/%s is left over: run `go generate ./api/web`", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	want, err := describe(root, files)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(root, "dist.json")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("dist.json is stale (%v): run `go generate ./api/web`", err)
	}
}
