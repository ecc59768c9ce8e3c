package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/erpilot/erpilot/schema/fault"
)

func TestCodeAndParamsAreFoundInAnyChain(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("outer: %w", errors.Join(io.EOF, fault.Wrap(fault.StockChanged, io.ErrUnexpectedEOF, "old", "5", "new", "3")))
	if got := fault.CodeOf(err); got != fault.StockChanged {
		t.Errorf("code %q", got)
	}
	if diff := cmp.Diff(fault.Params{"old": "5", "new": "3"}, fault.ParamsOf(err)); diff != "" {
		t.Error(diff)
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, fault.New(fault.StockChanged)) || errors.Is(err, fault.New(fault.QuoteChanged)) {
		t.Error("errors.Is does not find cause and code, or finds another code")
	}
}

func TestWhatHasNoCodeIsInternal(t *testing.T) {
	t.Parallel()
	if fault.CodeOf(nil) != "" || fault.CodeOf(io.EOF) != fault.Internal || fault.ParamsOf(io.EOF) != nil {
		t.Errorf("nil %q, plain %q", fault.CodeOf(nil), fault.CodeOf(io.EOF))
	}
}

func TestErrorTextIsForTheLog(t *testing.T) {
	t.Parallel()
	got := fault.Wrap(fault.Invalid, io.EOF, "detail", "no name").Error()
	for _, want := range []string{"invalid", "no name", "EOF"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestOddParamsAreAMistakeInOurCode(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	pairs := strings.Fields("detail")
	_ = fault.New(fault.Invalid, pairs...)
}
