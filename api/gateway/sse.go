package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
)

// sse writes server-sent events to one connection. Frames are collected and
// leave with flush; each write has its own deadline.
type sse struct {
	w       http.ResponseWriter
	rc      *http.ResponseController
	timeout time.Duration
	buf     bytes.Buffer
}

// newSSE sends the headers at once. The controller stands on the writer under
// echo's: echo's own Flush hides errors.
func newSSE(w http.ResponseWriter, timeout time.Duration) (*sse, error) {
	raw := w
	if u, ok := w.(interface{ Unwrap() http.ResponseWriter }); ok {
		raw = u.Unwrap()
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	c := &sse{w: w, rc: http.NewResponseController(raw), timeout: timeout}
	c.buf.WriteString("retry: 2000\n: connected\n\n")
	return c, c.flush()
}

// frames adds the frames of one thing; the id, if any, goes on the last.
func (c *sse) frames(id int64, frames ...event.Frame) error {
	for i, f := range frames {
		raw, err := json.Marshal(f)
		if err != nil {
			return fault.Wrap(fault.Internal, err)
		}
		if id > 0 && i == len(frames)-1 {
			c.buf.WriteString("id: " + strconv.FormatInt(id, 10) + "\n")
		}
		c.buf.WriteString("data: ")
		c.buf.Write(raw)
		c.buf.WriteString("\n\n")
	}
	return nil
}

func (c *sse) comment(text string) { c.buf.WriteString(": " + text + "\n\n") }

// bye ends the stream for a reason that the client understands.
func (c *sse) bye(reason string) error {
	c.buf.WriteString("event: bye\ndata: {\"reason\":\"" + reason + "\"}\n\n")
	return c.flush()
}

// flush sends what was collected, or reports that the reader is gone or too slow.
func (c *sse) flush() error {
	if c.buf.Len() == 0 {
		return nil
	}
	if err := c.rc.SetWriteDeadline(time.Now().Add(c.timeout)); err != nil {
		return err
	}
	if _, err := c.w.Write(c.buf.Bytes()); err != nil {
		return err
	}
	c.buf.Reset()
	return c.rc.Flush()
}
