package planner

import (
	"regexp"
	"strings"

	"github.com/erpilot/erpilot/schema/tool"
)

// verb is an action of documents as people say it.
type verb struct {
	action string
	words  []string
	// zh and en tell what was done, with the document in %s.
	zh, en string
	// askZh and askEn are what the card is about.
	askZh, askEn string
}

// verbs: the longer words come first, because 反审核 holds 审核.
var verbs = []verb{
	{tool.ActionUnexamine, []string{"反审核", "取消审核", "弃审", "unexamine", "un-examine"}, "%s 已反审核，它的库存和往来影响已撤回。", "%s is no longer examined; its effects on stock and balances are taken back.", "反审核", "unexamine"},
	{tool.ActionExamine, []string{"审核", "examine"}, "%s 已审核。", "%s has been examined.", "审核", "examine"},
	{tool.ActionSubmit, []string{"提交", "submit"}, "%s 已提交。", "%s has been submitted.", "提交", "submit"},
	{tool.ActionWithdraw, []string{"撤回", "withdraw"}, "%s 已撤回为草稿。", "%s is a draft again.", "撤回", "withdraw"},
	{tool.ActionClose, []string{"关闭", "结案", "close"}, "%s 已关闭。", "%s has been closed.", "关闭", "close"},
	{tool.ActionDelete, []string{"删除", "delete"}, "%s 已删除。", "%s has been deleted.", "删除", "delete"},
	{tool.ActionCancel, []string{"取消", "作废", "撤销", "cancel", "void"}, "", "", "取消", "cancel"},
}

const (
	verbsZh   = `(反审核|取消审核|弃审|审核|提交|撤回|关闭|结案|删除|取消|作废|撤销)`
	verbsEn   = `(unexamine|un-examine|examine|submit|withdraw|close|delete|cancel|void)`
	becauseZh = `(?:\s*[，,]?\s*(?:原因|理由|因为)\s*(?:是|为|[:：])?\s*(.+))?`
	becauseEn = `(?:\s*[,;]?\s*(?:because|reason:?|since)\s+(.+))?`
)

func verbOf(word string) *verb {
	for i, v := range verbs {
		for _, w := range v.words {
			if strings.EqualFold(w, word) {
				return &verbs[i]
			}
		}
	}
	return nil
}

// actOn carries "examine SO-…", "cancel PO-… because …". m is verb, number, reason.
func actOn(s *session, m []string) *step {
	v, number := verbOf(m[1]), strings.ToUpper(m[2])
	d := documentOf(number)
	if v == nil || d == nil {
		return nil
	}
	reason := ""
	if len(m) > 3 {
		reason = strings.TrimSpace(m[3])
	}
	if v.action == tool.ActionCancel {
		return s.cancel(d, number, reason)
	}
	intro := s.say("请在卡片上确认：%[1]s%[3]s %[5]s。", "Please confirm on the card: %[2]s %[4]s %[5]s.", v.askZh, v.askEn, d.zh, d.en, plain(number))
	r, wait := s.settled(take(d.form, v.action, number, reason), intro)
	if wait != nil {
		return wait
	}
	return s.answer(v.zh, v.en, upperFirst(d.titled(s, number, r.fields.str("link"))))
}

// cancel proposes to cancel a document and says what cancelling does not do.
func (s *session) cancel(d *document, number, reason string) *step {
	intro := s.say("请在卡片上确认取消%[1]s %[3]s。", "Please confirm on the card that %[2]s %[3]s is to be cancelled.", d.zh, d.en, plain(number))
	r, wait := s.settled(take(d.form, tool.ActionCancel, number, reason), intro)
	if wait != nil {
		return wait
	}
	return s.answer("%[1]s %[3]s 已取消。取消不会退款：没有发生任何退款。", "%[2]s %[3]s has been cancelled. Cancelling refunds nothing: no refund was made.",
		d.zh, upperFirst(d.en), linkTo(d.form, number, r.fields.str("link")))
}

// ready brings a source document to examined, one confirmed step after the other;
// the step is set while one waits, or when the document cannot be drawn from.
func (s *session) ready(d *document, number string, r row) *step {
	status := r.str("status")
	if status == "draft" {
		intro := s.say("%[1]s %[2]s 还是草稿，要先提交。请在卡片上确认提交。", "%[3]s %[2]s is still a draft and must be submitted first. Please confirm on the card.", d.zh, plain(number), upperFirst(d.en))
		if _, wait := s.settled(take(d.form, tool.ActionSubmit, number, ""), intro); wait != nil {
			return wait
		}
		status = "submitted"
	}
	switch status {
	case "submitted":
		intro := s.say("%[1]s %[2]s 还没有审核，要先审核。请在卡片上确认审核，之后我会接着做。", "%[3]s %[2]s is not examined yet, which must come first. Please confirm on the card; I go on after that.", d.zh, plain(number), upperFirst(d.en))
		_, wait := s.settled(take(d.form, tool.ActionExamine, number, ""), intro)
		return wait
	case "closed":
		return s.answer("%[1]s %[2]s 已完结，没有剩余可以继续。什么都没有写入。", "%[3]s %[2]s is closed; nothing of it is left. Nothing was written.", d.zh, plain(number), upperFirst(d.en))
	case "cancelled":
		return s.answer("%[1]s %[2]s 已取消，不能继续。什么都没有写入。", "%[3]s %[2]s was cancelled, so nothing can be made of it. Nothing was written.", d.zh, plain(number), upperFirst(d.en))
	}
	return nil
}

// thenExamine asks for the new document to be examined as well.
var thenExamine = regexp.MustCompile(`(?i)[，,；;]?\s*(?:并且|并|然后|再|同时)\s*审核(?:它|掉|一下)?\s*$|[,;]?\s*(?:and|then|and then)\s+examine(?:\s+it)?\s*$`)
