package gateway

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
)

const (
	// maxBody bounds every request body.
	maxBody = 64 << 10
	// bodyTimeout bounds how long a body may take to arrive.
	bodyTimeout = 15 * time.Second
)

// decode reads the body strictly: JSON, UTF-8, at most 64 KiB, no unknown field,
// nothing behind it, no NUL. Codes: invalid, too_large.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	tooLarge := fault.New(fault.TooLarge, "limit", "64 KiB")
	if r.ContentLength > maxBody {
		return tooLarge
	}
	// Not every writer has deadlines (tests); the limit of size holds anyway.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return tooLarge
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "detail", "the body could not be read")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if !utf8.Valid(raw) || hasNUL(raw) {
		return fault.New(fault.Invalid, "detail", "the body holds characters that are not text")
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fault.Wrap(fault.Invalid, err, "detail", fault.JSONDetail(err))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "detail", "there is something behind the JSON value")
	}
	return nil
}

// decodeOptional is decode for a body that may be missing.
func decodeOptional(w http.ResponseWriter, r *http.Request, into any) error {
	if r.ContentLength == 0 {
		return nil
	}
	return decode(w, r, into)
}

// hasNUL finds the escape of U+0000, which Postgres text cannot hold.
func hasNUL(raw []byte) bool {
	for at := 0; ; {
		i := bytes.Index(raw[at:], []byte(`u0000`))
		if i < 0 {
			return bytes.IndexByte(raw, 0) >= 0
		}
		at += i
		slashes := 0
		for k := at - 1; k >= 0 && raw[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 1 {
			return true
		}
		at += len(`u0000`)
	}
}

// reply answers with JSON that nobody may cache.
func (s *Server) reply(w http.ResponseWriter, status int, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if _, err := w.Write(raw); err != nil {
		s.log.Debug("the caller left before the answer", "error", err)
	}
	return nil
}

var idShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$`)

// pathID is the id in the path; one that nobody can have made is not found.
func pathID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !idShape.MatchString(id) {
		return "", fault.New(fault.NotFound)
	}
	return id, nil
}

// localeOf is the first language of Accept-Language that we speak, Chinese
// when there is none.
func localeOf(r *http.Request) identity.Locale {
	return identity.AcceptedLocale(r.Header.Get("Accept-Language"), identity.Chinese)
}

// channelOf tells the terminal client from the page.
func channelOf(r *http.Request) operation.Channel {
	if r.Header.Get("X-Erpilot-Client") == "terminal" {
		return operation.ChannelTerminal
	}
	return operation.ChannelWeb
}
