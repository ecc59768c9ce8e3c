package modeltest

import "net/http"

// Step is one scripted answer. The zero value is an empty reply that stops.
type Step struct {
	Text      string
	Reasoning string
	Calls     []Call
	// Finish is the reason in OpenAI's words ("stop", "tool_calls", "length",
	// "content_filter"); empty means the one that fits. Anthropic gets its own word.
	Finish string
	// Piece is how many bytes of a string go into one delta; zero means 7. Runes
	// stay whole unless Split is set.
	Piece int
	// Split cuts deltas inside runes, as a server does that cuts bytes.
	Split bool
	// Whole answers with plain JSON although a stream was asked for.
	Whole bool
	// Shape is how tool calls are spelt in a stream.
	Shape Shape
	// Fault is what goes wrong after the first deltas.
	Fault Fault

	// Status other than 0 and 200 answers with an error object.
	Status int
	// Message is the text of the error object.
	Message string
	// Header is added to the answer (Retry-After).
	Header http.Header
	// Raw replaces the stream: each element is one line, written as it is with a
	// line feed. RawBody replaces a whole answer.
	Raw     []string
	RawBody string
	// Wait holds the answer back until it is closed; nil does not wait.
	Wait <-chan struct{}
}

// Call is one tool call of a Step.
type Call struct {
	ID   string
	Tool string
	// Arguments are sent as they are, JSON or not. Anthropic sends objects on the
	// wire, so there malformed arguments become a JSON string.
	Arguments string
}

// Shape is a way to spell tool calls in a stream.
type Shape int

const (
	// ByIndex is OpenAI's: id and name first, then arguments by index.
	ByIndex Shape = iota
	// Interleaved sends pieces of all calls in turn.
	Interleaved
	// TypeInEach repeats id, type and name in each delta (LM Studio).
	TypeInEach
	// NoIndex leaves the index out.
	NoIndex
	// SameIndex gives each call index 0 and its arguments in one piece (older Ollama).
	SameIndex
	// ObjectArguments sends the arguments as an object instead of a string.
	ObjectArguments
)

// Fault is a way to misbehave.
type Fault int

const (
	// Well does nothing wrong.
	Well Fault = iota
	// Cut closes the connection in the middle of the answer.
	Cut
	// NoFinish ends the stream cleanly without a finish reason.
	NoFinish
	// DoneOnly sends [DONE] without a finish reason.
	DoneOnly
	// Endless streams text for ever.
	Endless
	// KeepAlive streams comments for ever.
	KeepAlive
	// Stall sends the first deltas and then nothing.
	Stall
	// Silent sends nothing, not even headers.
	Silent
	// ErrorObject sends an error object in the middle of the stream.
	ErrorObject
	// Garbage sends an event that is not JSON.
	Garbage
	// HugeLine puts a comment of 1 MiB and all text into single lines.
	HugeLine
	// Trailing sends an empty delta with a null finish reason after the finish.
	Trailing
	// NoDone closes without [DONE] after the finish reason.
	NoDone
	// HangAfterFinish sends the finish reason and then nothing, unclosed.
	HangAfterFinish
)
