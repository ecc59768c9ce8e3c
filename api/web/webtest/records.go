package webtest

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/operation"
)

// records are the addresses of the ERP, as api/erpweb has them.
func (g *Gateway) records(own func(pattern string, h func(w http.ResponseWriter, r *http.Request, user string))) {
	s := g.Shop
	one := func(pattern string, h func(w http.ResponseWriter, r *http.Request, f erp.Form)) {
		own(pattern, func(w http.ResponseWriter, r *http.Request, _ string) {
			f, ok := Forms[r.PathValue("form")]
			if !ok {
				problem(w, 403, "permission_denied", map[string]string{"form": r.PathValue("form"), "action": "read"})
				return
			}
			h(w, r, f)
		})
	}
	own("GET /erp/api/forms", func(w http.ResponseWriter, _ *http.Request, _ string) {
		all := []erp.Form{}
		for _, name := range order {
			all = append(all, Forms[name])
		}
		reply(w, 200, map[string]any{"forms": all})
	})
	one("GET /erp/api/forms/{form}/schema", func(w http.ResponseWriter, _ *http.Request, f erp.Form) { reply(w, 200, f) })
	one("POST /erp/api/forms/{form}/read", func(w http.ResponseWriter, r *http.Request, f erp.Form) {
		var q erp.Query
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			problem(w, 400, "invalid", map[string]string{"detail": "no query"})
			return
		}
		if q.Mode != erp.Record {
			reply(w, 200, s.page(f, q))
			return
		}
		if row := s.Record(f.Form, q.ID); row != nil {
			reply(w, 200, erp.Page{Form: f.Form, Record: row})
			return
		}
		problem(w, 404, "not_found", nil)
	})
	one("GET /erp/api/forms/{form}/lookup", func(w http.ResponseWriter, r *http.Request, f erp.Form) {
		reply(w, 200, map[string]any{"rows": s.lookup(f, r.URL.Query().Get("q"))})
	})
	one("GET /erp/api/forms/{form}/history", func(w http.ResponseWriter, r *http.Request, f erp.Form) {
		s.mu.Lock()
		entries := slices.Clone(s.history[f.Form+"|"+r.URL.Query().Get("key")])
		s.mu.Unlock()
		reply(w, 200, map[string]any{"entries": entries})
	})
	one("POST /erp/api/forms/{form}/preview", s.preview)
	one("POST /erp/api/forms/{form}/records", s.save)
	one("POST /erp/api/forms/{form}/export", func(w http.ResponseWriter, r *http.Request, f erp.Form) {
		var q erp.Query
		_ = json.NewDecoder(r.Body).Decode(&q)
		q.Limit = 10000
		w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		w.Header().Set("X-Truncated", "false")
		_, _ = w.Write([]byte("\ufeff"))
		out := csv.NewWriter(w)
		for _, row := range s.page(f, q).Rows {
			var cells []string
			for _, name := range q.Fields {
				cells = append(cells, str(row[name]))
			}
			_ = out.Write(cells)
		}
		out.Flush()
	})
	own("GET /erp/api/staging/{op}", func(w http.ResponseWriter, r *http.Request, _ string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if x := s.staging(r.PathValue("op")); x != nil {
			reply(w, 200, *x)
			return
		}
		problem(w, 404, "not_found", nil)
	})
	own("GET /erp/api/todos", func(w http.ResponseWriter, _ *http.Request, _ string) {
		reply(w, 200, map[string]any{"todos": s.todos(), "server_now": time.Now()})
	})
}

// matches is one condition of a list.
func matches(x erp.Filter, have string) bool {
	var want string
	var list []string
	_ = json.Unmarshal(x.Value, &want)
	_ = json.Unmarshal(x.Value, &list)
	compare := strings.Compare(have, want)
	if a, ok := dec(have); ok {
		if b, ok := dec(want); ok {
			compare = a.Cmp(b)
		}
	}
	switch x.Op {
	case erp.Eq:
		return compare == 0
	case erp.Ne:
		return compare != 0
	case erp.Lt:
		return compare < 0
	case erp.Lte:
		return compare <= 0
	case erp.Gt:
		return compare > 0
	case erp.Gte:
		return compare >= 0
	case erp.Contains:
		return strings.Contains(strings.ToLower(have), strings.ToLower(want))
	case erp.Prefix:
		return strings.HasPrefix(strings.ToLower(have), strings.ToLower(want))
	case erp.In:
		return slices.Contains(list, have)
	case erp.Between:
		return len(list) == 2 && have >= list[0] && have <= list[1]
	}
	return false
}

// page answers a list as the ERP does: filters, sorts, a cursor, the columns asked for.
func (s *Shop) page(f erp.Form, q erp.Query) erp.Page {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []erp.Row
	for _, row := range s.rows[f.Form] {
		if !slices.ContainsFunc(q.Filters, func(x erp.Filter) bool { return !matches(x, str(row[x.Field])) }) {
			rows = append(rows, row)
		}
	}
	slices.SortStableFunc(rows, func(a, b erp.Row) int {
		for _, by := range q.Sort {
			c := strings.Compare(str(a[by.Field]), str(b[by.Field]))
			if x, ok := dec(a[by.Field]); ok {
				if y, ok := dec(b[by.Field]); ok {
					c = x.Cmp(y)
				}
			}
			if by.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	})
	from, _ := strconv.Atoi(q.Cursor)
	to := min(from+q.Limit, len(rows))
	out := erp.Page{Form: f.Form, Total: len(rows), Truncated: to < len(rows)}
	for _, row := range rows[from:to] {
		shown := erp.Row{}
		for _, name := range q.Fields {
			shown[name] = row[name]
		}
		out.Rows = append(out.Rows, shown)
	}
	if out.Truncated {
		out.NextCursor = strconv.Itoa(to)
	}
	return out
}

// lookup finds by key or name.
func (s *Shop) lookup(f erp.Form, q string) []erp.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []erp.Row{}
	for _, row := range s.rows[f.Form] {
		if strings.Contains(strings.ToLower(str(row[f.Key])+" "+str(row["name"])+" "+str(row["name_en"])), strings.ToLower(q)) && len(found) < 10 {
			found = append(found, row)
		}
	}
	return found
}

func (s *Shop) preview(w http.ResponseWriter, r *http.Request, f erp.Form) {
	var x write
	if err := json.NewDecoder(r.Body).Decode(&x); err != nil {
		problem(w, 400, "invalid", map[string]string{"detail": "no change"})
		return
	}
	s.mu.Lock()
	hold := s.hold
	s.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-r.Context().Done():
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	bad := &wrong{en: r.Header.Get("Accept-Language") == "en"}
	p, _ := s.plan(f.Form, x, bad)
	if len(bad.list) > 0 {
		refuse(w, bad)
		return
	}
	reply(w, 200, map[string]any{"preview": p})
}

func (s *Shop) save(w http.ResponseWriter, r *http.Request, f erp.Form) {
	var x write
	if err := json.NewDecoder(r.Body).Decode(&x); err != nil || x.Token == "" {
		problem(w, 400, "invalid", map[string]string{"detail": "no change"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := func(c erp.Commit) {
		reply(w, 200, map[string]any{"status": "executed", "form": f.Form, "action": x.Action, "bill": c.Bill, "bills": c.Bills, "link": c.Link, "replayed": c.Replayed})
	}
	if c, ok := s.saved[x.Token]; ok {
		c.Replayed = true
		answer(c)
		return
	}
	var staged *operation.Staging
	if x.Staging != "" {
		staged = s.staging(x.Staging)
		if staged == nil || staged.Status != operation.HandedOff {
			status := operation.Cancelled
			if staged != nil {
				status = staged.Status
			}
			problem(w, 409, "already_decided", map[string]string{"status": string(status), "by": "lin", "channel": "web", "at": time.Now().Format(time.RFC3339)})
			return
		}
	}
	var version string
	if json.Unmarshal(x.Version, &version) != nil {
		version = string(x.Version)
	}
	if row := s.find(f.Form, x.Target); x.Target != "" && row != nil && version != "" && version != str(row["version"]) {
		problem(w, 409, "record_changed", map[string]string{"old": version, "new": str(row["version"]), "object": x.Target})
		return
	}
	bad := &wrong{en: r.Header.Get("Accept-Language") == "en"}
	_, do := s.plan(f.Form, x, bad)
	if len(bad.list) > 0 {
		refuse(w, bad)
		return
	}
	if staged != nil && staged.Policy != "self" && differs(staged.Payload, x.Payload) {
		staged.Status, staged.State, staged.Editable = operation.AwaitingApproval, operation.TodoOpen, false
		reply(w, 202, map[string]any{"status": "awaiting_approval", "op_id": staged.OpID, "revision": staged.Revision + 1})
		return
	}
	made := do(x.Staging)
	c := erp.Commit{Bill: made[0], Link: "/erp/form/" + f.Form + "?bill=" + made[0]}
	if len(made) > 1 {
		c.Bills = made
	}
	s.saved[x.Token] = c
	if staged != nil {
		staged.Status, staged.State, staged.Editable, staged.Bill, staged.Link = operation.Completed, operation.TodoDone, false, c.Bill, c.Link
	}
	answer(c)
}

// differs compares what was approved with what is saved.
func differs(approved json.RawMessage, saved erp.Row) bool {
	var was erp.Row
	_ = json.Unmarshal(approved, &was)
	a, _ := json.Marshal(was)
	b, _ := json.Marshal(saved)
	return string(a) != string(b)
}

func refuse(w http.ResponseWriter, bad *wrong) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(422)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": 422, "code": "validation_failed", "params": map[string]string{"detail": bad.list[0].Detail}, "problems": bad.list})
}
