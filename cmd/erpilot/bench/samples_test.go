//go:build unix

package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// samples are durations of one measure.
type samples []time.Duration

// at is the value below which the given share of samples lies; 0 without samples.
func (s samples) at(share float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

// row is one line of the report.
type row struct {
	name string
	s    samples
	// a and b are the yardsticks; nil leaves the ratio out.
	a, b samples
	// aim is what the ratio of the medians to b should not exceed, 0 for none.
	aim float64
}

func (r row) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |", r.name, ms(r.s.at(.5)), ms(r.s.at(.95)),
		ratio(r.s.at(.5), r.a.at(.5)), ratio(r.s.at(.5), r.b.at(.5)), ratio(r.s.at(.95), r.b.at(.95)), verdict(r.aim, r.s.at(.5), r.b.at(.5)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)) }

func ratio(x, y time.Duration) string {
	if y == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(x)/float64(y))
}

func verdict(aim float64, x, y time.Duration) string {
	switch {
	case aim == 0 || y == 0:
		return ""
	case float64(x) <= aim*float64(y):
		return fmt.Sprintf("≤ %.1f: met", aim)
	default:
		return fmt.Sprintf("≤ %.1f: missed", aim)
	}
}

// spread tells how noisy the machine was: the middle half of a yardstick.
func spread(s samples) string { return ms(s.at(.25)) + " to " + ms(s.at(.75)) + " ms" }

// median of numbers; 0 without any.
func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(x))[len(x)/2]
}

// report collects lines and prints them at once.
type report struct{ strings.Builder }

func (r *report) line(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }
