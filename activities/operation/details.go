package operation

import (
	"slices"
	"strings"
	"time"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
	"github.com/erpilot/erpilot/schema/operation"
	"github.com/erpilot/erpilot/schema/text"
)

// maxDetails bounds what enters Temporal of one operation, in bytes.
const maxDetails = 8 << 10

// describe makes what an operator reads in the Temporal UI: a line, and Markdown
// with who wants to change what, old → new, and until when. All text of the
// ERP is escaped: it is data.
func describe(row pgdb.Operation, p schema.Preview, user identity.User) (summary, details string) {
	zone, err := time.LoadLocation(user.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	l := user.Locale
	say := func(key string, params map[string]string) string { return text.Details[key].In(l, params) }
	params := map[string]string{"who": escape(user.DisplayName), "what": escape(p.Title(string(l))),
		"object": escape(p.Object), "deadline": row.ExpiresAt.In(zone).Format("2006-01-02 15:04") + " (" + zone.String() + ")",
		"total":  schema.Show(schema.Money, p.Total) + " " + p.Currency,
		"reason": escape(row.Reason)}
	summary = say("summary", params)
	var b strings.Builder
	b.WriteString(say("headline", params) + "\n\n")
	if len(p.Lines) > 0 {
		b.WriteString(lineTable(p.Lines, say))
		if p.Total != "" {
			b.WriteString("\n" + say("total", params) + "\n")
		}
		b.WriteString("\n")
	}
	if len(p.Diffs) > 0 {
		b.WriteString(say("changes", nil) + "\n| --- | --- | --- |\n")
		for _, d := range p.Diffs {
			if p.InLines(d) {
				continue
			}
			label := escape(d.Label.In(string(l)))
			if d.Object != "" {
				label = escape(d.Object) + " · " + label
			}
			b.WriteString("| " + label + " | " + dash(escape(schema.Show(d.Type, d.Before))) + " | " + dash(escape(schema.Show(d.Type, d.After))) + " |\n")
			if b.Len() > maxDetails-1500 {
				b.WriteString("| … | … | … |\n")
				break
			}
		}
		b.WriteString("\n")
	}
	if row.Reason != "" {
		b.WriteString(say("reason", params) + "\n\n")
	}
	if !row.AutoExecute {
		params["open"] = "`" + operation.OpenURL(row.TargetForm, row.OpID) + "`"
		b.WriteString(say("manual", params) + "\n\n")
	}
	b.WriteString(say("deadline", params) + "\n")
	details = b.String()
	if len(details) > maxDetails {
		details = strings.ToValidUTF8(details[:maxDetails-4], "") + "\n…"
	}
	return summary, details
}

// lineTable shows the lines of a document; prices and stock only where it has them.
func lineTable(lines []schema.Line, say func(string, map[string]string) string) string {
	priced := slices.ContainsFunc(lines, func(x schema.Line) bool { return x.UnitPrice != "" })
	stocked := slices.ContainsFunc(lines, func(x schema.Line) bool { return x.StockBefore != "" || x.StockAfter != "" })
	rule := "| --- | ---: |"
	head := say("lines", nil)
	if priced {
		head, rule = head+say("lines.priced", nil), rule+" ---: | ---: | ---: |"
	}
	if stocked {
		head, rule = head+say("lines.stocked", nil), rule+" --- |"
	}
	var b strings.Builder
	b.WriteString(head + "\n" + rule + "\n")
	for _, x := range lines {
		b.WriteString("| " + escape(x.ProductName) + " | " + schema.Show(schema.Decimal, x.Quantity) + " " + escape(x.Unit) + " |")
		if priced {
			off := ""
			if x.Discount != "" {
				off = "−" + x.Discount + "%"
			}
			b.WriteString(" " + schema.Show(schema.Money, x.UnitPrice) + " | " + off + " | " + schema.Show(schema.Money, x.Amount) + " |")
		}
		if stocked {
			b.WriteString(" " + schema.Show(schema.Decimal, x.StockBefore) + " → " + schema.Show(schema.Decimal, x.StockAfter) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;",
	"#", "\\#", "!", "\\!", "\n", " ", "\r", " ")

// escape makes ERP text harmless in Markdown and at most 200 characters long.
func escape(s string) string {
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return markdown.Replace(s)
}

func dash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}
