package repair

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
)

// Unavailable is the cause of a fault.ModelUnavailable.
type Unavailable struct {
	// Status is the HTTP status, zero when no answer came.
	Status int
	// RetryAfter is what the provider asked for, zero when it did not say.
	RetryAfter time.Duration
	// Cause is for the log.
	Cause error
}

func (u *Unavailable) Error() string {
	switch {
	case u.Status == 0:
		return u.Cause.Error()
	case u.RetryAfter > 0:
		return fmt.Sprintf("HTTP %d, retry after %s: %v", u.Status, u.RetryAfter, u.Cause)
	default:
		return fmt.Sprintf("HTTP %d: %v", u.Status, u.Cause)
	}
}

// Unwrap gives the cause.
func (u *Unavailable) Unwrap() error { return u.Cause }

func unavailable(status int, after time.Duration, cause error) *fault.Error {
	e := fault.Wrap(fault.ModelUnavailable, &Unavailable{Status: status, RetryAfter: after, Cause: cause})
	if status != 0 {
		e.Params = fault.Params{"status": strconv.Itoa(status)}
	}
	return e
}

func invalid(format string, args ...any) *fault.Error {
	return fault.Wrap(fault.ModelInvalid, fmt.Errorf(format, args...))
}

func truncated(reason, format string, args ...any) *fault.Error {
	return fault.Wrap(fault.ModelTruncated, fmt.Errorf(format, args...), "reason", reason)
}

// statusError tells what may help later (429, 408, 5xx) from what will not.
func statusError(resp *http.Response, text, code string) *fault.Error {
	s := resp.StatusCode
	cause := errors.New(orElse(text, http.StatusText(s)))
	again := s == http.StatusRequestTimeout || s == http.StatusConflict || s == http.StatusTooEarly ||
		s == http.StatusTooManyRequests || s >= 500 && s != http.StatusNotImplemented
	if again && code != "insufficient_quota" {
		return unavailable(s, retryAfter(resp.Header), cause)
	}
	return fault.Wrap(fault.ModelRejected, fmt.Errorf("HTTP %d: %w", s, cause), "status", strconv.Itoa(s))
}

// streamError turns an error object inside a 200 into what its status would be.
func streamError(raw json.RawMessage, clean func(string) string) *fault.Error {
	wrapped, _ := json.Marshal(map[string]json.RawMessage{"error": raw})
	text, code := orElse(clean(errorText(wrapped)), "provider reported an error"), errorCode(wrapped)
	if n, err := strconv.Atoi(code); err == nil && n >= 400 && n < 600 {
		return statusError(&http.Response{StatusCode: n}, text, code)
	}
	for _, rejected := range []string{"invalid_request", "context_length", "authentication", "permission", "not_found", "insufficient_quota"} {
		if strings.Contains(code, rejected) {
			return fault.Wrap(fault.ModelRejected, errors.New(text))
		}
	}
	return unavailable(0, 0, errors.New(text))
}

// maxRetryAfter bounds what a provider may ask for.
const maxRetryAfter = time.Hour

// retryAfter reads Retry-After (seconds or a date) and retry-after-ms; zero when
// there is none or it makes no sense.
func retryAfter(h http.Header) time.Duration {
	d := time.Duration(0)
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms > 0 {
		d = time.Duration(min(ms, float64(maxRetryAfter.Milliseconds())) * float64(time.Millisecond))
	} else if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil && s > 0 {
		d = time.Duration(min(s, maxRetryAfter.Seconds()) * float64(time.Second))
	} else if at, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		now, err := http.ParseTime(h.Get("Date"))
		if err != nil {
			now = time.Now()
		}
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

// errorText finds the message in the error bodies that providers send.
func errorText(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil {
		return string(body)
	}
	var s string
	var o struct {
		Message string `json:"message"`
	}
	switch {
	case json.Unmarshal(e.Error, &o) == nil && o.Message != "":
		return o.Message
	case json.Unmarshal(e.Error, &s) == nil && s != "":
		return s
	case e.Message != "":
		return e.Message
	default:
		return string(e.Detail)
	}
}

// errorCode is the error's code, else its type, in text; empty when there is none.
func errorCode(body []byte) string {
	var e struct {
		Error struct {
			Code any    `json:"code"`
			Type string `json:"type"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	switch c := e.Error.Code.(type) {
	case string:
		return orElse(c, e.Error.Type)
	case float64:
		return strconv.Itoa(int(c))
	default:
		return e.Error.Type
	}
}

// transportText drops the URL of an error: it may hold a key.
func transportText(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err.Error()
	}
	return err.Error()
}

var secret = regexp.MustCompile(`(?i)(sk-|bearer |api[-_]?key["']?\s*[=:]\s*["']?)[^\s"',}]+`)

// maxErrorText bounds what of a provider's words goes to the log, in bytes.
const maxErrorText = 400

// clean makes a provider's words fit for a log: one line, short, no keys.
func (c *Client) clean(s string) string {
	if c.Key != "" {
		s = strings.ReplaceAll(s, c.Key, "[key]")
	}
	s = secret.ReplaceAllString(s, "[key]")
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxErrorText {
		s = s[:maxErrorText] + "…"
	}
	return strings.ToValidUTF8(s, "")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Delay is how long the provider asked to wait before another try.
func (u *Unavailable) Delay() time.Duration { return u.RetryAfter }
