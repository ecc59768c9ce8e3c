//go:build unix

package dev

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/erpilot/erpilot/workflows/devserver"
)

// The ports that are used where nothing else is set and nobody else is there.
const (
	DefaultGatewayPort    = 8700
	DefaultTemporalPort   = 7233
	DefaultTemporalUIPort = 8233
)

// ports are the ones in use, remembered from start to start.
type ports struct {
	Gateway    int `json:"gateway"`
	Temporal   int `json:"temporal"`
	TemporalUI int `json:"temporal_ui"`
}

// wish is how one port is chosen.
type wish struct {
	what string
	// setting is the variable that fixes it.
	setting string
	// host to listen on.
	host string
	// fixed is what the setting says, 0 for nothing.
	fixed int
	// usual are tried in order before any free port.
	usual []int
	// value receives the choice.
	value *int
}

// choosePorts picks all ports that this start needs and remembers them.
func choosePorts(st *state, cfg Config, out *console) (p ports, gatewayHost string, err error) {
	remembered := readPorts(st)
	gatewayHost, gatewayPort := devserver.Host, 0
	if cfg.GatewayAddr != "" {
		host, port, err := net.SplitHostPort(cfg.GatewayAddr)
		if err != nil {
			return p, "", fmt.Errorf("ERPILOT_GATEWAY_ADDR: %w", err)
		}
		if gatewayPort, err = strconv.Atoi(port); err != nil {
			return p, "", fmt.Errorf("ERPILOT_GATEWAY_ADDR: port %q is no number", port)
		}
		gatewayHost = host
	}
	p = remembered
	wishes := []wish{{"the gateway", "ERPILOT_GATEWAY_ADDR", gatewayHost, gatewayPort,
		[]int{remembered.Gateway, DefaultGatewayPort}, &p.Gateway}}
	if cfg.TemporalAddress == "" {
		wishes = append(wishes,
			wish{"Temporal", "ERPILOT_TEMPORAL_PORT", devserver.Host, cfg.TemporalPort,
				[]int{remembered.Temporal, DefaultTemporalPort}, &p.Temporal},
			wish{"Temporal UI", "ERPILOT_TEMPORAL_UI_PORT", devserver.Host, cfg.TemporalUIPort,
				[]int{remembered.TemporalUI, DefaultTemporalUIPort}, &p.TemporalUI})
	}
	var errs []error
	given := map[int]bool{}
	for _, w := range wishes {
		port, err := w.choose(given, out)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		*w.value, given[port] = port, true
	}
	if err := errors.Join(errs...); err != nil {
		return p, "", err
	}
	return p, gatewayHost, writePorts(st, p)
}

func (w wish) choose(given map[int]bool, out *console) (int, error) {
	if w.fixed != 0 {
		if given[w.fixed] || !free(w.host, w.fixed) {
			return 0, fmt.Errorf("port %d for %s is taken: free it, or set %s to another one", w.fixed, w.what, w.setting)
		}
		return w.fixed, nil
	}
	taken := 0
	for _, port := range w.usual {
		if port == 0 || given[port] {
			continue
		}
		if free(w.host, port) {
			return port, nil
		}
		taken = port
	}
	port, err := devserver.FreePort()
	if err != nil {
		return 0, err
	}
	out.line("Port %d for %s is taken, using %d instead (%s chooses another)", taken, w.what, port, w.setting)
	return port, nil
}

// free says whether nobody listens there. Trying to connect finds those who
// listen on all addresses, beside whom some systems let one listen on one.
func free(host string, port int) bool {
	addr := net.JoinHostPort(host, strconv.Itoa(port))
	if conn, err := net.DialTimeout("tcp", addr, 200*time.Millisecond); err == nil {
		conn.Close()
		return false
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// readPorts returns zeros where nothing usable is remembered.
func readPorts(st *state) (p ports) {
	data, err := os.ReadFile(st.path("ports.json"))
	if err != nil || json.Unmarshal(data, &p) != nil {
		return ports{}
	}
	return p
}

func writePorts(st *state, p ports) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(st.path("ports.json"), append(data, '\n'), 0o600)
}
