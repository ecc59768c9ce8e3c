package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// requestTimeout bounds one request that is no stream; a decision may take the
// gateway's own five seconds and a little.
const requestTimeout = 20 * time.Second

// maxAnswer bounds an answer: the state of a long conversation.
const maxAnswer = 64 << 20

// api calls the gateway.
type api struct {
	base   string
	token  string
	locale identity.Locale
	client *http.Client
}

// problem is a refusal of the gateway, or that it did not answer (status 0).
type problem struct {
	status int
	fault  *fault.Error
}

func (p *problem) Error() string { return fmt.Sprintf("HTTP %d: %v", p.status, p.fault) }
func (p *problem) Unwrap() error { return p.fault }

// again reports whether the same request may be sent once more: the gateway may
// have had it.
func (p *problem) again() bool {
	return p.status == 0 || p.status == http.StatusTooManyRequests || p.status >= http.StatusInternalServerError
}

// do sends one request; into may be nil. Errors are *problem.
func (a *api) do(ctx context.Context, method, path string, body, into any, key string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, reader)
	if err != nil {
		return 0, err
	}
	a.headers(req)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return 0, &problem{fault: fault.Wrap(fault.Unavailable, err)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return 0, &problem{fault: fault.Wrap(fault.Unavailable, err)}
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return resp.StatusCode, problemOf(resp.StatusCode, raw)
	}
	if into != nil && len(raw) > 0 {
		if err := json.Unmarshal(raw, into); err != nil {
			return resp.StatusCode, &problem{status: http.StatusBadGateway, fault: fault.Wrap(fault.Unavailable, err)}
		}
	}
	return resp.StatusCode, nil
}

func (a *api) headers(req *http.Request) {
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Language", string(a.locale))
	req.Header.Set("X-Erpilot-Client", "terminal")
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
}

// problemOf reads problem+json; anything else (a proxy's page) is unavailable or
// internal, by its status.
func problemOf(status int, raw []byte) *problem {
	var body struct {
		Code   fault.Code   `json:"code"`
		Params fault.Params `json:"params"`
	}
	if json.Unmarshal(raw, &body) != nil || body.Code == "" {
		body.Code = fault.Internal
		if status >= http.StatusInternalServerError {
			body.Code = fault.Unavailable
		}
	}
	return &problem{status: status, fault: &fault.Error{Code: body.Code, Params: body.Params}}
}

// retries is how often a request that may be repeated is sent.
const retries = 6

// sure is do, repeated with growing pauses while the gateway does not answer.
// The request must be safe to repeat: the same key or decision_id each time.
func (a *api) sure(ctx context.Context, method, path string, body, into any, key string) (status int, err error) {
	for n := 1; ; n++ {
		status, err = a.do(ctx, method, path, body, into, key)
		if p, ok := errors.AsType[*problem](err); !ok || !p.again() || n == retries {
			return status, err
		}
		if err := pause(ctx, backoff(n)); err != nil {
			return 0, err
		}
	}
}

// backoff grows from half a second to 15 s, with jitter.
func backoff(attempt int) time.Duration {
	d := min(15*time.Second, 500*time.Millisecond<<min(attempt-1, 5))
	return d*3/4 + rand.N(d/2) //nolint:gosec // Jitter needs no secrecy.
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func trimmed(url string) string { return strings.TrimRight(url, "/") }
