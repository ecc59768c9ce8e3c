package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/text"
)

// session is one run of the chat.
type session struct {
	Command
	env
	api    api
	login  login
	locale identity.Locale
	zone   *time.Location
	input  *bufio.Reader
	lines  <-chan string
	view   *view
	// conversationID is "" until the first message of a new one.
	conversationID string
	// news is the stream of the conversation; hangUp ends it. Nil while there is none.
	news   chan news
	hangUp context.CancelFunc
	// intents are the ids of decisions and fresh proposals, made once per intent.
	intents map[string]string
	// interrupted counts interrupts since the last line.
	interrupted int
	// lost says that the person has been told of the lost connection.
	lost bool
}

// lostMax is how often a pipe tries to reconnect, over about two minutes; a person
// may wait longer.
const lostMax = 12

// errLeave ends the loop well.
var errLeave = errors.New("leave")

func (c *Command) run(ctx context.Context, e env) error {
	s := &session{Command: *c, env: e, input: bufio.NewReader(e.in), locale: terminal.Language(c.Lang, ""), zone: terminal.Zone(""),
		intents: map[string]string{}}
	s.api = api{base: trimmed(c.URL), locale: s.locale, client: &http.Client{}}
	if err := s.enter(ctx); err != nil {
		return err
	}
	if c.List {
		return s.list(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.view = newView(s)
	s.lines = lines(ctx, s.input)
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.close()
	if err := s.loop(ctx); !errors.Is(err, errLeave) {
		return err
	}
	return nil
}

// begin opens the conversation that the flags name; a new one is made with its
// first message.
func (s *session) begin(ctx context.Context) error {
	id := s.Conversation
	if id == "" && s.Continue {
		list, err := s.conversations(ctx)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			id = list[0].ConversationID
		}
	}
	s.line("%s", s.say("chat.hello", "name", s.login.User.DisplayName))
	if s.interactive {
		s.line("%s", s.say("chat.keys"))
	}
	if id != "" {
		return s.open(ctx, id)
	}
	return s.label(ctx)
}

// label says who answers before the first message: the demo planner is named on
// every screen.
func (s *session) label(ctx context.Context) error {
	var me struct {
		Model string `json:"model"`
		Demo  bool   `json:"demo"`
	}
	if err := s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodGet, "/api/me", nil, &me, "")
		return err
	}); err != nil {
		return s.told(err)
	}
	s.view.label(me.Model, me.Demo)
	return nil
}

// open shows a conversation and follows it.
func (s *session) open(ctx context.Context, id string) error {
	s.close()
	s.view, s.conversationID = newView(s), id
	head, err := s.reload(ctx)
	if err != nil {
		return s.told(err)
	}
	s.listen(ctx, head)
	return nil
}

// reload reads the state and prints what is not on the screen yet.
func (s *session) reload(ctx context.Context) (head int64, err error) {
	var state chat.State
	err = s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodGet, "/api/conversations/"+s.conversationID+"/state", nil, &state, "")
		return err
	})
	if err == nil {
		s.view.load(state)
	}
	return state.Head, err
}

// listen follows the journal after the cursor.
func (s *session) listen(ctx context.Context, after int64) {
	ctx, s.hangUp = context.WithCancel(ctx)
	s.news = make(chan news, 256)
	go follow(ctx, s.api, s.conversationID, after, s.news)
}

func (s *session) close() {
	if s.hangUp != nil {
		s.hangUp()
		s.hangUp, s.news = nil, nil
	}
}

// loop is the one place that prints.
func (s *session) loop(ctx context.Context) error {
	ended := false
	for {
		in := s.lines
		if ended || !s.interactive && s.view.busy() {
			in = nil
		}
		if ended && !s.view.busy() {
			return errLeave
		}
		s.prompt()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case n := <-s.news:
			if err := s.take(ctx, n); err != nil {
				return err
			}
		case line, ok := <-in:
			if !ok {
				ended = true
				if s.interactive { // Ctrl-D
					return errLeave
				}
				continue
			}
			s.interrupted = 0
			s.view.prompted = false
			if err := s.hear(ctx, strings.TrimSpace(line)); err != nil {
				return err
			}
		case <-s.interrupts:
			if err := s.interrupt(ctx); err != nil {
				return err
			}
		}
	}
}

// take shows what the stream tells.
func (s *session) take(ctx context.Context, n news) error {
	switch {
	case n.lost > lostMax && !s.interactive:
		return s.told(&problem{fault: fault.New(fault.Unavailable)})
	case n.lost > 0:
		if !s.lost {
			s.line("%s", s.word("reconnecting", "n", strconv.Itoa(n.lost)))
		}
		s.lost = true
	case n.back && s.lost:
		s.lost = false
		s.line("%s", s.say("chat.back"))
	case n.gone:
		s.line("%s", s.word("chat.missing"))
		return errLeave
	case n.login:
		return s.reconnect(ctx)
	case n.resync:
		if _, err := s.reload(ctx); err != nil {
			return s.told(err)
		}
	}
	for _, f := range n.frames {
		s.view.apply(f)
	}
	return nil
}

// reconnect logs in again and follows on from the state.
func (s *session) reconnect(ctx context.Context) error {
	s.close()
	if err := s.again(ctx); err != nil {
		return err
	}
	head, err := s.reload(ctx)
	if err != nil {
		return s.told(err)
	}
	s.listen(ctx, head)
	return nil
}

// authorised does something that needs the login, and once more after a new one.
func (s *session) authorised(ctx context.Context, do func() error) error {
	err := do()
	if fault.CodeOf(err) != fault.Unauthenticated {
		return err
	}
	if err := s.again(ctx); err != nil {
		return err
	}
	return do()
}

// again logs in anew after the session has expired.
func (s *session) again(ctx context.Context) error {
	s.line("%s", s.word("login.expired.what"))
	s.api.token = ""
	s.forget()
	return s.withPassword(ctx)
}

// ask reads a password. While the loop's reader owns the terminal, the line comes
// from it, unseen.
func (s *session) ask(prompt string) (string, error) {
	if s.lines == nil || !s.interactive || os.Getenv("ERPILOT_PASSWORD") != "" {
		return s.password(prompt)
	}
	restore, err := terminal.Hide(s.in)
	if err != nil {
		return "", err
	}
	defer restore()
	s.write(prompt)
	line, ok := <-s.lines
	s.line("")
	if !ok {
		return "", terminal.ErrNoPassword
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// interrupt stops the running turn; the second one in a row leaves.
func (s *session) interrupt(ctx context.Context) error {
	s.interrupted++
	switch {
	case !s.interactive, s.interrupted > 1:
		return errLeave
	case s.view.running():
		return s.stop(ctx)
	}
	s.line("%s", s.say("chat.once_more"))
	return nil
}

// Printing. Everything printed passes terminal.Clean here or in the view.

func (s *session) write(t string) { _, _ = io.WriteString(s.out, t) }

func (s *session) line(format string, args ...any) {
	if s.view != nil {
		s.view.interject()
	}
	s.write(terminal.Clean(fmt.Sprintf(format, args...)) + "\n")
}

func params(pairs []string) map[string]string {
	p := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		p[pairs[i]] = terminal.Line(pairs[i+1])
	}
	return p
}

// say is a sentence of the terminal, word one that the page has too.
func (s *session) say(key string, pairs ...string) string {
	return text.Terminal[key].In(s.locale, params(pairs))
}

func (s *session) word(key string, pairs ...string) string {
	return text.Page[key].In(s.locale, params(pairs))
}

// told turns a refusal into its sentence for the person.
func (s *session) told(err error) error {
	var f *fault.Error
	if !errors.As(err, &f) {
		return err
	}
	sentence := terminal.Fault(f.Code, f.Params, s.locale, s.zone)
	if p, ok := errors.AsType[*problem](err); ok && p.status == 0 {
		sentence = s.say("chat.unreachable", "url", s.api.base)
	}
	return &toldError{text: sentence, cause: err}
}

// fail is a refusal of ours with a sentence of the dictionary.
func (s *session) fail(code fault.Code, key string) error {
	return &toldError{text: s.say(key), cause: fault.New(code)}
}

type toldError struct {
	text  string
	cause error
}

func (t *toldError) Error() string { return t.text }
func (t *toldError) Unwrap() error { return t.cause }
