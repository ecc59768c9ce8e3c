package planner

import (
	"encoding/json"

	"github.com/erpilot/erpilot/schema/tool"
)

// settled makes a proposal and returns its result once it is written; the step is
// set while it waits and when nothing was written.
func (s *session) settled(c call, intro string) (result, *step) {
	var out result
	st := s.propose(c, intro, func(r result) *step {
		out = r
		return &step{}
	})
	if out.fields != nil {
		return out, nil
	}
	return result{}, st
}

// take proposes an action of a record, such as examine.
func take(form, action, number, reason string) call {
	args := map[string]any{"form": form, "action": action, "target": number}
	if reason != "" {
		args["reason"] = reason
	}
	return call{tool.ProposeWrite, args}
}

// draft saves values as a draft and returns the proposal that creates it. id
// continues a draft, "" begins one.
func (s *session) draft(form, id string, values map[string]any) (call, *step) {
	args := map[string]any{"form": form, "values": values}
	if id != "" {
		args["draft_id"] = id
	}
	res, wait := s.need(call{tool.SaveDraft, args})
	if wait != nil {
		return call{}, wait
	}
	if f := res[0].failure(s.locale()); f != "" {
		return call{}, s.failed(f)
	}
	saved, revision := res[0].fields.str("draft_id"), res[0].fields.str("revision")
	if saved == "" || revision == "" {
		return call{}, s.failed(s.say("草稿没有编号", "the draft has no id"))
	}
	return call{tool.ProposeWrite, map[string]any{"form": form, "action": tool.ActionCreate, "draft_id": saved, "draft_revision": json.Number(revision)}}, nil
}
