//go:build unix

package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/erpilot/erpilot/schema/demo"
	"github.com/erpilot/erpilot/schema/operation"
)

// person is somebody at a page.
type person struct {
	base, token string
	http        *http.Client
}

// login opens a session of a demo user.
func (p *place) login(ctx context.Context, username string) (*person, error) {
	who := &person{base: p.base, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	var out struct{ Token string }
	err := who.post(ctx, "/api/login", map[string]string{"brand": "yunfan", "subsidiary": "shanghai", "username": username, "password": demo.Password}, &out)
	who.token = out.Token
	return who, err
}

func (w *person) request(ctx context.Context, method, path string, body any) (*http.Response, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Idempotency-Key", uuid.NewString())
	return w.http.Do(req)
}

func (w *person) post(ctx context.Context, path string, body, out any) error {
	res, err := w.request(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s: %s: %s", path, res.Status, raw)
	}
	return json.Unmarshal(raw, out)
}

// screen is an open conversation with its event stream.
type screen struct {
	*person
	conversation string
	frames       chan frame
	failed       chan error
	close        func()
}

// frame is one event and when it came.
type frame struct {
	at        time.Time
	Type      string          `json:"type"`
	Name      string          `json:"name"`
	Activity  string          `json:"activityType"`
	Content   json.RawMessage `json:"content"`
	RunID     string          `json:"runId"`
	MessageID string          `json:"messageId"`
	Outcome   struct {
		Type string `json:"type"`
	} `json:"outcome"`
}

// open begins a conversation and watches it.
func (w *person) open(ctx context.Context) (*screen, error) {
	var c struct {
		ConversationID string `json:"conversation_id"`
	}
	if err := w.post(ctx, "/api/conversations", map[string]string{}, &c); err != nil {
		return nil, err
	}
	streaming, cancel := context.WithCancel(ctx)
	res, err := w.request(streaming, http.MethodGet, "/api/conversations/"+c.ConversationID+"/events", nil) //nolint:bodyclose // The reader closes it.
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		cancel()
		return nil, errors.Join(errors.New("events: "+res.Status), res.Body.Close())
	}
	s := &screen{person: w, conversation: c.ConversationID, frames: make(chan frame, 1000), failed: make(chan error, 1)}
	done := make(chan struct{})
	s.close = func() { cancel(); <-done }
	go func() {
		defer close(done)
		defer res.Body.Close()
		s.failed <- s.read(res.Body)
	}()
	return s, nil
}

func (s *screen) read(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		f := frame{at: time.Now()}
		if err := json.Unmarshal([]byte(data), &f); err != nil {
			return err
		}
		s.frames <- f
	}
	return errors.Join(errors.New("the stream ended"), lines.Err())
}

// until reads frames to the first that fits.
func (s *screen) until(ctx context.Context, fits func(frame) bool) (frame, error) {
	for {
		select {
		case f := <-s.frames:
			if f.Type == "RUN_ERROR" {
				return f, fmt.Errorf("the turn failed: %+v", f)
			}
			if fits(f) {
				return f, nil
			}
		case err := <-s.failed:
			return frame{}, err
		case <-ctx.Done():
			return frame{}, ctx.Err()
		}
	}
}

// posted is what the screen shows of one turn.
type posted struct {
	sent, accepted, firstToken, ended time.Time
	workflowID                        string
}

// say posts a message and watches the turn to its end.
func (s *screen) say(ctx context.Context, text string, n int) (posted, error) {
	p := posted{sent: time.Now(), workflowID: fmt.Sprintf("turn-%s-%d", s.conversation, n)}
	var out struct{}
	if err := s.post(ctx, "/api/conversations/"+s.conversation+"/messages", map[string]string{"text": text}, &out); err != nil {
		return p, err
	}
	p.accepted = time.Now()
	last, err := s.until(ctx, func(f frame) bool {
		if f.Type == "TEXT_MESSAGE_CONTENT" && p.firstToken.IsZero() {
			p.firstToken = f.at
		}
		return f.Type == "RUN_FINISHED"
	})
	p.ended = last.at
	return p, err
}

// propose has an order drafted and returns the card that waits.
func (s *screen) propose(ctx context.Context) (operation.Card, error) {
	var card operation.Card
	var out struct{}
	if err := s.post(ctx, "/api/conversations/"+s.conversation+"/messages", map[string]string{"text": sayOrder}, &out); err != nil {
		return card, err
	}
	pending, suspended := false, false
	_, err := s.until(ctx, func(f frame) bool {
		if f.Activity == "erpilot.write_proposal" && f.Type == "ACTIVITY_SNAPSHOT" {
			_ = json.Unmarshal(f.Content, &card) // an empty card fails at the confirmation
		}
		pending = pending || f.Name == "erpilot.approval_pending"
		suspended = suspended || f.Type == "RUN_FINISHED"
		return pending && suspended
	})
	return card, err
}

// confirmed is what became of one confirmation.
type confirmed struct {
	sent, answered, shown, ended time.Time
}

// confirm approves the card and watches until the turn has ended.
func (s *screen) confirm(ctx context.Context, card operation.Card) (confirmed, error) {
	c := confirmed{sent: time.Now()}
	var out json.RawMessage
	if err := s.post(ctx, "/api/op/"+card.OpID+"/confirm", map[string]any{"pending_id": card.PendingID, "revision": card.Revision,
		"digest": card.Digest, "decision_id": uuid.NewString()}, &out); err != nil {
		return c, err
	}
	c.answered = time.Now()
	last, err := s.until(ctx, func(f frame) bool {
		if f.Name == "erpilot.op_result" {
			c.shown = f.at
		}
		return f.Type == "RUN_FINISHED"
	})
	c.ended = last.at
	return c, err
}
