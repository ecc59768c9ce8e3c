package builtin_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// cutProxy stands between client and server and cuts the connection on which
// the first COMMIT comes by: before the server has seen it, or (done) after the
// server has answered it and before the client has heard. It returns the URL.
func cutProxy(t *testing.T, target string, done bool) string {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	network, address := "tcp", u.Host
	query := u.Query()
	if dir := query.Get("host"); strings.HasPrefix(dir, "/") {
		port := query.Get("port")
		if port == "" {
			port = u.Port()
		}
		if port == "" {
			port = "5432"
		}
		network, address = "unix", dir+"/.s.PGSQL."+port
	} else if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "5432")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var cut atomic.Bool
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			go relay(client, server, done, &cut)
		}
	}()
	u.Host = listener.Addr().String()
	query.Del("host")
	query.Del("port")
	query.Set("sslmode", "disable")
	u.RawQuery = query.Encode()
	return u.String()
}

func relay(client, server net.Conn, done bool, cut *atomic.Bool) {
	defer client.Close()
	defer server.Close()
	var doomed atomic.Bool
	go func() {
		defer client.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			// What the server says to a doomed COMMIT never reaches the client.
			if doomed.Load() && bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
				return
			}
			if _, werr := client.Write(buf[:n]); err != nil || werr != nil {
				return
			}
		}
	}()
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if bytes.Contains(bytes.ToLower(buf[:n]), []byte("commit\x00")) && cut.CompareAndSwap(false, true) {
			if !done {
				return
			}
			doomed.Store(true)
		}
		if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
			if !errors.Is(err, io.EOF) || !doomed.Load() {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
