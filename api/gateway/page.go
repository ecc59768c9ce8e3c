package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"
)

// page holds the built page in memory; embedded files have no times, so the
// ETag is their hash.
type page struct {
	files map[string]file
}

type file struct {
	content []byte
	etag    string
	mime    string
	// hashed names never change their content.
	hashed bool
}

var hashedName = regexp.MustCompile(`-[A-Z0-9]{8}\.[a-z]+$`)

// newPage reads all files. There must be an index.html.
func newPage(files fs.FS) (*page, error) {
	p := &page{files: map[string]file{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		p.files[name] = file{content: content, etag: `"` + hex.EncodeToString(sum[:16]) + `"`, mime: mimeOf(name), hashed: hashedName.MatchString(name)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if _, ok := p.files["index.html"]; !ok {
		return nil, fmt.Errorf("index.html: %w", fs.ErrNotExist)
	}
	return p, nil
}

// mimeOf does not ask the machine's tables for what a page is made of.
func mimeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js", ".mjs":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".json", ".map":
		return "application/json; charset=utf-8"
	case ".txt", ".md":
		return "text/plain; charset=utf-8"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// index answers every address of the page with its one document.
func (s *Server) index(w http.ResponseWriter, r *http.Request) error {
	serve(w, r, "index.html", s.page.files["index.html"])
	return nil
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(r.URL.Path, "/")
	serve(w, r, name, s.page.files[name])
	return nil
}

func serve(w http.ResponseWriter, r *http.Request, name string, f file) {
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("ETag", f.etag)
	h.Set("Cache-Control", "no-cache") // asked again each time, answered 304
	if f.hashed {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(f.content))
}
