package planner

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
		if f := r.failure(); f != "" {
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
		return s.refused(r.fields)
	case "rejected":
		if by != "" {
			return s.answer("提议被 %s 驳回，什么都没有写入。", "The proposal was rejected by %s. Nothing was written.", by)
		}
		return s.answer("提议被驳回，什么都没有写入。", "The proposal was rejected. Nothing was written.")
	case "cancelled":
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

// refusals say what a refusal means in a few words.
var refusals = map[string]word{
	"draft_changed":     {"", "草稿已被修改", "the draft was changed"},
	"quote_changed":     {"", "价格或折扣已变化", "a price or discount has changed"},
	"stock_changed":     {"", "库存已变化", "a stock level has changed"},
	"record_changed":    {"", "记录已被他人修改", "the record was edited by someone else"},
	"state_changed":     {"", "单据状态已变化", "the state of the document has changed"},
	"contract_changed":  {"", "工具版本已变化", "the tool's version has changed"},
	"permission_denied": {"", "没有权限", "there is no permission"},
	"validation_failed": {"", "ERP 校验未通过", "the ERP found it invalid"},
	"expired":           {"", "已过期", "it had expired"},
}

// refused names the fact that moved, with its old and its new value.
func (s *session) refused(fields row) *step {
	r := fields.sub("refusal")
	w, ok := refusals[r.str("code")]
	if !ok {
		w = word{zh: orElse(r.str("code"), "?"), en: orElse(r.str("code"), "?")}
	}
	text := s.say("什么都没有写入：%[1]s", "Nothing was written: %[2]s", w.zh, w.en)
	fact := plain(r.str("fact"))
	if f := r.sub("fact"); f != nil {
		label := f.sub("label").str("en")
		if s.zh {
			label = f.sub("label").str("zh")
		}
		fact = plain(orElse(f.str("object"), f.str("key")) + " " + orElse(label, f.str("field")))
	}
	if fact != "" {
		text += s.say("。%s", ". %s", fact)
	}
	if o, n := r.str("old"), r.str("new"); o != "" || n != "" {
		text += s.say("：原为 **%s**，现为 **%s**", ": was **%s**, is **%s** now", plain(o), plain(n))
	}
	if d := r.str("detail"); d != "" {
		text += s.say("（%s）", " (%s)", plain(d))
	}
	return &step{text: text + s.say("。需要的话，请在卡片上点击“重新提议”。", ". If you still want it, press \"Propose again\" on the card.")}
}
