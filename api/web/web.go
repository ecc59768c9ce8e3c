package web

//go:generate go run ./dictionary
//go:generate go run -C build .

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// Policy is the Content-Security-Policy of the page: its own scripts, styles
// and requests only, no frames of others around it, no markup from strings.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types 'none'"

// asset is one file of dist, ready to be sent.
type asset struct {
	data, packed []byte
	kind, etag   string
}

// Handler serves the page: index.html at /, /inbox and /c/{id}, and the files
// of dist under /assets/. Everything else is 404. It needs no login: it holds
// no data.
func Handler() http.Handler {
	assets := load()
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, r *http.Request) { assets["index.html"].serve(w, r) }
	mux.HandleFunc("GET /{$}", page)
	mux.HandleFunc("GET /inbox", page)
	mux.HandleFunc("GET /c/{id}", page)
	mux.HandleFunc("GET /assets/{file}", func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[r.PathValue("file")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		a.serve(w, r)
	})
	return mux
}

// load reads dist and packs it once. Embedded files are always readable: a
// failure is a broken build.
func load() map[string]asset {
	assets := map[string]asset{}
	err := fs.WalkDir(dist, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		packed, err := pack(data)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		assets[path.Base(name)] = asset{data: data, packed: packed, kind: kind(name), etag: `"` + hex.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	if err != nil {
		panic("web: dist: " + err.Error())
	}
	return assets
}

// kind is the media type; the system's own table is not asked, for it differs
// from machine to machine.
func kind(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return mime.TypeByExtension(path.Ext(name))
	}
}

func pack(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", a.etag)
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	data := a.data
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		data = a.packed
	}
	_, _ = w.Write(data) // the reader may be gone; nothing is owed to it
}
