package model

import (
	_ "embed"
	"strings"

	"github.com/erpilot/erpilot/activities/model/envelope"
)

// promptText is the system prompt but for what a turn adds.
//
//go:embed prompt.md
var promptText string

// Prompt is what the system prompt of one turn is made of.
type Prompt struct {
	// DomainMap lists the domains and their forms, within the person's grants.
	// Empty means that the model must ask find_forms.
	DomainMap string
	// Skills list the playbooks, one line each: name and when. Empty means none.
	Skills string
	// Locale is "zh" or "en", the person's setting; the model answers in the
	// language of the message and falls back to this one.
	Locale string
	// Today is the person's date, "2006-01-02". Empty leaves it out.
	Today string
	// Zone is the person's time zone, such as "Asia/Shanghai". Empty leaves it out.
	Zone string
}

// System returns the system prompt. Equal prompts give equal text, so that
// providers can cache it.
func (p Prompt) System() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(promptText))
	section := func(title, text string) {
		if text = strings.TrimSpace(text); text != "" {
			b.WriteString("\n\n# " + title + "\n\n" + text)
		}
	}
	section("Domains and forms", p.DomainMap)
	section("Playbooks", p.Skills)
	language := "Chinese (简体中文)"
	if p.Locale == "en" {
		language = "English"
	}
	here := "Answer in the language of the person's last message; when in doubt in " + language + "."
	if p.Today != "" {
		here += "\nToday is " + p.Today + "."
	}
	if p.Zone != "" {
		here += "\nThe ERP tells moments in UTC; tell them in the person's time zone, which is " + p.Zone + "."
	}
	section("Here and now", here)
	return b.String() + "\n"
}

// Envelope marks a tool result as ERP data, so that nothing in it can pass for an
// instruction: the text is JSON in which every < is escaped, and so it cannot
// close its envelope. Every RoleTool entry of a transcript goes through it.
func Envelope(toolResult string) string { return envelope.Wrap(toolResult) }
