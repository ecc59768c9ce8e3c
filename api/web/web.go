package web

import (
	"embed"
	"io/fs"
)

//go:generate go run ./dictionary
//go:generate go run -C build .

//go:embed all:dist
var dist embed.FS

// Page is the built page: index.html, to be served at /, /inbox, /c/{id}, /erp/,
// /erp/todos and /erp/form/{form}, and what it loads under assets/. The entry has
// stable names, so send an ETag of the content and no long cache; the parts
// ("main-J652BLZ3.js") are named by their content and may be kept.
func Page() fs.FS {
	page, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error()) // "dist" is a valid path
	}
	return page
}
