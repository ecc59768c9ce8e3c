//go:build unix

package dev

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"sync"
)

// console writes whole lines, from several goroutines.
type console struct {
	mu   sync.Mutex
	w    io.Writer
	rest []byte
}

func (c *console) line(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// Write passes complete lines on and keeps the rest for the next call.
func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rest = append(c.rest, p...)
	end := bytes.LastIndexByte(c.rest, '\n') + 1
	if end == 0 || c.w == nil {
		return len(p), nil
	}
	_, err := c.w.Write(c.rest[:end])
	c.rest = c.rest[end:]
	return len(p), err
}

// redact shows a URL without its password.
func redact(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(set)"
	}
	return u.Redacted()
}
