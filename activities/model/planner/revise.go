package planner

import (
	"maps"
	"strings"
)

// reviseDraft carries "change the draft to 12 boxes of A": it saves the last draft
// of the conversation again with other lines, which supersedes a proposal of it
// that still waits, and proposes it anew. m is the lines.
func reviseDraft(s *session, m []string) *step {
	if s.drafted == nil {
		return s.answer("这个对话里还没有草稿。", "There is no draft in this conversation yet.")
	}
	form, id := s.drafted.form, s.drafted.id
	o := parseOrder(m[1])
	if o.unclear != "" || len(o.lines) == 0 {
		return s.unclearLines(o, m[1])
	}
	lines, wait := s.codes(o)
	if wait != nil {
		return wait
	}
	values := maps.Clone(map[string]any(s.drafted.values))
	values["lines"] = lines
	if wait := s.headerValues(form, values, o); wait != nil {
		return wait
	}
	propose, wait := s.draft(form, id, values)
	if wait != nil {
		return wait
	}
	d := documentBy(form)
	if d == nil {
		return nil
	}
	intro := s.say("%[1]s草稿已改好；之前还在等待确认的提议作废。请在新的卡片上核对并确认。", "The draft of the %[2]s is changed; a proposal of it that still waited no longer counts. Please check and confirm the new card.", d.zh, d.en)
	r, wait := s.settled(propose, intro)
	if wait != nil {
		return wait
	}
	return s.made(d, r, false)
}

// drafted is the last draft of the conversation before this message.
type drafted struct {
	form, id string
	values   row
}

// draftOf reads a draft out of its call and result; nil when it was not saved.
func draftOf(args row, r result) *drafted {
	d := &drafted{form: args.str("form"), id: r.fields.str("draft_id"), values: args.sub("values")}
	if d.form == "" || d.id == "" || d.values == nil || strings.TrimSpace(r.failure("en")) != "" {
		return nil
	}
	return d
}
