package planner

import (
	"strings"

	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/text"
)

// propose makes the proposal and reports how it ended; done tells an execution.
func (s *session) propose(c call, intro string, done func(result) *step) *step {
	res, wait := s.need(c)
	if wait != nil {
		wait.text = intro
		return wait
	}
	r := res[0]
	status := r.fields.str("status")
	if status == "" {
		if f := r.failure(s.locale()); f != "" {
			return s.failed(f)
		}
		return s.failed(s.say("结果没有状态", "the result has no status"))
	}
	by := plain(r.fields.str("by"))
	switch status {
	case "executed", "completed":
		st := done(r)
		if r.fields.str("changed_by_person") == "true" {
			st.text += s.say("（确认前有人修改过内容。）", " (A person edited it before it was confirmed.)")
		}
		return st
	case "refused":
		if r.fields.sub("refusal") == nil && r.fields.sub("error") != nil {
			return s.failed(r.failure(s.locale()))
		}
		return s.refused(r.fields)
	case "rejected":
		if by != "" {
			return s.answer("提议被 %s 驳回，什么都没有写入。", "The proposal was rejected by %s. Nothing was written.", by)
		}
		return s.answer("提议被驳回，什么都没有写入。", "The proposal was rejected. Nothing was written.")
	case "cancelled":
		if refusal := r.fields.sub("refusal"); refusal.str("code") == string(fault.DraftChanged) {
			return s.answer("草稿已改到第 %s 版，这份提议作废，什么都没有写入。", "The draft is at revision %s now, so this proposal no longer counts. Nothing was written.", plain(refusal.str("new")))
		}
		return s.answer("提议已取消，什么都没有写入。", "The proposal was cancelled. Nothing was written.")
	case "expired":
		return s.answer("提议已过期，没有人及时确认，什么都没有写入。", "The proposal has expired before anybody confirmed it. Nothing was written.")
	case "abandoned":
		return s.answer("原生表单没有保存，什么都没有写入。", "The native form was never saved. Nothing was written.")
	case "failed":
		return s.answer("执行失败，什么都没有写入。可以在卡片上重试。", "The write failed; nothing was written. You can retry on the card.")
	case "reconciling", "needs_person":
		return s.answer("写入结果尚不确定，正在核对。请看卡片，不要重复下单。", "The outcome is not known yet and is being looked up. Watch the card and do not order again.")
	default:
		return s.answer("提议尚未执行（%s），什么都没有写入。", "The proposal has not been executed (%s). Nothing was written yet.", plain(status))
	}
}

// refused names the fact that moved, with its old and its new value.
func (s *session) refused(fields row) *step {
	r := fields.sub("refusal")
	params := fault.Params{"object": r.str("fact"), "old": r.str("old"), "new": r.str("new"), "detail": r.str("detail")}
	if f := r.sub("fact"); f != nil {
		label := f.sub("label").str("en")
		if s.zh {
			label = f.sub("label").str("zh")
		}
		params["object"] = orElse(f.str("object"), f.str("key"))
		params["label"] = orElse(label, f.str("field"))
		params["form"] = f.str("form")
	}
	for k, v := range params {
		params[k] = plain(v)
	}
	code := fault.Code(r.str("code"))
	if _, known := text.Faults[code]; !known {
		return s.failed(orElse(r.str("detail"), s.say("ERP 拒绝了这次写入", "the ERP refused the write")))
	}
	st := &step{text: text.Fault(code, params, s.locale())}
	if !strings.Contains(st.text, "没有写入") && !strings.Contains(st.text, "othing was written") {
		st.text = strings.TrimRight(st.text, "。.") + s.say("。什么都没有写入。", ". Nothing was written.")
	}
	st.text += s.say("需要的话，请在卡片上点击“重新提议”。", " If you still want it, press \"Propose again\" on the card.")
	return st
}
