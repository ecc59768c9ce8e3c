package turn

import (
	"context"
	"slices"
	"strings"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/tool"
)

// maxDetailed is how many forms find_forms tells with all their fields; a prompt
// need not hold forty of them.
const maxDetailed = 5

// foundForm is a form as find_forms tells the model. Everything from Key on is
// left off where a form is only named.
type foundForm struct {
	Form    string        `json:"form"`
	LabelZh string        `json:"label_zh"`
	LabelEn string        `json:"label_en"`
	Domain  string        `json:"domain"`
	Kind    erp.Kind      `json:"kind,omitempty"`
	Help    string        `json:"help,omitempty"`
	Key     string        `json:"key,omitempty"`
	Fields  []foundField  `json:"fields,omitempty"`
	Actions []foundAction `json:"actions,omitempty"`
	// ReadActions belong to read_form.
	ReadActions []string `json:"read_actions,omitempty"`
}

type foundField struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Type     erp.Type `json:"type"`
	Filter   bool     `json:"filter,omitempty"`
	Required bool     `json:"required,omitempty"`
	ReadOnly bool     `json:"read_only,omitempty"`
	Link     string   `json:"link,omitempty"`
	Options  []string `json:"options,omitempty"`
	// OptionLabels say what the options mean, in their order.
	OptionLabels []string     `json:"option_labels,omitempty"`
	Lines        []foundField `json:"lines,omitempty"`
}

type foundAction struct {
	Action string   `json:"action"`
	Label  string   `json:"label"`
	States []string `json:"states,omitempty"`
	Args   []string `json:"args,omitempty"`
	// Manual ones are finished by the person in the native form.
	Manual bool `json:"manual,omitempty"`
}

// findForms lists the granted forms that fit the words, best first; when none fits
// it names all, so that the model can choose.
func (s *Service) findForms(ctx context.Context, a agent, row pgdb.Call) (done, error) {
	args, err := arguments[tool.FindFormsArgs](row)
	if err != nil {
		return done{}, err
	}
	forms, err := s.ERP.Forms(ctx, a.id)
	if err != nil {
		return done{}, err
	}
	fitting := ranked(forms, args.Query, args.Domain)
	note := ""
	if len(fitting) == 0 {
		note, fitting = "No form fits these words; these are all.", forms
	}
	detailed := maxDetailed
	if strings.TrimSpace(args.Query) == "" || note != "" {
		detailed = 0
	}
	found, cut := describe(fitting, detailed, a.turn.Locale)
	result := map[string]any{"forms": found, "total": len(forms), "truncated": cut}
	if cut && note == "" {
		note = "Fields and actions are told of the best matches only. Ask for a form by its id to see it whole."
	}
	if note != "" {
		result["note"] = note
	}
	return done{result: result, rows: len(found), total: len(forms)}, nil
}

// describe tells the first forms whole and names the others; what would not fit
// the prompt is shortened, and cut says so.
func describe(forms []erp.Form, detailed int, locale string) (out []foundForm, cut bool) {
	for ; ; detailed-- {
		out, cut = make([]foundForm, 0, len(forms)), false
		for i, f := range forms {
			if i < detailed {
				out = append(out, whole(f, locale))
			} else {
				out = append(out, named(f))
				cut = true
			}
		}
		if detailed <= 0 || len(mustJSON(out)) <= maxResult {
			break
		}
	}
	for len(out) > 1 && len(mustJSON(out)) > maxResult {
		out, cut = out[:len(out)/2], true
	}
	return out, cut
}

// ranked are the forms of the domain ("" means all) that fit the words, best first.
func ranked(forms []erp.Form, query, domain string) []erp.Form {
	query = strings.ToLower(strings.TrimSpace(query))
	type match struct {
		form  erp.Form
		score int
	}
	var found []match
	for _, f := range forms {
		if domain != "" && f.Domain != domain {
			continue
		}
		if n := score(f, query); n > 0 {
			found = append(found, match{f, n})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return b.score - a.score })
	out := make([]erp.Form, len(found))
	for i, m := range found {
		out[i] = m.form
	}
	return out
}

// score tells how well a form fits: by its very name, by words of its names, of
// what it is for, or of its fields. 0 does not fit.
func score(f erp.Form, query string) int {
	id, zh, en := strings.ToLower(f.Form), strings.ToLower(f.Label.Zh), strings.ToLower(f.Label.En)
	if query == id || query == zh || query == en {
		return 4
	}
	words := strings.Fields(query)
	text := id + " " + zh + " " + en
	if holds(text, words) {
		return 3
	}
	text += " " + strings.ToLower(f.Domain+domainName(f.Domain)+" "+f.Help.Zh+" "+f.Help.En)
	if holds(text, words) {
		return 2
	}
	for _, x := range f.Fields {
		text += " " + strings.ToLower(x.Name+" "+x.Label.Zh+" "+x.Label.En)
	}
	if holds(text, words) {
		return 1
	}
	return 0
}

func holds(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// named is a form by its names alone.
func named(f erp.Form) foundForm {
	out := foundForm{Form: f.Form, LabelZh: f.Label.Zh, LabelEn: f.Label.En, Domain: f.Domain}
	if f.Kind == erp.KindReport {
		out.Kind = f.Kind
	}
	return out
}

// whole is a form with all that a model needs to filter, draft and propose.
func whole(f erp.Form, locale string) foundForm {
	out := named(f)
	if out.Kind = f.Kind; out.Kind == "" {
		out.Kind = erp.KindRecord
	}
	out.Help, out.Key, out.Fields = f.Help.In(locale), f.Key, fields(f.Fields)
	for _, x := range f.Actions {
		if !x.Write {
			out.ReadActions = append(out.ReadActions, x.Action)
			continue
		}
		action := foundAction{Action: x.Action, Label: both(x.Label), States: x.States, Manual: x.Manual}
		for _, arg := range x.Args {
			action.Args = append(action.Args, arg.Name)
		}
		out.Actions = append(out.Actions, action)
	}
	return out
}

func fields(list []erp.Field) []foundField {
	var out []foundField
	for _, x := range list {
		field := foundField{Name: x.Name, Label: both(x.Label), Type: x.Type, Filter: x.Filter, Required: x.Required && !x.ReadOnly,
			ReadOnly: x.ReadOnly, Link: x.LinkForm, Lines: fields(x.Lines)}
		for _, o := range x.Options {
			field.Options = append(field.Options, o.Value)
			field.OptionLabels = append(field.OptionLabels, both(o.Label))
		}
		out = append(out, field)
	}
	return out
}

func both(l erp.Label) string { return l.Zh + " / " + l.En }
