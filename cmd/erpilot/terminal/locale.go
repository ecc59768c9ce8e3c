package terminal

import (
	"os"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

// Language picks the language: the flag ("zh" or "en"), else the person's own,
// else the environment's (LC_ALL, LC_MESSAGES, LANG), else Chinese.
func Language(flag string, own identity.Locale) identity.Locale {
	for _, s := range []string{flag, string(own), environment()} {
		switch {
		case strings.HasPrefix(strings.ToLower(s), "zh"):
			return identity.Chinese
		case strings.HasPrefix(strings.ToLower(s), "en"):
			return identity.English
		}
	}
	return identity.Chinese
}

func environment() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// Zone is the person's time zone; the machine's where they have none.
func Zone(name string) *time.Location {
	if name != "" {
		if z, err := time.LoadLocation(name); err == nil {
			return z
		}
	}
	return time.Local
}

// Clock is a time as people read it, in their zone.
func Clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01-02 15:04 MST") }

// Left says how long it is until a deadline, by its two largest units.
func Left(d time.Duration, l identity.Locale) string {
	if d <= 0 {
		return text.Terminal["left.none"].In(l, nil)
	}
	n := func(v time.Duration) string { return itoa(int(v)) }
	key, params := "left.seconds", map[string]string{"s": n(d / time.Second)}
	switch {
	case d >= 24*time.Hour:
		key, params = "left.days", map[string]string{"d": n(d / (24 * time.Hour)), "h": n(d % (24 * time.Hour) / time.Hour)}
	case d >= time.Hour:
		key, params = "left.hours", map[string]string{"h": n(d / time.Hour), "m": n(d % time.Hour / time.Minute)}
	case d >= time.Minute:
		key, params = "left.minutes", map[string]string{"m": n(d / time.Minute), "s": n(d % time.Minute / time.Second)}
	}
	return text.Terminal[key].In(l, params)
}
