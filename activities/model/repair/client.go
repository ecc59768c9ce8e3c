package repair

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
)

// Dialect is a wire format.
type Dialect int

const (
	// OpenAI is POST …/chat/completions, as JSON or SSE.
	OpenAI Dialect = iota
	// Anthropic is POST …/messages, as JSON or SSE.
	Anthropic
)

// Client sends one request and returns one whole answer. It satisfies the Doer
// interfaces of langchaingo's clients and is safe for concurrent use.
type Client struct {
	HTTP    *http.Client
	Dialect Dialect
	// Key is cut out of all error texts; empty means none.
	Key string
	// Extra fields are merged into each request body; a null deletes a field.
	Extra map[string]json.RawMessage
	// Idle is the longest silence, before the first byte and between bytes.
	Idle time.Duration
	// Total bounds the whole call.
	Total time.Duration
	// MaxReply bounds text, reasoning and arguments together, in bytes.
	MaxReply int
}

// wireFactor is how many bytes on the wire one byte of reply may cost; a token of
// three bytes travels in an SSE chunk of some 200.
const wireFactor = 128

// maxErrorBody bounds what is read of a provider's error.
const maxErrorBody = 64 << 10

var (
	errIdle  = errors.New("silent for too long")
	errTotal = errors.New("took too long")
	// errWire is a reply over its bounds on the wire.
	errWire = errors.New("too many bytes")
)

// Do implements the Doer of langchaingo's clients. The outcome is also in the
// Call of the request's context.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	call := from(req.Context())
	body, err := c.do(req, call)
	if err != nil {
		call.Err = err
		return nil, err
	}
	call.Complete = true
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req,
	}, nil
}

func (c *Client) do(req *http.Request, call *Call) ([]byte, error) {
	caller := req.Context()
	sent, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err)
	}
	sent, err = c.request(sent, call)
	if err != nil {
		return nil, fault.Wrap(fault.Internal, err)
	}
	ctx, stop := context.WithTimeoutCause(caller, c.Total, errTotal)
	defer stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(c.Idle, func() { cancel(errIdle) })
	defer idle.Stop()

	out := req.Clone(ctx)
	out.Body = io.NopCloser(bytes.NewReader(sent))
	out.ContentLength = int64(len(sent))
	out.GetBody = nil
	resp, err := c.HTTP.Do(out) //nolint:gosec // the operator configures where the model lives
	if err != nil {
		return nil, c.failure(caller, ctx, err, false)
	}
	defer resp.Body.Close()
	wire := &watched{from: resp.Body, idle: idle, every: c.Idle, left: int64(c.MaxReply)*wireFactor + 1<<20}
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(wire, maxErrorBody))
		if caller.Err() != nil {
			return nil, caller.Err()
		}
		return nil, statusError(resp, c.clean(errorText(b)), errorCode(b))
	}
	answer, err := c.answer(resp, wire, call)
	if err != nil {
		return nil, c.failure(caller, ctx, err, true)
	}
	return answer, nil
}

// answer reads the body in the format that the provider chose.
func (c *Client) answer(resp *http.Response, wire *watched, call *Call) ([]byte, error) {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	a := &assembly{call: call, max: c.MaxReply, clean: c.clean, settle: wire.settle, literal: c.Dialect == Anthropic}
	stream := strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
	switch {
	case c.Dialect == Anthropic && stream:
		return readMessageStream(wire, a)
	case c.Dialect == Anthropic:
		return readMessage(wire, a)
	case stream:
		return readStream(wire, a)
	default:
		return readWhole(wire, a)
	}
}

// failure names what ended a call. The caller's own context goes first and
// unchanged; begun tells whether the answer had started.
func (c *Client) failure(caller, ctx context.Context, err error, begun bool) error {
	if caller.Err() != nil {
		return caller.Err()
	}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	code := fault.ModelUnavailable
	if begun {
		code = fault.ModelTruncated
	}
	switch {
	case errors.Is(context.Cause(ctx), errIdle):
		err = fmt.Errorf("provider was silent for %s", c.Idle)
	case errors.Is(context.Cause(ctx), errTotal):
		err = fmt.Errorf("provider took longer than %s", c.Total)
	case errors.Is(err, errWire):
		err = errors.New("reply is larger than allowed")
	default:
		err = errors.New(c.clean(transportText(err)))
	}
	if code == fault.ModelUnavailable {
		return unavailable(0, 0, err)
	}
	return fault.Wrap(code, err, "reason", "cut")
}

// watched counts bytes and pushes the idle deadline on.
type watched struct {
	from  io.Reader
	idle  *time.Timer
	every time.Duration
	left  int64
}

func (w *watched) Read(p []byte) (int, error) {
	if w.left <= 0 {
		return 0, errWire
	}
	if int64(len(p)) > w.left {
		p = p[:w.left]
	}
	n, err := w.from.Read(p)
	w.left -= int64(n)
	if n > 0 {
		w.idle.Reset(w.every)
	}
	return n, err
}

const (
	// afterFinish is how long a finished stream may take to send its usage and to end.
	afterFinish = 3 * time.Second
	// afterDone is how long a connection is read on after [DONE], to use it again.
	afterDone = 50 * time.Millisecond
)

// settle shortens the idle time.
func (w *watched) settle(d time.Duration) {
	w.every = min(w.every, d)
	w.idle.Reset(w.every)
}
