package model_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/erpilot/erpilot/activities/model/modeltest"
)

// Not parallel: it counts the goroutines of the process.
func TestNoCallLeavesGoroutinesBehind(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, f := range flavours {
		for fault := modeltest.Well; fault <= modeltest.HangAfterFinish; fault++ {
			s := modeltest.Start(modeltest.Step{Text: "some text", Fault: fault})
			cfg := config(s, f)
			cfg.IdleTimeout, cfg.Timeout, cfg.MaxReplyBytes = 50*time.Millisecond, 100*time.Millisecond, 8<<10
			m := build(t, cfg)
			_, _ = m.Generate(t.Context(), request("hi"), nil)
			s.Close()
		}
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(5 * time.Second)
	for runtime.NumGoroutine() > before {
		select {
		case <-tick.C:
		case <-deadline:
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
	}
}
