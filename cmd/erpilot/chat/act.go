package chat

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/chat"
	"github.com/erpilot/erpilot/schema/operation"
)

// readingTime is how long a card must have stood on a person's screen before an
// answer can mean it.
const readingTime = 700 * time.Millisecond

// hear does what a line says: a key, a command, an answer or a message. What is
// refused is told, and a person goes on; a pipe ends with it.
func (s *session) hear(ctx context.Context, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	which := strings.TrimSpace(rest)
	var err error
	switch {
	case line == "": // Enter alone never means anything
		return nil
	case word == "y" || word == "n":
		if isNumber(which) {
			err = s.decide(ctx, word == "y", which)
			break
		}
		err = s.message(ctx, line)
	case word == "p" && isNumber(which):
		err = s.proposeAgain(ctx, which)
	case line == "s":
		err = s.stop(ctx)
	case line == "r":
		err = s.resume(ctx)
	case strings.HasPrefix(word, "/"):
		err = s.command(ctx, word, which)
	default:
		err = s.message(ctx, line)
	}
	if errors.Is(err, errLeave) || ctx.Err() != nil {
		return err
	}
	if err != nil && !s.interactive {
		return s.told(err) // a later "y" of a script would mean something else
	}
	if err != nil {
		s.line("! %s", s.told(err).Error())
	}
	return nil
}

// isNumber accepts the number of a card, or none.
func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return s == "" || err == nil
}

// command is one of the words with a slash.
func (s *session) command(ctx context.Context, word, arg string) error {
	switch word {
	case "/quit", "/exit":
		return errLeave
	case "/logout":
		if err := s.authorised(ctx, func() error { return s.logout(ctx) }); err != nil {
			return err
		}
		return errLeave
	case "/new":
		s.close()
		s.conversationID, s.view = "", newView(s)
		s.line("%s", s.word("new"))
		return nil
	case "/list":
		return s.list(ctx)
	case "/open":
		list, err := s.conversations(ctx)
		if err != nil {
			return err
		}
		if n, err := strconv.Atoi(arg); err == nil && n >= 1 && n <= len(list) {
			arg = list[n-1].ConversationID
		}
		return s.open(ctx, arg)
	case "/say":
		return s.post(ctx, arg)
	case "/show":
		s.view.showOpen()
		return nil
	default:
		s.line("%s", s.say("chat.help"))
		return nil
	}
}

func (s *session) conversations(ctx context.Context) ([]chat.Conversation, error) {
	var answer struct {
		Conversations []chat.Conversation `json:"conversations"`
	}
	err := s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodGet, "/api/conversations", nil, &answer, "")
		return err
	})
	return answer.Conversations, err
}

// list prints the conversations, newest first, with what waits in each.
func (s *session) list(ctx context.Context) error {
	list, err := s.conversations(ctx)
	if err != nil {
		return s.told(err)
	}
	if len(list) == 0 {
		s.line("%s", s.word("conversations.none"))
		return nil
	}
	rows := make([][]string, len(list))
	for i, c := range list {
		title, waits := c.Title, ""
		if title == "" {
			title = s.word("untitled")
		}
		if c.NearestDeadline != nil {
			waits = s.word("pending.count", "count", strconv.Itoa(c.PendingCount)) + " · " + terminal.Clock(*c.NearestDeadline, s.zone)
		}
		rows[i] = []string{strconv.Itoa(i + 1), title, terminal.Clock(c.UpdatedAt, s.zone), waits, c.ConversationID}
	}
	s.line("%s", strings.TrimRight(terminal.Table([]string{"#", s.word("conversations"), s.say("chat.updated"), s.say("chat.waits"), "ID"}, rows, 0), "\n"))
	return nil
}

// message sends text: the answer to the open question, or a message of its own.
// It never decides anything.
func (s *session) message(ctx context.Context, line string) error {
	if q := s.view.question(); q != nil {
		return s.answer(ctx, q, line)
	}
	if line == "y" || line == "n" {
		s.line("%s", s.say("chat.nothing_waits"))
		return nil
	}
	return s.post(ctx, line)
}

// post opens a turn with the text, whatever question is open.
func (s *session) post(ctx context.Context, line string) error {
	if s.conversationID == "" {
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	var posted struct {
		TurnID string `json:"turn_id"`
	}
	key := uuid.NewString()
	body := map[string]string{"text": line, "answers": chat.AnswersNothing}
	err := s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodPost, "/api/conversations/"+s.conversationID+"/messages", body, &posted, key)
		return err
	})
	if err == nil {
		s.view.sent(posted.TurnID, line)
	}
	return err
}

// create makes the conversation of the first message.
func (s *session) create(ctx context.Context) error {
	var made chat.Conversation
	if err := s.authorised(ctx, func() error {
		_, err := s.api.do(ctx, http.MethodPost, "/api/conversations", struct{}{}, &made, "")
		return err
	}); err != nil {
		return err
	}
	s.conversationID = made.ConversationID
	s.listen(ctx, 0)
	return nil
}

// answer settles a question: a number picks an option.
func (s *session) answer(ctx context.Context, q *chat.Pending, line string) error {
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Question.Options) {
		line = q.Question.Options[n-1]
	}
	if err := q.Question.Accepts(line); err != nil {
		return err
	}
	err := s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodPost, "/api/pending/"+q.PendingID+"/answer", map[string]string{"answer": line}, nil, "")
		return err
	})
	if err == nil {
		s.view.settleQuestion(q.PendingID, chat.PendingAnswered)
	}
	return err
}

// intent is the id of something that a person wants done once: the same until it
// is known what became of it.
func (s *session) intent(parts ...string) (key, id string) {
	key = strings.Join(parts, "|")
	if s.intents[key] == "" {
		s.intents[key] = uuid.NewString()
	}
	return key, s.intents[key]
}

// decide confirms or cancels the card that stands on the screen.
func (s *session) decide(ctx context.Context, yes bool, which string) error {
	c := s.view.pick(which, (*card).decidable)
	if c == nil && !yes && which != "" {
		c = s.view.pick(which, (*card).leavable)
	}
	switch {
	case c == nil && which == "" && s.view.question() != nil:
		if yes {
			return s.message(ctx, "y")
		}
		return s.message(ctx, "n")
	case c == nil && s.view.openCards() > 1:
		s.line("%s", s.say("chat.which_card"))
		return nil
	case c == nil:
		s.line("%s", s.say("chat.nothing_waits"))
		return nil
	case s.interactive && s.now().Sub(c.shown) < readingTime:
		s.line("%s", s.say("chat.too_fast"))
		return nil
	}
	verb := "cancel"
	if yes {
		verb = "confirm"
	}
	_, id := s.intent(c.OpID, c.PendingID, strconv.Itoa(c.Revision), verb)
	body := map[string]any{"pending_id": c.PendingID, "revision": c.Revision, "digest": c.Digest, "decision_id": id}
	var after operation.Card
	var status int
	err := s.authorised(ctx, func() (err error) {
		status, err = s.api.sure(ctx, http.MethodPost, "/api/op/"+c.OpID+"/"+verb, body, &after, "")
		return err
	})
	switch {
	case err != nil:
		p, ok := errors.AsType[*problem](err)
		if ok && p.status == http.StatusConflict { // somebody or something was first
			s.line("! %s", s.told(err).Error())
			return s.look(ctx, c.OpID)
		}
		return err
	case status == http.StatusAccepted:
		c.queued = true
		s.line("%s", s.word("card.queued", "deadline", terminal.Clock(c.Deadline, s.zone)))
		return nil
	case yes:
		s.view.confirmed(c)
		return nil
	}
	s.view.put(after)
	return nil
}

// look asks what became of an operation; what is still on its way is told by the
// journal.
func (s *session) look(ctx context.Context, opID string) error {
	var now operation.Card
	if _, err := s.api.do(ctx, http.MethodGet, "/api/op/"+opID, nil, &now, ""); err != nil {
		return nil //nolint:nilerr // The stream will tell.
	}
	if now.Status.Terminal() {
		s.view.put(now)
	}
	return nil
}

// proposeAgain asks for a fresh preview of what ended without a write, or for
// another attempt of what failed.
func (s *session) proposeAgain(ctx context.Context, which string) error {
	c := s.view.pick(which, (*card).mayRepropose)
	if c == nil {
		if which == "" && s.view.question() != nil {
			return s.message(ctx, "p")
		}
		s.line("%s", s.say("chat.nothing_again"))
		return nil
	}
	how := "repropose"
	if c.Status == operation.Failed {
		how = "retry"
	}
	var fresh operation.Card
	err := s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodPost, "/api/op/"+c.OpID+"/"+how, struct{}{}, &fresh, "")
		return err
	})
	if err != nil {
		return err
	}
	if fresh.OpID == c.OpID { // another attempt
		c.Status, c.told = operation.Approved, ""
		return nil
	}
	c.ReplacedBy = fresh.OpID
	s.view.put(fresh)
	return nil
}

// stop ends the running turn; what it proposed lives on.
func (s *session) stop(ctx context.Context) error {
	if !s.view.running() {
		s.line("%s", s.say("chat.nothing_runs"))
		return nil
	}
	return s.authorised(ctx, func() error {
		_, err := s.api.sure(ctx, http.MethodPost, "/api/conversations/"+s.conversationID+"/stop", struct{}{}, nil, "")
		return err
	})
}

// resume continues a failed or limited turn.
func (s *session) resume(ctx context.Context) error {
	if s.conversationID == "" || !s.view.resumable() {
		s.line("%s", s.say("chat.nothing_resumes"))
		return nil
	}
	var answer struct {
		TurnID string `json:"turn_id"`
	}
	err := s.authorised(ctx, func() error {
		_, err := s.api.do(ctx, http.MethodPost, "/api/conversations/"+s.conversationID+"/resume", struct{}{}, &answer, "")
		return err
	})
	if err == nil {
		s.view.started(answer.TurnID)
	}
	return err
}
