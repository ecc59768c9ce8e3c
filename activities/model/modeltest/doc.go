// Package modeltest is a local server that speaks the wire formats of model
// providers from a script: OpenAI chat completions as JSON and SSE, Ollama's
// flavour of them, and Anthropic's messages as JSON and SSE. It can misbehave in every way that
// providers were seen to.
//
// It serves tests of this repository and manual trials; it imports no testing.
//
// Each request takes the next Step. A request beyond the script gets HTTP 400
// and is remembered in Unexpected.
package modeltest
