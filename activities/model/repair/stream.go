package repair

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/erpilot/erpilot/schema/fault"
)

// chunk is one event of a chat-completions stream, or its whole answer.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index int   `json:"index"`
		Delta delta `json:"delta"`
		// Message stands in place of Delta in an answer that is no stream.
		Message      delta   `json:"message"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *usage          `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// maxContinued bounds the data lines of one event.
const maxContinued = 1000

// readStream assembles a chat-completions stream.
func readStream(from io.Reader, a *assembly) ([]byte, error) {
	if err := readEvents(from, a, a.event); err != nil {
		return nil, err
	}
	return a.answer()
}

// readEvents hands each JSON object of an SSE stream to on, until the stream is
// over. A connection that breaks after the finish reason has cost nothing but the
// usage. Whether the reply is whole is for the caller to check.
func readEvents(from io.Reader, a *assembly, on func([]byte) error) error {
	r := bufio.NewReaderSize(from, 32<<10)
	limit := 8*a.max + 64<<10
	var data []byte
	lines := 0
	for {
		line, err := readLine(r, limit)
		if err != nil && !errors.Is(err, io.EOF) {
			if f, ok := errors.AsType[*fault.Error](err); ok {
				return f
			}
			if a.finish == "" {
				return err
			}
			return nil
		}
		value, isData := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case isData:
			value = bytes.TrimSpace(value)
			if lines++; lines > maxContinued || len(data)+len(value) > limit {
				return invalid("an event of the stream is too large")
			}
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case len(line) == 0 && len(bytes.TrimSpace(data)) > 0 && err == nil:
			return invalid("an event of the stream is not JSON")
		case len(line) > 0 && line[0] == '{' && lines == 0:
			// A bare error object, written into a stream that had begun.
			data = line
		}
		if string(data) == "[DONE]" {
			a.drain(r)
			return nil
		}
		if n := len(data); n > 0 && data[n-1] == '}' && json.Valid(data) {
			if err := on(data); err != nil {
				return err
			}
			if a.over {
				a.drain(r)
				return nil
			}
			data, lines = data[:0], 0
		}
		if len(data) == 0 {
			lines = 0
		}
		if err != nil {
			if len(data) > 0 {
				return truncated("cut", "stream was cut inside an event")
			}
			return nil
		}
	}
}

// drain reads the end of a stream, so that its connection can be used again. A
// server that keeps it open costs afterDone and the connection.
func (a *assembly) drain(r io.Reader) {
	if a.settle != nil {
		a.settle(afterDone)
	}
	const most = 4 << 10
	_, _ = io.CopyN(io.Discard, r, most)
}

// event applies one JSON object of the stream.
func (a *assembly) event(data []byte) error {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return invalid("an event of the stream has another shape")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return streamError(c.Error, a.clean)
	}
	a.head(c)
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := a.apply(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason != nil {
			if err := a.finished(*choice.FinishReason); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *assembly) head(c chunk) {
	if c.Model != "" {
		a.call.Model = c.Model
	}
	if c.Usage != nil {
		a.usage = *c.Usage
	}
}

// readWhole takes an answer that is no stream.
func readWhole(from io.Reader, a *assembly) ([]byte, error) {
	body, err := readAll(from, 8*a.max+64<<10)
	if err != nil {
		return nil, err
	}
	// A stream under a wrong content type.
	if b := bytes.TrimSpace(body); bytes.HasPrefix(b, []byte("data:")) || bytes.HasPrefix(b, []byte(":")) {
		return readStream(bytes.NewReader(body), a)
	}
	var c chunk
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, invalid("answer is not a chat completion")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return nil, streamError(c.Error, a.clean)
	}
	a.head(c)
	if len(c.Choices) == 0 {
		return nil, invalid("answer has no choices")
	}
	choice := c.Choices[0]
	if err := a.apply(choice.Message); err != nil {
		return nil, err
	}
	if choice.FinishReason != nil {
		if err := a.finished(*choice.FinishReason); err != nil {
			return nil, err
		}
	}
	return a.answer()
}

// readLine returns one line without its end; io.EOF comes with the last one.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, invalid("a line of the stream is larger than %d bytes", limit)
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

func readAll(from io.Reader, limit int) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(body) > limit {
		return nil, truncated("size", "answer is larger than %d bytes", limit)
	}
	return body, nil
}
