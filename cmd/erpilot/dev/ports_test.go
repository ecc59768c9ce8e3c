//go:build unix

package dev

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

func openTest(t *testing.T) *state {
	t.Helper()
	st, err := openState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.close() })
	return st
}

// Not parallel: it frees a port and expects to find it free.
func TestAUsualPortThatIsTakenIsReplacedAndTheChoiceRemembered(t *testing.T) {
	st := openTest(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := l.Addr().(*net.TCPAddr).Port // A TCP listener has a TCP address.
	if err := writePorts(st, ports{Gateway: taken, Temporal: 0, TemporalUI: 0}); err != nil {
		t.Fatal(err)
	}
	w := wish{"gateway", "ERPILOT_GATEWAY_ADDR", "127.0.0.1", 0, []int{taken}, new(int)}
	var said strings.Builder
	port, err := w.choose(map[int]bool{}, &console{w: &said})
	if err != nil || port == taken {
		t.Fatalf("chose %d, %v; %d is taken", port, err, taken)
	}
	if !strings.Contains(said.String(), "ERPILOT_GATEWAY_ADDR") {
		t.Errorf("said %q, want the setting named", said.String())
	}
	l.Close()
	p, _, err := choosePorts(st, Config{}, &console{})
	if err != nil || p.Gateway != taken {
		t.Fatalf("chose %+v, %v; want the remembered gateway port %d", p, err, taken)
	}
	if again := readPorts(st); again != p {
		t.Errorf("remembers %+v, chose %+v", again, p)
	}
}

func TestTheSecretIsMadeOnce(t *testing.T) {
	t.Parallel()
	st := openTest(t)
	first, err := st.secret()
	if err != nil || len(first) != 64 {
		t.Fatalf("%q, %v", first, err)
	}
	if second, err := st.secret(); err != nil || second != first {
		t.Errorf("%q, %v; want the first one", second, err)
	}
}

func TestThePasswordOfAURLIsNotShown(t *testing.T) {
	t.Parallel()
	if got := redact("postgres://u:hush@db/x"); strings.Contains(got, "hush") {
		t.Error(got)
	}
}
