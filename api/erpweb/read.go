package erpweb

import (
	"net/http"
	"strconv"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// forms lists what the person may read.
func (s *Server) forms(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	forms, err := s.erp.Forms(r.Context(), id)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, map[string]any{"forms": forms})
}

// schema describes one form.
func (s *Server) schema(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	form, err := s.erp.Schema(r.Context(), id, r.PathValue("form"))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, form)
}

// read answers a list, a count or a record; the form of the path wins.
func (s *Server) read(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	var q nouns.Query
	if err := decode(w, r, maxQuery, &q); err != nil {
		return err
	}
	q.Form = r.PathValue("form")
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	page, err := s.erp.Read(r.Context(), id, q)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, page)
}

// lookup is the drop-down source of link fields.
func (s *Server) lookup(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	limit := 0
	if v := r.URL.Query().Get("limit"); v != "" {
		var err error
		if limit, err = strconv.Atoi(v); err != nil || limit < 1 || limit > nouns.MaxLimit {
			return fault.New(fault.Invalid, "field", "limit", "detail", "limit must be 1 to "+strconv.Itoa(nouns.MaxLimit))
		}
	}
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	rows, err := s.erp.Lookup(r.Context(), id, r.PathValue("form"), r.URL.Query().Get("q"), limit)
	if err != nil {
		return err
	}
	if rows == nil {
		rows = []nouns.Row{}
	}
	return answer(w, http.StatusOK, map[string]any{"rows": rows})
}

// records tells what became of a record.
func (s *Server) records(w http.ResponseWriter, r *http.Request, tenant identity.Tenant, userID string) error {
	key := r.URL.Query().Get("key")
	if key == "" || len(key) > maxKey {
		return fault.New(fault.Invalid, "field", "key", "detail", "key must name the record")
	}
	id, err := s.identify(r, tenant, userID)
	if err != nil {
		return err
	}
	entries, err := s.history.History(r.Context(), id, r.PathValue("form"), key)
	if err != nil {
		return err
	}
	if entries == nil {
		entries = []nouns.HistoryEntry{}
	}
	return answer(w, http.StatusOK, map[string]any{"entries": entries})
}

// maxKey bounds the key of a record, in bytes.
const maxKey = 200
