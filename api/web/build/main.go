// Command build bundles the page with esbuild's Go API: src and vendor in, dist
// and dist.json out. It needs no node. It is a module of its own, so that the
// product does not link the bundler.
//
// dist.json names the hash of everything that went in and of every file that
// came out; the product's own tests compare it with the tree and so notice a
// stale dist without a bundler. This module's test bundles again and compares
// the bytes.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	root, err := filepath.Abs("..")
	if err == nil {
		err = write(root)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write bundles and replaces dist and dist.json under root (api/web).
func write(root string) error {
	files, err := bundle(root)
	if err != nil {
		return err
	}
	manifest, err := describe(root, files)
	if err != nil {
		return err
	}
	dist := filepath.Join(root, "dist")
	if err := os.RemoveAll(dist); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dist, "assets"), 0o755); err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dist, name), data, 0o644); err != nil {
			return err
		}
		fmt.Printf("dist/%s %d bytes\n", name, len(data))
	}
	return os.WriteFile(filepath.Join(root, "dist.json"), manifest, 0o644)
}

// bundle returns the files of dist by name; it writes nothing.
func bundle(root string) (map[string][]byte, error) {
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: root,
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "src/main.tsx", OutputPath: "app"},
			{InputPath: "src/style.css", OutputPath: "app"},
		},
		Outdir:    "dist",
		Bundle:    true,
		Splitting: true,
		// The name of the entry is stable; those of its parts change with their content.
		ChunkNames:        "[name]-[hash]",
		Write:             false,
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Format:            api.FormatESModule,
		Target:            api.ES2022,
		JSX:               api.JSXAutomatic,
		JSXImportSource:   "preact",
		Charset:           api.CharsetUTF8,
		LegalComments:     api.LegalCommentsEndOfFile,
		Engines:           []api.Engine{{Name: api.EngineChrome, Version: "123"}, {Name: api.EngineFirefox, Version: "120"}, {Name: api.EngineSafari, Version: "17.5"}},
		Alias: map[string]string{
			"preact":             "./vendor/preact.mjs",
			"preact/hooks":       "./vendor/hooks.mjs",
			"preact/jsx-runtime": "./vendor/jsx-runtime.mjs",
			"marked":             "./vendor/marked.mjs",
		},
		LogLevel: api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("esbuild: %s", result.Errors[0].Text)
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files["assets/"+filepath.Base(f.Path)] = f.Contents
	}
	for name, source := range map[string]string{"index.html": "index.html", "assets/icon.svg": "icon.svg"} {
		data, err := os.ReadFile(filepath.Join(root, "src", source))
		if err != nil {
			return nil, err
		}
		files[name] = data
	}
	return files, nil
}

// describe is the content of dist.json.
func describe(root string, files map[string][]byte) ([]byte, error) {
	inputs := map[string]string{}
	for _, dir := range []string{"src", "vendor", "build"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(root, path)
			inputs[filepath.ToSlash(name)] = sum(data)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	outputs := map[string]string{}
	for name, data := range files {
		outputs[name] = sum(data)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(map[string]any{"inputs": inputs, "outputs": outputs})
	return b.Bytes(), err
}

func sum(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
