package chat

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// silence is how long a stream may say nothing; the gateway sends a heartbeat
// every 15 s.
const silence = 45 * time.Second

// maxEvent bounds one line of the stream.
const maxEvent = 8 << 20

// frame is an AG-UI event as far as the terminal needs it.
type frame struct {
	Type         string          `json:"type"`
	Name         string          `json:"name"`
	Value        json.RawMessage `json:"value"`
	MessageID    string          `json:"messageId"`
	ActivityType string          `json:"activityType"`
	Content      json.RawMessage `json:"content"`
	Delta        string          `json:"delta"`
	RunID        string          `json:"runId"`
	Outcome      struct {
		Type string `json:"type"`
	} `json:"outcome"`
	RawEvent *struct {
		TurnID  string `json:"turn_id"`
		Attempt int    `json:"attempt"`
		Offset  int    `json:"offset"`
	} `json:"rawEvent"`
}

// stored reports whether the frame belongs to a stored event, whose last frame
// carries the id.
func (f frame) stored() bool {
	switch {
	case f.RawEvent != nil, f.Type == "CUSTOM" && (f.Name == "erpilot.reasoning" || f.Name == "erpilot.message_reset" || f.Name == "erpilot.resync"):
		return false
	case f.Type == "CUSTOM" && f.Name == "erpilot.login_expired":
		var v struct {
			Seq int64 `json:"seq"`
		}
		return json.Unmarshal(f.Value, &v) == nil && v.Seq > 0
	}
	return true
}

// news is what the stream tells the loop.
type news struct {
	// frames are those of one stored event, or one passing frame.
	frames []frame
	// lost is the number of failed attempts since the stream was last alive; back
	// says that it is alive again.
	lost int
	back bool
	// gone and login end the stream: no such conversation, login expired.
	gone, login bool
	// resync says that the state must be read anew; the stream goes on by itself.
	resync bool
}

// follow reads the events of a conversation after the cursor until ctx ends or
// the stream tells gone or login. It reconnects by itself; every stored event is
// told once.
func follow(ctx context.Context, a api, conversationID string, cursor int64, tell chan<- news) {
	s := &stream{api: a, path: "/api/conversations/" + conversationID + "/events", cursor: cursor, tell: tell}
	for attempt := 0; ctx.Err() == nil; {
		alive, ended := s.once(ctx, attempt > 0)
		if ended {
			return
		}
		if alive {
			attempt = 0
			if s.polite {
				_ = pause(ctx, 100*time.Millisecond) // the loop looks at ctx
				continue
			}
		}
		attempt++
		s.say(ctx, news{lost: attempt})
		_ = pause(ctx, backoff(attempt))
	}
}

type stream struct {
	api    api
	path   string
	cursor int64
	tell   chan<- news
	// held are frames of a stored event whose last one has not come.
	held []frame
	// polite says that the gateway ended the connection with a bye.
	polite bool
}

func (s *stream) say(ctx context.Context, n news) {
	select {
	case s.tell <- n:
	case <-ctx.Done():
	}
}

// once is one connection: alive says that it was opened, ended that there is
// nothing more to follow.
func (s *stream) once(ctx context.Context, again bool) (alive, ended bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	s.held, s.polite = nil, false
	cursor := strconv.FormatInt(s.cursor, 10)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.api.base+s.path+"?after="+cursor, nil)
	if err != nil {
		return false, false
	}
	s.api.headers(req)
	req.Header.Set("Accept", "text/event-stream")
	if s.cursor > 0 {
		req.Header.Set("Last-Event-ID", cursor)
	}
	resp, err := s.api.client.Do(req)
	if err != nil {
		return false, false
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized:
		s.say(ctx, news{login: true})
		return false, true
	case http.StatusNotFound:
		s.say(ctx, news{gone: true})
		return false, true
	default:
		return false, false
	}
	if again {
		s.say(ctx, news{back: true})
	}
	s.read(ctx, &awake{r: resp.Body, timer: quiet})
	return true, false
}

// awake puts off the silence with each byte.
type awake struct {
	r     io.Reader
	timer *time.Timer
}

func (a *awake) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if n > 0 {
		a.timer.Reset(silence)
	}
	return n, err
}

// read takes events until the connection ends.
func (s *stream) read(ctx context.Context, r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxEvent)
	var (
		data []byte
		id   int64
		name string
	)
	for lines.Scan() {
		line := lines.Bytes()
		if len(line) == 0 {
			if name == "bye" {
				s.polite = true
			} else if len(data) > 0 {
				s.event(ctx, data, id)
			}
			data, id, name = nil, 0, ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "data":
			data = append(append(data, value...), '\n')
		case "id":
			id, _ = strconv.ParseInt(string(value), 10, 64) // 0: no id
		case "event":
			name = string(value)
		}
	}
}

// event takes one event. Frames of a stored one are held until the id comes;
// those of an event that came before are dropped.
func (s *stream) event(ctx context.Context, data []byte, id int64) {
	var f frame
	if json.Unmarshal(data, &f) != nil {
		return // not ours; the next one may be
	}
	switch {
	case f.Type == "CUSTOM" && f.Name == "erpilot.resync":
		s.held = nil
		if id > 0 {
			s.cursor = id
		}
		s.say(ctx, news{resync: true})
	case !f.stored():
		s.say(ctx, news{frames: []frame{f}})
	case id == 0:
		s.held = append(s.held, f)
	default:
		frames := slices.Concat(s.held, []frame{f})
		s.held = nil
		if id <= s.cursor {
			return
		}
		s.cursor = id
		s.say(ctx, news{frames: frames})
	}
}
