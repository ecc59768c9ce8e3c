package erpweb

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/erpilot/erpilot/schema/fault"
)

const (
	// maxQuery bounds the body of a read, maxRecord that of a record: a document
	// with more lines than the ERP takes is refused by the ERP, field by field.
	maxQuery  = 64 << 10
	maxRecord = 2 << 20
	// bodyTimeout bounds how long a body may take to arrive.
	bodyTimeout = 15 * time.Second
)

// decode reads the body strictly: JSON, no unknown key, nothing behind it, at
// most limit bytes. Codes: invalid, too_large.
func decode(w http.ResponseWriter, r *http.Request, limit int64, into any) error {
	// Not every writer has deadlines (tests); the limit of size holds anyway.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
			return nil
		}
		if err == nil {
			return fault.New(fault.Invalid, "detail", "there is something behind the JSON value")
		}
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "limit", sizeOf(limit))
	}
	return fault.Wrap(fault.Invalid, err, "detail", fault.JSONDetail(err))
}

func sizeOf(limit int64) string {
	if limit >= 1<<20 {
		return "2 MiB"
	}
	return "64 KiB"
}

func answer(w http.ResponseWriter, status int, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(append(raw, '\n'))
	return err
}
