package faults

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/erpilot/erpilot/schema/fault"
)

type slow struct{ error }

func (slow) Delay() time.Duration { return time.Hour }

func TestOnlyTheCodeOfAnErrorReachesAHistory(t *testing.T) {
	t.Parallel()
	const secret = "Key (email)=(li@example.com) already exists"
	for name, c := range map[string]struct {
		err   error
		code  fault.Code
		final bool
	}{
		"an error nobody foresaw":   {errors.New(secret), fault.Internal, false},
		"a fault with a cause":      {fault.Wrap(fault.Unavailable, errors.New(secret)), fault.Unavailable, false},
		"a fault that stays":        {fault.Wrap(fault.ModelRejected, errors.New(secret)), fault.ModelRejected, true},
		"a cut reply":               {fault.New(fault.ModelTruncated, "reason", "cut"), fault.ModelTruncated, false},
		"a reply at its own length": {fault.New(fault.ModelTruncated, "reason", "length"), fault.ModelTruncated, true},
	} {
		var app *temporal.ApplicationError
		sealed := Seal(c.err)
		if !errors.As(sealed, &app) || app.Type() != string(c.code) || app.NonRetryable() != c.final {
			t.Errorf("%s became %v", name, sealed)
		}
		if strings.Contains(sealed.Error(), "li@example.com") || errors.Unwrap(app) != nil {
			t.Errorf("%s tells its text: %v", name, sealed)
		}
	}
}

func TestAProviderIsAskedAgainWhenItSaysButNotLater(t *testing.T) {
	t.Parallel()
	var app *temporal.ApplicationError
	if !errors.As(Seal(fault.Wrap(fault.ModelUnavailable, slow{errors.New("429")})), &app) || app.NextRetryDelay() != maxDelay {
		t.Errorf("the next try is after %s", app.NextRetryDelay())
	}
}

func TestNoErrorStaysNone(t *testing.T) {
	t.Parallel()
	if Seal(nil) != nil {
		t.Error("nil became an error")
	}
}
