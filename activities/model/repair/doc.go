// Package repair is the HTTP client below langchaingo.
//
// langchaingo v0.1.14 assembles streams wrongly: it ignores the index of a tool
// call (interleaved parallel calls get each other's arguments), stops at lines
// over 64 KiB, swallows error objects in the middle of a stream, takes a cut
// stream for a finished one and loses the HTTP status. So this client reads the
// provider's stream itself, gives the text to the caller as it comes, and hands
// langchaingo one whole, plain, non-streaming answer. langchaingo's own stream
// parser never runs.
//
// # One call
//
// A Call travels in the context. It takes the deltas, and at the end it holds
// either Complete or Err. What langchaingo says about an error does not count:
// it replaces error texts and hides context errors.
//
// # Failure handling
//
// Every way out is a *fault.Error or the caller's own ctx.Err(). A stream ends
// well only when the provider said why it finished. It is bounded by silence
// (Idle), by time (Total), by the size of the reply, by the bytes on the wire
// and by the context. Nothing is retried here; retries belong to the caller.
// Keys are cut out of every text that came from a provider.
//
// # Intentional
//
//   - Strings of a stream are collected as raw JSON and unquoted once at the end,
//     so that a rune or an escape split over two deltas comes out whole.
//   - Arguments that are not JSON pass through untouched: telling the model is
//     the caller's work, and {} in their place would be a wrong write.
//   - A reply that hit its length limit while it asked for tools is an error.
//
// # Rejected
//
//   - Re-emitting a repaired stream to langchaingo: its parser still reports a
//     deadline in mid-stream as success in two of three runs.
//   - Following redirects: they would carry the key to another host.
package repair
