package planner

import (
	"regexp"
	"slices"
	"strings"
)

// supplier is the other side of a purchase.
var supplier = entity{"supplier", "供应商", "supplier"}

// partnerField begins the value of a field in a sentence: ", phone 021-1".
var partnerField = regexp.MustCompile(`(?i)[，,；;、\s]\s*(` + partnerZh + `|` + partnerEn + `\b)\s*(?:是|为|[:：]|\bis\b)?\s*`)

const (
	partnerZh = `编码|代码|电话号码|联系电话|电话|手机号|手机|联系人|电子邮箱|邮箱|邮件|信用额度|额度|区域|地区|大区|英文名称|英文名|账期|币种`
	partnerEn = `code|phone number|phone|telephone|contact person|contact|e-?mail(?: address)?|credit limit|region|english name|payment days|currency`
)

// orderLike is what begins as a new customer and goes on as an order.
var orderLike = regexp.MustCompile(`(?:订单|报价单?|采购单)\s*[:：]`)

// partnerOnly are fields that findField does not know, because nobody asks to
// change them by a word.
var partnerOnly = map[string]string{"编码": "code", "代码": "code", "code": "code", "账期": "payment_days", "payment days": "payment_days", "币种": "currency", "currency": "currency"}

// createPartner carries "create customer …, phone …, region …": the person
// finishes it in the native form. m is which, and the rest of the sentence.
func createPartner(s *session, m []string) *step {
	if asks.MatchString(strings.TrimSpace(s.text)) || orderLike.MatchString(m[2]) {
		return nil
	}
	e := customer
	if w := strings.ToLower(m[1]); w == "供应商" || w == "supplier" {
		e = supplier
	}
	name, values, bad := s.partnerValues(e, m[2])
	if bad != nil {
		return bad
	}
	if name == "" {
		return s.answer("请给出%[1]s的名称，例如：新建%[1]s <名称>，电话 <号码>。", "Please give the name, for example: create %[2]s <name>, phone <number>.", e.zh, e.en)
	}
	if e.form == "customer" && values["region"] == nil {
		var options []string
		for _, r := range regions {
			options = append(options, s.say("%[1]s", "%[2]s", r.zh, r.en))
		}
		answer, wait := s.ask(s.say("%s 属于哪个区域？", "Which region does %s belong to?", name), options, false)
		if wait != nil {
			return wait
		}
		r := findRegion(answer)
		if r == nil {
			return s.answer("没有区域“%s”。什么都没有写入。", "There is no region \"%s\". Nothing was written.", plain(answer))
		}
		values["region"] = r.code
	}
	propose, wait := s.draft(e.form, "", values)
	if wait != nil {
		return wait
	}
	intro := s.say("已为%[1]s %[3]s 备好草稿。请在卡片上确认；如果随后打开表单，请在表单里核对并保存。", "The new %[2]s %[3]s is drafted. Please confirm on the card; if a form opens then, check it and save there.", e.zh, e.en, plain(name))
	r, wait := s.settled(propose, intro)
	if wait != nil {
		return wait
	}
	return s.answer("%[1]s %[3]s 已创建，编码 %[4]s。", "%[2]s %[3]s has been created as %[4]s.", e.zh, upperFirst(e.en), plain(name), linkTo(e.form, orElse(r.fields.str("bill"), "?"), r.fields.str("link")))
}

// part is one piece of a list in a sentence, with the comma before it.
var part = regexp.MustCompile(`[，,；;][^，,；;]+`)

// nameRegion puts the field's name before a region that stands alone:
// "…，华东" becomes "…，区域 华东".
func nameRegion(text string) string {
	return part.ReplaceAllStringFunc(text, func(p string) string {
		name := strings.Trim(p, "，,；;。. ")
		alone := func(r word) bool {
			return name == r.zh || strings.EqualFold(name, r.code) || strings.EqualFold(name, r.en)
		}
		if !slices.ContainsFunc(regions, alone) {
			return p
		}
		return "，区域 " + name
	})
}

// partnerValues reads name and fields out of a sentence.
func (s *session) partnerValues(e entity, text string) (string, map[string]any, *step) {
	if e.form == "customer" {
		text = nameRegion(text)
	}
	marks := partnerField.FindAllStringSubmatchIndex(text, -1)
	end := len(text)
	if len(marks) > 0 {
		end = marks[0][0]
	}
	trim := func(t string) string { return strings.Trim(strings.TrimSpace(t), "，,；;、。.“”\"' ") }
	name := trim(text[:end])
	if strings.HasSuffix(strings.ToLower(name), " ltd") || strings.HasSuffix(strings.ToLower(name), " co") {
		name += "."
	}
	values := map[string]any{"name": name}
	if !s.zh {
		values["name_en"] = name
	}
	for i, m := range marks {
		word := strings.ToLower(text[m[2]:m[3]])
		stop := len(text)
		if i+1 < len(marks) {
			stop = marks[i+1][0]
		}
		value := trim(text[m[1]:stop])
		field := partnerOnly[word]
		if f := findField(word); field == "" && f != nil {
			field = f.name
		}
		switch field {
		case "region":
			r := findRegion(value)
			if r == nil || e.form != "customer" {
				return name, nil, s.answer("没有区域“%s”。什么都没有写入。", "There is no region \"%s\". Nothing was written.", plain(value))
			}
			value = r.code
		case "credit_limit", "payment_days":
			n, ok := number(strings.Trim(value, "¥￥$元RMBCNYUSD 圆块天days"))
			if !ok || e.form != "customer" && field == "credit_limit" {
				return name, nil, s.answer("“%s”在这里不能用。什么都没有写入。", "\"%s\" does not fit here. Nothing was written.", plain(value))
			}
			value = n
		case "code", "currency":
			value = strings.ToUpper(value)
		}
		if value != "" && !slices.Contains([]string{"", "name"}, field) {
			values[field] = value
		}
	}
	return name, values, nil
}
