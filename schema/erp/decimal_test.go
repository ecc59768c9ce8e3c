package erp

import (
	"testing"

	"github.com/shopspring/decimal"
)

func TestADecimalHasOneNormalForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"1": "1", "1.0": "1", "01.50": "1.5", "-0": "0", "\t2": "2", "0.10": "0.1", "+3": "3",
		"12345678901234567890.123456789": "12345678901234567890.123456789", "-7.00": "-7"} {
		if got, err := NormalizeDecimal(in); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", " ", "1e9", "0x10", "1_000", "NaN", "Infinity", "1,5", "١", "1.2.3", "--1", "11111111111111111111111111111111111111111"} {
		if got, err := NormalizeDecimal(in); err == nil {
			t.Errorf("%q was taken as %q", in, got)
		}
	}
}

func FuzzNormalizeDecimalIsStable(f *testing.F) {
	for _, s := range []string{"1", "-0.10", "1e5", "９", "0x1", "999999999999.999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once, err := NormalizeDecimal(s)
		if err != nil {
			return
		}
		twice, err := NormalizeDecimal(once)
		if err != nil || twice != once {
			t.Fatalf("%q → %q → %q, %v", s, once, twice, err)
		}
		if d, err := decimal.NewFromString(once); err != nil || d.String() != once {
			t.Fatalf("%q is no decimal", once)
		}
	})
}
