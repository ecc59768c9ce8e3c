package gateway

import (
	"errors"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/erpilot/erpilot/schema/fault"
)

// handler is a net/http handler that may fail; echo only routes.
type handler func(w http.ResponseWriter, r *http.Request) error

// private is a handler for somebody who has logged in.
type private func(w http.ResponseWriter, r *http.Request, who *requester) error

func (s *Server) routes() {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect()
	e.HTTPErrorHandler = func(err error, c echo.Context) { s.unrouted(err, c) }
	s.echo = e

	add := func(method, path string, h handler) { e.Add(method, path, s.adapt(h)) }
	own := func(method, path string, h private) { e.Add(method, path, s.adapt(s.authenticated(h))) }

	add(http.MethodGet, "/healthz", s.healthz)
	add(http.MethodGet, "/readyz", s.readyz)
	add(http.MethodGet, "/api/login/options", s.loginOptions)
	add(http.MethodPost, "/api/login", s.login)
	own(http.MethodPost, "/api/logout", s.logout)
	own(http.MethodGet, "/api/me", s.me)

	own(http.MethodGet, "/api/conversations", s.listConversations)
	own(http.MethodPost, "/api/conversations", s.createConversation)
	own(http.MethodGet, "/api/conversations/:id", s.getConversation)
	own(http.MethodPatch, "/api/conversations/:id", s.renameConversation)
	own(http.MethodDelete, "/api/conversations/:id", s.deleteConversation)
	own(http.MethodGet, "/api/conversations/:id/state", s.conversationState)
	own(http.MethodGet, "/api/conversations/:id/events", s.events)
	own(http.MethodPost, "/api/conversations/:id/messages", s.postMessage)
	own(http.MethodPost, "/api/conversations/:id/stop", s.stop)
	own(http.MethodPost, "/api/conversations/:id/resume", s.resume)
	own(http.MethodPost, "/api/pending/:id/answer", s.answer)

	own(http.MethodGet, "/api/drafts", s.listDrafts)
	own(http.MethodGet, "/api/drafts/:id", s.getDraft)
	own(http.MethodGet, "/api/drafts/:id/revisions", s.listRevisions)
	own(http.MethodGet, "/api/drafts/:id/revisions/:n", s.getRevision)
	own(http.MethodGet, "/api/drafts/:id/diff", s.diffDraft)

	own(http.MethodGet, "/api/op", s.inbox)
	own(http.MethodPost, "/api/op/decisions", s.decideMany)
	own(http.MethodGet, "/api/op/:id", s.getOperation)
	own(http.MethodGet, "/api/op/:id/status", s.operationStatus)
	own(http.MethodPost, "/api/op/:id/confirm", s.confirm)
	own(http.MethodPost, "/api/op/:id/cancel", s.cancel)
	own(http.MethodPost, "/api/op/:id/revise", s.revise)
	own(http.MethodPost, "/api/op/:id/repropose", s.repropose)
	own(http.MethodPost, "/api/op/:id/retry", s.retry)
	own(http.MethodPost, "/api/op/:id/settle", s.settle)

	for _, x := range s.Routes {
		own(x.Method, x.Path, func(w http.ResponseWriter, r *http.Request, who *requester) error {
			return x.Serve(w, r, who.tenant, who.userID)
		})
	}

	if s.page != nil {
		for _, path := range []string{"/", "/c/:id", "/inbox", "/erp", "/erp/", "/erp/todos", "/erp/form/:form"} {
			add(http.MethodGet, path, s.index)
		}
		for path := range s.page.files {
			add(http.MethodGet, "/"+path, s.asset)
		}
	}
}

// adapt gives a handler what all have in common: path values, headers, the
// request id, the log line, and an answer to errors and panics.
func (s *Server) adapt(h handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		r, w := c.Request(), c.Response()
		for i, name := range c.ParamNames() {
			r.SetPathValue(name, c.ParamValues()[i])
		}
		begun := time.Now()
		id := uuid.NewString()
		r.Header.Set(headerRequestID, id)
		w.Header().Set(headerRequestID, id)
		s.secure(w.Header())
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler { //nolint:errorlint // It is compared, never wrapped.
					panic(p)
				}
				s.log.Error("a handler panicked", "request_id", id, "route", c.Path(), "panic", p, "stack", string(debug.Stack()))
				if !w.Committed {
					s.fail(w, r, fault.New(fault.Internal))
				}
			}
			s.log.Info("request", "request_id", id, "method", r.Method, "route", c.Path(), "status", w.Status, "bytes", w.Size,
				"ms", time.Since(begun).Milliseconds())
		}()
		if err := h(w, r); err != nil && !w.Committed {
			s.fail(w, r, err)
		}
		return nil
	}
}

// unrouted answers for requests that no route takes.
func (s *Server) unrouted(err error, c echo.Context) {
	r, w := c.Request(), c.Response()
	if w.Committed {
		return
	}
	s.secure(w.Header())
	p := problemOf(fault.New(fault.NotFound), localeOf(r))
	if h, ok := errors.AsType[*echo.HTTPError](err); ok && h.Code == http.StatusMethodNotAllowed {
		p = problemOf(fault.New(fault.Invalid, "detail", "the method is not allowed here"), localeOf(r))
		p.Status = http.StatusMethodNotAllowed
	}
	s.problem(w, p)
}

const headerRequestID = "X-Request-Id"

func requestID(r *http.Request) string { return r.Header.Get(headerRequestID) }

// secure sets the headers of every answer. There is no CORS: the page and the
// API have one origin.
func (s *Server) secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"base-uri 'none'; form-action 'self'; frame-ancestors "+strings.Join(append([]string{"'self'"}, s.FrameAncestors...), " ")+
		"; require-trusted-types-for 'script'")
}

// healthz says that the process lives.
func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) error {
	return s.reply(w, http.StatusOK, map[string]string{"status": "ok"})
}
