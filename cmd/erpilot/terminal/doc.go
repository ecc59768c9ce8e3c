// Package terminal is what the commands for people have in common: tables that
// know how wide Chinese is, Markdown drawn as text while it streams in, times as
// people read them, the language, and prompts.
//
// Whatever comes from the ERP, the model or another person passes Clean before
// it is printed: control characters would let data drive the reader's terminal.
package terminal
