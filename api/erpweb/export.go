package erpweb

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// maxExport bounds the rows of one file.
const maxExport = 10_000

// export answers the query as CSV for spreadsheets: UTF-8 with a byte order mark,
// at most maxExport rows.
func (s *Server) export(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var q nouns.Query
	if err := decode(w, r, maxQuery, &q); err != nil {
		return err
	}
	q.Form, q.Mode, q.ID, q.Cursor, q.Limit = r.PathValue("form"), nouns.List, "", "", 0
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	form, err := s.erp.Schema(r.Context(), id, q.Form)
	if err != nil {
		return err
	}
	fields, err := columns(form, q.Fields)
	if err != nil {
		return err
	}
	q.Fields = make([]string, len(fields))
	for i, f := range fields {
		q.Fields[i] = f.Name
	}
	var rows []nouns.Row
	truncated, err := s.pages.Export(r.Context(), id, q, maxExport, func(row nouns.Row) error {
		rows = append(rows, row)
		return nil
	})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", `attachment; filename="`+form.Form+`.csv"`)
	h.Set("X-Truncated", strconv.FormatBool(truncated))
	return writeCSV(w, fields, rows, string(id.User.Locale))
}

// paging exports from an ERP that only has pages.
type paging struct{ erp ERP }

func (p paging) Export(ctx context.Context, id erp.Identity, q nouns.Query, limit int, row func(nouns.Row) error) (truncated bool, err error) {
	q.Limit = nouns.MaxLimit
	for n := 0; ; {
		page, err := p.erp.Read(ctx, id, q)
		if err != nil {
			return false, err
		}
		for _, r := range page.Rows {
			if n == limit {
				return true, nil
			}
			if err := row(r); err != nil {
				return false, err
			}
			n++
		}
		if !page.Truncated || page.NextCursor == "" {
			return false, nil
		}
		q.Cursor = page.NextCursor
	}
}

// columns are the fields of the file: those asked for, else those of the list.
func columns(form nouns.Form, names []string) ([]nouns.Field, error) {
	var fields []nouns.Field
	if len(names) == 0 {
		for _, f := range form.Fields {
			if f.Listed && f.Type != nouns.Lines {
				fields = append(fields, f)
			}
		}
		return fields, nil
	}
	for _, n := range names {
		f, ok := form.Find(n)
		if !ok || f.Type == nouns.Lines {
			return nil, fault.New(fault.Invalid, "field", "fields", "detail", "there is no such column")
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func writeCSV(w io.Writer, fields []nouns.Field, rows []nouns.Row, locale string) error {
	if _, err := io.WriteString(w, "\ufeff"); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	line := make([]string, len(fields))
	for i, f := range fields {
		line[i] = harmless(f.Label.In(locale))
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range rows {
		for i, f := range fields {
			line[i] = harmless(cell(f, row[f.Name], locale))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell is a value as a spreadsheet reads it: plain decimals and ISO dates, and
// options by their label.
func cell(f nouns.Field, v any, locale string) string {
	if v == nil {
		return ""
	}
	text := fmt.Sprint(v)
	if n, ok := v.(json.Number); ok {
		text = n.String()
	}
	for _, o := range f.Options {
		if o.Value == text {
			return o.Label.In(locale)
		}
	}
	return text
}

// harmless keeps a spreadsheet from taking text of the ERP for a formula, full-width
// signs included: some spreadsheets fold them.
func harmless(s string) string {
	if first, _ := utf8.DecodeRuneInString(s); s == "" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return s
	}
	if _, err := nouns.NormalizeDecimal(s); err == nil {
		return s
	}
	return "'" + s
}
