package erpweb

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// maxExport bounds the rows of one file.
const maxExport = 10_000

// export answers the query as CSV for spreadsheets: UTF-8 with a byte order mark,
// all pages up to maxExport rows. Rows that are written to meanwhile may be old.
func (s *Server) export(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var q nouns.Query
	if err := decode(w, r, maxQuery, &q); err != nil {
		return err
	}
	q.Form, q.Mode, q.ID, q.Cursor, q.Limit = r.PathValue("form"), nouns.List, "", "", nouns.MaxLimit
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
	rows, truncated, err := s.all(r, id, q)
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

// all reads page after page.
func (s *Server) all(r *http.Request, id erp.Identity, q nouns.Query) (rows []nouns.Row, truncated bool, err error) {
	for {
		page, err := s.erp.Read(r.Context(), id, q)
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, page.Rows...)
		switch {
		case len(rows) > maxExport || len(rows) == maxExport && page.Truncated:
			return rows[:maxExport], true, nil
		case !page.Truncated || page.NextCursor == "":
			return rows, false, nil
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

// harmless keeps a spreadsheet from taking text of the ERP for a formula.
func harmless(s string) string {
	if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return s
	}
	if _, err := nouns.NormalizeDecimal(s); err == nil {
		return s
	}
	return "'" + s
}
