package modeltest

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// Server answers model requests from a script. Its methods are safe for
// concurrent use.
type Server struct {
	http *httptest.Server
	// stop ends endless streams at Close.
	stop chan struct{}
	once sync.Once

	mu       sync.Mutex
	script   []Step
	respond  func(Request) Step
	requests []Request
	beyond   int
	conns    int
}

// Request is one request as it came.
type Request struct {
	Path   string
	Header http.Header
	Body   json.RawMessage
}

// Flavour is how a server spells the wire format.
type Flavour string

const (
	OpenAI    Flavour = "openai"
	Ollama    Flavour = "ollama"
	Anthropic Flavour = "anthropic"
)

// Start begins to serve the script on a free port of the loopback. Call Close.
func Start(script ...Step) *Server {
	s := &Server{script: script, stop: make(chan struct{})}
	s.http = httptest.NewUnstartedServer(s)
	s.http.Config.ConnState = s.connected
	s.http.Start()
	return s
}

// StartFunc begins to serve answers made from the requests. The function is
// called by one request at a time.
func StartFunc(respond func(Request) Step) *Server {
	s := Start()
	s.respond = respond
	return s
}

// Close ends all streams and waits for the handlers.
func (s *Server) Close() {
	s.once.Do(func() { close(s.stop) })
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the base URL to configure for a flavour, version included.
func (s *Server) URL(f Flavour) string {
	if f == Ollama {
		return s.http.URL + "/ollama/v1"
	}
	return s.http.URL + "/v1"
}

// Add appends to the script.
func (s *Server) Add(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, steps...)
}

// Requests returns what has been asked so far, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request{}, s.requests...)
}

// Unexpected counts the requests beyond the script.
func (s *Server) Unexpected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.beyond
}

// Connections counts the connections that were opened so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

func (s *Server) connected(_ net.Conn, state http.ConnState) {
	if state == http.StateNew {
		s.mu.Lock()
		s.conns++
		s.mu.Unlock()
	}
}

// maxBody bounds a request.
const maxBody = 16 << 20

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, `{"error":{"message":"POST a JSON body"}}`, http.StatusBadRequest)
		return
	}
	step := s.next(Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	a := &answer{w: w, step: step, gone: r.Context().Done(), stop: s.stop}
	var asked struct {
		Stream bool   `json:"stream"`
		Model  string `json:"model"`
	}
	_ = json.Unmarshal(body, &asked)
	a.model = asked.Model
	switch {
	case step.Status != 0 && step.Status != http.StatusOK:
		a.status()
	case strings.HasSuffix(r.URL.Path, "/messages") && asked.Stream && !step.Whole:
		a.anthropicStream()
	case strings.HasSuffix(r.URL.Path, "/messages"):
		a.anthropic()
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		a.ollama = strings.HasPrefix(r.URL.Path, "/ollama/")
		if asked.Stream && !step.Whole {
			a.stream()
			return
		}
		a.whole()
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) next(r Request) Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if s.respond != nil {
		return s.respond(r)
	}
	if len(s.script) == 0 {
		s.beyond++
		return Step{Status: http.StatusBadRequest, Message: "modeltest: the script is at its end"}
	}
	step := s.script[0]
	s.script = s.script[1:]
	return step
}
