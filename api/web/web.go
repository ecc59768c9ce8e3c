package web

import (
	"embed"
	"io/fs"
)

//go:generate go run ./dictionary
//go:generate go run -C build .

//go:embed all:dist
var dist embed.FS

// Page is the built page: index.html, to be served at /, /inbox, /c/{id} and
// /erp/form/{form}, and what it loads under assets/. Names are stable, so send an ETag of the
// content and no long cache.
func Page() fs.FS {
	page, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error()) // "dist" is a valid path
	}
	return page
}
