package builtin

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// cursor is where a page ended: the sort values of its last row. It is a keyset,
// not an offset, so rows that are inserted or removed meanwhile neither repeat
// nor hide others. It holds no secret and grants nothing: it is bound as values,
// below the same filters and rights as any read.
type cursor struct {
	// Query ties the cursor to form, filters and sort.
	Query string `json:"q"`
	// After are the sort values as text, the key last; nil is NULL.
	After []*string `json:"a"`
}

// queryHash names what a cursor belongs to.
func queryHash(id erp.Identity, q nouns.Query) string {
	raw, _ := json.Marshal([]any{id.User.Tenant, q.Form, q.Filters, q.Sort}) // marshalled before: cannot fail
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func (c cursor) String() string {
	raw, _ := json.Marshal(c) // two plain fields: cannot fail
	return base64.RawURLEncoding.EncodeToString(raw)
}

// parseCursor refuses what is malformed or of another query: fault.Invalid.
func parseCursor(s, query string, n int) (cursor, error) {
	bad := fault.New(fault.Invalid, "field", "cursor", "detail", "the cursor belongs to another query")
	if len(s) > 4000 {
		return cursor{}, bad
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return cursor{}, bad
	}
	var c cursor
	if err := json.Unmarshal(raw, &c); err != nil || c.Query != query || len(c.After) != n || c.After[n-1] == nil {
		return cursor{}, bad
	}
	return c, nil
}
