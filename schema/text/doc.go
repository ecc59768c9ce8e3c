// Package text is the one dictionary of what people read: Chinese and English
// side by side, used by the gateway, the terminal, the workflows' details and,
// generated into the page, by the browser.
//
// Texts are whole sentences with named places ({name}); no text is put together
// from pieces.
//
// # Intentional
//
// The page gets its part by code generation, so that a text exists once. Sentences of
// a language model are not here: they are data.
//
// # Rejected
//
// A translation library with plural rules: Chinese has none and the few English ones
// are written out as sentences of their own.
package text
