package planner

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/erpilot/erpilot/schema/tool"
)

// entity is a form whose records people call by name.
type entity struct{ form, zh, en string }

var (
	customer = entity{"customer", "客户", "customer"}
	product  = entity{"product", "产品", "product"}
	// code is what a key looks like, such as C-0001.
	code = regexp.MustCompile(`^(?:[A-Za-z]{1,6}(?:-[A-Za-z0-9]+)*-[A-Za-z]*[0-9]+|[A-Za-z]{1,3}[0-9]{3,})$`)
)

// maxOptions is what one question may offer.
const maxOptions = tool.MaxOptions

// searches are the reads that find records called so.
func (e entity) searches(text string) []call {
	by := func(field, op string) call {
		return readForm(e.form, where(field, op, text))
	}
	switch {
	case code.MatchString(text):
		return []call{readForm(e.form, where("code", "eq", strings.ToUpper(text)))}
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }):
		return []call{by("name", "contains")}
	default:
		return []call{by("name_en", "contains"), by("name", "contains")}
	}
}

// maxRetellings is how often an answer that fits nothing offered is looked up anew.
const maxRetellings = 2

// one finds the record that the person means: by reading, and by asking when
// there are several. The step is set when there is no record yet.
func (s *session) one(e entity, text string) (row, *step) {
	for try := 0; ; try++ {
		text = strings.Trim(strings.TrimSpace(text), `"'“”「」《》`)
		if text == "" {
			return nil, s.answer("请告诉我%[1]s的名称或编码。", "Please tell me the name or code of the %[2]s.", e.zh, e.en)
		}
		res, wait := s.need(e.searches(text)...)
		if wait != nil {
			return nil, wait
		}
		rows, bad := s.merge(res)
		if bad != nil {
			return nil, bad
		}
		if r := pick(rows, text); r != nil {
			return r, nil
		}
		if len(rows) == 0 {
			return nil, s.answer("没有找到%[1]s“%[2]s”。请检查名称或编码。什么都没有写入。", "I found no %[3]s called \"%[2]s\". Please check the name or the code. Nothing was written.", e.zh, plain(text), e.en)
		}
		if try == maxRetellings {
			return nil, s.answer("“%[1]s”仍然对应多个%[2]s，请给出编码。", "\"%[1]s\" still fits several %[3]ss. Please give the code.", plain(text), e.zh, e.en)
		}
		answer, wait := s.which(e, text, rows)
		if wait != nil {
			return nil, wait
		}
		if r := chosen(rows, answer); r != nil {
			return r, nil
		}
		text = answer
	}
}

// merge joins the rows of several reads, each record once.
func (s *session) merge(results []result) ([]row, *step) {
	var out []row
	seen := map[string]bool{}
	for _, r := range results {
		if f := r.failure(s.locale()); f != "" {
			return nil, s.failed(f)
		}
		for _, x := range r.rows() {
			if k := x.str("code"); !seen[k] {
				seen[k] = true
				out = append(out, x)
			}
		}
	}
	return out, nil
}

// pick is the only row, or the only one called exactly so.
func pick(rows []row, text string) row {
	if len(rows) == 1 {
		return rows[0]
	}
	var same []row
	for _, r := range rows {
		if slices.ContainsFunc([]string{"code", "name", "name_en"}, func(f string) bool { return strings.EqualFold(r.str(f), text) }) {
			same = append(same, r)
		}
	}
	if len(same) == 1 {
		return same[0]
	}
	return nil
}

// chosen is the row that an answer names: by its option or its code alone.
func chosen(rows []row, answer string) row {
	for _, r := range rows {
		if code := r.str("code"); code != "" && (strings.HasSuffix(answer, "("+code+")") || strings.EqualFold(answer, code)) {
			return r
		}
	}
	return pick(rows, answer)
}

// which asks for one of several records.
func (s *session) which(e entity, text string, rows []row) (string, *step) {
	var options []string
	for _, r := range rows[:min(len(rows), maxOptions)] {
		options = append(options, s.name(r)+" ("+r.str("code")+")")
	}
	question := s.say("“%[1]s”对应多个%[2]s，您指哪一个？", "\"%[1]s\" fits several %[3]ss. Which one do you mean?", text, e.zh, e.en)
	if len(rows) > maxOptions {
		question += s.say("（只列出前 %d 个，也可以直接输入名称或编码）", " (These are the first %d; you can also type a name or a code.)", maxOptions)
	}
	return s.ask(question, options, true)
}

// ask puts a question and returns the answer.
func (s *session) ask(question string, options []string, free bool) (string, *step) {
	res, wait := s.need(call{tool.AskUser, map[string]any{"question": question, "options": options, "allow_free_text": free}})
	if wait != nil {
		return "", wait
	}
	if a := strings.TrimSpace(res[0].fields.str("answer")); a != "" {
		return a, nil
	}
	return "", s.answer("没有收到回答，我就停在这里。什么都没有写入。", "There was no answer, so I stop here. Nothing was written.")
}

// name is what a record is called in the person's language.
func (s *session) name(r row) string {
	if s.zh {
		return orElse(r.str("name"), r.str("name_en"))
	}
	return orElse(r.str("name_en"), r.str("name"))
}

// failed reports a call that did not work.
func (s *session) failed(why string) *step {
	st := s.answer("没有成功：%s", "That did not work: %s", plain(short(why)))
	if !strings.Contains(why, "没有写入") && !strings.Contains(strings.ToLower(why), "nothing was written") {
		st.text = strings.TrimRight(st.text, "。.") + s.say("。什么都没有写入。", ". Nothing was written.")
	}
	return st
}

// short keeps a foreign text readable.
func short(s string) string {
	const most = 300
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
