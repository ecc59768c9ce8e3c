package main

import (
	"fmt"
	"runtime/debug"
)

// VersionCmd prints what this binary was built from.
type VersionCmd struct{}

// Run prints the module's version, its revision and the Go version.
func (VersionCmd) Run() error {
	_, err := fmt.Println(versionText())
	return err
}

func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "erpilot (unknown build)"
	}
	text := "erpilot " + info.Main.Version
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			text += " " + s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			text += " (changed)"
		}
	}
	return text + " " + info.GoVersion
}
