package devserver

// silent drops the SDK's log lines, which would tell of each attempt to reach a
// server that is only starting.
type silent struct{}

// Silent is a logger for Temporal clients that writes nothing.
var Silent silent

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
